// Package ledger says who plays what on a farm: a Ledger knows of each pair of one run
// whether it is stored, held or to be granted, and a Schedule which of the runs a free
// slot goes to. Both are pure: no I/O, no goroutines, no clock of their own. Whoever
// calls says what time it is, by a clock that only goes forward.
//
// A Ledger's whole state can be lost: what is stored is in the store, and what is held
// is told again by those who hold it.
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
