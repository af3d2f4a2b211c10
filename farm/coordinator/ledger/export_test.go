package ledger

import "gogi/farm"

// Spend takes so many epochs at once.
func (e *Epochs) Spend(n uint64) { e.next += farm.Epoch(n) }
