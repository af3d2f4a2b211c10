package farm

import (
	"context"
	"math/rand/v2"
	"time"
)

// FirstWait is the wait after the first failed try, and longestWait the longest one.
const (
	FirstWait   = 50 * time.Millisecond
	longestWait = 60 * time.Second
)

// Backoff returns the wait after a failed try with this number, from 1. The wait doubles with each try. It is drawn
// from a half to the whole of that, so that ten thousand workers do not send their requests at once.
func Backoff(try int) time.Duration {
	d := longestWait
	if try <= 10 { // 50 ms << 11 is above a minute
		d = FirstWait << max(try-1, 0)
	}
	return d/2 + rand.N(d/2+1)
}

// Wait returns nil after d, or the cause of ctx if ctx ends before.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
