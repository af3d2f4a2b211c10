package arbiter_test

import (
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/matchtest"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/mate"
)

// mating3 is a mate in 3 by drops of two rooks (a composed problem).
const mating3 = "6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1"

// provenPair returns a plan and its pair of one game that a proof ends at once.
func provenPair(t *testing.T) (*match.Plan, match.PairResult) {
	t.Helper()
	plan := twoPlayers(t)
	plan.Design.Swap, plan.Rules, plan.Adjudication, plan.Pairs = false, match.RulesProfiles()["default"],
		match.Adjudication{}, 1
	plan.Openings = []match.Opening{matchtest.Opening("4k4/9/4P4/9/9/9/9/9/4K4 w G 1", "5a4a")}
	solver := plan.Players[0]
	solver.Name = "solver"
	plan.Mate = match.Mate{Solver: &solver, Time: time.Second, Nodes: 100}
	testutil.OK(t, plan.Check())
	pair := plan.Pair(0)
	text := testutil.Must(match.Proof{Solver: "solver", Line: matchtest.Moves("G*4b"), Plies: 1, Nodes: 2}.Text())(t)
	game := pair.Game(0)
	record := kifu.Record{
		Black: plan.Players[game.Players[0]].Name, White: plan.Players[game.Players[1]].Name, Start: pair.Opening.Start,
		Result: "mate_adjudication", Winner: "black", Final: text,
		Moves: []kifu.Move{{Move: pair.Opening.Moves[0], Opening: true}},
	}
	return plan, match.PairResult{Pair: pair, Games: []match.Result{{
		Pair: pair.ID, Players: game.Players,
		Verdict: match.Verdict{Outcome: match.BlackWins, Termination: match.MateAdjudication}, Record: record,
	}}}
}

// TestVerifyProvesAMateAgain: Verify accepts a game that a proof ended only if the proof holds by the rules. Its
// figures must be possible for a proof.
func TestVerifyProvesAMateAgain(t *testing.T) {
	figures := func(plies, nodes int) func(*match.Plan, *match.PairResult) {
		return func(_ *match.Plan, r *match.PairResult) {
			final := &r.Games[0].Record.Final
			proof := testutil.Must(match.ParseProof(*final))(t)
			proof.Plies, proof.Nodes = plies, nodes
			*final, _ = proof.Text()
		}
	}
	for name, test := range map[string]struct {
		start, reply string // the opening: its position, and White's move
		line         string
		change       func(p *match.Plan, r *match.PairResult)
		why          string // empty if Verify accepts it
	}{
		"a king that got away": {"4k4/9/4P4/9/9/9/9/9/4K4 w G 1", "5a6a", "", nil,
			"is not proven: it does not end in checkmate"},
		"the gold is guarded": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", nil, ""},
		"another move": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*4b", nil,
			"is not proven: it does not end in checkmate"},
		"no such end": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", func(p *match.Plan, _ *match.PairResult) {
			p.Mate = match.Mate{}
		}, "the plan has no such end"},
		"no proof": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", func(_ *match.Plan, r *match.PairResult) {
			r.Games[0].Record.Final = []byte(`{"ply":3}`)
		}, "there is none"},
		"more plies than it takes": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", figures(3, 2),
			"in 3 plies, as it says: its proof has 1"},
		"no plies": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", figures(0, 2),
			"in 0 plies, as it says: its proof has 1"},
		"as many positions as the plan allows": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", figures(1, 100), ""},
		"more positions": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", figures(1, 101),
			"with 101 positions, as it says: expected 1 to 100"},
		"no position": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", figures(1, 0),
			"with 0 positions, as it says: expected 1 to 100"},
		"for the other side": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", func(_ *match.Plan, r *match.PairResult) {
			setVerdict(&r.Games[0], match.WhiteWins, match.MateAdjudication)
		}, "it ended by mate_adjudication (black), not by mate_adjudication (white)"},
		"asked": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", func(_ *match.Plan, r *match.PairResult) {
			r.Games[0].Questions = match.Questions{Asked: 1, Claimed: 1, Proven: 1}
		}, ""},
		"more claims than questions": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b",
			func(_ *match.Plan, r *match.PairResult) {
				r.Games[0].Questions = match.Questions{Asked: 1, Claimed: 2, Proven: 1, Refuted: 1}
			}, "questions to a mate solver do not add up"},
		"less than none": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b", func(_ *match.Plan, r *match.PairResult) {
			r.Games[0].Questions = match.Questions{Asked: 1, Proven: 1, Refuted: -1}
		}, "do not add up"},
		"asked, and nothing proven": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b",
			func(_ *match.Plan, r *match.PairResult) {
				r.Games[0].Questions = match.Questions{Asked: 1}
			}, "do not add up"},
		"the mated side was asked": {"5k3/9/4P4/9/9/9/9/9/4K4 w G 1", "4a5a", "G*5b",
			func(_ *match.Plan, r *match.PairResult) {
				r.Games[0].Sides[0].Plies = 1
			}, "are not those of its moves"},
	} {
		plan, r := provenPair(t)
		plan.Openings = []match.Opening{matchtest.Opening(test.start, test.reply)}
		r.Pair = plan.Pair(0)
		g := &r.Games[0]
		g.Record.Start, g.Record.Moves[0].Move = test.start, r.Pair.Opening.Moves[0]
		g.Record.Final, _ = match.Proof{Solver: "solver", Line: matchtest.Moves(test.line), Plies: 1, Nodes: 2}.Text()
		if test.change != nil {
			test.change(plan, &r)
		}
		err := arbiter.Verify(plan, &r)
		testutil.Check(t, (test.why != "" || err == nil) &&
			(test.why == "" || err != nil && strings.Contains(err.Error(), test.why)),
			"%s: %v, want %q", name, err, test.why)
		stored, err := match.ParseCanonical(plan.Canonical()) // the form of the plan in a database
		testutil.OK(t, err)
		if replayable, err := stored.Replayable(); err != nil ||
			(arbiter.VerifyGames(replayable, &r) == nil) != (test.why == "") {
			t.Errorf("%s, as stored: %v", name, err)
		}
	}
}

// TestAMateComesBeforeTheLimitOfPlies: a mate that would come after the limit of plies does not count.
func TestAMateComesBeforeTheLimitOfPlies(t *testing.T) {
	p := testutil.Must(shogi.ParseSFEN(mating3))(t)
	line := mate.Solve(shogi.NewHistory(p), mate.Limits{}).Line
	for _, test := range []struct {
		most  int
		draws bool
		want  mate.Verdict
	}{
		{0, false, mate.Mate}, {3, false, mate.Mate}, {2, false, mate.Unproven}, {3, true, mate.Unproven},
		{4, true, mate.Mate}, {1, true, mate.Unproven},
	} {
		rules := match.RulesProfiles()["default"]
		rules.MaxPlies, rules.MateAtLimitDraws = test.most, test.draws
		got := referee(t, rules, mating3).ProveMate(line, 100)
		testutil.Check(t, got.Verdict == test.want, "%d plies, %t: %v (%s)", test.most, test.draws, got.Verdict, got.Why)
	}
}
