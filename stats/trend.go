package stats

// TrendPoint is wins K of N decisive games at one dose of something, such as the step
// of a series of sizes.
type TrendPoint struct {
	K, N int
	Size float64 // of the dose
}
