package stats

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// The files in testdata are reference values that were computed with mpmath
// and scipy; each names its oracle in "how".

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

// pOf is the p value of the exact binomial test.
func pOf(t *testing.T, k, n int, p0 float64, alt binomial.Alternative) float64 {
	t.Helper()
	test := testutil.Must(binomial.Exact(k, n, p0, alt))(t)
	return test.P
}

func agree(got, want, rel float64) bool { return math.Abs(got-want) <= rel*math.Abs(want) }
