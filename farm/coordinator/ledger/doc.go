// Package ledger decides which pair a farm grants next. A [Ledger] knows for each pair of one
// run whether it is stored, held or free. A [Schedule] chooses the run that a free slot plays.
// Both are pure: the caller passes the time of a clock that never goes back.
//
// A Ledger can be lost: stored pairs are in the store, and the workers report again what they
// hold.
package ledger

import (
	"fmt"

	"gogi/farm"
)

// Epochs gives out numbers of grants, each once, over all runs of a coordinator.
type Epochs struct {
	next  farm.Epoch
	limit farm.Epoch // not given
}

// NewEpochs begins those of a boot, whose number is on the disk already.
func NewEpochs(boot uint32) *Epochs {
	return &Epochs{next: farm.Epoch(boot) << 32, limit: farm.Epoch(boot)<<32 + 1<<32 - 1}
}

// Left is how many there are: beyond, the coordinator counts another boot.
func (e *Epochs) Left() uint64 { return uint64(e.limit - e.next) }

// Take gives the next one; ok is false where there is none left.
func (e *Epochs) Take() (epoch farm.Epoch, ok bool) {
	if e.next >= e.limit {
		return 0, false
	}
	e.next++
	return e.next, true
}

// Lease is a pair that a worker may play. Whether it was granted to the worker (its
// token) is known before a Ledger sees it.
type Lease struct {
	Pair  int
	Epoch farm.Epoch
	Take  int
	// Points is farm.Held's, of which a Ledger knows nothing.
	Points uint64
}

// String is for logs.
func (l Lease) String() string { return fmt.Sprintf("pair %d (grant %x)", l.Pair, uint64(l.Epoch)) }
