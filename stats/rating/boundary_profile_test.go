package rating

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
	"gogi/stats/rating/newton"
)

// TestProfileWithTermsAtZero: the profile needs terms above 0 that are 0 at the maximum. Another program calculated the
// expected ends, with bounded quasi-Newton climbs from several starts.
func TestProfileWithTermsAtZero(t *testing.T) {
	t.Parallel()
	games := []crosstable.Count{
		{Black: "P0", White: "P1", BlackWins: 7, WhiteWins: 27}, {Black: "P0", White: "P1", BlackWins: 9, Handicap: 2},
		{Black: "P1", White: "P0", BlackWins: 16, Draws: 9, WhiteWins: 32, Handicap: 2},
		{Black: "P1", White: "P0", BlackWins: 261, Draws: 66, WhiteWins: 110, Handicap: 5},
	}
	f := testutil.Must(CompareHandicaps(games, 0.95, Additive2))(t).Fits[0]
	weights := make([]float64, len(f.at.X))
	weights[f.ground.players+1] = 1
	// the other program does not widen it for draws
	lo, hi, err := newton.Profile(f.ground, f.at, weights, 1.959963984540054)
	testutil.OK(t, err)
	testutil.Check(t, math.Abs(math.Exp(lo)-4.747870) < 1e-5 && math.Abs(math.Exp(hi)-24.288441) < 1e-5, "slope %v to %v",
		math.Exp(lo), math.Exp(hi))
	games = []crosstable.Count{
		{Black: "P0", White: "P1", BlackWins: 1, WhiteWins: 1, Handicap: 3},
		{Black: "P1", White: "P0", BlackWins: 3, Draws: 3, WhiteWins: 2},
		{Black: "P1", White: "P0", Draws: 1, WhiteWins: 4, Handicap: 1},
		{Black: "P1", White: "P0", BlackWins: 2, WhiteWins: 3, Handicap: 4},
		{Black: "P1", White: "P0", BlackWins: 10, WhiteWins: 3, Handicap: 7},
	}
	f = testutil.Must(CompareHandicaps(games, 0.95, Multiplicative1))(t).Fits[0]
	last := f.Params[3].Interval
	testutil.Check(t, last.Lo == 0 && math.Abs(last.Hi-28.44442) < 1e-4, "g(7)-g(4) %+v", last)
	testutil.Equal(t, f.Params[2].Note, "is 0, the end of its range: the constraint is active")
	// The likelihood is concave in the logarithms of the factors. Isotonic regression gives its maximum for each
	// difference of the players.
	player := testutil.Must(f.Profile("P0", 0.95))(t)
	testutil.Check(t, math.Abs(player.Lo+41.441876) < 1e-4 && math.Abs(player.Hi-130.147350) < 1e-4, "P0 %+v", player)
}

// TestIntervalOfATermAtZero: an estimate of 0 is in its interval. The games are those of a property test that found 0
// with the lower end 0.25.
func TestIntervalOfATermAtZero(t *testing.T) {
	record := []crosstable.Count{
		{Black: "A", White: "D", BlackWins: 1, WhiteWins: 1, Handicap: 1},
		{Black: "B", White: "A", BlackWins: 1, Handicap: 2},
		{Black: "B", White: "A", BlackWins: 2, Draws: 2, WhiteWins: 2, Handicap: 1},
	}
	c := testutil.Must(CompareHandicaps(record, 0.9, Multiplicative3))(t)
	at := 0
	for _, p := range c.Fits[0].Params {
		if p.Value == 0 {
			at++
		}
		testutil.Check(t, p.Interval.Lo <= p.Value && p.Value <= p.Interval.Hi, "%+v", p)
	}
	testutil.Check(t, at > 0, "no term is 0: %+v", c.Fits[0].Params)
}
