package coordinator

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/grants"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
	"gogi/results"
)

// A Config is the input of New.
type Config struct {
	Bus    farm.Bus
	State  entries.State
	Keys   roster.Keys
	Secret farm.Secret
	Sign   farm.Signer // signs with the coordinator's key
	// Open opens the store of a plan, and creates the store if it is missing.
	Open func(ctx context.Context, plan *match.Plan) (tests.Store, error)

	Lease    time.Duration // lifetime of a lease without a heartbeat; 0 means 20 s
	OwnerMax float64       // see ledger.Schedule. 0 means 0.4.
	Quota    func(owner string) grants.Quota
	// Spent returns the time of all games of the pairs stored since a moment, by plan digest. A game counts as
	// at most one day. If Spent is nil, nothing was stored before.
	Spent func(ctx context.Context, since time.Time) (map[string]time.Duration, error)
	// Stored returns the numbers of stored pairs by plan digest. If it is nil, the status shows no stored pairs
	// for tests that had ended before the start.
	Stored func(ctx context.Context) (map[string]int, error)
	// Shares returns how many pairs of the plan with a digest each worker has stored. It may be nil.
	Shares func(ctx context.Context, digest string) (map[string]int, error)
	// Played returns the games and the time of all workers by month. It may be nil.
	Played func(ctx context.Context) ([]results.Played, error)
	// Lacks reports whether the store may lack pairs of an ended test with this digest, because this process continues
	// the work of another machine. It may be nil.
	Lacks   func(digest string) bool
	Auditor audit.Auditor // if it is nil, nothing is audited
	Accuse  bool          // results of newly submitted tests can quarantine workers automatically
	Log     *slog.Logger  // nil turns the log off

	// Bar makes the bus reject all further results of a worker before they are stored, and closes the
	// worker's connections. With an empty reason the bus accepts the worker's results again. Bar may be nil,
	// because the coordinator itself also counts no results of a worker in quarantine.
	Bar func(worker, why string)

	// Judges is the number of messages that are verified at the same time. 0 means the number of CPUs.
	Judges int
}

func (c *Config) complete() error {
	if c.Bus == nil || c.State == nil || c.Keys == nil || c.Sign == nil || c.Open == nil {
		return errors.New("coordinator: it needs a bus, a state, keys, a signer and stores")
	}
	c.Lease = cmp.Or(c.Lease, 20*time.Second)
	c.OwnerMax = cmp.Or(c.OwnerMax, 0.4)
	if c.Quota == nil {
		c.Quota = func(string) grants.Quota { return grants.Quota{} }
	}
	if c.Bar == nil {
		c.Bar = func(string, string) {}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}

// beat returns the interval of heartbeats. It is a third of a lease, so two of three heartbeats may be lost.
func (c *Config) beat() time.Duration { return c.Lease / 3 }
