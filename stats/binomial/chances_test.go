package binomial

import (
	"math"
	"testing"

	"gogi/internal/testutil"
)

// TestMatchChances compares with the sum over every result of a short match.
func TestMatchChances(t *testing.T) {
	for n := 1; n <= 7; n++ {
		for _, p := range [][2]float64{{0.5, 0}, {0.3, 0.4}, {0, 1}, {1, 0}, {0.55, 0.03}, {0, 0.5}} {
			var want Chances
			var play func(left, balance int, probability float64)
			play = func(left, balance int, probability float64) {
				switch {
				case left > 0:
					play(left-1, balance+1, probability*p[0])
					play(left-1, balance, probability*p[1])
					play(left-1, balance-1, probability*(1-p[0]-p[1]))
				case balance > 0:
					want.Win += probability
				case balance < 0:
					want.Loss += probability
				default:
					want.Draw += probability
				}
			}
			play(n, 0, 1)
			got, err := MatchChances(n, p[0], p[1])
			testutil.Check(t, err == nil &&
				math.Abs(got.Win-want.Win)+math.Abs(got.Draw-want.Draw)+math.Abs(got.Loss-want.Loss) <= 1e-12,
				"%d games, %v: %+v, %v; want %+v", n, p, got, err, want)
		}
	}
	for name, f := range map[string]func() error{
		"no games": func() error { _, err := MatchChances(0, 0.5, 0); return err },
		"too much": func() error { _, err := MatchChances(3, 0.8, 0.4); return err },
	} {
		testutil.Check(t, f() != nil, "%s: no error", name)
	}
}
