// Package ledger decides which pair a farm grants next. A [Ledger] records for each pair of one run whether
// the pair is stored, leased or free. A [Schedule] chooses the run that a free slot plays. Both read no clock
// and do no I/O: the caller passes the time of a monotonic clock. Neither is safe for concurrent use.
//
// A Ledger is not stored. After a restart the store has the stored pairs, and the workers report their leases
// again.
package ledger

import "gogi/farm"

// Epochs issues the numbers of grants. All ledgers of a coordinator share one Epochs, so each number is
// issued once.
type Epochs struct {
	next  farm.Epoch
	limit farm.Epoch // exclusive
}

// NewEpochs returns the epochs of a boot. The caller must have stored the boot number on the disk.
func NewEpochs(boot uint32) *Epochs {
	return &Epochs{next: farm.Epoch(boot) << 32, limit: farm.Epoch(boot)<<32 + 1<<32 - 1}
}

// Left returns the number of remaining epochs. When few remain, the coordinator counts another boot.
func (e *Epochs) Left() uint64 { return uint64(e.limit - e.next) }

// Take issues the next epoch. ok is false if no epoch is left.
func (e *Epochs) Take() (epoch farm.Epoch, ok bool) {
	if e.next >= e.limit {
		return 0, false
	}
	e.next++
	return e.next, true
}

// A Lease is a pair that a worker may play. The caller checks the worker's token before a Ledger gets the lease.
type Lease struct {
	Pair   int
	Epoch  farm.Epoch
	Take   int
	Points uint64 // as in farm.Held; a Ledger does not use it
}
