package format

import "math"

// Finite returns a pointer to v, or nil if JSON cannot represent v (NaN and infinities).
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
