package counts

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/report/calculator"
	"gogi/stats/binomial"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	testutil.Check(t, math.Abs(got-want) <= tolerance, "%s: %v, want %v", what, got, want)
}

// TestAdjust compares with R's p.adjust(c(.01, .04, .03), "holm") and "BH".
func TestAdjust(t *testing.T) {
	for method, want := range map[string][]float64{"holm": {0.03, 0.06, 0.06}, "bh": {0.03, 0.04, 0.04}} {
		a, err := AdjustQuestion{[]float64{0.01, 0.04, 0.03}, method, 0.05}.Answer()
		testutil.OK(t, err)
		for i, row := range a.Adjusted {
			near(t, method, row.Adjusted, want[i], 1e-12)
			testutil.Equal(t, row.Significant, want[i] <= 0.05, "%s: %v", method, row)
		}
	}
}

// TestHomogeneity: χ² of (10, 2, 20) and (20, 1, 9) is summed by hand, and p = exp(-χ²/2) for two degrees of freedom.
// Residuals of wins and losses have opposite signs.
func TestHomogeneity(t *testing.T) {
	a, err := HomogeneityQuestion{[]string{"10,2,20", "20,1,9"}, 0.05}.Answer()
	testutil.OK(t, err)
	near(t, "chi-square", *a.Tests[0].ChiSquare, 7.782662835249044, 1e-9)
	near(t, "p", *a.Tests[0].P, 0.020418142857298892, 1e-12)
	residuals := a.Sources[0].Residuals
	testutil.Check(t, residuals[0] > 0 && residuals[2] < 0, "the first source lost more than its share: %v", residuals)
	var out strings.Builder
	a.Print(&out, i18n.English)
	testutil.Contains(t, out.String(), "2 cells with fewer than 5 games expected", "nothing about sparse cells: %s", &out)
	// The residual of a win: (10 - 15.48) / √(15.48 · (1 - 32/62) · (1 - 30/62)).
	if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), "1 10 2 20 -2.79 +0.53 +2.56 stands out") {
		t.Errorf("the first source is not told:\n%s", &out)
	}
	alone, err := HomogeneityQuestion{[]string{"1,0,2"}, 0.05}.Answer()
	testutil.Check(t, err == nil && alone.Tests[0].P == nil && alone.Tests[0].Why != "",
		"one source agrees with itself: %+v, %v", alone, err)
	out.Reset()
	alone.Print(&out, i18n.English)
	testutil.Check(t, out.Len() > 0 && !strings.Contains(out.String(), "NaN"), "%s", &out)
}

// TestCoverageIsThatOfTheMethod compares the sums over stored intervals with package stats, which calculates each
// interval again.
func TestCoverageIsThatOfTheMethod(t *testing.T) {
	q := CoverageQuestion{N: []int{60}, P: []float64{0, 0.2, 0.5, 0.97}, Confidence: 0.9, Method: "all"}
	a, err := q.Answer()
	testutil.OK(t, err)
	rows := a.Coverages
	testutil.Require(t, len(rows) == len(CoverageNames())*len(q.P), "%d rows", len(rows))
	for _, row := range rows {
		for _, m := range binomial.IntervalMethods() {
			if row.Method == calculator.MethodName(m) {
				p, want := row.P, 0.0
				for k, b := 0, binomial.NewBinomial(60, p); k <= 60; k++ {
					if i, err := m.Interval(k, 60, 0.9); err == nil && i.Lo-1e-12 <= p && p <= i.Hi+1e-12 {
						want += b.At(k)
					}
				}
				near(t, fmt.Sprint(m, row.P), row.Coverage, want, 1e-9)
			}
		}
	}
	var out strings.Builder
	a.Print(&out, i18n.English)
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	testutil.Check(t, len(lines) == 3+len(q.P) && strings.Contains(lines[3], fmt.Sprintf("%.4f", rows[0].Coverage)),
		"the table is\n%s", &out)
}

// TestCoverageOverGames calculates a few points of the LFICS paper's figure. A point is the sum of the binomial
// probabilities of the estimates within 1.96 standard deviations of p.
func TestCoverageOverGames(t *testing.T) {
	q := CoverageQuestion{N: []int{20, 100}, P: []float64{0.5, 0.1}, Confidence: 0.95, Method: "wilson"}
	a, err := q.Answer()
	testutil.OK(t, err)
	rows := a.Coverages
	for _, row := range rows {
		n, p := float64(row.N), row.P
		want, probability := 0.0, math.Pow(1-p, n)
		for k := 0.0; k <= n; k++ {
			if math.Abs(k/n-p) <= 1.959964*math.Sqrt(p*(1-p)/n) {
				want += probability
			}
			probability *= (n - k) / (k + 1) * p / (1 - p)
		}
		near(t, fmt.Sprintf("%g games at %g", n, p), row.Coverage, want, 1e-9)
	}
	var out strings.Builder
	a.Print(&out, i18n.English)
	if len(rows) != 4 || strings.Count(out.String(), "How often the interval of") != 2 ||
		!strings.Contains(out.String(), "100 decisive games") {
		t.Errorf("%d rows, printed\n%s", len(rows), &out)
	}
}

// TestLowestCoverage: the values come from ci_coverage.csv for n = 100 and true win rates from 0.3 to 0.7.
func TestLowestCoverage(t *testing.T) {
	want := map[binomial.IntervalMethod]float64{
		binomial.MethodClopperPearson: 0.9504, binomial.MethodBlaker: 0.95, binomial.MethodMidP: 0.9392,
		binomial.MethodWilson: 0.93714, binomial.MethodWald: 0.93068, binomial.MethodLFICS: 0.92381,
	}
	for m, lowest := range want {
		chosen := CoverageQuestion{Confidence: 0.95, Method: calculator.MethodName(m)}.methods(100)
		testutil.Require(t, len(chosen) == 1, "%s are %d methods", m, len(chosen))
		near(t, string(m), lowestCoverage(chosen[0], 0.3, 0.7), lowest, 1e-4)
	}
}

// lowestCoverage returns the smallest coverage for true probabilities from lo to hi. Between two neighbouring
// ends of intervals the coverage has no minimum, so lowestCoverage checks only the probabilities just outside
// of each end.
func lowestCoverage(m intervalMethod, lo, hi float64) float64 {
	const aside = 1e-9
	lowest := min(m.coverage(lo), m.coverage(hi))
	for _, i := range m.intervals {
		for _, p := range []float64{i.Lo - aside, i.Hi + aside} {
			if lo <= p && p <= hi {
				lowest = min(lowest, m.coverage(p))
			}
		}
	}
	return lowest
}

// TestImpossibleQuestions: an impossible question gives a usage error that names the flag.
func TestImpossibleQuestions(t *testing.T) {
	for flag, err := range map[string]error{
		"--n 0": testutil.Err(CoverageQuestion{N: []int{0}, Confidence: 0.95, Method: "all"}.Answer()),
		"--p 2": testutil.Err(CoverageQuestion{N: []int{10}, P: []float64{2}, Confidence: 0.95,
			Method: "all"}.Answer()),
		"--method exact": testutil.Err(CoverageQuestion{N: []int{10}, Confidence: 0.95, Method: "exact"}.Answer()),
		"--p: p value 2": testutil.Err(AdjustQuestion{[]float64{2}, "holm", 0.05}.Answer()),
		"--counts":       testutil.Err(HomogeneityQuestion{[]string{"1,2"}, 0.05}.Answer()),
	} {
		testutil.Check(t, err != nil && fail.IsUsage(err) && strings.Contains(err.Error(), flag), "%s: %v", flag, err)
	}
}
