package runner

import (
	"context"
	"errors"
	"fmt"
	"time"

	"gogi/match"
	"gogi/usi"
)

// Player makes moves in games. It is an engine or a council (several engines that vote on each move). One
// goroutine at a time calls its methods. A player that fails returns a *usi.Fault, and the slot then closes
// it. After any other error the pair stays unplayed.
type Player interface {
	// NewGame prepares for a game. It may take minutes.
	NewGame(ctx context.Context, g usi.Game) error
	// Think returns a move and the time it took, measured by the player itself. Cancelling ctx stops the search.
	Think(ctx context.Context, r usi.Request) (usi.Reply, error)
	GameOver(ctx context.Context, o usi.Outcome) error
	// Close ends the player and waits for its processes. Freeing gigabytes of memory may take minutes.
	// The slot sends the error as an event; it ends nothing.
	Close() error
}

// Ponderer is a Player that can think on the opponent's time (ponder). The next call of Think shows whether
// it expected the right move: the same position is a ponder hit, any other position a miss.
type Ponderer interface {
	Ponder(ctx context.Context, r usi.Request) error
}

// Waiter is a Player that measures how long it has waited for a CPU since its start. ok is false if the time
// is unknown. An engine gets the time from its connection (usi.Waited), and a council from its members.
type Waiter interface {
	Waited() (d time.Duration, ok bool)
}

// Stopper is a Player that measures for how long its processes were suspended since their start, by a signal,
// a debugger or a frozen cgroup. It checks the state of the processes only during a call, so the runner calls
// Stopped regularly, concurrently with Think. An engine gets the time from its connection (usi.Stopped). A
// council gets it from its members.
type Stopper interface {
	Stopped() time.Duration
}

// FaultRecorder is a Player that can write a crash dump of a failure that the runner detects, such as an
// illegal move. Blame returns the name of the dump, or "" if it wrote none. The player can still be used
// afterwards.
type FaultRecorder interface {
	Blame(kind, note string) (record string)
}

// Strayer is a Player that checks whether its engines still use the CPUs to which gogi bound them. If they do
// not, AffinityChanged returns text with the CPUs that they use instead. Otherwise it returns "". An engine
// gets this from its connection (usi.Pinned), and a council from its members.
type Strayer interface {
	AffinityChanged() string
}

// Opener is a function that starts a player on the given CPUs. If cpus is nil, the player may run on all
// CPUs.
type Opener func(ctx context.Context, p match.Player, cpus []int) (Player, error)

// Source hands out the pairs to play. All slots call it concurrently.
type Source interface {
	// Next may wait for a pair. It returns when ctx ends. ctx also ends when the run fails in another slot.
	// io.EOF means that no pairs are left. Any other error ends the run, see Run.
	Next(ctx context.Context) (Lease, error)
}

// Lease is the right of a slot to play one pair. It ends with a call of Sink.Put or Lease.Return.
type Lease struct {
	// Plan is the plan of the pair; nil means Config.Plan. Players stay open between leases as long as this pointer
	// is the same, so a source uses one pointer for each plan.
	Plan *match.Plan
	Pair match.Pair
	Kind string // the kind of the pair in a tune, for the pair event; "" in other runs
	// Fresh ends all engines after the pair, so that no pair depends on the pairs before it. Built-in engines, which keep
	// nothing between games, stay.
	Fresh bool
	// Revoked, if not nil, is closed by the source when it takes the pair back. The runner then discards its games.
	Revoked <-chan struct{}
	// Return gives the pair back unplayed. Before that, the sink has stored the attempts at the pair. The parameter
	// is the reason: ErrRevoked, the cause of the context's end, an *Unplayable, or a failure in another slot. Return
	// is never nil.
	Return func(why error)
	// Events receives the events of the pair; nil means Config.Events.
	Events *Events
}

// ErrRevoked is the reason to return a pair if the source has revoked its lease.
var ErrRevoked = errors.New("runner: the pair was taken away")

// Unplayable is the error for a pair that could not be played in any of its attempts, because its players do
// not start or fail before the first move.
type Unplayable struct {
	Plan  *match.Plan
	Pair  int
	Tries int
	Err   error // of the last try
}

// Error names the pair and the reason.
func (u *Unplayable) Error() string {
	return fmt.Sprintf("runner: pair %d could not be played %d times in a row: %v", u.Pair, u.Tries, u.Err)
}

// Unwrap returns the error of the last attempt.
func (u *Unplayable) Unwrap() error { return u.Err }

// Sink stores the results of the games that were played under a lease. All slots call it concurrently. An
// error of the Sink ends the run, see Run. The context of its calls lasts ten seconds longer than the context
// of the run, so that the Sink can store the finished pairs of a cancelled run.
type Sink interface {
	// Put stores a finished pair with its attempts durably, and ends the lease even if Put fails. added is false
	// if the pair was already stored. The games of r then do not count, see Run.
	Put(ctx context.Context, l Lease, r match.PairResult) (added bool, err error)
	// PutAttempt stores an attempt at a pair that the slot then returns.
	PutAttempt(ctx context.Context, l Lease, a match.Attempt) error
}
