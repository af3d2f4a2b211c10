package match_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
)

func scalingPlan(t *testing.T) *match.Plan {
	t.Helper()
	p := storedPlan(t)
	p.ColourClocks = [2]*match.TimeControl{}
	p.Players[0].Limits = match.Limits{Clock: match.TimeControl{Main: 8 * second, Increment: 80 * ms}, Margin: 100 * ms,
		Stall: 60 * second}
	p.Players[1].Limits = match.Limits{MoveTime: 50 * ms, Nodes: 1000, Depth: 9, Margin: 100 * ms, Stall: 60 * second}
	p.Scaling = match.Scaling{Engine: "sha256:1", NPS: 1e6, Least: 0.25, Most: 4}
	return p
}

func TestScaled(t *testing.T) {
	p := scalingPlan(t)
	p.ColourClocks[1] = &match.TimeControl{Main: 300 * second, Byoyomi: 10 * second}
	members := storedPlan(t).Players
	members[0].Limits.MoveTime = 200 * ms
	p.Players = append(p.Players, match.Player{
		Name: "C", Limits: p.Players[0].Limits,
		Council: &match.Council{Members: members, Rule: "majority", Veto: match.Veto{Time: 30 * ms, Nodes: 5, Margin: 80}},
	})
	digest := p.Digest()
	q := testutil.Must(p.Scaled(1.5))(t)
	tolerances := match.Limits{Margin: 100 * ms, Stall: 60 * second}
	want := [2]match.Limits{tolerances, tolerances}
	want[0].Clock = match.TimeControl{Main: 12 * second, Increment: 120 * ms}
	want[1].MoveTime, want[1].Nodes, want[1].Depth = 75*ms, 1000, 9
	for i, l := range want {
		testutil.Equal(t, q.Players[i].Limits, l)
	}
	c := q.Players[2].Council
	if c.Veto != (match.Veto{Time: 45 * ms, Nodes: 5, Margin: 80}) || c.Members[0].Limits.MoveTime != 300*ms ||
		c.Members[1].Limits != p.Players[2].Council.Members[1].Limits {
		t.Errorf("%+v", c)
	}
	testutil.Check(t, *q.ColourClocks[1] == (match.TimeControl{Main: 450 * second, Byoyomi: 15 * second}) &&
		q.ColourClocks[0] == nil,
		"%v", q.ColourClocks)
	testutil.Check(t, p.Digest() == digest && q.Digest() != digest && q.Scaling.IsZero(),
		"the plan was changed, or its copy was not")
	same, err := p.Scaled(1)
	testutil.Check(t, err == nil && same == p, "by 1: %v", err)
	testutil.Equal(t, p.Scaling.Factor(5e5), 2, "a machine of half the speed has factor")
}

func TestScaledRefuses(t *testing.T) {
	p := scalingPlan(t)
	for f, want := range map[float64]string{
		0: "above 0", -1: "above 0", math.Inf(1): "above 0", math.NaN(): "above 0", 0.2499: "allows 0.25 to 4",
		4.01: "allows 0.25 to 4",
	} {
		if q, err := p.Scaled(f); err == nil || q != nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%g: %v", f, err)
		}
	}
	for _, f := range []float64{0.25, 4} {
		testutil.OK(t, testutil.Err(p.Scaled(f)))
	}
	p.Scaling = match.Scaling{}
	testutil.Fails(t, testutil.Err(p.Scaled(2)), "the plan has no scaling")
	untimed := storedPlan(t)
	untimed.ColourClocks = [2]*match.TimeControl{}
	if q, err := untimed.Scaled(100); err != nil || q != untimed {
		t.Errorf("nothing is timed: %v", err)
	}
	members := storedPlan(t).Players
	untimed.Players[1].Council = &match.Council{Members: members, Veto: match.Veto{Time: second}}
	testutil.Fails(t, testutil.Err(untimed.Scaled(100)), "", "a veto is timed")
	untimed.Players[1].Council.Veto, members[1].Limits.MoveTime = match.Veto{}, second
	testutil.Fails(t, testutil.Err(untimed.Scaled(100)), "", "a member is timed")
}

func TestScalingCheck(t *testing.T) {
	for want, s := range map[string]match.Scaling{
		"no engine": {NPS: 1, Least: 1, Most: 1}, "0 nodes": {Engine: "e", Least: 1, Most: 1},
		"+Inf nodes": {Engine: "e", NPS: math.Inf(1), Least: 1, Most: 1},
		"by 0 to 1":  {Engine: "e", NPS: 1, Most: 1}, "by 1.1 to 2": {Engine: "e", NPS: 1, Least: 1.1, Most: 2},
		"by 0.5 to 0.9": {Engine: "e", NPS: 1, Least: 0.5, Most: 0.9},
		"to +Inf":       {Engine: "e", NPS: 1, Least: 0.5, Most: math.Inf(1)},
		"NaN nodes":     {Engine: "e", NPS: math.NaN(), Least: 1, Most: 1},
	} {
		p := scalingPlan(t)
		p.Scaling = s
		testutil.Fails(t, p.Check(), want)
	}
}

// TestScaledLaw: scaling changes no zero to another value and no other value to zero. Times are whole milliseconds, at
// most half a millisecond from the exact value.
func TestScaledLaw(t *testing.T) {
	base := scalingPlan(t)
	rapid.Check(t, func(t *rapid.T) {
		p := *base
		main, f := drawTime(t), rapid.Float64Range(0.25, 4).Draw(t, "factor")
		p.Players = append([]match.Player(nil), base.Players...)
		p.Players[0].Limits.Clock.Main = main
		q := testutil.Must(p.Scaled(f))(t)
		got := q.Players[0].Limits.Clock.Main
		off := math.Abs(float64(got) - float64(main)*f)
		switch {
		case f == 1:
		case (got == 0) != (main == 0) || got%time.Millisecond != 0:
			t.Fatalf("%v became %v", main, got)
		case off > float64(time.Millisecond)/2+1 && got != time.Millisecond:
			t.Fatalf("%v by %g became %v", main, f, got)
		}
	})
}
