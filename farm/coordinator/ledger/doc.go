// Package ledger decides which pair a farm grants next. A [Ledger] records for each pair of one run whether
// the pair is stored, leased or free. A [Schedule] chooses the run that a free slot plays. Both read no clock
// and do no I/O: the caller passes the time of a monotonic clock. Neither is safe for concurrent use.
//
// A Ledger is not stored. After a restart the store has the stored pairs, and the workers report their leases
// again.
package ledger

import "gogi/farm"

// An Epochs issues the numbers of grants (epochs). All ledgers of a coordinator share one Epochs, so each
// number is issued only once.
type Epochs struct {
	// Fresh is the first epoch of this farm since when only workers of farm.ProtocolFresh get pairs of a plan for which
	// trust.FreshPairs returns true. Pairs with a lower epoch, or none, may be of engines that kept data of earlier pairs.
	Fresh farm.Epoch

	next  farm.Epoch
	limit farm.Epoch // exclusive
}

// NewEpochs returns the epochs for the coordinator's start (boot) with this number. The caller must have
// stored the number on disk.
func NewEpochs(boot uint32) *Epochs {
	return &Epochs{next: farm.Epoch(boot) << 32, limit: farm.Epoch(boot)<<32 + 1<<32 - 1}
}

// Left returns the number of epochs that are not issued yet. If few are left, the coordinator begins a new
// range with NewEpochs, as after another start.
func (e *Epochs) Left() uint64 { return uint64(e.limit - e.next) }

// Take issues the next epoch. ok is false if all epochs of the range are issued.
func (e *Epochs) Take() (epoch farm.Epoch, ok bool) {
	if e.next >= e.limit {
		return 0, false
	}
	e.next++
	return e.next, true
}

// A Lease is the right of a worker to play a pair. The caller checks the token of a lease before it calls a
// Ledger.
type Lease struct {
	Pair   int
	Epoch  farm.Epoch
	Take   int
	Points uint64 // as in farm.Held; a Ledger does not use it
}
