package coordinator_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestWhoMayDoWhat covers every verb and right. An approver cannot approve tests of the same owner, an owner controls
// the own tests, and other keys need a right.
func TestWhoMayDoWhat(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.keys.add("eve", "red", "submit", "approve") // the same owner as ann
		f.keys.add("rob", "blue", "run")
		mine, second, third := testPlan("mine", 1000, 20), testPlan("second", 1000, 21), testPlan("third", 1000, 22)
		for _, step := range []struct {
			who, verb string
			order     farm.Order
			plan      *match.Plan
			submitted farm.Submission
			refusal   string     // a part of the error; "": the order succeeds
			state     farm.State // of the test, after the order
		}{
			{who: "w0", verb: "submit", plan: mine, refusal: "may not submit"},
			{who: "nobody", verb: "submit", plan: mine, refusal: "no valid key"},
			{who: "ann", verb: "submit", plan: mine, submitted: farm.Submission{Priority: 3}, refusal: "may not set a priority"},
			{who: "ann", verb: "submit", plan: mine, submitted: farm.Submission{Share: -1}, refusal: "share"},
			{who: "ann", verb: "submit", plan: mine, submitted: farm.Submission{Priority: 2}, state: farm.Submitted},
			{who: "ann", verb: "submit", plan: mine, refusal: "already"},
			{who: "ben", verb: "submit", plan: testPlan("mine", 1000, 33), refusal: "already"},
			{who: "ann", verb: "approve", order: farm.Order{Run: "mine"}, refusal: "may not approve"},
			{who: "eve", verb: "approve", order: farm.Order{Run: "mine"}, refusal: "own", state: farm.Submitted},
			{who: "boss", verb: "pause", order: farm.Order{Run: "mine"}, refusal: "is submitted"},
			{who: "ben", verb: "approve", order: farm.Order{Run: "none"}, refusal: "no test"},
			{who: "ben", verb: "approve", order: farm.Order{Run: "mine"}, state: farm.Running},
			{who: "ben", verb: "approve", order: farm.Order{Run: "mine"}, refusal: "is running"},
			{who: "ben", verb: "pause", order: farm.Order{Run: "mine"}, refusal: "may not pause", state: farm.Running},
			{who: "ann", verb: "pause", order: farm.Order{Run: "mine"}, state: farm.Paused},
			{who: "rob", verb: "resume", order: farm.Order{Run: "mine"}, state: farm.Running},
			{who: "ann", verb: "priority", order: farm.Order{Run: "mine", Number: -2}, state: farm.Running},
			{who: "ann", verb: "priority", order: farm.Order{Run: "mine", Number: 9}, refusal: "may not"},
			{who: "ann", verb: "priority", order: farm.Order{Run: "mine", Number: 0.5}, refusal: "whole number"},
			{who: "rob", verb: "priority", order: farm.Order{Run: "mine", Number: 9}, state: farm.Running},
			{who: "rob", verb: "priority", order: farm.Order{Run: "mine", Number: 11}, refusal: "from -10 to 10"},
			{who: "ann", verb: "share", order: farm.Order{Run: "mine", Number: 2}, refusal: "may not"},
			{who: "rob", verb: "share", order: farm.Order{Run: "mine", Number: math.NaN()}, refusal: "share"},
			{who: "rob", verb: "share", order: farm.Order{Run: "mine", Number: 2}, state: farm.Running},
			{who: "ann", verb: "stop", order: farm.Order{Run: "mine", Why: "a mistake"}, state: farm.Stopped},
			{who: "ann", verb: "stop", order: farm.Order{Run: "mine"}, refusal: "is stopped"},
			{who: "ann", verb: "resume", order: farm.Order{Run: "mine"}, state: farm.Running},
			{who: "ben", verb: "submit", plan: second, state: farm.Submitted},
			{who: "ben", verb: "approve", order: farm.Order{Run: "second"}, refusal: "own"},
			{who: "ann", verb: "reject", order: farm.Order{Run: "second"}, refusal: "may not"},
			{who: "eve", verb: "reject", order: farm.Order{Run: "second", Why: "no"}, state: farm.Stopped},
			{who: "ben", verb: "resume", order: farm.Order{Run: "second"}, refusal: "is stopped", state: farm.Stopped},
			{who: "boss", verb: "submit", plan: third, state: farm.Submitted},
			{who: "ann", verb: "purge", order: farm.Order{Run: "mine", Worker: "w0", Why: "x"},
				refusal: "ann may not void pairs of a worker: the key lacks the right admin"},
			{who: "boss", verb: "purge", order: farm.Order{Run: "mine", Worker: "w0"}, refusal: "reason"},
			{who: "ann", verb: "drain", order: farm.Order{Worker: "w0"}, refusal: "may not"},
			{who: "boss", verb: "drain", order: farm.Order{Worker: "w9"}, refusal: "no worker"},
			{who: "ann", verb: "sing", refusal: "no verb"},
		} {
			var err error
			if step.verb == "submit" {
				_, err = f.submit(step.who, step.plan, step.submitted)
				step.order.Run = step.plan.Run
			} else {
				err = f.do(step.who, step.verb, step.order, &farm.TestStatus{})
			}
			switch {
			case step.refusal == "" && err != nil, step.refusal != "" &&
				(err == nil || !strings.Contains(err.Error(), step.refusal)):
				t.Errorf("%s %s %+v: %v, expected %q", step.who, step.verb, step.order, err, step.refusal)
			}
			if step.state != "" && f.test(step.order.Run).State != step.state {
				t.Errorf("%s %s %+v: it is %s, expected %s", step.who, step.verb, step.order, f.test(step.order.Run).State,
					step.state)
			}
		}
		s := f.test("mine")
		testutil.Check(t, s.Priority == 9 && s.Share == 2 && len(s.Log) == 10 && s.Log[0].By == "ann" && s.Log[1].By == "ben",
			"%+v", s)
		f.restart()
		again := f.test("mine")
		testutil.Check(t, len(again.Log) == len(s.Log) && again.State == s.State && again.Priority == 9 &&
			again.Owner == "red",
			"after a restart: %+v", again)
	})
}

// TestPlansThatAFarmCannotPlay requires errors with reasons for plans that a farm cannot play.
func TestPlansThatAFarmCannotPlay(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := testPlan("swiss", 10, 1)
		p.Design = match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 1}}
		testutil.Fails(t, testutil.Err(f.submit("ann", p, farm.Submission{})),
			"--design swiss: a farm cannot play it, because its pairs depend on results; use match, round_robin or gauntlet")
		p.Players, p.Design = p.Players[:1], match.Design{Kind: match.DesignSelfplay, Selfplay: match.Selfplay{Games: 4097}}
		testutil.Fails(t, testutil.Err(f.submit("ann", p, farm.Submission{Share: 1})),
			"selfplay.block: a block of 4097 games does not fit")
		p.Design.Selfplay.Games = 4096
		s, err := f.submit("ann", p, farm.Submission{Share: 1})
		testutil.Check(t, err == nil && s.Selfplay && s.Unit() == "block", "%+v, %v", s, err)
		testutil.Fails(t, f.do("ann", "submit", farm.Submission{Plan: []byte("{}")}, nil), "", "no plan at all is taken")
		testutil.Fails(t, testutil.Err(f.submit("ann", testPlan("endless", 10_000_001, 1), farm.Submission{Share: 1})),
			"the test has 10000001 pairs: expected at most 10000000")
	})
}

// TestNames: the name of a test is unique for ever, also after its end. The beginning of the plan hash stands for the
// test.
func TestNames(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		old := testutil.Must(f.submit("ann", testPlan("t2", 10, 1), farm.Submission{}))(t)
		testutil.OK(t, f.do("ann", "stop", farm.Order{Run: old.Run[:12]}, nil))
		testutil.Fails(t, testutil.Err(f.submit("ann", testPlan("t2", 10, 2), farm.Submission{})),
			"there is a test t2 already, which is stopped, and a name belongs to one test for ever; choose another, such as --run t2-2")
		next := testutil.Must(f.submit("ann", testPlan("t2-2", 10, 2), farm.Submission{}))(t)
		testutil.Fails(t, testutil.Err(f.submit("ann", testPlan("t2", 10, 3), farm.Submission{})), "--run t2-3")
		testutil.Fails(t, testutil.Err(f.submit("ann", testPlan("-x", 10, 4), farm.Submission{})), "begins with a dash")
		var shown farm.TestStatus
		for _, means := range []string{"t2-2", next.Run, next.Run[:8], next.Run[:12]} {
			testutil.OK(t, f.do("ann", "show", farm.Order{Run: means}, &shown), means)
			testutil.Equal(t, shown.Run, next.Run, "%s", means)
		}
		testutil.Fails(t, f.do("ann", "show", farm.Order{Run: next.Run[:3]}, &shown), "there is no test",
			"three digits are too few")
	})
}

// TestStopTakesPairsBack requires that the slots of a stopped test are free within a heartbeat.
func TestStopTakesPairsBack(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("stop", 1000, 1)
		h := f.hand("w0", 5)
		time.Sleep(10 * time.Second)
		testutil.Require(t, f.test("stop").Held == 5, "%+v", f.test("stop"))
		testutil.OK(t, f.do("ann", "stop", farm.Order{Run: "stop"}, nil))
		time.Sleep(lease/3 + 2*time.Second)
		testutil.Check(t, h.dropped.Load() == 5, "%d pairs were given up in a beat, expected 5", h.dropped.Load())
		f.verify(p)
	})
}

// TestAStateThatCannotBeStored requires that an order fails and changes nothing if the farm cannot store it. The order
// succeeds once the store accepts it again.
func TestAStateThatCannotBeStored(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("unkept", 1000, 1))
		f.line(t, "w0")
		slow, slower := farm.Order{Worker: "w0", Why: "slow"}, farm.Order{Worker: "w0", Why: "slower"}
		testutil.OK(t, f.do("boss", "quarantine", slow, nil))
		f.unkept.Store(true)
		if err := f.do("ann", "stop", farm.Order{Run: "unkept"}, nil); err == nil || f.test("unkept").State != farm.Running {
			t.Fatalf("it was stopped, and that is not stored: %v, %+v", err, f.test("unkept"))
		}
		testutil.Fails(t, f.do("boss", "quarantine", slower, nil), "", "the quarantine is not stored, and it is no error")
		f.unkept.Store(false)
		if err := f.do("ann", "stop", farm.Order{Run: "unkept"}, nil); err != nil || f.test("unkept").State != farm.Stopped {
			t.Errorf("%v, %+v", err, f.test("unkept"))
		}
		testutil.OK(t, f.do("boss", "quarantine", slower, nil))
	})
}

// TestManyRuns combines shares, priorities, labels and quotas.
func TestManyRuns(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.OwnerMax = 1 })
		a, b, gpu := testPlan("a", 4000, 1), testPlan("b", 4000, 2), testPlan("gpu", 4000, 3)
		f.run(a)
		f.run(b)
		testutil.OK(t, testutil.Err(f.submit("ann", gpu,
			farm.Submission{Priority: 1, Needs: map[string]string{"gpu": "yes"}})))
		testutil.OK(t, f.do("ben", "approve", farm.Order{Run: "gpu"}, nil))
		testutil.OK(t, f.do("boss", "share", farm.Order{Run: "b", Number: 3}, nil))
		for i, name := range []string{"w0", "w1", "w2", "w3"} {
			h := &hand{name: name, slots: 10, takes: seconds(30)}
			if i == 0 {
				h.labels = map[string]string{"gpu": "yes"}
			}
			f.begin(h)
		}
		time.Sleep(20 * time.Minute)
		got := map[string]int{}
		for _, name := range []string{"a", "b", "gpu"} {
			got[name] = f.test(name).Granted
		}
		share := float64(got["b"]) / float64(got["a"]+got["b"])
		testutil.Check(t, got["gpu"] == f.worker("w0").Added+f.worker("w0").Held && got["a"]+got["b"] >= 1000 &&
			math.Abs(share-0.75) <= 0.02,
			"%v, b has %.3f of what a and b got, expected 0.75", got, share)
		f.verify(a)
		f.verify(b)
	})
}

// TestQuotas requires that an owner's tests wait for each other, and begin in the order of submission.
func TestQuotas(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) {
			c.Quota = func(string) (q quota) { return quota{Running: 1, Queued: 2} }
		})
		for i, name := range []string{"one", "two", "three"} {
			f.run(testPlan(name, 10, uint64(i)))
		}
		if f.test("one").State != farm.Running || f.test("two").State != farm.Approved {
			t.Errorf("%s, %s", f.test("one").State, f.test("two").State)
		}
		testutil.Fails(t, testutil.Err(f.submit("ann", testPlan("four", 10, 9), farm.Submission{})), "waiting")
		f.hand("w0", 5)
		f.until("all are over", func() bool {
			return f.test("one").State == farm.Over && f.test("two").State == farm.Over && f.test("three").State == farm.Over
		})
	})
}

// TestDrainAndQuarantine requires that a draining worker finishes its pairs, and a worker in quarantine does not. Both
// get pairs again after their release.
func TestDrainAndQuarantine(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("drain", 200, 1)
		h, q := f.hand("w0", 4), f.hand("w2", 4)
		time.Sleep(30 * time.Second)
		testutil.OK(t, f.do("boss", "drain", farm.Order{Worker: "w0"}, nil))
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w2", Why: "odd"}, nil))
		time.Sleep(2 * time.Minute)
		a, b := f.worker("w0"), f.worker("w2")
		if !a.Draining || a.Held != 0 || h.dropped.Load() != 0 || a.Added != int(h.done.Load()) {
			t.Errorf("draining: %+v, %d finished", a, h.done.Load())
		}
		if b.Quarantine != "odd (boss)" || b.Held != 0 || q.exit() == nil {
			t.Errorf("in quarantine: %+v, %d dropped", b, q.dropped.Load())
		}
		f.restart() // the farm keeps both states
		testutil.Check(t, f.worker("w2").Quarantine != "" && f.worker("w0").Draining, "forgotten")
		for _, verb := range []string{"drain", "quarantine"} {
			worker := map[string]string{"drain": "w0", "quarantine": "w2"}[verb]
			testutil.OK(t, f.do("boss", verb, farm.Order{Worker: worker, Off: true}, nil))
		}
		h.restart()
		q.restart()
		f.complete(p)
	})
}

// TestOrdersNeedTheWholeTest: four digits of a plan hash stand for a test in requests that read, and in no request that
// changes the test.
func TestOrdersNeedTheWholeTest(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		s := f.run(testPlan("a", 20, 1))
		short := s.Run[:4]
		for _, verb := range []string{"show", "plan"} {
			testutil.OK(t, f.do("boss", verb, farm.Order{Run: short}, nil))
		}
		for _, verb := range []string{"approve", "reject", "stop", "pause", "resume", "priority", "share", "purge"} {
			err := f.do("boss", verb, farm.Order{Run: short, Worker: "w1", Why: "a test", Number: 1}, nil)
			testutil.Fails(t, err, short+" is too short for an order: a ("+s.Run[:12]+"); write the name", "%s", verb)
		}
		testutil.Fails(t, f.do("boss", "push", farm.Push{Run: short}, nil), "too short for an order")
		testutil.OK(t, f.do("boss", "pause", farm.Order{Run: s.Run[:12]}, nil))
		testutil.Equal(t, f.test("a").State, farm.Paused, "twelve digits")
	})
}
