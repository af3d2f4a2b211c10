package voting

import (
	"cmp"
	"math"
)

// Two sums are equal that differ by less than this, relative to the larger one or in itself: 0.1 + 0.2 is
// 0.3. Rounding is a thousandth of it for as many members and decisions as there can be.
const (
	relativeRounding = 1e-9
	absoluteRounding = 1e-12
)

// CompareSums is negative if a is the smaller sum, positive if b is, and 0 if they differ by rounding alone.
// All sums of weights, points and evaluations are compared by it.
func CompareSums(a, b float64) int {
	if math.IsInf(a, 0) || math.IsInf(b, 0) {
		return cmp.Compare(a, b)
	}
	if d := math.Abs(a - b); d <= absoluteRounding || d <= relativeRounding*max(math.Abs(a), math.Abs(b)) {
		return 0
	}
	return cmp.Compare(a, b)
}

// compareSums compares bit by bit under settings that are exact.
func compareSums(a, b float64, exact bool) int {
	if exact {
		return cmp.Compare(a, b)
	}
	return CompareSums(a, b)
}
