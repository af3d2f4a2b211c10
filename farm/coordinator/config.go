package coordinator

import (
	"context"
	"crypto/ed25519"
	"errors"
	"log/slog"
	"slices"
	"time"

	"gogi/farm"
	"gogi/match"
)

// Store is the durable half of a run. What it says is stored is on the disk.
type Store interface {
	// Add stores a pair as its take (how often it was void before); added is false where
	// the pair was stored before. A take that is not the current one is an error.
	Add(ctx context.Context, r match.PairResult, take int) (added bool, err error)
	// PutAttempt keeps a try at a pair that does not count; the same one again changes
	// nothing.
	PutAttempt(ctx context.Context, a match.Attempt) error
	// Finished is the set of the pairs that are stored.
	Finished(ctx context.Context) (map[int]bool, error)
	// Takes says of pairs that were void how often.
	Takes(ctx context.Context) (map[int]int, error)
	// Rows calls see for every stored pair in pair order, its games by leg.
	Rows(ctx context.Context, see func(rows []match.Row) error) error
	// Void takes a worker's pairs out of the run, and says which.
	Void(ctx context.Context, worker, why, by string) (pairs []int, err error)
	// By is which pairs a worker has played.
	By(ctx context.Context, worker string) (pairs []int, err error)
	// Close ends it.
	Close() error
}

// State stores what the coordinator must find again: bodies by bucket and name, each with a
// revision. Its methods may be called by many goroutines.
type State interface {
	// Put stores a body in the place of a revision, 0 to create it, and returns the next one.
	// The body is on the disk when Put returns. It fails if another coordinator has changed
	// the body since; after an error nothing has changed.
	Put(ctx context.Context, bucket, name string, body []byte, revision uint64) (uint64, error)
	// Each calls f with all of a bucket. f may call Put.
	Each(ctx context.Context, bucket string, f func(name string, body []byte, revision uint64) error) error
}

// The rights that a key may have.
const (
	rightWork    = "work"
	rightSubmit  = "submit"
	rightApprove = "approve" // not of one's own
	rightRun     = "run"     // priority, share, stop, pause of anybody's
	rightAdmin   = "admin"   // everything but work
)

// Key is a worker's or an owner's.
type Key struct {
	Name, Owner string
	Public      ed25519.PublicKey
	Rights      []string
}

// may reports whether the key has a right.
func (k Key) may(right string) bool {
	return slices.Contains(k.Rights, right) || right != rightWork && slices.Contains(k.Rights, rightAdmin)
}

// Keys knows who may do what, as of now. Its methods may be called by many goroutines.
type Keys interface {
	// Key is the valid key of a name; one that is revoked or expired is none.
	Key(name string) (Key, bool)
}

// Quota is what an owner may have; a zero is no bound.
type Quota struct {
	Running int // tests
	Queued  int // submitted or approved
	// Artefacts are bytes of the engines of its tests that are not over.
	Artefacts int64
	// SlotHoursDay is what its tests may take of the workers' slots in a day of UTC; beyond,
	// they get what nobody else wants.
	SlotHoursDay float64
}

// Config is how a farm is coordinated.
type Config struct {
	Bus    farm.Bus
	State  State
	Keys   Keys
	Secret farm.Secret
	Sign   farm.Signer // by the coordinator's key
	// Open opens the store of a plan, and makes it where there is none.
	Open func(ctx context.Context, plan *match.Plan) (Store, error)

	Lease    time.Duration // 20 s where it is 0
	OwnerMax float64       // see ledger.Schedule; 0.4 where it is 0
	Quota    func(owner string) Quota
	// Spent is how long the games took together of the pairs that were stored since a
	// moment, by plan digest; a game counts for a day at most. nil: nothing was stored before.
	Spent   func(ctx context.Context, since time.Time) (map[string]time.Duration, error)
	Auditor Auditor      // nil: nothing is audited
	Accuse  bool         // tests that are handed in quarantine workers by their residuals
	Log     *slog.Logger // nil: nobody is told

	// Judges is how many results are verified at a time; 0: as many as there are CPUs.
	Judges int
}

func (c *Config) complete() error {
	if c.Bus == nil || c.State == nil || c.Keys == nil || c.Sign == nil || c.Open == nil {
		return errors.New("coordinator: it needs a bus, a state, keys, a signer and stores")
	}
	if c.Lease == 0 {
		c.Lease = 20 * time.Second
	}
	if c.OwnerMax == 0 {
		c.OwnerMax = 0.4
	}
	if c.Quota == nil {
		c.Quota = func(string) Quota { return Quota{} }
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	return nil
}

// beat is how often a worker is to tell of itself: two of three may be lost.
func (c *Config) beat() time.Duration { return c.Lease / 3 }
