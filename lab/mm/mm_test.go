package mm

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/stats/rating"
	"gogi/stats/rating/crosstable"
)

// counted returns the counts of a matrix: player i got w[i][j] points against player j. Names are numbers from 1.
func counted(w [][]float64) (counts []crosstable.Count) {
	for i := range w {
		for j := i + 1; j < len(w); j++ {
			draws := 2 * (w[i][j] - math.Floor(w[i][j]))
			counts = append(counts, crosstable.Count{
				Black: strconv.Itoa(i + 1), White: strconv.Itoa(j + 1), BlackWins: int(w[i][j]), Draws: int(draws),
				WhiteWins: int(w[j][i]),
			})
		}
	}
	return counts
}

// TestHunter compares the first three steps with an independent program (stats/rating/testdata/mm_hunter.json).
func TestHunter(t *testing.T) {
	t.Parallel()
	var fixture struct {
		Cases map[string]struct {
			W      [][]float64
			Jacobi [][]float64 `json:"jacobi_first3_normalised"`
			Cyclic [][]float64 `json:"cyclic_first3_normalised"`
		}
	}
	testutil.OK(t, json.Unmarshal(testutil.Must(os.ReadFile("../../stats/rating/testdata/mm_hunter.json"))(t), &fixture))
	testutil.Require(t, len(fixture.Cases) == 4, "cases are missing")
	for name, c := range fixture.Cases {
		for cyclic, want := range map[bool][][]float64{false: c.Jacobi, true: c.Cyclic} {
			got := testutil.Must(Iterates(counted(c.W), 3, cyclic))(t)
			for n := range want {
				for i := range want[n] {
					testutil.Check(t, math.Abs(got[n][i]-want[n][i]) <= 1e-10, "%s, step %d: %v, want %v", name, n+1, got[n], want[n])
				}
			}
		}
		steps := testutil.Must(Steps(counted(c.W), 3))(t)
		for i, want := range c.Jacobi[2] {
			testutil.Check(t, math.Abs(steps[2].Strengths[strconv.Itoa(i+1)]-want) <= 1e-10, "%s: %v, want %v", name, steps[2],
				c.Jacobi[2])
		}
		var out bytes.Buffer
		Print(&out, i18n.English, steps)
		testutil.Contains(t, out.String(), strconv.FormatFloat(c.Jacobi[2][0], 'f', 6, 64))
	}
}

// TestConverges: the steps converge to the strengths of Newton's method.
func TestConverges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(2, 5).Draw(t, "players")
		w := make([][]float64, n)
		for i := range w {
			w[i] = make([]float64, n)
			for j := range w[i] {
				if i != j {
					w[i][j] = float64(rapid.IntRange(1, 20).Draw(t, "wins"))
				}
			}
		}
		fit, err := rating.Rate(counted(w), rating.Model{})
		testutil.OK(t, err)
		iterates, err := Iterates(counted(w), 3000, rapid.Bool().Draw(t, "cyclic"))
		testutil.OK(t, err)
		for _, p := range fit.Players {
			i := testutil.Must(strconv.Atoi(p.Name))(t) - 1
			got := 50 * float64(n) * iterates[2999][i]
			testutil.Check(t, math.Abs(got-p.Strength) <= 1e-6*p.Strength, "%s: MM %v, Newton %v", p.Name, got, p.Strength)
		}
	})
	testutil.Fails(t, testutil.Err(Iterates(counted([][]float64{{0, 1}, {1, 0}}), 0, false)), "0 iterations")
}
