package stats

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// The files in testdata have reference values from mpmath and scipy. Each file names its source in "how".

func load(t *testing.T, name string, into any) {
	t.Helper()
	b := testutil.Must(os.ReadFile("testdata/" + name))(t)
	testutil.OK(t, json.Unmarshal(b, into), name)
}

// worst collects the largest errors of a quantity over all rows.
type worst struct{ abs, rel float64 }

func (w *worst) near(t *testing.T, what string, got, want, abs, rel float64) {
	t.Helper()
	d := math.Abs(got - want)
	testutil.Check(t, d <= abs || d <= rel*math.Abs(want), "%s = %.17g, want %.17g", what, got, want)
	w.abs = max(w.abs, d)
	if want != 0 {
		w.rel = max(w.rel, d/math.Abs(want))
	}
}

func (w *worst) log(t *testing.T, what string) {
	t.Helper()
	t.Logf("%s: worst error %.1e absolute, %.1e relative", what, w.abs, w.rel)
}

// pOf returns the p value of the exact binomial test.
func pOf(t *testing.T, k, n int, p0 float64, alt binomial.Alternative) float64 {
	t.Helper()
	test := testutil.Must(binomial.Exact(k, n, p0, alt))(t)
	return test.P
}

func agree(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }

// end returns the information at which every test has stopped.
func (t triangle) end() float64 { return (t.u + t.l) / (2 * tightening) }

// Add calls AddPlay without an opening.
func (p *Prefix) Add(id int, pair Pair) error { return p.AddPlay(id, Play{Pair: pair}) }

// A TrendPoint is K wins of N decisive games at one dose, such as a size.
type TrendPoint struct {
	K, N int
	Size float64 // the dose
}

// DoseTrend is the Cochran–Armitage test for a linear trend of the win rate over doses (Armitage 1955), like R's
// prop.trend.test. Z is positive if larger doses win more. P is two-sided by the normal approximation, which needs some
// tens of wins and losses in total. The test treats games as independent. It returns an error for fewer than two
// groups, impossible counts, equal doses, and games that were all won or all lost.
func DoseTrend(groups []TrendPoint) (z, p float64, err error) {
	var wins, games, dosed, squared float64
	for i, g := range groups {
		if err := binomial.CheckCounts(g.K, g.N); err != nil {
			return 0, 0, fmt.Errorf("group %d: %w", i+1, err)
		}
		n := float64(g.N)
		wins, games = wins+float64(g.K), games+n
		dosed, squared = dosed+n*g.Size, squared+n*g.Size*g.Size
	}
	if len(groups) < 2 {
		return 0, 0, fmt.Errorf("%d groups have no trend: expected two or more", len(groups))
	}
	rate := wins / games
	sum, spread := 0.0, squared-dosed*dosed/games
	for _, g := range groups {
		sum += g.Size * (float64(g.K) - float64(g.N)*rate)
	}
	variance := rate * (1 - rate) * spread
	if !(variance > 0) {
		return 0, 0, fmt.Errorf("%v of %v games won at doses without spread, or all or none: there is no trend to see", wins,
			games)
	}
	z = sum / math.Sqrt(variance)
	return z, math.Erfc(math.Abs(z) / math.Sqrt2), nil
}
