package stats

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

func TestSignFlipAgainstFixture(t *testing.T) {
	var fixture struct {
		Pairs []struct {
			Penta    [5]int
			Ge       float64  `json:"p_ge"`
			Le       *float64 `json:"p_le"`
			Two      *float64 `json:"p_two_sided"`
			TwoShort *float64 `json:"p_two"` // the empty row spells it so
			Score    *float64
			Variance *float64 `json:"pair_var"`
			Z        float64  `json:"z_penta"`
			SignTest *float64 `json:"pair_sign_test_two_sided"`
		}
	}
	load(t, "draws_pairs_los.json", &fixture)
	var flips, moments worst
	for _, c := range fixture.Pairs {
		tally := tallyOf(t, c.Penta[0], c.Penta[1], c.Penta[2], 0, c.Penta[3], c.Penta[4])
		check := func(alt binomial.Alternative, want *float64) {
			if want == nil {
				return
			}
			got, err := tally.SignFlip(alt)
			testutil.Require(t, err == nil && got.N == tally.Pairs() && got.Method == "pair_sign_flip", "%v %v", got, err)
			flips.near(t, "sign flip "+string(alt), got.P, *want, 0, 1e-9)
		}
		check(binomial.Greater, &c.Ge)
		check(binomial.Less, c.Le)
		check(binomial.TwoSided, c.Two)
		check(binomial.TwoSided, c.TwoShort)
		if c.Score == nil {
			continue
		}
		s := testutil.Must(tally.Sample())(t)
		moments.near(t, "score", s.Mean, *c.Score, 1e-9, 0)
		moments.near(t, "variance", s.Variance, *c.Variance, 1e-9, 0)
		moments.near(t, "z", (s.Mean-0.5)/math.Sqrt(s.Variance/float64(s.N)), c.Z, 1e-9, 0)
		better, worse := c.Penta[3]+c.Penta[4], c.Penta[0]+c.Penta[1]
		flips.near(t, "sign test", pOf(t, better, better+worse, 0.5, binomial.TwoSided), *c.SignTest, 0, 1e-9)
	}
	flips.log(t, "pair_sign_flip")
	moments.log(t, "pair moments")
}

func TestDrawsAgainstFixture(t *testing.T) {
	var fixture struct {
		Trinomial []struct {
			W, D, L  int
			Score    float64
			Elo      *float64
			SignTest float64 `json:"sign_test_p_greater"`
			HalfWins float64 `json:"half_win_floor_p_greater"`
			AsLosses float64 `json:"draws_as_nonwins_p_greater"`
		}
	}
	load(t, "draws_pairs_los.json", &fixture)
	var p, scores worst
	for _, c := range fixture.Trinomial {
		games := WDL{Wins: c.W, Draws: c.D, Losses: c.L}
		k, n := games.Decisive()
		p.near(t, "without draws", pOf(t, k, n, 0.5, binomial.Greater), c.SignTest, 0, 1e-9)
		p.near(t, "half wins", pOf(t, c.W+c.D/2, games.Games(), 0.5, binomial.Greater), c.HalfWins, 0, 1e-9)
		p.near(t, "draws lost", pOf(t, c.W, games.Games(), 0.5, binomial.Greater), c.AsLosses, 0, 1e-9)

		tally := singlesOf(t, games)
		score := testutil.Must(tally.Score())(t)
		scores.near(t, "score", score, c.Score, 1e-9, 0)
		if c.Elo == nil {
			if !math.IsInf(binomial.Elo(score), 1) {
				t.Errorf("Elo of %v is %v", score, binomial.Elo(score))
			}
			continue
		}
		scores.near(t, "elo", binomial.Elo(score), *c.Elo, 1e-9, 0)
	}
	p.log(t, "draw conventions")
	scores.log(t, "scores of games")
}
