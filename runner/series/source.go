package series

import (
	"context"
	"sync"

	"gogi/runner"
)

// source hands out the pairs of a plan, up to a target number of pairs. SetTarget changes this number.
type source interface {
	runner.Source
	SetTarget(pairs int)
}

// queue is the common part of the sources whose next pair may depend on results. Its fields are guarded by mu.
type queue struct {
	mu       sync.Mutex
	next     int           // the first pair that was not handed out, in the order of the source
	returned []int         // pairs that were given back unplayed
	changed  chan struct{} // closed and replaced when a pair may have become available
	broken   error         // the reason why the source hands out no more pairs
}

func newQueue() queue { return queue{changed: make(chan struct{})} }

// wait calls take until take returns a lease or an error. If take returns a channel, wait first waits until the channel
// is closed.
func (q *queue) wait(ctx context.Context, take func() (runner.Lease, <-chan struct{}, error)) (runner.Lease, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return runner.Lease{}, err
		}
		q.mu.Lock()
		lease, changed, err := take()
		q.mu.Unlock()
		if err != nil || changed == nil {
			return lease, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// takeReturned removes the first returned pair from the list and returns its number.
func (q *queue) takeReturned() (id int) {
	id, q.returned = q.returned[0], q.returned[1:]
	return id
}

// giveBack makes a pair available again. The source hands it out before new pairs, because they may need its result.
func (q *queue) giveBack(id int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.returned = append(q.returned, id)
	q.wake()
}

// wake wakes all callers of wait. The caller holds q.mu.
func (q *queue) wake() {
	close(q.changed)
	q.changed = make(chan struct{})
}
