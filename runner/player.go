package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/match"
	"gogi/usi"
)

// Player is whatever answers Think: one engine, or a council of several. Its
// methods are called by one goroutine at a time. A failing player returns a
// *usi.Fault and is closed then; any other error ends the pair unplayed.
type Player interface {
	// NewGame prepares for a game; it may take minutes.
	NewGame(ctx context.Context, g usi.Game) error
	// Think answers with a move and the time it took, which the player itself
	// measures. Cancelling ctx stops the search.
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	GameOver(ctx context.Context, o usi.Outcome) error
	// Close ends the player for good and waits for what it started, which may
	// take minutes where gigabytes are given back. Its error is told as an
	// event and ends nothing.
	Close() error
}

// Ponderer is a Player that can think on the opponent's time. The next Think
// with the same position is a hit, any other a miss.
type Ponderer interface {
	Ponder(ctx context.Context, r usi.Request) error
}

// Waiter is a Player that knows how long it was kept waiting for a CPU since
// its start; ok is false where that cannot be known. A usi.Engine asks its
// connection (usi.Waited), a council its members.
type Waiter interface {
	Waited() (d time.Duration, ok bool)
}

// Stopper is a Player that knows how long it has been seen to be stopped, by a signal, a
// debugger or a frozen cgroup, since its start. Each call looks; it is called from time to
// time beside Think. A usi.Engine asks its connection (usi.Stopped), a council its members.
type Stopper interface {
	Stopped() time.Duration
}

// FaultRecorder is a Player that can keep a record of what led to its failure, where only
// the game shows that it has failed: an illegal move, a move too late. It returns
// the record's name, or "" where none is kept. The player goes on.
type FaultRecorder interface {
	Blame(kind, note string) (record string)
}

// Strayer is a Player that knows whether its engines keep to the CPUs that it was
// opened on; else Strayed says which others they have bound themselves to. A
// usi.Engine asks its connection (usi.Pinned), a council its members.
type Strayer interface {
	AffinityChanged() string
}

// Opener starts a player on the given CPUs (nil: any).
type Opener func(ctx context.Context, p match.Player, cpus []int) (Player, error)

// Source hands out the pairs to play. It is called from all slots at once.
type Source interface {
	// Next may wait for a pair; it returns when ctx ends, which happens also
	// when the run has failed in another slot. io.EOF says that there are no
	// more pairs; any other error ends the run, see Run.
	Next(ctx context.Context) (Lease, error)
}

// Lease is one pair that is ours to play, until Put or Return ends it.
type Lease struct {
	// Plan is what the pair belongs to; nil: Config.Plan. Players stay open from
	// one lease to the next by the identity of this pointer, so a source hands
	// out the same one for the same plan.
	Plan *match.Plan
	Pair match.Pair
	Kind string // what the pair is told as when it is stored; "" where all are alike
	// Revoked, when not nil, is closed by the source when the pair is no
	// longer ours; what was played of it is thrown away.
	Revoked <-chan struct{}
	// Return gives the pair back unplayed, after its attempts were put: revoked
	// (ErrRevoked), cancelled, or failed, here (*Unplayable) or in another slot. Never nil.
	Return func(why error)
	// Events hears of the pair; nil: Config.Events does.
	Events *Events
}

// ErrRevoked is why a pair is returned whose lease was revoked.
var ErrRevoked = errors.New("runner: the pair was taken away")

// Unplayable is the error of a pair that was tried as often as a pair is: its players do
// not start, or fail before a game's first move.
type Unplayable struct {
	Plan  *match.Plan
	Pair  int
	Tries int
	Err   error // of the last try
}

// Error says which pair, and why.
func (u *Unplayable) Error() string {
	return fmt.Sprintf("runner: pair %d could not be played %d times in a row: %v", u.Pair, u.Tries, u.Err)
}

// Unwrap is why the last try failed.
func (u *Unplayable) Unwrap() error { return u.Err }

// Sink takes what was played under a lease. It is called from all slots at once,
// and an error of it ends the run, see Run. The context of its calls outlives the
// run's: a pair that is finished when the run is cancelled still has ten seconds
// to be stored.
type Sink interface {
	// Put stores a finished pair with its attempts, durably, and ends the lease,
	// also where it fails. added is false where the pair was stored before: this
	// playing of it counts nothing, and is told as such, see Run.
	Put(ctx context.Context, l Lease, r match.PairResult) (added bool, err error)
	// PutAttempt keeps an attempt at a pair that is going to be returned.
	PutAttempt(ctx context.Context, l Lease, a match.Attempt) error
}
