package regression

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/testutil"
)

const tables = "../linear/testdata/"

func regressed(t *testing.T, file, x string, where ...string) *Report {
	t.Helper()
	conditions := testutil.Must(ParseConditions(where))(t)
	r := testutil.Must(Regress(file,
		Query{Y: []string{"RP_mid"}, X: [][]string{strings.Split(x, ",")}, Where: conditions}))(t)
	return r.Regressions[0]
}

// TestPublishedEquations compares with the equations in the thesis: intercept, slopes, R². Three misprints are
// corrected as in its errata.
func TestPublishedEquations(t *testing.T) {
	t.Parallel()
	for _, e := range []struct {
		file, x string
		printed []float64
	}{
		{"go_tab_6_1_1_mcts.csv", "match", []float64{-67004, 2193, 0.595}},
		{"go_tab_6_1_1_mcts.csv", "good", []float64{143503, -3932, 0.67}},
		{"go_tab_6_1_1_mcts.csv", "bad", []float64{112786, -3199, 0.39}},
		{"go_tab_6_1_1_mcts.csv", "avg_good", []float64{73309, -89278, 0.57}},
		{"go_tab_6_1_1_mcts.csv", "avg_bad", []float64{69216, 93888, 0.57}},
		{"go_tab_6_1_1_mcts.csv", "avg_loss", []float64{73077, -47415, 0.59}},
		{"go_tab_6_1_1_mcts.csv", "good1", []float64{107419, -4796, 0.65}},
		{"go_tab_6_1_1_mcts.csv", "bad1", []float64{93348, -4575, 0.51}},
		{"go_tab_6_1_1_mcts.csv", "match,avg_good,avg_bad,good1,bad1",
			[]float64{-13537, 1514, -22817, 4694, -2386, 2053, 0.68}},
		{"go_tab_6_2_1_policy.csv", "match", []float64{-19550, 1003, 0.83}},
		{"go_tab_6_2_1_policy.csv", "good", []float64{87249, -2524, 0.66}},
		{"go_tab_6_2_1_policy.csv", "bad", []float64{82020, -2421, 0.66}},
		{"go_tab_6_2_1_policy.csv", "avg_good", []float64{71082, -12528, 0.64}},
		{"go_tab_6_2_1_policy.csv", "avg_bad", []float64{62111, 9962, 0.66}},
		{"go_tab_6_2_1_policy.csv", "avg_loss", []float64{67954, -5788, 0.68}},
		{"go_tab_6_2_1_policy.csv", "match,good,bad,avg_good,avg_bad",
			[]float64{-176951, 2346, 3169, 1631, -8245, -2918, 0.90}},
	} {
		r := regressed(t, tables+e.file, e.x)
		last := len(e.printed) - 1
		testutil.Check(t, math.Abs(r.R2-e.printed[last]) <= 0.0051, "%s by %s: R² = %v, printed %v", e.file, e.x, r.R2,
			e.printed[last])
		if e.file == "go_tab_6_1_1_mcts.csv" && last > 2 {
			// Averages of three digits leave several coefficients undetermined, but not what they add up to.
			checkValues(t, tables+e.file, strings.Split(e.x, ","), e.printed[:last], r)
			continue
		}
		for i, want := range e.printed[:last] {
			// The tables are rounded, which changes the coefficients by at most this amount.
			if got := r.Coefficients[i].Value; math.Abs(got-want) > 0.002*math.Abs(want)+40 {
				t.Errorf("%s by %s: %s = %v, printed %v", e.file, e.x, r.Coefficients[i].Name, got, want)
			}
		}
	}
}

// checkValues compares both equations at the table's rows, whose points go from 11,500 to 33,500.
func checkValues(t *testing.T, file string, x []string, printed []float64, r *Report) {
	t.Helper()
	g := testutil.Must(read(file, nil, false, x))(t)
	for row := range g.lines {
		want, got := printed[0], r.Coefficients[0].Value
		for i := range x {
			want += printed[i+1] * g.columns[i][row]
			got += r.Coefficients[i+1].Value * g.columns[i][row]
		}
		if math.Abs(got-want) > 100 {
			t.Errorf("line %d: %v, as printed %v", g.lines[row], got, want)
		}
	}
}

// TestManyAtOnce: one call calculates every set of columns for the filtered rows.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	where, _ := ParseConditions([]string{"RP_mid>=26500", "rank!=1D"})
	all, err := Regress(tables+"go_tab_6_2_1_policy.csv", Query{
		Y: []string{"RP_mid", "match"}, X: [][]string{{"good"}, {"good", "bad"}}, Where: where,
	})
	if err != nil || len(all.Regressions) != 4 || all.Regressions[0].N != 7 || all.Regressions[3].Y != "match" ||
		len(all.Regressions[3].X) != 2 {
		t.Fatalf("%+v, %v", all, err)
	}
	checkGaps(t, all)
}

// TestCompareGroups: all values of one group are above those of the other. With 3 and 9 values the two-sided p is
// 2/220, by counting.
func TestCompareGroups(t *testing.T) {
	t.Parallel()
	file := written(t, "won,v,w,keep\ny,10,1,1\nn,1,1,1\ny,11,1,1\nn,2,1,1\ny,12,1,1\n"+
		"n,3,2,1\nn,4,2,1\nn,5,2,1\nn,6,2,1\nn,7,2,1\nn,8,2,1\nn,9,2,1\nx,5,5,0\n")
	where, _ := ParseConditions([]string{"keep=1"})
	r := testutil.Must(CompareGroups(file, []string{"v", "w"}, "won", where, false))(t)
	v := r.Tests[0]
	if r.A != "y" || r.B != "n" || v.NA != 3 || v.NB != 9 || *v.MeanA != 11 || *v.MeanB != 5 || *v.W != 33 || *v.U != 27 ||
		math.Abs(*v.P-2.0/220) > 1e-12 {
		t.Errorf("%+v", v)
	}
	testutil.Check(t, math.Abs(*v.PHolm-4.0/220) <= 1e-12 && v.Method == "rank_sum_exact", "%+v", v)
	var text bytes.Buffer
	r.Print(&text, i18n.English)
	r.Print(&text, i18n.Japanese)
	for _, want := range []string{"by won: y against n\n", "rows              means", "exact", "wonによる比較：y 対 n\n", "行数",
		"正確"} {
		testutil.Contains(t, text.String(), want, "no")
	}
	testutil.Fails(t, testutil.Err(CompareGroups(file, []string{"v"}, "won", nil, false)),
		"expected two different values in column won, found 3")
	testutil.Fails(t, testutil.Err(CompareGroups(file, []string{"z"}, "won", where, false)), `no column "z"`)
}

// TestCompare: the errors of the thesis' own estimates are calculated from its table. The scale has no gap between
// 1-dan and 1-kyu.
func TestCompare(t *testing.T) {
	t.Parallel()
	d, err := Compare(written(t, "p,a\n1,2\n4,2\n,7\n"), "p", "a", nil, true)
	testutil.Check(t, err == nil && d.N == 2 && math.Abs(d.RMSE-math.Sqrt(2.5)) <= 1e-12 && d.Bias == 0.5, "%+v, %v", d,
		err)
	where, _ := ParseConditions([]string{"table=6-3-2_mcts_all", "metric=good"})
	d, err = Compare(tables+"go_tab_6_3_estimates.csv", "est_num", "true_num", where, false)
	if err != nil || math.Abs(d.RMSE-5.4406) > 1e-4 { // the value of the errata
		t.Errorf("%+v, %v", d, err)
	}
	testutil.Fails(t, testutil.Err(Compare(written(t, "p,a\n"), "p", "a", nil, false)), "", "no row has an error")
}

func written(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "table.csv")
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
	return path
}

func checkGaps(t *testing.T, v any) {
	t.Helper()
	var b bytes.Buffer
	testutil.OK(t, format.JSON(&b, v))
	gaps, err := testutil.JSONGaps(b.String())
	testutil.Check(t, err == nil && len(gaps) == 0, "%v, %v in %s", gaps, err, b.String())
}

// TestSaysWhy: every null has a why, also in short and unusual tables.
func TestSaysWhy(t *testing.T) {
	t.Parallel()
	for _, rows := range []string{
		"1,1\n2,2\n", "1,1\n2,2\n3,3\n", "1,1\n2,1\n2,3\n", "1,5\n1,6\n1,7\n", "1,1\n", "1e308,1\n-1e308,2\n1e308,3\n5,4\n",
		"1,1\n2,1\n5,1\n7,2\n", "1e-300,1\n2e-300,2\n4e-300,3\n",
	} {
		file := written(t, "y,x\n"+rows)
		r, err := Regress(file, Query{Y: []string{"y"}, X: [][]string{{"x"}}})
		if err != nil {
			t.Logf("%q: %v", rows, err)
			continue
		}
		checkGaps(t, r)
		r.Print(io.Discard)
	}
}

// TestHostile: a hostile file gives an error that names the place.
func TestHostile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"y,x\n1,1\n1,1e999\n":           `table.csv:3, column x: found "1e999"`,
		"\ufeffy;x\r\n1;2\r\n":          `table.csv:1: no column "y"`,
		"y,x\n1,2,3\n":                  "table.csv:2: the row has 3 cells, expected 2",
		"y,x\n\n\"1\n\",\"2,5\"\n":      `column x: found "2,5"`,
		"y,x,x\n1,2,3\n":                `table.csv:1, column 3: "x" is there twice`,
		"y,x\n1,Inf\n":                  `column x: found "Inf"`,
		"\x00\x00\xff\xfe,\x1b[2J\n1,2": "table.csv:1: no column",
	} {
		_, err := Regress(written(t, text), Query{Y: []string{"y"}, X: [][]string{{"x"}}})
		if text := fmt.Sprint(err); !strings.Contains(text, want) || strings.Contains(text, "\x1b") {
			t.Errorf("%q, want %q", text, want)
		}
	}
}
