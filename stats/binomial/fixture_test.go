package binomial

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// The files in testdata have reference values from mpmath, scipy, R and the original LFICS program. Each file names its
// source in "how".

func load(t *testing.T, name string, into any) {
	t.Helper()
	b := testutil.Must(os.ReadFile("testdata/" + name))(t)
	testutil.OK(t, json.Unmarshal(b, into), "%v", name)
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

type intervalFunc func(k, n int, level float64) (Interval, error)

func TestIntervalsAgainstFixture(t *testing.T) {
	methods := []struct {
		column, method string
		f              intervalFunc
	}{
		{"clopper_pearson", "clopper_pearson", ClopperPearson},
		{"blaker", "blaker", MethodBlaker.Interval},
		{"mid_p", "mid_p", MethodMidP.Interval},
		{"wilson", "wilson", MethodWilson.Interval},
		{"wilson_cc", "wilson_continuity", MethodWilsonContinuity.Interval},
		{"jeffreys", "jeffreys", MethodJeffreys.Interval},
		{"wald_unclamped", "wald", MethodWald.Interval},
		{"clopper_pearson_one_sided", "", oneSided},
	}
	var fixture struct{ Cases []map[string]json.RawMessage }
	load(t, "ci_binomial.json", &fixture)
	testutil.Require(t, len(fixture.Cases) == 32, "%d cases", len(fixture.Cases))
	for _, m := range methods {
		var w worst
		for _, c := range fixture.Cases {
			k, n, alpha := int(number(t, c["k"])), int(number(t, c["n"])), number(t, c["alpha"])
			var want [2]float64
			testutil.OK(t, json.Unmarshal(c[m.column], &want), "%v", m.column)
			got, err := m.f(k, n, 1-alpha)
			testutil.Require(t, err == nil && got.Method == m.method && got.Level == 1-alpha,
				"%s(%d, %d): %+v, %v", m.column, k, n, got, err)
			what := m.column + " " + strconv.Itoa(k) + "/" + strconv.Itoa(n)
			near := func(got, want float64) {
				abs := 1e-9
				if want != 0 && math.Abs(want) < 1e-3 {
					abs = 0
				}
				w.near(t, what, got, want, abs, 1e-6)
			}
			near(got.Lo, max(0, want[0]))
			near(got.Hi, min(1, want[1]))
		}
		w.log(t, m.column)
	}
}

func oneSided(k, n int, level float64) (Interval, error) {
	lo, err := ClopperPearsonLower(k, n, level)
	if err != nil {
		return lo, err
	}
	hi, err := ClopperPearsonUpper(k, n, level)
	return Interval{Level: level, Lo: lo.Lo, Hi: hi.Hi}, err
}

func number(t *testing.T, raw json.RawMessage) (x float64) {
	t.Helper()
	testutil.OK(t, json.Unmarshal(raw, &x))
	return x
}

func TestLFICSAgainstFixture(t *testing.T) {
	type ends struct {
		KMin int `json:"k_min"`
		KMax int `json:"k_max"`
	}
	var fixture struct {
		Cases []struct {
			N, K  int
			Alpha float64
			Cpp   *ends `json:"lfics_cpp"`
			Gamma *ends `json:"lfics_lgamma"`
		}
	}
	load(t, "ci_binomial.json", &fixture)
	for _, c := range fixture.Cases {
		want := c.Cpp
		if want == nil {
			want = c.Gamma
		}
		got, err := MethodLFICS.Interval(c.K, c.N, 1-c.Alpha)
		if want == nil {
			testutil.Check(t, err != nil, "LFICS(%d, %d) = %+v, want an error", c.K, c.N, got)
			continue
		}
		n := float64(c.N)
		if err != nil || got.Lo != float64(want.KMin)/n || got.Hi != float64(want.KMax)/n {
			t.Errorf("LFICS(%d, %d, %v) = %+v, %v; want %+v", c.K, c.N, 1-c.Alpha, got, err, *want)
		}
	}
}

func TestLFICSWorkedExample(t *testing.T) {
	var want struct {
		N, K     int
		S        float64 `json:"S_correct"`
		DR       float64
		DRError  float64    `json:"dR_se_exact"`
		Interval [2]float64 `json:"interval_95_cpp"`
		Elo      [2]float64 `json:"elo_95_cpp"`
	}
	load(t, "lfics_worked_example.json", &want)
	var w worst
	s := testutil.Must(StandardError(want.K, want.N))(t)
	w.near(t, "S", s, want.S, 1e-9, 0)
	w.near(t, "dR", Elo(0.8), want.DR, 1e-9, 0)
	e := testutil.Must(EloError(0.8, s))(t)
	w.near(t, "error of dR", e, want.DRError, 1e-9, 0)
	i, err := MethodLFICS.Interval(want.K, want.N, 0.95)
	testutil.Check(t, err == nil && i.Lo == want.Interval[0] && i.Hi == want.Interval[1], "LFICS = %+v, %v", i, err)
	w.near(t, "lower Elo", EloInterval(i).Lo, want.Elo[0], 1e-9, 0)
	w.near(t, "upper Elo", EloInterval(i).Hi, want.Elo[1], 1e-9, 0)
	w.log(t, "worked example")
}

func TestBinomialTestAgainstFixture(t *testing.T) {
	var fixture struct {
		NullHalf []struct {
			N, K int
			Ge   float64 `json:"p_ge"`
			Le   float64 `json:"p_le"`
			Two  float64 `json:"p_two_sided"`
			Mid  float64 `json:"midp_ge"`
		} `json:"null_half"`
		NullOther []struct {
			N, K int
			P0   float64
			Ge   float64 `json:"p_ge"`
			Le   float64 `json:"p_le"`
			Two  float64 `json:"p_two_minlike_scipy"`
		} `json:"null_other"`
	}
	load(t, "binom_pvalues.json", &fixture)
	testutil.Require(t, len(fixture.NullHalf) == 18 && len(fixture.NullOther) == 3, "rows are missing")
	var w worst
	for _, c := range fixture.NullHalf {
		w.near(t, "greater", pOf(t, c.K, c.N, 0.5, Greater), c.Ge, 0, 1e-9)
		w.near(t, "less", pOf(t, c.K, c.N, 0.5, Less), c.Le, 0, 1e-9)
		w.near(t, "two-sided", pOf(t, c.K, c.N, 0.5, TwoSided), c.Two, 0, 1e-9)
	}
	for _, c := range fixture.NullOther {
		w.near(t, "greater", pOf(t, c.K, c.N, c.P0, Greater), c.Ge, 0, 1e-9)
		w.near(t, "less", pOf(t, c.K, c.N, c.P0, Less), c.Le, 0, 1e-9)
		w.near(t, "two-sided", pOf(t, c.K, c.N, c.P0, TwoSided), c.Two, 0, 1e-9)
	}
	w.log(t, "binomial_exact")
}

func pOf(t *testing.T, k, n int, p0 float64, alt Alternative) float64 {
	t.Helper()
	test, err := Exact(k, n, p0, alt)
	testutil.Require(t, err == nil && test.Method == "binomial_exact" && test.Alternative == alt && test.N == n,
		"Exact(%d, %d, %v, %v) = %+v, %v", k, n, p0, alt, test, err)
	return test.P
}

func TestCriticalWinsAgainstFixture(t *testing.T) {
	var fixture struct {
		Thresholds []struct {
			N     int
			Alpha float64 `json:"one_sided_alpha"`
			Label string
			Min   *int     `json:"exact_min_wins"`
			P     *float64 `json:"exact_p_at_min"`
			Norm  *int     `json:"normal_no_cc_min_wins"`
		}
	}
	load(t, "binom_pvalues.json", &fixture)
	testutil.Require(t, len(fixture.Thresholds) == 36, "rows are missing")
	var w worst
	for _, c := range fixture.Thresholds {
		k, ok := CriticalWins(c.N, c.Alpha, Greater)
		testutil.Check(t, ok == (c.Min != nil) && (!ok || k == *c.Min), "%d games, %s: %d, %v; want %v", c.N, c.Label, k, ok,
			c.Min)
		two, ok2 := CriticalWins(c.N, 2*c.Alpha, TwoSided)
		testutil.Check(t, ok2 == ok && two == k, "%d games: two-sided %d, one-sided at half the alpha %d", c.N, two, k)
		normal, okN := NormalCriticalWins(c.N, c.Alpha, Greater)
		testutil.Check(t, okN == (c.Norm != nil) && (!okN || normal == *c.Norm),
			"%d games, %s: normal %d, %v; want %v", c.N, c.Label, normal, okN, c.Norm)
		if ok {
			w.near(t, "p at the threshold", pOf(t, k, c.N, 0.5, Greater), *c.P, 0, 1e-9)
		}
	}
	w.log(t, "thresholds")
}

// TestCoverageAgainstFixture compares the exact minimum coverage. Between the ends of intervals the set of covering
// counts is constant, and the coverage is unimodal in p. Its infimum is thus next to an end of an interval or at an end
// of the range.
func TestCoverageAgainstFixture(t *testing.T) {
	methods := map[string]intervalFunc{
		"cp": ClopperPearson, "blaker": MethodBlaker.Interval, "midp": MethodMidP.Interval, "wilson": MethodWilson.Interval,
		"wald": MethodWald.Interval, "lfics": MethodLFICS.Interval,
	}
	f := testutil.Must(os.Open("testdata/ci_coverage.csv"))(t)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	testutil.Require(t, err == nil && len(rows) == 91, "%v %v", len(rows), err)
	intervals := map[string][]Interval{}
	var w worst
	for _, row := range rows[1:] {
		n, _ := strconv.Atoi(row[0])
		key := row[0] + row[1]
		if intervals[key] == nil {
			intervals[key] = allIntervals(t, methods[row[1]], n)
		}
		lo, hi := 1e-4, 1-1e-4 // the ends of (0,1) in the reference
		if row[2] != "(0,1)" {
			ends := strings.Split(strings.Trim(row[2], "[]"), ",")
			lo, _ = strconv.ParseFloat(ends[0], 64)
			hi, _ = strconv.ParseFloat(ends[1], 64)
		}
		want, _ := strconv.ParseFloat(row[3], 64)
		got := minCoverage(intervals[key], n, lo, hi)
		w.near(t, "minimum coverage "+strings.Join(row[:3], " "), got, want, 1e-4, 0)
		testutil.Check(t, row[1] != "cp" && row[1] != "blaker" || got >= 0.95-1e-9, "%s covers %v at n = %d", row[1], got, n)
	}
	w.log(t, "minimum coverage")
}

func allIntervals(t *testing.T, f intervalFunc, n int) []Interval {
	t.Helper()
	all := make([]Interval, n+1)
	for k := range all {
		i, err := f(k, n, 0.95)
		if err != nil { // if LFICS has no interval, the reference uses the point
			i.Lo = float64(k) / float64(n)
			i.Hi = i.Lo
		}
		all[k] = i
	}
	return all
}

func minCoverage(all []Interval, n int, lo, hi float64) float64 {
	least := min(coverage(all, n, lo), coverage(all, n, hi))
	for _, i := range all {
		for _, end := range []float64{i.Lo, i.Hi} {
			for _, p := range []float64{end - 1e-9, end, end + 1e-9} {
				if p >= lo && p <= hi {
					least = min(least, coverage(all, n, p))
				}
			}
		}
	}
	return least
}

func coverage(all []Interval, n int, p float64) float64 {
	b := NewBinomial(n, p)
	sum := 0.0
	for k, i := range all {
		if i.Lo <= p && p <= i.Hi {
			sum += b.At(k)
		}
	}
	return sum
}

// ClopperPearsonLower returns the exact one-sided interval [Lo, 1], with the whole error probability at the lower end.
func ClopperPearsonLower(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	return NewInterval("clopper_pearson_lower", level, lowerExact(k, n, 1-level), 1), nil
}

// ClopperPearsonUpper returns the exact one-sided interval [0, Hi].
func ClopperPearsonUpper(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	return NewInterval("clopper_pearson_upper", level, 0, 1-lowerExact(n-k, n, 1-level)), nil
}

// TestHypergeometric has the numbers of Fisher's lady tasting tea (The Design of Experiments, 1935, chapter 2): 1, 16,
// 36, 16 and 1 of 70. Impossible counts have the probability 0, and the possible counts have the total probability 1.
func TestHypergeometric(t *testing.T) {
	for k, of70 := range []float64{1, 16, 36, 16, 1} {
		got := Hypergeometric(8, 4, 4, k)
		testutil.Check(t, math.Abs(got-of70/70) <= 1e-14, "%d cups: %v, want %v/70", k, got, of70)
	}
	for _, c := range [][4]int{{8, 4, 4, 5}, {8, 4, 4, -1}, {8, 6, 5, 2}, {0, 0, 0, 1}} {
		testutil.Equal(t, Hypergeometric(c[0], c[1], c[2], c[3]), 0, "%v", c)
	}
	sum := 0.0
	for k := range 301 {
		sum += Hypergeometric(5000, 300, 1700, k)
	}
	testutil.Check(t, math.Abs(sum-1) <= 1e-9, "all together are %v", sum)
}
