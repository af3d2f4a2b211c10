package rating

import (
	"math"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
)

// activeGames returns games of three players. The second handicap is worth no more than the first. The third is worth
// much more or nothing more, depending on third.
func activeGames(third [2][2]int) []crosstable.Count {
	return []crosstable.Count{
		{Black: "a", White: "b", BlackWins: 14, WhiteWins: 26}, {Black: "b", White: "a", BlackWins: 24, WhiteWins: 16},
		{Black: "b", White: "c", BlackWins: 22, WhiteWins: 18}, {Black: "c", White: "b", BlackWins: 19, WhiteWins: 21},
		{Black: "a", White: "b", Handicap: 1, BlackWins: 15, WhiteWins: 9},
		{Black: "a", White: "c", Handicap: 1, BlackWins: 13, WhiteWins: 10},
		{Black: "b", White: "c", Handicap: 1, BlackWins: 16, WhiteWins: 8},
		{Black: "a", White: "b", Handicap: 2, BlackWins: 11, WhiteWins: 11},
		{Black: "a", White: "c", Handicap: 2, BlackWins: 12, WhiteWins: 11},
		{Black: "b", White: "c", Handicap: 2, BlackWins: 13, WhiteWins: 11},
		{Black: "a", White: "c", Handicap: 3, BlackWins: third[0][0], WhiteWins: third[0][1]},
		{Black: "a", White: "b", Handicap: 3, BlackWins: third[1][0], WhiteWins: third[1][1]},
	}
}

// TestPredictAtAnActiveConstraint: models with an active order constraint have predictions without an interval. Another
// program calculated the values. It maximises the likelihood for fixed odds by Nelder and Mead's method, with each
// nonnegative term written as a square.
func TestPredictAtAnActiveConstraint(t *testing.T) {
	t.Parallel()
	rising, flat := [2][2]int{{20, 6}, {19, 7}}, [2][2]int{{13, 13}, {12, 14}}
	for _, c := range []struct {
		model          HandicapModel
		third          [2][2]int
		a, b           string
		handicap       int
		score          float64
		loglik         float64
		atTheEnd, name string
	}{
		{Multiplicative1, rising, "a", "b", 0, .3981390, -233.238444039, "g(2)-g(1)", "mul1"},
		{Multiplicative1, rising, "a", "b", 1, .5250598, -233.238444039, "g(2)-g(1)", "mul1"},
		{Multiplicative1, rising, "a", "b", 2, .5250598, -233.238444039, "g(2)-g(1)", "mul1"},
		{Multiplicative1, rising, "a", "c", 3, .7569072, -233.238444039, "g(2)-g(1)", "mul1"},
		{Additive1, rising, "a", "b", 0, .3802054, -232.978818405, "f(2)-f(1)", "add1"},
		{Additive1, rising, "a", "b", 2, .5355028, -232.978818405, "f(2)-f(1)", "add1"},
		{Additive2, flat, "a", "b", 0, .3775019, -240.048449646, "slope", "add2"},
		{Additive2, flat, "a", "b", 2, .5137528, -240.048449646, "slope", "add2"},
	} {
		f := testutil.Must(CompareHandicaps(activeGames(c.third), 0.95, c.model))(t).Fits[0]
		testutil.Require(t, len(f.Notes) == 1 && strings.Contains(f.Notes[0], c.atTheEnd+" is 0") &&
			math.Abs(f.LogLik-c.loglik) <= 1e-6,
			"%s: %v, loglik %v", c.name, f.Notes, f.LogLik)
		q, err := f.Predict(c.a, c.b, c.handicap, 0.95)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		testutil.Check(t, math.Abs(q.Score-c.score) <= 2e-6 && math.IsNaN(q.Interval.Lo) && math.IsNaN(q.Interval.Hi),
			"%s, %s against %s with %d: %+v, want %v without an interval", c.name, c.a, c.b, c.handicap, q, c.score)
	}
}

// TestPredictBesideADriftingPlayer: a player whose strength goes to 0 has no prediction, and the error names it. The
// other players have predictions: a scores 12 of 20 against b, because no games of other players matter for this.
func TestPredictBesideADriftingPlayer(t *testing.T) {
	t.Parallel()
	f := testutil.Must(CompareHandicaps([]crosstable.Count{
		{Black: "a", White: "b", BlackWins: 12, WhiteWins: 8}, {Black: "a", White: "w", BlackWins: 20},
		{Black: "w", White: "a", Handicap: 1, BlackWins: 6, WhiteWins: 14},
	}, 0.95, Additive3))(t).Fits[0]
	testutil.Require(t, len(f.at.Drifting) != 0, "no strength goes to 0: %+v", f.Players)
	q, err := f.Predict("a", "b", 0, 0.95)
	testutil.Require(t, err == nil && math.Abs(q.Score-0.6) <= 1e-6, "%+v, %v", q, err)
	testutil.Fails(t, testutil.Err(f.Predict("w", "a", 1, 0.95)), "w has no finite rating under additive_3")
}
