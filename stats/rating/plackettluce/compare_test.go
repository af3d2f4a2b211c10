package plackettluce

import (
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// gamesOf are games of a, b and c in which a has so many points more than b.
func gamesOf(differences []float64) (games [][]Placing) {
	for _, d := range differences {
		games = append(games, []Placing{{"a", 10 + d}, {"b", 10}, {"c", 5}})
	}
	return games
}

// The p value is the share of the 2ⁿ patterns of signs that are as far from 0, by enumeration.
func TestCompareByEnumeration(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]float64{1, 0.5, 0.1, 0.0001}).Draw(t, "unit")
		var d []float64
		for range rapid.IntRange(1, 10).Draw(t, "games") {
			d = append(d, unit*float64(rapid.IntRange(-4, 4).Draw(t, "points")))
		}
		c := testutil.Must(Compare(gamesOf(d), "a", "b", 10, 0.95, 1))(t)
		sum := func(pattern uint) (s float64) {
			for i, v := range d {
				if bits.OnesCount(pattern&(1<<i)) > 0 {
					v = -v
				}
				s += v
			}
			return math.Abs(s)
		}
		extreme := 0
		for pattern := range uint(1) << len(d) {
			if sum(pattern) >= sum(0)-1e-9 {
				extreme++
			}
		}
		if want := float64(extreme) / float64(uint(1)<<len(d)); math.Abs(c.Test.P-want) > 1e-12 || c.Test.Method != "game_sign_flip" || c.Games != len(d) {
			t.Fatalf("%v: %+v, want %v", d, c.Test, want)
		}
	})
}

func TestCompare(t *testing.T) {
	// Nine games that a wins by a point: the patterns of one sign are 2 of 512. The share of a
	// is 11/26 and that of b 10/26 in every sample of the games.
	c := must[Comparison](t)(Compare(gamesOf([]float64{1, 1, 1, 1, 1, 1, 1, 1, 1}), "a", "b", 100, 0.95, 1))
	if math.Abs(c.Test.P-2.0/512) > 1e-12 || math.Abs(c.Difference-1.0/26) > 1e-12 || math.Abs(c.Interval.Lo-1.0/26) > 1e-12 || math.Abs(c.Interval.Hi-1.0/26) > 1e-12 {
		t.Errorf("%+v", c)
	}
	// Below five games there is a test and no interval.
	c = must[Comparison](t)(Compare(gamesOf([]float64{1, 1, 1, 1}), "b", "a", 100, 0.95, 1))
	if !math.IsNaN(c.Interval.Lo) || !math.IsNaN(c.Interval.Hi) || math.Abs(c.Test.P-0.125) > 1e-12 || c.Difference >= 0 {
		t.Errorf("%+v", c)
	}
	// Games without one of the two count for the shares alone.
	games := append(gamesOf([]float64{3, 3, 3, 3, 3, 3}), []Placing{{"b", 7}, {"c", 7}})
	if c = must[Comparison](t)(Compare(games, "a", "b", 100, 0.95, 1)); c.Games != 6 || math.Abs(c.Test.P-2.0/64) > 1e-12 || math.Abs(c.Difference-11.0/182) > 1e-12 {
		t.Errorf("%+v", c)
	}
	// 2,500 games, 1,300 with a difference of 1 and the rest of −1: the sum 100 is two standard
	// errors, two-sided 0.0455, and 0.0477 at 99, with the continuity correction.
	var many []float64
	for i := range 2500 {
		many = append(many, map[bool]float64{true: 1, false: -1}[i < 1300])
	}
	c = must[Comparison](t)(Compare(gamesOf(many), "a", "b", 2, 0.95, 1))
	if c.Test.Method != "game_sign_flip" || math.Abs(c.Test.P-0.0477) > 2e-4 {
		t.Errorf("%+v", c.Test)
	}
	many[0], many[2499] = 1+1e-5, -1 // five decimals
	c = must[Comparison](t)(Compare(gamesOf(many), "a", "b", 2, 0.95, 1))
	if c.Test.Method != "game_sign_flip_normal" || math.Abs(c.Test.P-0.0455) > 1e-4 {
		t.Errorf("%+v", c.Test)
	}
	for _, wrong := range [][2]string{{"a", "a"}, {"a", "x"}} {
		if _, err := Compare(games, wrong[0], wrong[1], 100, 0.95, 1); err == nil {
			t.Errorf("%v were compared", wrong)
		}
	}
}
