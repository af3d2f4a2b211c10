package coordinator_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/bustest"
	"gogi/farm/coordinator/grants"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/gate"
	"gogi/runner/events"
	"gogi/stats"
)

type quota = grants.Quota

// gated returns a plan with an SPRT. Each pair has its own opening of two moves.
func gated(name string, pairs int, seed uint64) *match.Plan {
	p := testPlan(name, pairs, seed)
	p.Gate = stats.SPRT{Elo0: 0, Elo1: 150, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	first := p.Openings
	p.Openings = nil
	for i := range pairs {
		o := first[i%len(first)]
		position, err := o.Position()
		if err != nil {
			panic(err)
		}
		for _, m := range o.Moves {
			position.Apply(m)
		}
		replies := position.LegalMoves(nil)
		o.ID = fmt.Sprint(i)
		o.Moves = append(slices.Clone(o.Moves), replies[i/len(first)%len(replies)])
		p.Openings = append(p.Openings, o)
	}
	return p
}

// TestAGateStopsInPlanOrder requires I5 and I7. The decision depends only on the prefix, for any order of arrival. The
// coordinator grants no pair beyond the window. It stores and shows pairs beyond the stop, but does not count them.
func TestAGateStopsInPlanOrder(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := gated("gated", 600, 3)
		f.run(p)
		for i := range 6 {
			h := &hand{name: fmt.Sprint("w", i), slots: 20}
			h.takes = func(pair int) time.Duration { return time.Duration(10+(pair*37)%90) * time.Second }
			h.plays = func(p *match.Plan, id int) match.PairResult { return playAs(p, id, 9) }
			f.begin(h)
		}
		reach := 0
		f.until("the gate decides", func() bool {
			s := f.test("gated")
			if s.State != farm.Over {
				reach = max(reach, s.Reach)
			}
			return s.State == farm.Over
		})
		time.Sleep(2 * time.Minute)
		s := f.test("gated")
		testutil.Check(t, reach <= 64 && reach >= 40, "I7: it reached %d pairs beyond the prefix, the window is 64", reach)
		// The test calculates the same SPRT in plan order.
		judge := testutil.Must(gate.New(p.Gate, p.Pairs))(t)
		stored := f.disk.stores[p.Digest()].pairs
		at := 0
		for ; !judge.State().Decided(); at++ {
			play, err := gate.OfResult(p, playAs(p, at, 9))
			if err == nil {
				err = judge.Add(at, play)
			}
			testutil.OK(t, err)
			_, ok := stored[at]
			testutil.Require(t, ok, "I5: the verdict rests on pair %d, which is not stored", at)
		}
		beyond := 0
		for id := range stored {
			if id >= at {
				beyond++
			}
		}
		if s.Verdict != "pass" || s.Verdict != string(judge.State().Judgement.Decision) || s.Beyond != beyond || beyond == 0 {
			t.Errorf("I5: %s after %d pairs with %d beyond; expected %s and %d", s.Verdict, at, s.Beyond,
				judge.State().Judgement.Decision, beyond)
		}
		granted := s.Granted
		f.restart()
		time.Sleep(time.Minute)
		if again := f.test("gated"); again.State != farm.Over || again.Granted != 0 || granted > at+64+1 {
			t.Errorf("%d granted for %d, after a restart: %+v", granted, at, again)
		}
	})
}

// TestAPurge: the farm plays the void pairs of a worker again as another take. It ignores later results of the earlier
// take, and withdraws the reported decision.
func TestAPurge(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := gated("purge", 400, 5)
		f.run(p)
		strong := func(p *match.Plan, id int) match.PairResult { return playAs(p, id, 10) }
		f.begin(&hand{name: "w0", slots: 20, takes: seconds(20), plays: strong})
		f.hand("w1", 1)
		f.until("it has passed", func() bool { return f.test("purge").State == farm.Over })
		if s := f.test("purge"); s.Verdict != "pass" {
			t.Fatalf("the liar did not bring it about: %+v", s)
		}
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Why: "lies"}, nil))
		time.Sleep(time.Minute) // its finished pairs count until they are void
		var dry, out farm.Purged
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "purge", Worker: "w0", Why: "lies", Dry: true}, &dry))
		stored := f.test("purge").Stored
		err := f.do("boss", "purge", farm.Order{Run: "purge", Worker: "nobody", Why: "lies", Dry: true}, nil)
		testutil.Fails(t, err, "", `"nobody" is no worker of this farm; the pairs of purge were played by: w0, w1`)
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "purge", Worker: "w0", Why: "lies"}, &out))
		testutil.Check(t, slices.Equal(dry.Pairs, out.Pairs) && len(out.Pairs) >= 5 && out.Before == "pass" &&
			out.Withdrawn && out.After != "pass",
			"%+v, dry %v", out, dry.Pairs)
		s := f.test("purge")
		testutil.Check(t, s.Stored == stored-len(out.Pairs) && s.State == farm.Running &&
			f.disk.stores[p.Digest()].voided != nil,
			"%+v", s)
		f.until("it is over again", func() bool { return f.test("purge").State == farm.Over })
		f.verify(p) // no pair of the quarantined worker is left
		for id, r := range f.disk.stores[p.Digest()].pairs {
			testutil.Check(t, r.Played.Worker != "w0", "pair %d is of the purged worker", id)
		}
		if s := f.test("purge"); s.Verdict == "pass" {
			t.Errorf("%+v", s)
		}
	})
}

// TestItIsSeen: a client that watches a run receives every counted pair once.
func TestItIsSeen(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("seen", 30, 1)
		hub, ok := f.c.Watch("seen")
		testutil.Require(t, ok, "it cannot be watched")
		sub := hub.Subscribe(events.DefaultBuffer)
		defer sub.Close()
		f.broker.Set(bustest.Faults{Double: 2})
		f.hand("w0", 3)
		f.hand("w1", 3)
		f.complete(p)
		state := hub.State().State
		counted := lists.Sum(state.Standings.Games, func(g match.GameCount) int { return g.Games })
		testutil.Check(t, state.Finished == 30 && counted == 60 && state.Unseen == 0 && f.test("seen").Duplicates != 0,
			"%d pairs, %d games, %d not seen", state.Finished, counted, state.Unseen)
		if _, ok := f.c.Watch("none"); ok {
			t.Error("what is not there can be watched")
		}
	})
}
