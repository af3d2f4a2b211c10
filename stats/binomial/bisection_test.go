package binomial

import (
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
)

func TestImpossibleBisections(t *testing.T) {
	testutil.Fails(t, testutil.Err(NewBisection(1, 0.05, 0.05)), "", "one commit")
	testutil.Fails(t, testutil.Err(NewBisection(8, 0, 0.05)), "", "no alpha")
}

// TestSimulatedBisection compares the share of bisections that name the right commit with NamesCulprit. With 5 % a
// step, this is 81 to 66 % for 16 to 256 commits. With α divided by the steps, it is 95 %.
func TestSimulatedBisection(t *testing.T) {
	n := 20_000
	if testutil.Figures() {
		n = 400_000
	}
	r := rand.New(rand.NewPCG(7, 8))
	for _, commits := range []int{2, 3, 16, 100, 256} {
		b := testutil.Must(NewBisection(commits, 0.05, 0.05))(t)
		for _, errs := range [][2]float64{{0.05, 0.05}, {b.Alpha, b.Beta}, {0.1, 0}} {
			right := 0
			for range n {
				culprit, lo, hi := r.IntN(commits), 0, commits // the culprit is in [lo, hi)
				for hi-lo > 1 {
					tested := lo + (hi-lo)/2 - 1
					bad, u := culprit <= tested, r.Float64()
					if bad != (bad && u < errs[1] || !bad && u < errs[0]) {
						hi = tested + 1
					} else {
						lo = tested + 1
					}
				}
				if lo == culprit {
					right++
				}
			}
			want := NamesCulprit(commits, errs[0], errs[1])
			if got := float64(right) / float64(n); math.Abs(got-want) > 4*math.Sqrt(want*(1-want)/float64(n)) {
				t.Errorf("%d commits, %v: %v, want %v", commits, errs, got, want)
			}
		}
		steps := math.Ceil(math.Log2(float64(commits)))
		testutil.Check(t, float64(b.Steps) == steps && b.Right >= 0.95-1e-9 && b.Right <= 0.975, "%+v", b)
	}
}
