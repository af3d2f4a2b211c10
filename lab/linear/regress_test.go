package linear

import (
	"encoding/csv"
	"encoding/json"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/stats/binomial"

	"pgregory.net/rapid"
)

// table reads a rank table of the thesis, by column.
func table(t *testing.T, name string) map[string][]float64 {
	t.Helper()
	file := testutil.Must(os.Open("testdata/" + name))(t)
	defer file.Close()
	rows := testutil.Must(csv.NewReader(file).ReadAll())(t)
	columns := map[string][]float64{}
	for _, r := range rows[1:] {
		for i, cell := range r {
			if v, err := strconv.ParseFloat(cell, 64); err == nil {
				columns[rows[0][i]] = append(columns[rows[0][i]], v)
			}
		}
	}
	return columns
}

// line is an equation as the thesis prints it. Its last digit and the columns behind it are rounded, so slopes agree
// only within a tolerance.
type line struct {
	x                []string
	coefficients     []float64 // intercept first, as corrected in paper_errata.json
	r2               float64
	slope, intercept float64 // tolerances for the rounding of the input
}

func TestThesisEquations(t *testing.T) {
	cases := map[string][]line{
		"go_tab_6_1_1_mcts.csv": {
			{[]string{"match"}, []float64{-67004, 2193}, .59, 2, 40},
			{[]string{"good"}, []float64{143503, -3932}, .67, 2, 40},
			{[]string{"bad"}, []float64{112786, -3199}, .39, 2, 40},
			{[]string{"avg_good"}, []float64{73309, -89278}, .57, 600, 300},
			{[]string{"avg_bad"}, []float64{69216, 93888}, .57, 600, 300},
			{[]string{"avg_loss"}, []float64{73077, -47415}, .59, 300, 300},
			{[]string{"good1"}, []float64{107419, -4796}, .65, 3, 40},
			{[]string{"bad1"}, []float64{93348, -4575}, .51, 3, 40},
			{[]string{"match", "avg_good", "avg_bad", "good1", "bad1"}, []float64{-13537, 1514, -22817, 4694, -2386, 2053}, .68,
				4000, 2000},
		},
		"go_tab_6_2_1_policy.csv": {
			{[]string{"match"}, []float64{-19550, 1003}, .83, 1, 20},
			{[]string{"good"}, []float64{87249, -2524}, .66, 2, 40},
			{[]string{"bad"}, []float64{82020, -2421}, .66, 2, 40},
			{[]string{"avg_good"}, []float64{71082, -12528}, .64, 20, 80},
			{[]string{"avg_bad"}, []float64{62111, 9962}, .66, 20, 80},
			{[]string{"avg_loss"}, []float64{67954, -5788}, .68, 20, 80},
			{[]string{"match", "good", "bad", "avg_good", "avg_bad"}, []float64{-176951, 2346, 3169, 1631, -8245, -2918}, .90,
				40, 800},
		},
	}
	for name, lines := range cases {
		columns := table(t, name)
		for _, l := range lines {
			regressors := lists.Map(l.x, func(x string) Column { return Column{x, columns[x]} })
			f := testutil.Must(LeastSquares(columns["RP_mid"], regressors...))(t)
			t.Logf("%s %v: %.1f R² %.5f", name[7:12], l.x, values(f), f.R2)
			for i, c := range l.coefficients {
				tolerance := l.slope
				if i == 0 {
					tolerance = l.intercept
				}
				testutil.Check(t, math.Abs(f.Terms[i].Value-c) <= tolerance,
					"%s %v: %s = %v, printed %v", name, l.x, f.Terms[i].Name, f.Terms[i].Value, c)
			}
			// The thesis prints 0.59502 as 0.59.
			testutil.Check(t, math.Abs(f.R2-l.r2) <= 0.0051, "%s %v: R² = %v, printed %v", name, l.x, f.R2, l.r2)
		}
	}
}

func values(f Fit) []float64 {
	return lists.Map(f.Terms, func(t Term) float64 { return t.Value })
}

// TestErrata compares fits with the recomputed values of paper_errata.json.
func TestErrata(t *testing.T) {
	mcts, policy := table(t, "go_tab_6_1_1_mcts.csv"), table(t, "go_tab_6_2_1_policy.csv")
	for _, c := range []struct {
		columns map[string][]float64
		x       string
		term    int
		want    float64
	}{{mcts, "good", 0, 143503.1}, {mcts, "avg_good", 0, 73287.0}, {policy, "good", 1, -2523.7}} {
		f, err := LeastSquares(c.columns["RP_mid"], Column{c.x, c.columns[c.x]})
		if err != nil || math.Abs(f.Terms[c.term].Value-c.want) > 0.051 {
			t.Errorf("%s: %v, want %v; %v", c.x, f.Terms[c.term].Value, c.want, err)
		}
	}
	f, err := LeastSquares(mcts["RP_mid"], Column{"match", mcts["match"]})
	testutil.Check(t, err == nil && math.Abs(f.R2-0.59502) <= 5e-6, "R² = %v, want 0.59502; %v", f.R2, err)
}

func TestLeastSquaresByHand(t *testing.T) {
	// The data are the first rows of R's cars. The expected values follow the textbook formulas.
	x := []float64{4, 4, 7, 7, 8, 9, 10, 10, 10, 11}
	y := []float64{2, 10, 4, 22, 16, 10, 18, 26, 34, 17}
	f := testutil.Must(LeastSquares(y, Column{"speed", x}))(t)
	// Sxx = 56, ȳ = 15.9, x̄ = 8.
	sxy := 0.0
	for i := range x {
		sxy += (x[i] - 8) * (y[i] - 15.9)
	}
	slope := sxy / 56
	testutil.Check(t, math.Abs(f.Terms[1].Value-slope) <= 1e-12 && math.Abs(f.Terms[0].Value-(15.9-8*slope)) <= 1e-12,
		"%+v", f.Terms)
	rest := 0.0
	for i := range x {
		e := y[i] - (15.9 + slope*(x[i]-8))
		rest += e * e
	}
	sigma := math.Sqrt(rest / 8)
	if math.Abs(f.Sigma-sigma) > 1e-12 || math.Abs(f.Terms[1].SE-sigma/math.Sqrt(56)) > 1e-12 ||
		math.Abs(f.Terms[0].SE-sigma*math.Sqrt(0.1+64.0/56)) > 1e-12 {
		t.Errorf("%+v", f)
	}
	c, err := Pearson(x, y)
	testutil.Check(t, err == nil && math.Abs(c.R*c.R-f.R2) <= 1e-12 && math.Abs(c.P-f.Terms[1].P) <= 1e-12, "%+v, %v", c,
		err)
}

// TestNearlyPerfectFit: the expected values were calculated with 60 digits. With exact values t is infinite.
func TestNearlyPerfectFit(t *testing.T) {
	x := []float64{1, 2, 3, 4, 5}
	y := []float64{1000000001, 2000000000, 3000000001, 4000000000, 5000000002}
	close := func(got, want float64) bool { return math.Abs(got/want-1) < 1e-5 }
	f := testutil.Must(LeastSquares(y, Column{"x", x}))(t)
	a, b := f.Terms[0], f.Terms[1]
	testutil.Check(t, close(b.T, 3535533906.64) && close(b.P, 4.990059525e-29) && close(b.SE, 0.2828427125), "%+v", b)
	testutil.Check(t, close(a.T, 0.213200716356) && close(a.P, 0.8448368459), "%+v", a)
	c := testutil.Must(Pearson(x, y))(t)
	testutil.Check(t, close(c.T, 3535533906.64) && close(c.P, 4.990059525e-29), "%+v", c)
	for _, at := range []float64{0, 7, 1e9} {
		for i := range x {
			y[i] = at - 2*x[i]
		}
		f = testutil.Must(LeastSquares(y, Column{"x", x}))(t)
		testutil.Check(t, math.IsInf(f.Terms[1].T, -1) && f.Terms[1].P == 0, "%v: %+v", at, f.Terms)
		testutil.Check(t, math.IsInf(f.Terms[0].T, 1) == (at != 0) && (f.Terms[0].P == 0) == (at != 0), "%v: %+v", at,
			f.Terms)
		c = testutil.Must(Pearson(x, y))(t)
		testutil.Check(t, c.R == -1 && c.P == 0, "%v: %+v", at, c)
	}
	text := string(testutil.Must(json.Marshal(f.Terms[1]))(t))
	testutil.Check(t, strings.Contains(text, `"t":null,"p":0,"why":"t is infinite`), "%s", text)
}

func TestLeaveOneOut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(5, 12).Draw(t, "n")
		number := rapid.Float64Range(-10, 10)
		y, a, b := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			y[i], a[i], b[i] = number.Draw(t, "y"), number.Draw(t, "a")+float64(i*i), number.Draw(t, "b")-20*float64(i)
		}
		f, err := LeastSquares(y, Column{"a", a}, Column{"b", b})
		if err != nil {
			return
		}
		sum := 0.0
		for i := range n {
			without := func(v []float64) []float64 { return slices.Concat(v[:i], v[i+1:]) }
			g, err := LeastSquares(without(y), Column{"a", without(a)}, Column{"b", without(b)})
			if err != nil {
				return
			}
			p := testutil.Must(g.PredictInterval(0.95, a[i], b[i]))(t)
			sum += (p.Value - y[i]) * (p.Value - y[i])
		}
		want := math.Sqrt(sum / float64(n))
		testutil.Check(t, math.Abs(f.LOORMSE-want) <= 1e-6*(1+want), "leave-one-out RMSE %v, want %v", f.LOORMSE, want)
		// Residuals are orthogonal to every column. If y increases by a combination of the columns, the coefficients change
		// by exactly this combination.
		if d := dot(f.Residuals, a) + dot(f.Residuals, b); math.Abs(d) > 1e-6*(1+math.Abs(dot(a, a))+dot(b, b)) {
			t.Errorf("residuals along the columns: %v", d)
		}
		for i := range y {
			y[i] += 7 + 2*a[i] - b[i]
		}
		g := testutil.Must(LeastSquares(y, Column{"a", a}, Column{"b", b}))(t)
		for i, d := range []float64{7, 2, -1} {
			testutil.Check(t, math.Abs(g.Terms[i].Value-f.Terms[i].Value-d) <= 1e-6*(1+math.Abs(f.Terms[i].Value)),
				"%s moved from %v to %v, want by %v", f.Terms[i].Name, f.Terms[i].Value, g.Terms[i].Value, d)
		}
	})
}

func TestRankSumAgainstCounting(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		few := rapid.IntRange(0, 5) // many ties
		a := rapid.SliceOfN(few, 1, 5).Draw(t, "a")
		b := rapid.SliceOfN(few, 1, 5).Draw(t, "b")
		r, err := RankSum(floats(a), floats(b), binomial.TwoSided)
		if err != nil {
			all := slices.Concat(a, b)
			testutil.Require(t, slices.Min(all) == slices.Max(all), "%v", err)
			return
		}
		less, greater, total := 0, 0, 0
		all := ranks(floats(slices.Concat(a, b)))
		for subset := range 1 << len(all) {
			w, size := 0.0, 0
			for i, rank := range all {
				if subset>>i&1 == 1 {
					w += rank
					size++
				}
			}
			if size != len(a) {
				continue
			}
			total++
			if w <= r.W {
				less++
			}
			if w >= r.W {
				greater++
			}
		}
		want := min(1, 2*float64(min(less, greater))/float64(total))
		testutil.Check(t, math.Abs(r.Test.P-want) <= 1e-12 && r.Test.Method == "rank_sum_exact", "%+v, want p = %v", r, want)
		swapped, err := RankSum(floats(b), floats(a), binomial.TwoSided)
		testutil.Check(t, err == nil && math.Abs(swapped.Test.P-want) <= 1e-12 && swapped.U+r.U == float64(len(a)*len(b)),
			"swapped: %+v, %v", swapped, err)
	})
}

func floats(v []int) []float64 {
	f := make([]float64, len(v))
	for i, x := range v {
		f[i] = float64(x)
	}
	return f
}

func TestRankSumExamples(t *testing.T) {
	// Hollander and Wolfe (1973), p. 69, as in R's help of wilcox.test: W = 35, exact p = 0.1272 for "greater".
	x := []float64{0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64, 0.73, 1.46}
	y := []float64{1.15, 0.88, 0.90, 0.74, 1.21}
	r, err := RankSum(x, y, binomial.Greater)
	testutil.Check(t, err == nil && r.U == 35 && math.Abs(r.Test.P-0.1272) <= 5e-5 && !r.Ties, "%+v, %v", r, err)
	// Two shifted samples of 60 are beyond the exact range, so RankSum uses the normal approximation.
	var a, b []float64
	for i := range 60 {
		a, b = append(a, float64(i%7)), append(b, float64(i%7)+1)
	}
	r, err = RankSum(a, b, binomial.Less)
	testutil.Check(t, err == nil && r.Test.Method == "rank_sum_normal" && r.Ties && r.Test.P <= 0.01 &&
		r.Test.P == r.PNormal,
		"%+v, %v", r, err)
}

func TestSpearmanExample(t *testing.T) {
	// Ranks 1…5 against 2 1 4 3 5: 1 - 6·4/(5·24) = 0.8.
	c, err := Spearman([]float64{10, 20, 30, 40, 1000}, []float64{-1, -2, 8, 7, 9})
	testutil.Check(t, err == nil && math.Abs(c.R-0.8) <= 1e-15 && math.Abs(c.P-0.10408803866182788) <= 1e-9, "%+v, %v", c,
		err)
	c, err = Spearman([]float64{1, 2, 3}, []float64{1, 4, 9})
	testutil.Check(t, err == nil && c.R == 1 && c.P == 0, "%+v, %v", c, err)
}

func TestImpossibleInputIsAnError(t *testing.T) {
	ok := []float64{1, 2, 3, 4}
	fails := func(what string, err error) {
		t.Helper()
		testutil.Check(t, err != nil && err.Error() != "", "%s: no error", what)
	}
	_, err := LeastSquares(ok)
	fails("no column", err)
	_, err = LeastSquares(ok, Column{"x", ok[:3]})
	fails("short column", err)
	_, err = LeastSquares(ok, Column{"x", []float64{5, 5, 5, 5}})
	fails("constant column", err)
	_, err = LeastSquares([]float64{2, 2, 2, 2}, Column{"x", ok})
	fails("constant y", err)
	_, err = LeastSquares(ok, Column{"x", []float64{1, 2, 4, 9}}, Column{"y", []float64{3, 5, 9, 19}})
	fails("collinear", err)
	_, err = LeastSquares([]float64{1, 3, 2, 5}, Column{"x", []float64{0, 0, 0, 1}})
	fails("leverage 1", err)
	_, err = LeastSquares([]float64{1, math.NaN(), 2, 5}, Column{"x", ok})
	fails("NaN", err)
	_, err = LeastSquares([]float64{1, math.Inf(1), 2, 5}, Column{"x", ok})
	fails("Inf", err)
	_, err = Pearson(ok, ok[:2])
	fails("unpaired", err)
	_, err = Pearson(ok, []float64{1, 1, 1, 1})
	fails("constant", err)
	_, err = Spearman(nil, nil)
	fails("empty", err)
	_, err = RankSum(nil, ok, binomial.TwoSided)
	fails("empty", err)
	_, err = RankSum([]float64{1}, []float64{1, 1}, binomial.TwoSided)
	fails("all equal", err)
	_, err = RankSum(ok, ok, "sideways")
	fails("alternative", err)
	_, err = RMSE(nil, nil)
	fails("empty", err)
	_, err = Fit{}.PredictInterval(0.95, 1)
	fails("empty fit", err)
	f, err := LeastSquares([]float64{2, 4, 6, 8}, Column{"x", ok})
	testutil.Check(t, err == nil && f.R2 == 1 && math.Abs(f.Terms[1].Value-2) <= 1e-12 && !math.IsNaN(f.Terms[1].P),
		"%+v, %v", f, err)
}

// TestThesisRMSE compares three errors with paper_errata.json. On the scale of the fixture, 1-dan is next to 1-kyu.
func TestThesisRMSE(t *testing.T) {
	file := testutil.Must(os.ReadFile("testdata/go_tab_6_3_estimates.csv"))(t)
	rows := testutil.Must(csv.NewReader(strings.NewReader(string(file))).ReadAll())(t)
	for _, c := range []struct {
		table, metric string
		want          float64
	}{{"6-3-2", "good", 5.4406}, {"6-3-5", "match", 2.0494}, {"6-3-5", "avg_loss", 6.8557}} {
		var truth, estimate []float64
		for _, r := range rows[1:] {
			if strings.HasPrefix(r[0], c.table) && r[3] == c.metric {
				truth, estimate = append(truth, number(t, r[5])), append(estimate, number(t, r[6]))
			}
		}
		if got, err := RMSE(estimate, truth); err != nil || math.Abs(got-c.want) > 1e-4 {
			t.Errorf("%s %s: %v of %d, want %v; %v", c.table, c.metric, got, len(truth), c.want, err)
		}
	}
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	return testutil.Must(strconv.ParseFloat(s, 64))(t)
}

// TestPredictionInterval compares the interval for one regressor with the textbook formula. For two regressors, it adds
// a row with a column of its own. The standard error of this column is the error of the prediction.
func TestPredictionInterval(t *testing.T) {
	x, y := []float64{1, 2, 4, 5, 8}, []float64{2.1, 2.9, 6.2, 5.8, 9.9}
	f := testutil.Must(LeastSquares(y, Column{"x", x}))(t)
	const at, quantile = 11.0, 3.182446305284263 // t of 3 degrees of freedom, 97.5%
	reach := quantile * f.Sigma * math.Sqrt(1+1.0/5+(at-4)*(at-4)/30)
	i, err := f.PredictInterval(0.95, at)
	center := f.Terms[0].Value + at*f.Terms[1].Value
	testutil.Check(t, err == nil && math.Abs(i.Lo-(center-reach)) <= 1e-9 && math.Abs(i.Hi-(center+reach)) <= 1e-9,
		"%+v, %v; want %v ± %v", i, err, center, reach)
	z := []float64{3, 1, 4, 1, 5}
	two, err := LeastSquares(y, Column{"x", x}, Column{"z", z})
	testutil.OK(t, err)
	free, _ := LeastSquares(append(y, 0), Column{"x", append(x, at)}, Column{"z", append(z, 2)},
		Column{"own", []float64{0, 0, 0, 0, 0, 1}})
	reach = 4.302652729696142 * free.Terms[3].SE // 2 degrees of freedom
	if i, err = two.PredictInterval(0.95, at, 2); err != nil || math.Abs((i.Hi-i.Lo)/2-reach) > 1e-8 ||
		math.Abs((i.Hi+i.Lo)/2+free.Terms[3].Value) > 1e-8 {
		t.Errorf("%+v, %v; want ± %v", i, err, reach)
	}
	testutil.Fails(t, testutil.Err(two.PredictInterval(1, at, 2)), "", "a level of 1")
	testutil.Fails(t, testutil.Err(two.PredictInterval(0.95, at)), "", "one value for two columns")
}
