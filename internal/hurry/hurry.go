// Package hurry limits the time to start engines after a user has ended the run. Such a run finishes the
// current games. It does not wait for an engine that is still starting, because a start may take minutes.
// [Start] returns the context for a start.
package hurry

import (
	"context"
	"errors"
	"time"
)

// Grace is the time that the start of an engine may still take after a user has ended the run. If the engine
// is ready within this time, it plays its game. Most engines answer isready in milliseconds.
const Grace = 500 * time.Millisecond

// ErrEnding is the cause of a context that Start has cancelled.
var ErrEnding = errors.New("the run is ending, and a player is still starting")

// Start returns a context for the start of one engine, derived from ctx. When the channel ending is closed, the start
// has the time Grace to finish, counted from then or from its own beginning, whichever is later. After that time the
// context is cancelled with the cause ErrEnding. A nil channel is never closed. The caller calls stop when the start is
// finished; stop releases the context.
func Start(ctx context.Context, ending <-chan struct{}) (_ context.Context, stop func()) {
	if ending == nil {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		select {
		case <-ending:
		case <-ctx.Done():
			return
		}
		timer := time.NewTimer(Grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel(ErrEnding)
		case <-ctx.Done():
		}
	}()
	return ctx, func() { cancel(nil) }
}

// Closed reports whether the channel ending is closed, which means that a user has ended the run.
func Closed(ending <-chan struct{}) bool {
	select {
	case <-ending:
		return true
	default:
		return false
	}
}
