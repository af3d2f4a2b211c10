package runner

import (
	"context"
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
	// Close ends the player for good and waits for what it started.
	Close() error
}

// Ponderer is a Player that can think on the opponent's time. The next Think
// with the same position is a hit, any other a miss.
type Ponderer interface {
	Ponder(ctx context.Context, r usi.Request) error
}

// Waiter is a Player that knows how long it was kept waiting for a CPU since
// its start; ok is false where that cannot be known.
type Waiter interface {
	Waited() (d time.Duration, ok bool)
}

// Opener starts a player on the given CPUs (nil: any).
type Opener func(ctx context.Context, p match.Player, cpus []int) (Player, error)

// Source hands out the pairs to play.
type Source interface {
	// Next waits for a pair; io.EOF says that there are no more.
	Next(ctx context.Context) (Lease, error)
}

// Lease is one pair that is ours to play, until Put or Return ends it.
type Lease struct {
	Pair match.Pair
	// Revoked, when not nil, is closed by the source when the pair is no
	// longer ours; what was played of it is thrown away.
	Revoked <-chan struct{}
	// Return gives the pair back unplayed: drained, cancelled, failed.
	Return func(why error)
}

// Sink takes finished pairs. The one durable sink's Put ends the lease, and its
// error ends the run. It is called from all slots at once.
//
// A Sink that is an AttemptSink, too, is told of the attempts at pairs that were
// given up.
type Sink interface {
	Put(ctx context.Context, r match.PairResult) error
}

// AttemptSink keeps attempts at pairs that do not count.
type AttemptSink interface {
	PutAttempt(ctx context.Context, a match.Attempt) error
}
