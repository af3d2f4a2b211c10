package coordinator

import (
	"encoding/json"
	"testing"

	"gogi/farm/coordinator/judge"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// WhileVerifying calls look while the coordinator verifies a pushed pair. free is true if no lock is held.
func (c *Coordinator) WhileVerifying(look func(free bool)) {
	c.verifies = func(plan *match.Plan, p *match.PairResult) error {
		mu, judging := c.mu.TryLock(), c.judging.TryLock()
		if mu {
			c.mu.Unlock()
		}
		if judging {
			c.judging.Unlock()
		}
		look(mu && judging)
		return judge.CheckBrought(plan, p)
	}
}

// TestWhatAWorkerCanTellIsBounded: the coordinator shows only events of slots below 512 and of players of the run.
func TestWhatAWorkerCanTellIsBounded(t *testing.T) {
	plan := &match.Plan{
		Run: "r", Pairs: 2, Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Players:  []match.Player{{Name: "dev"}, {Name: "base"}},
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
	}
	for _, test := range []struct {
		slot         int
		black, white string
		shown        bool
	}{
		{0, "dev", "base", true}, {511, "base", "dev", true}, {0, "", "", true},
		{512, "dev", "base", false}, {9_999, "dev", "base", false}, {0, "dev", "<b>other</b>", false},
		{0, "somebody", "base", false},
	} {
		pair, leg := 1, 0
		ev := match.Event{Type: match.EventGame, Run: "r", Pair: &pair, Leg: &leg, Slot: &test.slot,
			GameHead: match.GameHead{Black: test.black, White: test.white}}
		got := possibleEvent(plan, 10_000, &ev)
		testutil.Check(t, got == test.shown, "slot %d, %s against %s: shown: %t", test.slot, test.black, test.white, got)
	}
}

// TestAnHonestEventIsShown: the coordinator shows the texts of an event of a game between a council and an engine, with
// the limits of the plan.
func TestAnHonestEventIsShown(t *testing.T) {
	start := shogi.StartPos()
	sfen := start.SFEN()
	plan := &match.Plan{
		Run: "r", Pairs: 1, Openings: []match.Opening{{ID: "17", Start: "startpos"}},
		Players: []match.Player{
			{Name: "trio", Limits: match.Limits{Nodes: 300},
				Council: &match.Council{Members: []match.Player{{Name: "m1"}, {Name: "m2"}}}},
			{Name: "base", Limits: match.Limits{Nodes: 100}},
		},
	}
	thought := match.Thought{Ply: 1, Move: "7g7f", PV: "7g7f 3c3d",
		Vote: &match.Vote{By: "rule", Split: "1:1", Ballots: []match.Ballot{
			{Member: "m1", Kind: "move", Move: "7g7f", Piece: "P"}, {Member: "m2", Kind: "dead"},
		}}}
	limits := []string{"nodes 100", "nodes 300"}
	head := match.GameHead{Black: "base", White: "trio", Limits: limits, Opening: "17", Start: sfen,
		Moves: "7g7f P*3d 8h2b+"}
	board := &match.Board{GameHead: head, Position: sfen, Thoughts: [2]*match.Thought{nil, &thought}}
	ev := match.Event{Type: match.EventBoard, GameHead: head, Thought: thought, Position: sfen, Board: board}
	got, want := testutil.Must(json.Marshal(shownEvent(plan, &ev)))(t), testutil.Must(json.Marshal(ev))(t)
	testutil.Check(t, string(got) == string(want), "shown:\n%s\nsent:\n%s", got, want)
	ev.Limits = []string{"other", "other"}
	testutil.Slices(t, shownEvent(plan, &ev).Limits, limits, "limits")
	ev.Vote = &match.Vote{Ballots: []match.Ballot{{Member: "other", Kind: "move"},
		{Member: "m1", Kind: "move", Piece: "other"}}}
	ballots := shownEvent(plan, &ev).Vote.Ballots
	testutil.Check(t, len(ballots) == 1 && ballots[0] == match.Ballot{Member: "m1", Kind: "move"},
		"ballots of a member that does not vote, and of an unknown piece: %+v", ballots)
}
