package match_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// What a replay needs of a plan comes back from its canonical text.
func TestReplayable(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		durations := rapid.Map(rapid.Int64Range(0, 1e9), func(us int64) time.Duration { return time.Duration(us) * time.Microsecond })
		clock := func(name string) match.TimeControl {
			c := match.TimeControl{Main: durations.Draw(rt, name+" main")}
			if rapid.Bool().Draw(rt, name+" has byoyomi") {
				c.Byoyomi = durations.Draw(rt, name+" byoyomi") + 1000
			} else {
				c.Increment = durations.Draw(rt, name+" increment")
			}
			return c
		}
		limits := func(name string) match.Limits {
			l := match.Limits{Margin: durations.Draw(rt, name+" margin"), Stall: durations.Draw(rt, name+" stall")}
			switch rapid.IntRange(0, 4).Draw(rt, name+" kind") {
			case 0:
				l.Clock = clock(name)
			case 1:
				l.MoveTime, l.Nodes = durations.Draw(rt, name+" movetime")+1, 7
			case 2:
				l.Nodes = rapid.Uint64().Draw(rt, name+" nodes")
			case 3:
				l.Depth = rapid.IntRange(1, 99).Draw(rt, name+" depth")
			case 4:
				l.Self = true
			}
			return l
		}
		plan := &match.Plan{
			Players: []match.Player{{Name: "A", Limits: limits("A")}, {Name: "B", Limits: limits("B")}},
			Design:  match.Design{Kind: match.DesignMatch, Swap: true}, Rules: match.RulesProfiles()["denryu"],
			Adjudication: match.Adjudication{ResignScore: 2000, ResignMoves: 3},
		}
		plan.Rules.Declaration = shogi.CSARule24
		if rapid.Bool().Draw(rt, "by colour") {
			black := clock("black")
			if black.IsZero() {
				black.Main = time.Second
			}
			plan.ColourClocks[0] = &black
		}
		canonical := testutil.Must(match.ParseCanonical(plan.Canonical()))(rt)
		got := testutil.Must(canonical.Replayable())(rt)
		for i := range plan.Players {
			if got, want := canonical.LimitsText(i), plan.LimitsText(i); got != want {
				rt.Fatalf("player %d: the stored limits are %q, the plan's %q", i, got, want)
			}
		}
		plan.Rules.Name = ""
		testutil.Diff(rt, plan, got, "(-plan +got)")
	})
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
		if _, err := c.Replayable(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// Clocks that go with the colour are told by colour, and by their absence where they are
// the same; text of a newer program stands as it is.
func TestLimitsText(t *testing.T) {
	clock := func(main, increment time.Duration) *match.TimeControl {
		return &match.TimeControl{Main: main, Increment: increment}
	}
	plan := &match.Plan{
		Players: []match.Player{{Name: "A", Limits: match.Limits{MoveTime: time.Second}}, {Name: "B", Limits: match.Limits{Nodes: 5}}},
		Design:  match.Design{Kind: match.DesignMatch}, Rules: match.RulesProfiles()["default"],
	}
	for _, test := range []struct {
		black, white *match.TimeControl
		a, b         string
	}{
		{nil, nil, "movetime 1s", "nodes 5"},
		{clock(300*time.Second, 2*time.Second), clock(60*time.Second, 0), "black 300+2; white 60+0", "black 300+2, nodes 5; white 60+0, nodes 5"},
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
