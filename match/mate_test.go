package match_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// TestMateCheck: invalid settings give an error, and zero settings do not change the digest.
func TestMateCheck(t *testing.T) {
	plan := storedPlan(t)
	solver := plan.Players[0]
	without := plan.Digest()
	for name, test := range map[string]struct {
		mate   match.Mate
		ponder match.PonderMode
		good   bool
	}{
		"off":             {match.Mate{}, match.PonderStandard, true},
		"on":              {match.Mate{Solver: &solver, Time: 1, Nodes: 1}, match.PonderOff, true},
		"pondering":       {match.Mate{Solver: &solver, Time: 1, Nodes: 1}, match.PonderEarly, false},
		"nobody":          {match.Mate{Time: 1, Nodes: 1}, match.PonderOff, false},
		"a council":       {match.Mate{Solver: &match.Player{Council: &match.Council{}}, Time: 1, Nodes: 1}, match.PonderOff, false},
		"no time":         {match.Mate{Solver: &solver, Nodes: 1}, match.PonderOff, false},
		"no position":     {match.Mate{Solver: &solver, Time: 1}, match.PonderOff, false},
		"every so little": {match.Mate{Solver: &solver, Time: 1, Nodes: 1, Every: -1}, match.PonderOff, false},
	} {
		err := test.mate.Check(test.ponder)
		testutil.Check(t, (err == nil) == test.good, "%s: %v", name, err)
		p := *plan
		if p.Mate = test.mate; (p.Digest() == without) != (test.mate == match.Mate{}) {
			t.Errorf("%s: another digest: %t", name, p.Digest() != without)
		}
	}
	every := match.Mate{Nodes: 1, Every: 2}
	if !every.Asks(false, 0) || every.Asks(false, 1) || !every.Asks(true, 1) || (match.Mate{Nodes: 1}).Asks(false, 0) || (match.Mate{}).Asks(true, 0) {
		t.Error("asks at the wrong moves")
	}
}
