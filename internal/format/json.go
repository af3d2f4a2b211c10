package format

import (
	"encoding/json"
	"io"
	"math"
)

// JSON writes v to w as indented JSON.
func JSON(w io.Writer, v any) error {
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// Finite returns a pointer to v, or nil if JSON cannot represent v (NaN and infinities).
func Finite(v float64) *float64 {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return nil
	}
	return &v
}
