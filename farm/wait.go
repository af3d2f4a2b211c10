package farm

import (
	"context"
	"math/rand/v2"
	"time"
)

// FirstWait is the wait after the first failed try, and longestWait is the longest wait.
const (
	FirstWait   = 50 * time.Millisecond
	longestWait = 60 * time.Second
)

// Backoff returns the wait before the next try of a request. try is the number of failed tries so far, from
// 1. The maximum wait doubles with each try, up to a minute. The wait is a random time between half of the
// maximum and the maximum, so that ten thousand workers do not send their requests at once.
func Backoff(try int) time.Duration {
	d := longestWait
	if try <= 10 { // 50 ms << 11 is above a minute
		d = FirstWait << max(try-1, 0)
	}
	return d/2 + rand.N(d/2+1)
}

// Wait waits for the time d and returns nil. If ctx ends earlier, Wait returns the cause of that end.
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
