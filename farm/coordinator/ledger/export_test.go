package ledger

import "gogi/farm"

// Spend uses up n epochs.
func (e *Epochs) Spend(n uint64) { e.next += farm.Epoch(n) }
