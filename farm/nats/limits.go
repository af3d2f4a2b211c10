package nats

import (
	"context"
	"sync"

	"golang.org/x/time/rate"
)

// limits applies the limits of owners to artefacts. The zero value has no limits.
type limits struct {
	of    func(owner string) (artefact, bandwidth int64)
	owner func(key string) string

	mu      sync.Mutex
	byOwner map[string]*rate.Limiter // only owners with a limited bandwidth
}

// MinBandwidth is the smallest bandwidth to which gogi can limit an owner, in bytes per second. It equals the
// size of one piece of a file, because gogi sends files in pieces.
const MinBandwidth = pieceBytes

// wait waits until the bandwidth of the key's owner allows another n bytes. It returns false if ctx ends
// before, and at once if the deadline of ctx is too near for the wait.
func (l *limits) wait(ctx context.Context, key string, n int) bool {
	if l.of == nil {
		return true
	}
	owner := l.owner(key)
	_, bandwidth := l.of(owner)
	if bandwidth == 0 {
		return true
	}
	l.mu.Lock()
	if l.byOwner == nil {
		l.byOwner = map[string]*rate.Limiter{}
	}
	if l.byOwner[owner] == nil {
		l.byOwner[owner] = rate.NewLimiter(rate.Limit(bandwidth), pieceBytes)
	}
	limiter := l.byOwner[owner]
	l.mu.Unlock()
	return limiter.WaitN(ctx, min(n, pieceBytes)) == nil
}

// largest returns the largest size of an artefact that the owner of a key may send: most, the limit of the farm, or
// the limit of the owner if that is smaller.
func (l *limits) largest(key string, most int64) int64 {
	if l.of == nil {
		return most
	}
	if own, _ := l.of(l.owner(key)); own > 0 {
		return min(own, most)
	}
	return most
}
