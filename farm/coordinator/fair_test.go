package coordinator_test

import (
	"testing"

	"gogi/farm"
	"gogi/farm/loopback"
	"gogi/match"
)

// TestTheLastPairsAreShared: of two workers of two slots each, the one that asks first and
// for much holds half of what remains of a run, and the other finds the rest. What it can
// play at once it always gets, and a worker that is alone gets everything.
func TestTheLastPairsAreShared(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := testPlan("short", 12, 1)
		f.run(p)
		quick, slow := f.line(t, "w0"), f.line(t, "w1")
		first := quick.want(100)
		if len(first) != 6 || len(quick.want(100)) != 0 {
			t.Errorf("the quick one is granted %d of 12, expected 6", len(first))
		}
		if second := slow.want(100); len(second) != 6 {
			t.Errorf("the slow one is granted %d, expected 6", len(second))
		}
		tail := testPlan("tail", 3, 2)
		f.run(tail)
		if got := len(quick.want(100)); got != 2 {
			t.Errorf("of three that remain two slots are granted %d, expected 2", got)
		}
	})
}

// TestAWorkerThatIsAloneGetsAll: those that drain or refuse the run have no part in it.
func TestAWorkerThatIsAloneGetsAll(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("short", 12, 1))
		f.line(t, "w1") // and not heard of again
		other := f.line(t, "w2")
		other.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 0, Refuse: []string{f.test("short").Run}}, &farm.Grants{})
		if err := f.do("boss", "drain", farm.Order{Worker: "w1"}, nil); err != nil {
			t.Fatal(err)
		}
		if got := len(f.line(t, "w0").want(100)); got != 12 {
			t.Errorf("alone it is granted %d of 12", got)
		}
	})
}

// TestAnAnswerOfTheJournalIsLost: what was kept although the answer said that it failed is
// found out, and what follows is kept, too; what was not kept is tried again.
func TestAnAnswerOfTheJournalIsLost(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := testPlan("first", 4, 1)
		text, err := match.EncodePlan(p)
		if err != nil {
			t.Fatal(err)
		}
		set := func(late, lose int) { f.hall.Set(loopback.Faults{LateKeep: late, LoseKeep: lose}) }
		set(1, 0)
		if err := f.do("ann", "submit", farm.Submission{Plan: text}, nil); err != nil {
			t.Errorf("submit, with the answer of the journal lost: %v", err)
		}
		if err := f.do("ben", "approve", farm.Order{Run: "first"}, nil); err != nil {
			t.Errorf("approve: %v", err)
		}
		set(0, 1)
		if err := f.do("ann", "pause", farm.Order{Run: "first"}, nil); err == nil {
			t.Error("a pause that is not kept is said to be")
		}
		set(0, 0)
		if err := f.do("ann", "pause", farm.Order{Run: "first"}, nil); err != nil {
			t.Errorf("pause: %v", err)
		}
		f.restart()
		if s := f.test("first"); s.State != farm.Paused {
			t.Errorf("after a restart it is %s", s.State)
		}
	})
}
