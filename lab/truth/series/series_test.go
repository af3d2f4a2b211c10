package series_test

import (
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/lab/truth/series"
)

func claims(figure string, nominal float64, rule series.Rule, all, held int) []series.Record {
	var list []series.Record
	for n := range all {
		list = append(list, series.Record{Condition: "c", Seed: uint64(n), Claims: []series.Claim{{figure, nominal, rule, n < held}}}) //nolint:gosec // not negative
	}
	return list
}

// TestCount: a figure falls short beyond three standard errors of its nominal probability, on the side of its rule.
func TestCount(t *testing.T) {
	for _, test := range []struct {
		nominal   float64
		rule      series.Rule
		all, held int
		falls     bool
	}{
		{0.95, series.AtLeast, 1900, 1777, false}, // standard error .005, so 1,776.5 is three below
		{0.95, series.AtLeast, 1900, 1776, true},
		{0.95, series.AtLeast, 1900, 1900, false},
		{0.05, series.AtMost, 1900, 123, false},
		{0.05, series.AtMost, 1900, 124, true},
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
