package rating

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"

	"pgregory.net/rapid"
)

// drawn plays independent games with an expected score of Black, and a share of draws as a part of the largest one
// that the score allows.
func drawn(random *rand.Rand, games int, score, share float64) (wins, draws, losses int) {
	draw := share * 2 * min(score, 1-score)
	for range games {
		switch u := random.Float64(); {
		case u < draw:
			draws++
		case u < score+draw/2:
			wins++
		default:
			losses++
		}
	}
	return wins, draws, losses
}

// TestCoverageWithDraws: with DrawErrors, intervals of independent games contain the true difference in about 95% of
// the simulations, for any share of draws. Without, they are too wide.
func TestCoverageWithDraws(t *testing.T) {
	const players = 4
	for _, share := range []float64{0, 0.2, 0.6, 0.95} {
		for _, games := range []int{20, 100} { // of each two players with each colour
			random := rand.New(rand.NewPCG(11, uint64(games)+uint64(100*share)))
			held, naive, all, wide := 0, 0, 0, 0.0
			for range 2 * *simulations {
				var record []crosstable.Count
				for a := range players {
					for b := range players {
						if a != b {
							c := crosstable.Count{Black: fmt.Sprint(a), White: fmt.Sprint(b)}
							score := 1 / (1 + math.Pow(10, float64(60*(a-b))/400))
							c.BlackWins, c.Draws, c.WhiteWins = drawn(random, games, score, share)
							record = append(record, c)
						}
					}
				}
				f := testutil.Must(Rate(record, Model{DrawErrors: true}))(t)
				g := testutil.Must(Rate(record, Model{}))(t)
				for a := range players {
					i, j := testutil.Must(f.Profile(fmt.Sprint(a), 0.95))(t), testutil.Must(g.Profile(fmt.Sprint(a), 0.95))(t)
					truth := 90 - 60*float64(a)
					held, naive, all = held+one(i.Lo <= truth && truth <= i.Hi), naive+one(j.Lo <= truth && truth <= j.Hi), all+1
					wide += (i.Hi - i.Lo) / (j.Hi - j.Lo)
				}
			}
			n := float64(all)
			t.Logf("%g%% draws, %d games: %.3f held, %.3f without DrawErrors; %.2f times as wide", 100*share, games,
				float64(held)/n, float64(naive)/n, wide/n)
			noise := 3.5 * math.Sqrt(0.05*0.95/(n/players)) // the players of one tournament depend on each other
			testutil.Check(t, math.Abs(float64(held)/n-0.95) <= 0.01+noise, "%g%% draws, %d games: %.3f held", 100*share, games,
				float64(held)/n)
			testutil.Check(t, share < 0.9 || wide/n < 0.6, "%g%% draws: %.2f times as wide", 100*share, wide/n)
		}
	}
}

// TestCoverageOfTwo: the same for two players and few games.
func TestCoverageOfTwo(t *testing.T) {
	for _, share := range []float64{0.2, 0.6, 0.95} {
		for _, games := range []int{30, 100, 400} {
			for _, truth := range []float64{0, 120} {
				random := rand.New(rand.NewPCG(uint64(games), uint64(100*share+truth)))
				score := 1 / (1 + math.Pow(10, -truth/400))
				held, all := 0, 0
				for range 5 * *simulations {
					c := crosstable.Count{Black: "a", White: "b"}
					c.BlackWins, c.Draws, c.WhiteWins = drawn(random, games, score, share)
					f, err := Rate([]crosstable.Count{c}, Model{DrawErrors: true})
					if err != nil {
						continue // one player won all games
					}
					i := testutil.Must(f.ProfileDifference("a", "b", 0.95))(t)
					held, all = held+one(i.Lo <= truth && truth <= i.Hi), all+1
				}
				got := float64(held) / float64(all)
				t.Logf("%g%% draws, %d games, %g Elo: %.3f held", 100*share, games, truth, got)
				noise := 3.5 * math.Sqrt(0.06*0.94/float64(all))
				testutil.Check(t, got >= 0.935-noise, "%g%% draws, %d games, %g Elo: %.3f held", 100*share, games, truth, got)
			}
		}
	}
}

// TestEloIsOfTheScore: the difference of two players is the Elo of the score, for any numbers of games. It changes
// its sign if the players change places, and PairwiseElo of the other models is the same.
func TestEloIsOfTheScore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		many := rapid.Custom(func(t *rapid.T) int {
			return int(math.Pow(10, rapid.Float64Range(0, 9).Draw(t, "digits")))
		})
		wins, losses := many.Draw(t, "wins")-1, many.Draw(t, "losses")-1
		draws := 0
		if rapid.Bool().Draw(t, "drawn") {
			draws = min(int(float64(wins+losses+1)*rapid.Float64Range(0, 9999).Draw(t, "draws")), 1e13)
		}
		if draws == 0 && (wins == 0 || losses == 0) {
			return
		}
		games := float64(wins) + float64(draws) + float64(losses)
		// 400 log10(s/(1-s)) with the points of both players, which loses no digits near 0 and 1.
		want := 400 * math.Log10((float64(wins)+float64(draws)/2)/(float64(losses)+float64(draws)/2))
		record := []crosstable.Count{{Black: "a", White: "b", BlackWins: wins, Draws: draws, WhiteWins: losses}}
		mirror := []crosstable.Count{{Black: "b", White: "a", BlackWins: wins, Draws: draws, WhiteWins: losses}}
		near := func(what string, got, want float64) {
			if math.Abs(got-want) > 1e-6*(1+math.Abs(want)) {
				t.Fatalf("%d, %d, %d: %s = %v, want %v", wins, draws, losses, what, got, want)
			}
		}
		difference := func(f *Fit) float64 {
			i, j, err := f.numbers("a", "b")
			testutil.OK(t, err)
			return binomial.EloPerNat * (f.at.X[i] - f.at.X[j])
		}
		f := testutil.Must(Rate(record, Model{DrawErrors: true}))(t)
		near("difference", difference(f), want)
		near("mirrored", difference(testutil.Must(Rate(mirror, Model{DrawErrors: true}))(t)), -want)
		interval, err := f.ProfileDifference("a", "b", 0.95)
		if games > 1 {
			testutil.OK(t, err) // one draw alone has an interval that the profile does not reach
		}
		if slack := 1e-6 * (1 + math.Abs(want)); err == nil && !(interval.Lo-slack <= want && want <= interval.Hi+slack) {
			t.Fatalf("%d, %d, %d: %+v does not contain %v", wins, draws, losses, interval, want)
		}
		q := testutil.Must(f.Predict("a", "b", 0.95))(t)
		if math.Abs(q.Win+q.Draw+q.Loss-1) > 1e-9 || math.Abs(q.Win+q.Draw/2-q.Score) > 1e-9 ||
			min(q.Win, q.Draw, q.Loss) < 0 {
			t.Fatalf("%+v", q)
		}
		// with more games the search for Davidson's maximum may end too early
		if wins == 0 || losses == 0 || draws == 0 || games > 1e6 {
			return
		}
		near("probability of a draw", q.Draw, float64(draws)/games)
		d := testutil.Must(Rate(record, Model{Draws: Davidson}))(t)
		c := testutil.Must(d.PairwiseElo(0.95))(t)[0]
		near("Elo with Davidson's model", math.Abs(c.Elo), math.Abs(want))
	})
}

// TestDrawsOfHalfWins: for any expected scores, the draw parameter gives as many draws as the games had, if the scores
// allow them. The probabilities always keep the score. One player against an equal one has Davidson's closed form.
func TestDrawsOfHalfWins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var p [][3]float64
		var cells []crosstable.Cell
		games, draws := 0.0, 0.0
		for range rapid.IntRange(1, 20).Draw(t, "cells") {
			x := rapid.Float64Range(-30, 30).Draw(t, "log odds")
			n := math.Pow(10, rapid.Float64Range(0, 9).Draw(t, "games"))
			d := n * rapid.SampledFrom([]float64{0, 1e-6, 0.01, 0.3, 0.9, 0.9999}).Draw(t, "draws")
			p, cells = append(p, [3]float64{logistic(x), 0, logistic(-x)}), append(cells, crosstable.Cell{Wins: n - d, Draws: d})
			games, draws = games+n, draws+d
		}
		nu, expected := drawParameter(p, cells), 0.0
		for i := range p {
			q := withDraws(p[i], nu)
			if min(q[0], q[1], q[2]) < 0 || math.Abs(q[0]+q[1]+q[2]-1) > 1e-12 || math.Abs(q[0]+q[1]/2-p[i][0]) > 1e-12 {
				t.Fatalf("%v with ν = %v: %v", p[i], nu, q)
			}
			if back := withDraws([3]float64{p[i][2], 0, p[i][0]}, nu); back != [3]float64{q[2], q[1], q[0]} {
				t.Fatalf("%v, mirrored %v", q, back)
			}
			expected += cells[i].Games() * q[1]
		}
		if draws > 0 && nu < math.Exp(widestNu) && math.Abs(expected/draws-1) > 1e-6 {
			t.Fatalf("%v draws expected, %v observed", expected, draws)
		}
	})
	for _, share := range []float64{0.001, 0.5, 0.9999} {
		nu := drawParameter([][3]float64{{0.5, 0, 0.5}}, []crosstable.Cell{{Wins: 1e6 * (1 - share), Draws: 1e6 * share}})
		testutil.Check(t, math.Abs(nu/(2*share/(1-share))-1) < 1e-9, "%v draws: ν = %v", share, nu)
	}
}

// TestGoodnessWithDraws: with draws as half wins, the test of the model holds its level of 5%, and detects a pairing
// that contradicts the ratings.
func TestGoodnessWithDraws(t *testing.T) {
	random := rand.New(rand.NewPCG(12, 1))
	for _, share := range []float64{0.2, 0.6} {
		rejected, worst, runs := 0, 0, 0
		for run := range *simulations {
			var record []crosstable.Count
			for a := range 5 {
				for b := range a {
					c := crosstable.Count{Black: fmt.Sprint(a), White: fmt.Sprint(b)}
					c.BlackWins, c.Draws, c.WhiteWins = drawn(random, 20, 1/(1+math.Pow(10, float64(20*(a-b))/400)), share)
					record = append(record, c)
				}
			}
			g := testutil.Must(testutil.Must(Rate(record, Model{}))(t).Goodness(Replay{Samples: 199, Seed: uint64(run),
				Exceed: 10}))(t)
			rejected, worst, runs = rejected+one(g.Bootstrap <= 0.05), worst+one(g.Worst <= 0.05), runs+1
			testutil.Check(t, g.DF == 2*10-4-1, "%d degrees of freedom", g.DF)
		}
		t.Logf("%g%% draws: X² %d, worst residual %d of %d", 100*share, rejected, worst, runs)
		n := float64(runs)
		testutil.Check(t, float64(max(rejected, worst)) <= 0.05*n+4*math.Sqrt(0.05*0.95*n),
			"%g%% draws: X² %d, worst residual %d of %d", 100*share, rejected, worst, runs)
	}
	cycle := []crosstable.Count{
		{Black: "a", White: "b", BlackWins: 30, Draws: 60, WhiteWins: 10},
		{Black: "b", White: "c", BlackWins: 30, Draws: 60, WhiteWins: 10},
		{Black: "c", White: "a", BlackWins: 30, Draws: 60, WhiteWins: 10},
	}
	g := testutil.Must(testutil.Must(Rate(cycle, Model{}))(t).Goodness(Replay{Samples: 199, Seed: 1}))(t)
	testutil.Check(t, g.Bootstrap < 0.02 && g.Worst < 0.05, "a cycle: %+v", g)
}

// TestOneSidedGames: nearly all games won. Rounding of the likelihood or its slopes would shift the difference.
func TestOneSidedGames(t *testing.T) {
	for _, losses := range []int{1, 9, 33, 1000} {
		want := 400 * math.Log10(999_999_999/float64(losses))
		for sign, c := range map[float64]crosstable.Count{
			1:  {Black: "a", White: "b", BlackWins: 999_999_999, WhiteWins: losses},
			-1: {Black: "b", White: "a", BlackWins: 999_999_999, WhiteWins: losses},
		} {
			players := byName(testutil.Must(Rate([]crosstable.Count{c}, Model{}))(t).Players)
			got := players[0].Elo - players[1].Elo
			testutil.Check(t, math.Abs(got-sign*want) < 1e-3, "%d losses: %v, want %v", losses, got, sign*want)
		}
	}
}
