package coordinator

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/results"
)

// A Store stores the results of one run. A pair that it reports as stored is on disk.
type Store interface {
	// Add stores a pair with its take (how often the pair was voided before), together with the states of a tune
	// that result from the pair. added is false if the pair was stored before. Add returns an error if take is
	// not the current take.
	Add(ctx context.Context, r match.PairResult, take int, states ...match.TuneState) (added bool, err error)
	// PutAttempt stores an attempt at a pair, which does not count. Storing it again changes nothing.
	PutAttempt(ctx context.Context, a match.Attempt) error
	// Finished returns the set of the stored pairs.
	Finished(ctx context.Context) (map[int]bool, error)
	// Takes returns how often each voided pair was voided.
	Takes(ctx context.Context) (map[int]int, error)
	// Rows calls see for every stored pair in pair order, with its games by leg.
	Rows(ctx context.Context, see func(rows []match.Row) error) error
	// Pair returns a stored pair.
	Pair(ctx context.Context, id int) (match.PairResult, error)
	// Points calls see for each stored pair of a tune, in order, with the options of its players.
	Points(ctx context.Context, see func(pair int, options [2][]match.Option) error) error
	// States returns the stored states of a tune, ordered by blocks. It returns no states if the run is no tune.
	States(ctx context.Context) ([]match.TuneState, error)
	// Void removes a worker's pairs from the run, and returns them. In a tune it also removes the pairs whose
	// parameters depend on the removed pairs.
	Void(ctx context.Context, worker, why, by string) (pairs []int, err error)
	// By returns the pairs that Void would remove.
	By(ctx context.Context, worker string) (pairs []int, err error)
	// Voids returns the removed results of these pairs.
	Voids(ctx context.Context, ids []int) ([]farm.Void, error)
	// Sum returns the SHA-256 (hex) of the pairs in a range of numbers, in the form of a stable dump, and the
	// number of stored pairs in the range. The range excludes its upper end.
	Sum(ctx context.Context, from, below int) (sum string, stored int, err error)
	// SetProvisional stores why the verdict of the run's SPRT is not final; "" means that it is final.
	SetProvisional(ctx context.Context, why string) error
	// Close closes the store.
	Close() error
}

// A Quota limits the tests of an owner. A zero field means no limit.
type Quota struct {
	Running int `toml:"running"` // running tests
	Queued  int `toml:"queued"`  // submitted or approved tests
	// Artefacts limits the total size of the engines of the owner's tests that have not ended.
	Artefacts Size `toml:"artefacts"`
	// SlotHoursDay limits the slot-hours of the owner's tests in one UTC day. Beyond the limit, the tests get
	// only slots that no other test uses.
	SlotHoursDay float64 `toml:"slot_hours_day"`
	// Slots limits the pairs of the owner's tests that workers hold at the same time.
	Slots int `toml:"slots"`
	// Artefact limits the size of one engine file of the owner, and Bandwidth the bytes of artefacts that
	// all keys of the owner send and receive in a second. The bus applies both.
	Artefact  Size `toml:"artefact"`
	Bandwidth Size `toml:"bandwidth"`
}

// A Size is a number of bytes, written as "512MB" or "20GB" (powers of 1024).
type Size int64

// UnmarshalText parses a number with a unit, or a number of bytes without a unit.
func (s *Size) UnmarshalText(text []byte) error {
	word, factor := strings.ToUpper(strings.TrimSpace(string(text))), int64(1)
	for i, unit := range []string{"KB", "MB", "GB", "TB"} {
		if rest, ok := strings.CutSuffix(word, unit); ok {
			word, factor = strings.TrimSpace(rest), 1<<(10*(i+1))
			break
		}
	}
	n, err := strconv.ParseFloat(word, 64)
	if err != nil || !(n > 0) || n*float64(factor) > 1<<60 {
		return fmt.Errorf("%q is not a size: expected a number with KB, MB, GB or TB, such as 20GB", text)
	}
	*s = Size(n * float64(factor))
	return nil
}

// A Config is the input of New.
type Config struct {
	Bus    farm.Bus
	State  entries.State
	Keys   roster.Keys
	Secret farm.Secret
	Sign   farm.Signer // signs with the coordinator's key
	// Open opens the store of a plan, and creates the store if it is missing.
	Open func(ctx context.Context, plan *match.Plan) (Store, error)

	Lease    time.Duration // lifetime of a lease without a heartbeat; 0 means 20 s
	OwnerMax float64       // see ledger.Schedule. 0 means 0.4.
	Quota    func(owner string) Quota
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
	Auditor Auditor      // if it is nil, nothing is audited
	Accuse  bool         // results of newly submitted tests can quarantine workers automatically
	Log     *slog.Logger // nil turns the log off

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
		c.Quota = func(string) Quota { return Quota{} }
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
