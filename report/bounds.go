package report

import (
	"fmt"

	"gogi/internal/format"
	"gogi/stats/binomial"
)

// Bounds are the ends of an interval. An end is null if it is infinite or unknown.
type Bounds struct {
	Lo *float64 `json:"lo"`
	Hi *float64 `json:"hi"`
}

// NewBounds returns the ends of an interval.
func NewBounds(i binomial.Interval) Bounds { return Bounds{format.Finite(i.Lo), format.Finite(i.Hi)} }

// Open reports whether an end is missing.
func (b Bounds) Open() bool { return b.Lo == nil || b.Hi == nil }

// EloText prints ends that are in Elo. A missing one is infinite.
func (b Bounds) EloText() string {
	return fmt.Sprintf("[%s, %s]", format.Elo(b.Lo, -1), format.Elo(b.Hi, 1))
}
