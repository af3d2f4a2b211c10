package gate

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/stats"
	"gogi/stats/binomial"
)

// TestCopiesAreNoEvidence: A wins all games of 400 pairs at fixed nodes. With 400 openings, a test of [0, 100] passes
// before pair 40. With two openings it stays undecided, because repeated games are no new observations.
func TestCopiesAreNoEvidence(t *testing.T) {
	t.Parallel()
	const pairs = 400
	design := stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	copies, apart := newGate(t, design, pairs), newGate(t, design, pairs)
	for id := range pairs {
		play := stats.Play{Pair: won(), Opening: fmt.Sprint(id % 2), Games: []uint64{uint64(id % 2), uint64(10 + id%2)}}
		add(t, copies, id, play)
		play.Opening, play.Games = "", []uint64{uint64(2 * id), uint64(2*id + 1)}
		add(t, apart, id, play)
	}
	if j := apart.State().Judgement; j.Decision != stats.Pass || j.Units >= 40 || j.Copies != 0 {
		t.Errorf("from openings of their own: %+v", j)
	}
	j := copies.State().Judgement
	testutil.Check(t, j.Decision == stats.Inconclusive && j.Openings == 2 && j.Copies == pairs-2 && j.Units == pairs,
		"from two openings: %+v", j)
}

func won() stats.Pair {
	return stats.Pair{{AIsBlack: true, Outcome: stats.Win, Points: 1}, {Outcome: stats.Win, Points: 1}}
}

func newGate(t *testing.T, design stats.SPRT, pairs int) *Gate {
	t.Helper()
	return testutil.Must(New(design, pairs))(t)
}

func add(t *testing.T, g *Gate, id int, play stats.Play) {
	t.Helper()
	testutil.OK(t, g.Add(id, play))
}

// TestLevelOfDeterministicPlayers: equal players that repeat an opening's pair exactly pass with a probability of at
// most α, for any number of openings. A test that counts each pair would pass in 8% to 35% of the runs.
func TestLevelOfDeterministicPlayers(t *testing.T) {
	t.Parallel()
	const series, pairs = 150, 400
	design := stats.SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	for _, openings := range []int{2, 24, 100} {
		r := rand.New(rand.NewPCG(7, uint64(openings)))
		passes := 0
		for range series {
			g := newGate(t, design, pairs)
			book := make([]stats.Pair, openings)
			for i := range book {
				book[i] = evenPair(r)
			}
			for id := 0; id < pairs && !g.State().Decided(); id++ {
				n := id % openings
				add(t, g, id, stats.Play{Pair: book[n], Opening: fmt.Sprint(n), Games: []uint64{uint64(2 * n), uint64(2*n + 1)}})
			}
			if g.State().Judgement.Decision == stats.Pass {
				passes++
			}
		}
		if p := binomial.NewBinomial(series, design.Alpha).AtLeast(passes); p < 0.001 {
			t.Errorf("%d openings: %d of %d series between equals passed: p = %.2g where each passes with probability %v",
				openings, passes, series, p, design.Alpha)
		}
	}
}

// TestLiveAndStoredAreOneEvidence: a pair counts the same when it is played and when it is read from a database. The
// name of its opening does not matter.
func TestLiveAndStoredAreOneEvidence(t *testing.T) {
	t.Parallel()
	m := testutil.Must(shogi.ParseMove("7g7f"))(t)
	plan := match.Plan{
		Pairs: 1, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Rules: match.RulesProfiles()[match.DefaultRules],
		Openings: []match.Opening{{ID: "1", Start: "startpos", Moves: []shogi.Move{m}}},
		Players:  []match.Player{{Name: "x"}, {Name: "y"}},
	}
	result := match.PairResult{Pair: plan.Pair(0)}
	var rows []match.Row
	for leg := range 2 {
		game := result.Pair.Game(leg)
		g := match.Result{
			Leg: leg, Players: game.Players, Verdict: match.LossFor(shogi.White, match.Resignation, ""),
			Record: kifu.Record{Start: "startpos", Moves: []kifu.Move{{Move: m}}},
		}
		result.Games = append(result.Games, g)
		hash := testutil.Must(g.MovesHash())(t)
		name := func(c shogi.Colour) string { return plan.Players[g.Players[c]].Name }
		rows = append(rows, match.Row{
			Leg: leg, Black: name(shogi.Black), White: name(shogi.White), PairA: "x", PairB: "y", Outcome: g.Outcome,
			Points:    [2]float64{1, 0},
			OpeningID: "another name", OpeningHash: plan.Openings[0].Hash(), MovesHash: hash,
		})
	}
	live := testutil.Must(OfResult(&plan, result))(t)
	want := stats.Pair{{AIsBlack: true, Outcome: stats.Win, Points: 1}, {Outcome: stats.Loss}}
	if stored := OfRows(rows); !reflect.DeepEqual(live, stored) || !reflect.DeepEqual(live.Pair, want) ||
		live.Games[0] != live.Games[1] || live.Opening == "" {
		t.Errorf("live %+v, stored %+v", live, stored)
	}
	result.Games[1].Record.Start = "nowhere"
	testutil.Fails(t, testutil.Err(OfResult(&plan, result)), "", "a game from nowhere is evidence")
}

// TestProspect: an SPRT of [0, 20] passes after about ln 20/ln(s₁/s₀) = 2.996/0.0559 openings with wins only. It fails
// after about 2.257/0.0593 openings with losses only. Both need a few more for outcomes that did not occur. Check
// rejects a plan with fewer openings and names the remedy.
func TestProspect(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		openings, pairs int
		limits          match.Limits
		gate            bool
		refused, warned bool
	}{
		"two openings":         {2, 400, match.Limits{Nodes: 1}, true, true, true},
		"a clock is no remedy": {2, 400, match.Limits{MoveTime: 1}, true, true, false},
		"too few pairs":        {400, 30, match.Limits{Nodes: 1}, true, true, false},
		"enough to fail only":  {45, 400, match.Limits{Nodes: 1}, true, true, true},
		"enough":               {100, 400, match.Limits{Nodes: 1}, true, false, true},
		"no gate":              {2, 400, match.Limits{Depth: 1}, false, false, true},
		"all apart":            {400, 400, match.Limits{Nodes: 1}, true, false, false},
		"self":                 {100, 400, match.Limits{Self: true}, true, false, true},
	} {
		plan := &match.Plan{Pairs: c.pairs, Design: match.Design{Kind: match.DesignMatch, Swap: true},
			Players: []match.Player{{Limits: c.limits}, {Limits: c.limits}}}
		for i := range c.openings {
			m := shogi.Move(i + 1)
			plan.Openings = append(plan.Openings, match.Opening{ID: "same name", Start: "startpos", Moves: []shogi.Move{m}})
		}
		if c.gate {
			plan.Gate = stats.SPRT{Elo0: 0, Elo1: 20, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
		}
		p := testutil.Must(NewProspect(plan))(t)
		if refused := p.Check(); (refused != nil) != c.refused || refused != nil &&
			!strings.Contains(refused.Error(), "--openings builtin or a file of gogi book make") {
			t.Errorf("%s: %v, of %+v", name, refused, p)
		}
		testutil.Check(t, p.Warning().IsZero() != c.warned, "%s: %q", name, p.Warning())
		testutil.Check(t, !c.gate || p.Pass >= 54 && p.Pass <= 60 && p.Fail >= 39 && p.Fail <= 44,
			"%s: it takes %d openings to pass and %d to fail", name, p.Pass, p.Fail)
		plan.ColourClocks[1] = &match.TimeControl{Main: 1}
		if clocked, err := NewProspect(plan); err != nil || clocked.Repeats || clocked.Distinct() != clocked.Pairs {
			t.Errorf("%s, with a clock for White: %+v, %v", name, clocked, err)
		}
		want := min(c.openings, c.pairs)
		testutil.Check(t, p.Openings == want, "%s: %d openings, want %d", name, p.Openings, want)
	}
}
