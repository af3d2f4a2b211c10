package trust

import (
	"fmt"
	"math"
)

// Action is the recommended action about a worker.
type Action string

// The actions, mildest first.
const (
	Nothing   Action = ""
	Rebench   Action = "rebench"   // measure the worker's speed again
	Probation Action = "probation" // grant the worker audited pairs only
)

// Why returns the evidence as text, from its Kind and LogE.
func (e *Evidence) Why() string {
	return fmt.Sprintf("its %s differ from the others: e = 10^%.1f after %d pairs", e.Kind, e.LogE/math.Ln10, e.Pairs)
}
