package coordinator_test

import (
	"slices"
	"strings"
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestWhoAsksIsToldWhatIsOver: of the runs that a worker knows, those that were stopped and
// those that the farm does not have, and no others.
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
		if over := ask(going.Digest(), stopped.Digest(), paused.Digest(), unknown); !slices.Equal(over, []string{stopped.Digest(), unknown}) {
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
