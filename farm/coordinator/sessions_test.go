package coordinator_test

import (
	"slices"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestWhoAsksIsToldWhatIsOver: the answer to a request lists the known runs that are stopped or do not exist, at most
// 1,000.
func TestWhoAsksIsToldWhatIsOver(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		going, stopped, paused := testPlan("going", 8, 1), testPlan("stopped", 8, 2), testPlan("paused", 8, 3)
		for _, p := range []string{f.run(going).Run, f.run(stopped).Run, f.run(paused).Run} {
			if p == stopped.Digest() {
				testutil.OK(t, f.do("ann", "stop", farm.Order{Run: p}, nil))
			}
			if p == paused.Digest() {
				testutil.OK(t, f.do("ann", "pause", farm.Order{Run: p}, nil))
			}
		}
		unknown := strings.Repeat("0", 64)
		w := f.line(t, "w0")
		ask := func(known ...string) []string {
			var g farm.Grants
			w.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 1, Known: known}, &g)
			return g.Over
		}
		if over := ask(going.Digest(), stopped.Digest(), paused.Digest(), unknown); !slices.Equal(over,
			[]string{stopped.Digest(), unknown}) {
			t.Errorf("over: %v, expected the stopped run %s and the one that nobody knows", over, stopped.Digest())
		}
		if over := ask(going.Digest()); len(over) != 0 {
			t.Errorf("over: %v of a run that is played", over)
		}
		many := make([]string, 3000)
		for i := range many {
			many[i] = unknown
		}
		if over := ask(many...); len(over) != 1000 {
			t.Errorf("one answer tells of %d ends", len(over))
		}
	})
}

// TestTheLastPairsAreShared: two workers with two slots each share the last pairs of a run. The first one to ask gets
// half, and the other gets the rest. A worker always gets the pairs that it can play at once.
func TestTheLastPairsAreShared(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.plays("short", 12, 1)
		quick, slow := f.line(t, "w0"), f.line(t, "w1")
		first := quick.want(100)
		testutil.Check(t, len(first) == 6 && len(quick.want(100)) == 0, "the quick one is granted %d of 12, expected 6",
			len(first))
		second := slow.want(100)
		testutil.Check(t, len(second) == 6, "the slow one is granted %d, expected 6", len(second))
		f.plays("tail", 3, 2)
		testutil.Equal(t, len(quick.want(100)), 2, "of three that remain two slots are granted")
	})
}

// TestAWorkerThatIsAloneGetsAll: workers that drain or that refuse the run have no share of it.
func TestAWorkerThatIsAloneGetsAll(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("short", 12, 1))
		f.line(t, "w1") // w1 sends nothing more
		other := f.line(t, "w2")
		other.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 0, Refuse: []string{f.test("short").Run}}, &farm.Grants{})
		testutil.OK(t, f.do("boss", "drain", farm.Order{Worker: "w1"}, nil))
		got := len(f.line(t, "w0").want(100))
		testutil.Check(t, got == 12, "alone it is granted %d of 12", got)
	})
}

// TestATestThatWantsTrust: only workers with the required trust of the farm play the test. Labels that a worker claims
// do not matter.
func TestATestThatWantsTrust(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		submit := func(level string) error {
			return testutil.Err(f.submit("ann", testPlan("careful", 100, 1),
				farm.Submission{Needs: map[string]string{"trust": level}}))
		}
		testutil.Fails(t, submit("much"), "expected untrusted, verified or owner")
		testutil.OK(t, submit("verified"))
		testutil.OK(t, f.do("ben", "approve", farm.Order{Run: "careful"}, nil))
		for name, c := range map[string]struct {
			level string
			want  int
		}{"w0": {"untrusted", 0}, "w2": {"verified", 2}, "w4": {"owner", 2}} {
			l := &line{t: t, f: f, name: name}
			var welcome farm.HelloReply
			hello := farm.Hello{Protocol: farm.Protocol, Session: "s", Start: 1, Slots: 2,
				Labels: map[string]string{"trust": "owner"}}
			l.ask(farm.SubjectHello, hello, &welcome)
			testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: name, Level: c.level}, nil))
			got := len(l.want(2))
			testutil.Check(t, got == c.want, "%s, which is %s, is granted %d pairs: expected %d", name, c.level, got, c.want)
		}
	})
}
