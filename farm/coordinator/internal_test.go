package coordinator

import (
	"testing"

	"gogi/farm/coordinator/judge"
	"gogi/internal/testutil"
	"gogi/match"
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
		Run: "r", Pairs: 2, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Players: []match.Player{{Name: "dev"}, {Name: "base"}},
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
	}
	for _, test := range []struct {
		slot         int
		black, white string
		shown        bool
	}{
		{0, "dev", "base", true}, {511, "base", "dev", true}, {0, "", "", true},
		{512, "dev", "base", false}, {9_999, "dev", "base", false}, {0, "dev", "<b>other</b>", false}, {0, "somebody", "base", false},
	} {
		pair, leg := 1, 0
		ev := match.Event{Type: match.EventGame, Run: "r", Pair: &pair, Leg: &leg, Slot: &test.slot, Black: test.black, White: test.white}
		got := possibleEvent(plan, 10_000, &ev)
		testutil.Check(t, got == test.shown, "slot %d, %s against %s: shown: %t", test.slot, test.black, test.white, got)
	}
}
