package coordinator_test

import (
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
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
		testutil.OK(t, f.do("boss", "drain", farm.Order{Worker: "w1"}, nil))
		if got := len(f.line(t, "w0").want(100)); got != 12 {
			t.Errorf("alone it is granted %d of 12", got)
		}
	})
}
