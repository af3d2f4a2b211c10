package coordinator_test

import (
	"testing"

	"gogi/farm"
	"gogi/internal/testutil"
)

// TestAQuarantinedWorkerGetsNoPairs: a worker in quarantine that continues to ask gets no pair, and the request to
// stop.
func TestAQuarantinedWorkerGetsNoPairs(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.plays("asked", 20, 1)
		l := f.line(t, "w0")
		testutil.Equal(t, len(l.want(2)), 2, "pairs before the quarantine")
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Why: "hot"}, nil))
		var g farm.Grants
		l.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 2}, &g)
		testutil.Check(t, len(g.Grants) == 0 && g.Drain, "%d pairs, drain %t", len(g.Grants), g.Drain)
	})
}
