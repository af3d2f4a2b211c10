package coordinator_test

import (
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
)

// scaledPlan is testPlan with clocks for a machine on which the base engine searches a million nodes per second.
func scaledPlan(name string, pairs int) *match.Plan {
	p := testPlan(name, pairs, 1)
	for i := range p.Players {
		p.Players[i].Limits = match.Limits{Clock: match.TimeControl{Main: 8 * time.Second}}
	}
	p.Scaling = match.Scaling{Engine: "base", NPS: 1e6, Least: 0.25, Most: 4}
	return p
}

// at is play on a machine where the base engine searches nps nodes per second, with clocks multiplied by scale.
func at(nps, scale float64) func(p *match.Plan, id int) match.PairResult {
	return func(p *match.Plan, id int) match.PairResult {
		r := play(p, id)
		r.Played.Scale = scale
		for i := range r.Games {
			g := &r.Games[i]
			c := 0
			if g.Players[1] == 1 {
				c = 1
			}
			if g.Sides[c].Plies == 0 {
				continue // base had no turn
			}
			moves := g.Record.Moves
			if last := &moves[len(moves)-1]; g.Sides[c].Time > 0 { // base moved in a millisecond
				last.Nodes = uint64(nps / 1000)
			}
			g.Sides[c].Nodes, g.Sides[c].Time = uint64(nps/1000), time.Millisecond
		}
		return r
	}
}

// TestClocksFollowTheMachine: a run with scaled clocks goes only to machines measured with the plan's engine and within
// the plan's bounds. The result must contain the factor, which is stored with the pair.
func TestClocksFollowTheMachine(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := scaledPlan("scaled", 20)
		f.run(p)
		for _, w := range []struct {
			name, reference string
			nps             float64
			why             string // why the worker gets no pairs; empty if it gets some
		}{
			{"w0", "", 0, "not known: measure it with base"},
			{"w1", "dev", 1e6, "measured with dev"},
			{"w2", "base", 2e5, "clocks times 5, and the plan allows 0.25 to 4"},
			{"w3", "base", 5e6, "clocks times 0.2, and the plan allows 0.25 to 4"},
			{"w4", "base", 5e5, ""},
		} {
			l := &line{t: t, f: f, name: w.name}
			l.ask(farm.SubjectHello, farm.Hello{Protocol: farm.Protocol, Session: "s", Start: 1, Slots: 2, NPS: w.nps,
				Reference: w.reference}, &farm.HelloReply{})
			grants, unfit := l.want(2), strings.Join(f.worker(w.name).Unfit, "")
			testutil.Check(t, (len(grants) > 0) == (w.why == "") && strings.Contains(unfit, w.why) &&
				(w.why != "" || unfit == ""),
				"%s: %d grants, unfit for %q; expected %q", w.name, len(grants), unfit, w.why)
			if w.why == "" {
				l.send(result(t, grants[0], at(5e5, 2)(p, grants[0].Pair)), result(t, grants[1], at(5e5, 0)(p, grants[1].Pair)))
			}
		}
		f.until("both are judged", func() bool { s := f.test("scaled"); return s.Added == 1 && s.Refused == 1 })
		testutil.Equal(t, f.disk.stores[p.Digest()].pairs[0].Played.Scale, 2, "the pair is stored with clocks times")
		if e := f.broker.Evidence(); len(e) != 1 || !strings.Contains(e[0], "the plan scales them") {
			t.Errorf("the pair that does not say what its clocks were multiplied by: %q", e)
		}
	})
}

// TestWhatIsBroughtKeepsItsClocks: a pushed pair keeps the factor of its clocks. Without the factor, a later pull could
// not be verified.
func TestWhatIsBroughtKeepsItsClocks(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := scaledPlan("scaled", 20)
		f.run(p)
		played := at(5e5, 2)(p, 0)
		for i := range played.Games { // longer than the plan's clocks, within the scaled clocks
			g := &played.Games[i]
			if moves := g.Record.Moves; !moves[len(moves)-1].Opening {
				moves[len(moves)-1].Time = 12 * time.Second
				for c := range g.Sides {
					if g.Sides[c].Time > 0 {
						g.Sides[c].Time = 12 * time.Second
					}
				}
			}
		}
		testutil.Require(t, arbiter.Verify(p, &played) == nil, "it was not played with those clocks")
		testutil.OK(t, f.do("ann", "push", farm.Push{Run: "scaled", Pairs: pairsOf(t, played)}, nil))
		for _, got := range f.pulled(t, "ann", "scaled") {
			if err := arbiter.Verify(p, &got); err != nil || got.Played.Scale != 2 || got.Played.Worker != "ann" {
				t.Errorf("it comes back as %+v: %v", got.Played, err)
			}
		}
	})
}

// TestSpeedsAreHeldAgainstClaims: a machine that is 15% slower than its claim must be measured again. A machine at half
// its claim plays nothing with clocks until then, also after a restart of the coordinator.
func TestSpeedsAreHeldAgainstClaims(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := scaledPlan("scaled", 2000)
		f.run(p)
		hands := map[string]*hand{}
		for name, fast := range map[string]float64{"w0": 1, "w1": 0.85, "w2": 0.5} {
			h := f.begin(&hand{name: name, slots: 2, takes: seconds(20), nps: 5e5, plays: at(fast*5e5, 2)})
			hands[name] = h
		}
		f.until("w2 is on probation", func() bool { return f.worker("w2").Probation != "" })
		f.until("w1 is to be measured", func() bool { return f.worker("w1").Rebench != "" })
		if w := f.worker("w2"); w.Added < 50 || w.Added > 60 ||
			!strings.Contains(w.Probation, "in scaled, over 50 pairs it was 0.50 times as fast") || len(w.Unfit) != 1 {
			t.Errorf("%+v", w)
		}
		if w := f.worker("w1"); !strings.Contains(w.Rebench, "0.85 times") || w.Probation != "" || len(w.Unfit) > 0 {
			t.Errorf("%+v", w)
		}
		if w := f.worker("w0"); w.Probation+w.Rebench != "" {
			t.Errorf("%+v", w)
		}
		f.restart()
		before := f.worker("w2").Added
		time.Sleep(5 * time.Minute)
		w2 := f.worker("w2")
		testutil.Check(t, w2.Probation != "" && w2.Added <= before+2 && before >= 48,
			"w2 on probation plays %d pairs: %+v", w2.Added, w2)
		hands["w2"].mu.Lock()
		said := hands["w2"].said
		testutil.Check(t, said == farm.SayBench, "w2 is told %q", said)
		hands["w2"].mu.Unlock()
		hands["w2"].kill()
		hands["w2"].nps, hands["w2"].plays = 2.5e5, at(2.5e5, 4)
		hands["w2"].begin()
		f.until("w2 plays again", func() bool { return f.worker("w2").Added > 112 })
		if w := f.worker("w2"); w.Probation+w.Rebench != "" {
			t.Errorf("measured anew: %+v", w)
		}
	})
}
