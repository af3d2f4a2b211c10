package format

import "math"

// Finite is a pointer to v, nil where v is none that JSON can say.
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
