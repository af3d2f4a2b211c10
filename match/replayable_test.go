package match_test

import (
	"math"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// TestReplayable: the canonical text of a plan has all that a replay needs.
func TestReplayable(t *testing.T) {
	clock := func(main, byoyomi, increment time.Duration) match.TimeControl {
		return match.TimeControl{Main: main, Byoyomi: byoyomi, Increment: increment}
	}
	black := clock(time.Second, 0, 0)
	for _, limits := range []match.Limits{
		{Self: true}, {Depth: 9}, {Nodes: math.MaxUint64}, {MoveTime: 1500 * time.Microsecond, Nodes: 7},
		{Clock: clock(0, time.Millisecond, 0)},
		{Clock: clock(1e15, 1234*time.Millisecond, 0), Margin: time.Microsecond},
		{Clock: clock(time.Second/3, 0, 1e9+1000), Stall: 5 * time.Second},
	} {
		limits.Clock.Main = limits.Clock.Main.Truncate(time.Microsecond)
		plan := &match.Plan{
			Players: []match.Player{{Name: "A", Limits: limits}, {Name: "B", Limits: match.Limits{Nodes: 1}}},
			Design:  match.Design{Kind: match.DesignMatch, Swap: true}, Rules: match.RulesProfiles()["denryu"],
			Adjudication: match.Adjudication{ResignScore: 2000, ResignMoves: 3},
		}
		plan.Rules.Declaration = shogi.CSARule24
		for _, plan.ColourClocks[0] = range []*match.TimeControl{nil, &black} {
			canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
			got := testutil.Must(canonical.Replayable())(t)
			for i := range plan.Players {
				testutil.Equal(t, canonical.LimitsText(i), plan.LimitsText(i))
			}
			want := *plan
			want.Rules.Name = ""
			testutil.Diff(t, &want, got, "(-plan +got)")
		}
	}
	for name, spoil := range map[string]func(*match.CanonicalPlan){
		"limits":      func(c *match.CanonicalPlan) { c.Players[0].Limits = "nodes many" },
		"other words": func(c *match.CanonicalPlan) { c.Players[0].Limits = "nodes 07" },
		"margin":      func(c *match.CanonicalPlan) { c.Players[0].Margin = "" },
		"clock":       func(c *match.CanonicalPlan) { c.Clocks = map[string]string{"white": "8"} },
		"seconds":     func(c *match.CanonicalPlan) { c.Clocks = map[string]string{"white": "1e300+0"} },
		"rule":        func(c *match.CanonicalPlan) { c.Rules.Declaration = "none" },
	} {
		plan := &match.Plan{Players: []match.Player{{Name: "A", Limits: match.Limits{Nodes: 7}}}}
		c := testutil.Must(match.ParseCanonical(plan.Canonical()))(t)
		spoil(c)
		testutil.Fails(t, testutil.Err(c.Replayable()), "", "%s: no error", name)
	}
}

// TestLimitsText: the text names the colours if the limits of Black and White differ. Text of a newer program is
// returned unchanged.
func TestLimitsText(t *testing.T) {
	clock := func(main, increment time.Duration) *match.TimeControl {
		return &match.TimeControl{Main: main, Increment: increment}
	}
	plan := &match.Plan{
		Players: []match.Player{{Name: "A", Limits: match.Limits{MoveTime: time.Second}},
			{Name: "B", Limits: match.Limits{Nodes: 5}}},
		Design: match.Design{Kind: match.DesignMatch}, Rules: match.RulesProfiles()["default"],
	}
	for _, test := range []struct {
		black, white *match.TimeControl
		a, b         string
	}{
		{nil, nil, "movetime 1s", "nodes 5"},
		{clock(300*time.Second, 2*time.Second), clock(60*time.Second, 0), "black 300+2; white 60+0",
			"black 300+2, nodes 5; white 60+0, nodes 5"},
		{clock(8*time.Second, 0), clock(8*time.Second, 0), "8+0", "8+0, nodes 5"},
		{nil, clock(60*time.Second, 0), "black movetime 1s; white 60+0", "black nodes 5; white 60+0, nodes 5"},
	} {
		plan.ColourClocks = [2]*match.TimeControl{test.black, test.white}
		if a, b := plan.LimitsText(0), plan.LimitsText(1); a != test.a || b != test.b {
			t.Errorf("%v, %v: %q and %q, want %q and %q", test.black, test.white, a, b, test.a, test.b)
		}
	}
	canonical := &match.CanonicalPlan{Players: []match.CanonicalPlayer{{Limits: "minds 3"}}}
	testutil.Equal(t, canonical.LimitsText(0), "minds 3")
}
