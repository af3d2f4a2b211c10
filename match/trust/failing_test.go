package trust_test

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/trust"
)

// TestWorse compares Worse with Fisher's tea tasting (17 of 70 ways) and with calculation by hand. It also uses his
// twins (Statistical Methods for Research Workers, §21.02; the sum in exact integers).
func TestWorse(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what  string
		tests []trust.Failing
		want  float64
	}{
		{"nothing", nil, 1},
		{"nobody else", []trust.Failing{{Tries: 10, Failed: 10}}, 1},
		{"no failure", []trust.Failing{{Tries: 500, OthersTries: 500}}, 1},
		{"tea", []trust.Failing{{Tries: 4, Failed: 3, OthersTries: 4, OthersFailed: 1}}, 17.0 / 70},
		{"twins", []trust.Failing{{Tries: 12, Failed: 10, OthersTries: 18, OthersFailed: 3}}, 0.00046518094336290503},
		// In each of two tests both sides have one try, and one try fails. Both failures are the worker's in one of four
		// ways.
		{"two tests", []trust.Failing{{Tries: 1, Failed: 1, OthersTries: 1}, {Tries: 1, Failed: 1, OthersTries: 1}}, 0.25},
		// A test in which all tries fail does not change the result, for any number of tries.
		{"a bad test", []trust.Failing{{Tries: 100, Failed: 100, OthersTries: 1, OthersFailed: 1},
			{Tries: 1, OthersTries: 100}}, 1},
	} {
		got := trust.Worse(c.tests)
		testutil.Check(t, math.Abs(got-c.want) <= 1e-8, "%s: %.10f, expected %.10f", c.what, got, c.want)
	}
}
