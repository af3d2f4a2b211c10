package regression

import (
	"bytes"
	"testing"

	"gogi/internal/format"
	"gogi/internal/testutil"
	"gogi/lab/linear"
)

// TestFigures: numbers have about six significant digits and, in the usual range, no exponent.
func TestFigures(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]string{
		0: "0", 1: "1.00000", 67004.25: "67004.2", 1234567.8: "1234568", 0.00123456789: "0.00123457", 1e-9: "1e-09",
		2e12: "2e+12",
	} {
		testutil.Equal(t, format.Figure(v), want, "figure6(%v)", v)
	}
	got := equation("RP", []linear.Term{{Value: -67004}, {Name: "match", Value: 2193}, {Name: "bad", Value: -0.5}})
	testutil.Equal(t, "RP = −67004.0 + 2193.00·match − 0.500000·bad", got)
}

// TestExactFit: a fit without residuals has an infinite t, and says so.
func TestExactFit(t *testing.T) {
	all := testutil.Must(Regress(written(t, "x,y\n1,7\n2,5\n3,3\n4,1\n"),
		Query{Y: []string{"y"}, X: [][]string{{"x"}}}))(t)
	var out bytes.Buffer
	all.Print(&out)
	testutil.Contains(t, out.String(), "−∞   1e-308 or less", "no p below all numbers")
	testutil.Contains(t, out.String(), "The columns explain y exactly", "no reason")
}
