package tune

import (
	"fmt"
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/match/tune/tunetest"
)

func mean(list []float64) float64 {
	sum := 0.0
	for _, x := range list {
		sum += x
	}
	return sum / float64(len(list))
}

// TestPower compares the mean gain of each method with stored bounds, for engines of known strength. A worse method
// fails the test. In short mode fewer tunes must meet the same bounds. The bounds come from simulations by another
// program.
func TestPower(t *testing.T) {
	for _, c := range []struct {
		name                       string
		method                     string
		kind                       tunetest.Kind
		d, useless, pairs, in, of_ int
		elo, c                     float64
		least                      float64 // of the mean gain
		tenth                      float64 // of its 10 % quantile
		shorter                    int     // in short mode the test divides the number of tunes by this; 0: no tunes
	}{
		{"two parameters", SPSA, tunetest.Plain, 2, 0, 10000, 48, 16, 8, 0.2, 6.4, -99, 8},
		{"eight", SPSA, tunetest.Plain, 8, 3, 10000, 48, 16, 15, 0.2, 12, -99, 8},
		{"perturbed a third as much", SPSA, tunetest.Plain, 8, 3, 10000, 48, 16, 15, 0.2 / 3, 11, -99, 0},
		{"three times as much", SPSA, tunetest.Plain, 8, 3, 10000, 48, 16, 15, 0.6, 11, -99, 0},
		{"a thousand in flight", SPSA, tunetest.Plain, 8, 3, 10000, 1000, 16, 15, 0.2, 10, -99, 8},
		{"hard", SPSA, tunetest.Hard, 8, 3, 50000, 48, 8, 15, 0.2, 8, 5, 8},
		{"fishtest", Fishtest, tunetest.Plain, 8, 3, 10000, 48, 16, 15, 0.2, 7, -99, 8},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if c.shorter == 0 {
				testutil.OnlyLong(t, "the short form has the case with the usual perturbation")
			}
			g := gains(c.method, c.kind, c.d, c.useless, c.pairs, c.of_/testutil.ByLength(max(1, c.shorter), 1), c.in, c.elo,
				c.c)
			t.Logf("gains of %.0f Elo: mean %.1f, tenth %.1f", c.elo, mean(g), g[len(g)/10])
			testutil.Check(t, mean(g) >= c.least && g[len(g)/10] >= c.tenth, "want a mean of %.1f and a tenth of %.1f", c.least,
				c.tenth)
		})
	}
}

// TestDistinct: few parameters without an effect are Distinct. At least a fifth of the parameters with an effect are.
func TestDistinct(t *testing.T) {
	false_, useless, true_, useful := 0, 0, 0, 0
	for i := range 24 {
		truth, s, st := afterTune(i)
		sum := Summarize(&s, &st)
		any := false
		for j, p := range sum.Params {
			if truth.Useless[j] {
				useless++
				any = any || p.Distinct
			} else {
				useful++
				if p.Distinct {
					true_++
				}
			}
		}
		if any {
			false_++
		}
	}
	// With Holm's method at 0.05, more than four of 24 tunes have a false one in 1 of 100 cases.
	testutil.Check(t, false_ <= 4 && true_ >= useful/5,
		"%d of 24 tunes accuse one of %d useless parameters; %d of %d useful ones are seen", false_, useless, true_, useful)
}

// TestScales: a tune gains at least half of the possible Elo if the user's scale is four times too small. With -figures
// the test makes the table of docs/tune.md.
func TestScales(t *testing.T) {
	type scale struct {
		name string
		c    float64
	}
	scales := []scale{{"as judged", 0.2}, {"4 times too large", 0.8}, {"4 times too small", 0.05}}
	if !testutil.Figures() {
		g := gains(SPSA, tunetest.Plain, 8, 0, 5000, 16, 48, 20, scales[2].c)
		if got := mean(g); got < 10 {
			t.Errorf("%s: %.1f of 20 Elo gained, expected 10", scales[2].name, got)
		}
		return
	}
	for _, method := range []string{SPSA, Fishtest} {
		for _, kind := range []tunetest.Kind{tunetest.Plain, tunetest.Hard} {
			for _, d := range []int{4, 8, 16} {
				for _, s := range scales {
					t.Run(fmt.Sprint(method, " ", kind, " ", d, " ", s.name), func(t *testing.T) {
						t.Parallel()
						g := gains(method, kind, d, 0, 5000, 100, 48, 20, s.c)
						m, squares := mean(g), 0.0
						for _, x := range g {
							squares += (x - m) * (x - m)
						}
						n := float64(len(g))
						t.Logf("%.1f (%.1f)", m, math.Sqrt(squares/n/(n-1)))
					})
				}
			}
		}
	}
}
