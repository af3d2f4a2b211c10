package series_test

import (
	"encoding/xml"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/lab/truth/series"
)

func claims(figure string, nominal float64, rule series.Rule, all, held int) []series.Record {
	var list []series.Record
	for n := range all {
		list = append(list, series.Record{Condition: "c", Seed: uint64(n),
			Claims: []series.Claim{{figure, nominal, rule, n < held}}})
	}
	return list
}

// TestCount: a figure falls short if its binomial tail is below .00135, on the side of its rule. The tails are exact
// sums: .00142 and .00103 for 1,775 and 1,774 of 1,900 at .95, and .00156 and .00112 for 230 and 231 of 400 at .5.
func TestCount(t *testing.T) {
	for _, test := range []struct {
		nominal   float64
		rule      series.Rule
		all, held int
		falls     bool
	}{
		{0.95, series.AtLeast, 1900, 1775, false},
		{0.95, series.AtLeast, 1900, 1774, true},
		{0.95, series.AtLeast, 1900, 1900, false},
		{0.05, series.AtMost, 1900, 125, false},
		{0.05, series.AtMost, 1900, 126, true},
		{0.05, series.AtMost, 1900, 0, false},
		{0.5, series.Equal, 400, 230, false},
		{0.5, series.Equal, 400, 231, true},
		{0.5, series.Equal, 400, 169, true},
		{0.95, series.About, 400, 0, false},
		{1, series.AtLeast, 1000, 999, true},
		{1, series.AtLeast, 1000, 1000, false},
	} {
		c := series.Count(claims("f", test.nominal, test.rule, test.all, test.held))
		testutil.Require(t, len(c.Rows) == 1 && len(c.Cells) == 1, "%d rows", len(c.Rows))
		testutil.Equal(t, c.Rows[0].Falls, test.falls, fmt.Sprintf("%+v", test))
		testutil.Equal(t, len(c.Falls()) == 2, test.falls)
	}
}

// TestSeveralClaims: 90 errors of 1,000 claims at 5% are too many if the claims are independent. They are not if nine
// of 100 series have ten errors each: their standard deviation is √(9·9.5² + 91·0.5²) = 29, and the excess is 40.
func TestSeveralClaims(t *testing.T) {
	var alike, apart []series.Record
	for n := range 100 {
		some, other := series.Record{Condition: "c", Seed: uint64(n)}, series.Record{Condition: "c", Seed: uint64(n)}
		for k := range 10 {
			some.Claims = append(some.Claims, series.Claim{"f", 0.05, series.AtMost, n < 9})
			other.Claims = append(other.Claims, series.Claim{"f", 0.05, series.AtMost, n < 90 && k == 0})
		}
		alike, apart = append(alike, some), append(apart, other)
	}
	testutil.Equal(t, len(series.Count(alike).Falls()), 0)
	testutil.Equal(t, len(series.Count(apart).Falls()), 2)
	for _, list := range [][]series.Record{alike, apart} {
		row := series.Count(list).Rows[0]
		testutil.Check(t, row.Held == 90 && row.Series == 1000, "%+v", row)
	}
}

// TestManyConditions: among many conditions, one must fall short by more to be called false.
func TestManyConditions(t *testing.T) {
	list := claims("f", 0.5, series.Equal, 400, 231)
	for i := range 9 {
		for n := range 400 {
			list = append(list, series.Record{Condition: fmt.Sprint(i), Seed: uint64(n),
				Claims: []series.Claim{{"f", 0.5, series.Equal, n < 200}}})
		}
	}
	testutil.Equal(t, len(series.Count(list).Falls()), 0)
	list = append(list, series.Record{Condition: "certain", Claims: []series.Claim{{"g", 1, series.AtLeast, false}}})
	testutil.Equal(t, len(series.Count(list).Falls()), 2)
}

// TestCountOfARepeatedSeries: a series that failed and was run again counts once, with its last result.
func TestCountOfARepeatedSeries(t *testing.T) {
	first := series.Record{Condition: "c", Seed: 1, Error: "no program"}
	c := series.Count(append([]series.Record{first}, claims("f", 0.5, series.Equal, 2, 1)...))
	testutil.Equal(t, c.Series, 2)
	testutil.Equal(t, len(c.Errors), 0)
	var text strings.Builder
	testutil.OK(t, c.Text(&text))
	testutil.Contains(t, text.String(), "2 series")
}

// TestPicture: each truth and draw rate is a dot at its coverage.
func TestPicture(t *testing.T) {
	var list []series.Record
	for n := range 40 {
		for _, condition := range []string{"match pairs=10 elo=-800", "match pairs=10 elo=800 draws=0.5"} {
			list = append(list, series.Record{Condition: condition, Seed: uint64(n),
				Claims: []series.Claim{{"report: Elo interval", 0.95, series.AtLeast, n >= 4}}})
		}
	}
	var b strings.Builder
	testutil.OK(t, series.Count(list).Picture(&b))
	for _, want := range []string{"<title>-800 Elo: 36 of 40</title>", "<title>800 Elo: 36 of 40</title>", "draws 50%",
		"draws 0%", `cx="153.0" cy="96.0"`} {
		testutil.Contains(t, b.String(), want)
	}
	testutil.OK(t, xml.Unmarshal([]byte(b.String()), new(struct{})))
}

// TestFailed: the plan of what fell short has the same series as before.
func TestFailed(t *testing.T) {
	folder := t.TempDir()
	plan := &series.Plan{Seed: 7, Groups: []series.Group{
		{Kind: "match", Runs: 3, Pairs: []int{5, 6}, Elo: []float64{0, 10}, Repeat: []bool{false, true}},
		{Kind: "sprt", Runs: 2, SPRT: []string{"elo0=0,elo1=40,model=normalized"}, At: []float64{0.5}},
	}}
	conditions := testutil.Must(plan.Conditions())(t)
	testutil.Equal(t, len(conditions), 9)
	var list []series.Record
	for i, c := range conditions {
		list = append(list, series.Record{Condition: c.Key(), Claims: []series.Claim{{"f", 1, series.AtLeast, i%3 < 2}}})
	}
	path := filepath.Join(folder, "kept.toml")
	testutil.OK(t, testutil.Must(plan.Failed(series.Count(list)))(t).Write(path))
	again := testutil.Must(testutil.Must(series.Read(path))(t).Conditions())(t)
	testutil.Equal(t, len(again), 3)
	for i, c := range again {
		testutil.Equal(t, c, conditions[3*i+2])
	}
}
