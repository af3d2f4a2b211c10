package hunt

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats"
	"gogi/stats/binomial"
)

// draws is the share of draws between equal players in the simulated games. bias is the advantage in Elo that an
// opening gives to one colour.
const (
	draws = 0.05
	bias  = 60.0
)

// world has the strengths of all versions in Elo.
type world struct {
	strength []float64
	random   *rand.Rand
}

// pair returns the points of version a in a pair against b. The opening favours Black or White by bias.
func (w *world) pair(a, b int) float64 {
	opening, points := bias, 0.0
	if w.random.IntN(2) == 0 {
		opening = -bias
	}
	for leg := range 2 {
		elo := w.strength[a] - w.strength[b] + opening*float64(1-2*leg)
		x := math.Pow(10, elo/400)
		drawn := 2 * draws / (1 - draws) * math.Sqrt(x)
		switch u := w.random.Float64() * (1 + x + drawn); {
		case u < x:
			points++
		case u < x+drawn:
			points += 0.5
		}
	}
	return points
}

func (w *world) block(q Query) stats.Scores {
	var p stats.Pentanomial
	for range q.Pairs {
		switch w.pair(q.New, q.Old) {
		case 0:
			p.LL++
		case 0.5:
			p.LD++
		case 1:
			p.WL++
		case 1.5:
			p.WD++
		default:
			p.WW++
		}
	}
	return p.PairScores()
}

// newWorld draws a culprit that loses elo. Every other version gains or loses drift.
func newWorld(seed uint64, versions int, elo, drift float64) (w *world, culprit int) {
	w = &world{make([]float64, versions), rand.New(rand.NewPCG(seed, 28))}
	culprit = 1 + w.random.IntN(versions-1)
	for i := 1; i < versions; i++ {
		w.strength[i] = w.strength[i-1]
		switch {
		case i == culprit:
			w.strength[i] -= elo
		case w.random.IntN(2) == 0:
			w.strength[i] -= drift
		default:
			w.strength[i] += drift
		}
	}
	return w, culprit
}

// play plays a hunt to its end, or until it has played most pairs. The hunt knows this number of pairs between all
// neighbours.
func play(t testing.TB, w *world, c Config, most, known int) (Answer, int) {
	h, err := New(c)
	testutil.OK(t, err)
	for old := range c.Versions - 1 {
		h.Know(old, old+1, w.block(Query{old, old + 1, known}))
	}
	for decisions := 0; ; decisions++ {
		if a := h.Answer(); a.Verdict != Open || a.Pairs >= most {
			return a, decisions
		}
		q := h.Next()
		h.Add(q.Old, q.New, w.block(q))
	}
}

// bisect plays a bisection with steps of a fixed length. Each step compares a version with the good one. All steps
// together have the error rate for a good version, and for a bad one that loses elo.
func bisect(t testing.TB, w *world, elo, errors float64) (culprit, pairs int) {
	t.Helper()
	commits := len(w.strength) - 1
	level := errors / math.Ceil(math.Log2(float64(commits))) // the steps share the error rate
	design := stats.PairDesign{
		Alpha: level, Power: 1 - level, Alternative: binomial.Less, Conditions: stats.Conditions{DrawRate: draws},
	}
	length, err := design.Length(-elo)
	testutil.OK(t, err)
	good, bad := 0, commits
	for bad-good > 1 {
		middle := (good + bad) / 2
		scores := w.block(Query{0, middle, length.Pairs})
		pairs += length.Pairs
		z := (scores.Mean() - 0.5) / math.Sqrt(scores.Scatter()) * float64(scores.N())
		if z < -binomial.ZAbove(level) {
			bad = middle
		} else {
			good = middle
		}
	}
	return bad, pairs
}

// A record has the sums and means over repetitions.
type record struct {
	name                     string
	repetitions              int
	right, named, several    float64 // shares of all repetitions
	claimed                  float64 // mean posterior of the named culprits
	pairs, decisions         float64 // means
	bisectRight, bisectPairs float64
}

func (r record) String() string {
	se := func(p float64) float64 { return math.Sqrt(max(0, p*(1-p)) / float64(r.repetitions)) }
	return fmt.Sprintf("| %s | %d | %.3f ± %.3f | %.3f | %.3f | %.3f | %.0f | %.0f | %.3f ± %.3f | %.0f | %.2f |",
		r.name, r.repetitions, r.right, se(r.right), r.right/r.named, r.claimed, r.several, 2*r.pairs, r.decisions,
		r.bisectRight, se(r.bisectRight), 2*r.bisectPairs, r.bisectPairs/r.pairs)
}

// simulate plays hunts and bisections with the seeds 0, 1, …. A hunt and its bisection have the same culprit and the
// same random numbers. known is the number of known pairs between neighbours.
func simulate(t testing.TB, name string, repetitions, commits int, elo, drift float64, c Config, most,
	known int) record {
	t.Helper()
	r, n := record{name: name, repetitions: repetitions}, float64(repetitions)
	c.Versions = commits + 1
	for seed := range uint64(repetitions) {
		w, culprit := newWorld(seed, commits+1, elo, drift)
		a, decisions := play(t, w, c, most, known)
		r.pairs += float64(a.Pairs) / n
		r.decisions += float64(decisions) / n
		switch a.Verdict {
		case Found:
			r.named += 1 / n
			r.claimed += a.Posterior[a.Culprit]
			if a.Culprit == culprit {
				r.right += 1 / n
			}
		case Several:
			r.several += 1 / n
		case Open, NoLoss:
		}
		w, culprit = newWorld(seed, commits+1, elo, drift)
		named, pairs := bisect(t, w, elo, equalErrors)
		r.bisectPairs += float64(pairs) / n
		if named == culprit {
			r.bisectRight += 1 / n
		}
	}
	r.claimed /= r.named * n
	t.Log(r)
	return r
}

// equalErrors is the error rate with which a bisection is about as reliable as a hunt with the confidence 0.95.
const equalErrors = 0.02

// TestSimulatedHunts simulates hunts with one culprit, without and with changes of every other version. The hunt knows
// neither the loss nor the drift; the bisection knows the loss.
func TestSimulatedHunts(t *testing.T) {
	c := Config{Confidence: .95, Drift: 1, Block: 16}
	check := func(r record, factor float64) {
		t.Helper()
		testutil.Check(t, r.right >= .93, "right: %v", r)
		testutil.Check(t, r.claimed-r.right/r.named <= .05, "claims: %v", r)
		testutil.Check(t, r.bisectPairs >= factor*r.pairs, "games: %v", r)
	}
	check(simulate(t, "30, 16, 0", testutil.ByLength(30, 400), 16, 30, 0, c, 50_000, 0), 2)
	check(simulate(t, "30, 16, 0, known", testutil.ByLength(30, 400), 16, 30, 0, c, 50_000, 1000), 3)
	if !testutil.Long() {
		return
	}
	check(simulate(t, "30, 64, 0", 100, 64, 30, 0, c, 50_000, 0), 2)
	check(simulate(t, "30, 16, ± 1", 200, 16, 30, 1, c, 50_000, 0), 2)
	check(simulate(t, "30, 64, ± 1", 100, 64, 30, 1, c, 50_000, 0), 1.8)
}

// TestLargeLosses: a version that loses all or almost all games is found, and the interval covers its loss. No choice
// of the block makes such a loss look like several ones.
func TestLargeLosses(t *testing.T) {
	n := testutil.ByLength(8, 200)
	for _, block := range []int{16, 64, 200} {
		for _, versions := range []int{3, 12, 40} {
			for _, elo := range []float64{600, 1000, 100_000} {
				right, covers := 0, 0
				for seed := range uint64(n) {
					w, culprit := newWorld(seed, versions, elo, 0)
					a, _ := play(t, w, Config{Versions: versions, Confidence: .95, Drift: 1, Block: block}, 20_000, 0)
					if a.Verdict == Found && a.Culprit == culprit {
						right++
					}
					if float64(a.Lo) <= elo && elo <= float64(a.Hi) {
						covers++
					}
				}
				testutil.Check(t, right >= n-n/50 && covers >= n-n/20,
					"block %d, %d versions, loss %v: of %d hunts %d right, %d cover", block, versions, elo, n, right, covers)
			}
		}
	}
}

// TestSmallLosses: larger changes of the other versions make a hunt longer but not wrong, unless the hunt excludes such
// changes.
func TestSmallLosses(t *testing.T) {
	if !testutil.Long() {
		t.Skip("minutes of simulated hunts")
	}
	c := Config{Confidence: .95, Drift: 1, Block: 16}
	for _, drift := range []float64{0, .5, 1, 2} {
		r := simulate(t, fmt.Sprintf("10, 64, ± %v", drift), 60, 64, 10, drift, c, 200_000, 0)
		testutil.Check(t, r.claimed-r.right/r.named <= .07, "claims: %v", r)
	}
	c.Drift = 0
	simulate(t, "10, 64, ± 2, --drift 0", 60, 64, 10, 2, c, 200_000, 0)
}

// TestKnownPairsAreNoTest: all versions are equal, and known pairs of the good and the bad version show a loss by
// chance. At most one hunt of twenty names a version, as the e-value guarantees.
func TestKnownPairsAreNoTest(t *testing.T) {
	named, repetitions := 0, testutil.ByLength(20, 400)
	for seed := range uint64(repetitions) {
		w, _ := newWorld(seed, 9, 0, 0)
		h := made(t, Config{Versions: 9, Confidence: .95, Block: 16})
		selected := w.block(Query{0, 8, 400})
		for selected.Mean() > .46 {
			selected = w.block(Query{0, 8, 400})
		}
		h.Know(0, 8, selected)
		for h.Answer().Verdict == Open && h.pairs < 3000 {
			q := h.Next()
			h.Add(q.Old, q.New, w.block(q))
		}
		if h.Answer().Verdict == Found {
			named++
		}
	}
	t.Logf("%d of %d hunts name a version", named, repetitions)
	testutil.Check(t, float64(named) <= .05*float64(repetitions), "%d of %d hunts name a version", named, repetitions)
}
