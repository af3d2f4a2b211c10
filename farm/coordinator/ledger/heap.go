package ledger

import "time"

// heapOf implements heap.Interface for elements that compare themselves.
type heapOf[T interface{ less(T) bool }] []T

func (h heapOf[T]) Len() int           { return len(h) }
func (h heapOf[T]) Less(i, j int) bool { return h[i].less(h[j]) }
func (h heapOf[T]) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }

// Push implements heap.Interface. It appends x.
func (h *heapOf[T]) Push(x any) { *h = append(*h, x.(T)) } // nothing else is pushed

// Pop implements heap.Interface. It removes and returns the last element.
func (h *heapOf[T]) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	clear((*h)[last:])
	*h = (*h)[:last]
	return x
}

// A deadline is an entry in the queue of Expire: the time at which Expire examines a lease. Heartbeats do not
// change it, which keeps them cheap. If the lease is still valid at that time, Expire sets a new deadline.
type deadline struct {
	at    time.Time
	lease *lease
}

func (d deadline) less(other deadline) bool { return d.at.Before(other.at) } //nolint:unused // heapOf calls it

// A gap is a free pair below the next pair of the ledger. A worker returned or lost it, and it waits until it is
// granted again. since is the start of the wait.
type gap struct {
	pair  int
	since time.Time
}

func (g gap) less(other gap) bool { return g.pair < other.pair } //nolint:unused // heapOf calls it

// bits is a set of pairs.
type bits []uint64

func newBits(n int) bits      { return make(bits, (n+63)/64) }
func (b bits) has(i int) bool { return b[i/64]&(1<<(i%64)) != 0 }
func (b bits) set(i int)      { b[i/64] |= 1 << (i % 64) }
func (b bits) clear(i int)    { b[i/64] &^= 1 << (i % 64) }
