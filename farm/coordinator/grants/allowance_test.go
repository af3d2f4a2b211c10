package grants

import (
	"testing"
	"time"

	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match/trust"
)

// TestTheAllowanceOfAnOwner: the untrusted workers of an owner may hold 64 pairs and 16 for each slot that they play,
// and four times as many with their finished pairs. Workers of other owners and trusted workers do not count.
func TestTheAllowanceOfAnOwner(t *testing.T) {
	t.Parallel()
	const most = 64 + 16*2
	for _, test := range []struct{ held, finished, left int }{
		{0, 0, most},
		{10, 0, most - 10},
		{10, 10, most},
		{4*most - 20, 4*most - 20, 20}, // the limit with finished pairs is the smaller one
		{4 * most, 4 * most, 0},
	} {
		now := time.Unix(1000, 0)
		l := ledger.New(ledger.Config{Pairs: 5000, Finished: func(int) bool { return false }, Now: now,
			Epochs: ledger.NewEpochs(1), Lease: time.Hour})
		l.Enter("red1", "s")
		leases := l.Grant(now, "red1", "s", test.held)
		testutil.Equal(t, len(leases), test.held, "granted")
		l.Beat(now, "red1", "s", ledger.Listed{Held: leases[test.finished:], Outbox: leases[:test.finished]})
		known := roster.New(roster.Config{})
		known.Workers = map[string]*roster.Worker{
			"red1": {Owner: "red", Trust: trust.Untrusted}, "red2": {Owner: "red", Trust: trust.Verified},
			"blue": {Owner: "blue", Trust: trust.Untrusted},
		}
		known.Sessions = map[string]*roster.Session{"red1": {Slots: 2}, "red2": {Slots: 32}, "blue": {Slots: 32}}
		all := tests.New(tests.Config{})
		all.All["r"] = &tests.Test{Ledger: l}
		g := New(Config{Roster: known, Tests: all})
		testutil.Equal(t, g.allowance(now, "red", 1).left, test.left, "%d held, %d of them finished: left", test.held,
			test.finished)
	}
}
