// Package hurry limits the start of engines in a run that should end. Such a run finishes the
// games in play, and does not wait for an engine that is still starting, which may take
// minutes. [Start] makes the context for such a start.
package hurry

import (
	"context"
	"errors"
	"time"
)

// Grace is the time that a start may still take after the order to end the run. An engine that is ready
// within it plays its game: most engines answer isready in milliseconds.
const Grace = 500 * time.Millisecond

// ErrEnding is the cause of a context that Start has ended.
var ErrEnding = errors.New("the run is ending, and a player is still starting")

// Start returns ctx for one start. It ends with the cause ErrEnding when Grace has passed
// since the start began and ending was closed, whichever came last. A nil channel is never
// closed. stop releases the context; call it when the start is over.
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

// Closed reports whether the run was ordered to end.
func Closed(ending <-chan struct{}) bool {
	select {
	case <-ending:
		return true
	default:
		return false
	}
}
