package newton

import (
	"fmt"
	"slices"

	"gogi/stats/binomial"
)

// MaxSamples is the maximum number of bootstrap samples. With this number, 50 samples are beyond each end of
// a 99.9% interval.
const MaxSamples = 100_000

// CheckSamples returns an error unless samples is from 2 to MaxSamples.
func CheckSamples(samples int) error {
	if samples < 2 {
		return fmt.Errorf("%d bootstrap samples have no percentiles", samples)
	}
	if samples > MaxSamples {
		return fmt.Errorf("%d bootstrap samples are too many: expected at most %d", samples, MaxSamples)
	}
	return nil
}

// Percentiles returns the central interval that contains the share level of a sample. The sample must have at
// least two values. Percentiles interpolates between sorted values as R's type 7 does. It sorts the sample in
// place.
func Percentiles(sample []float64, level float64) binomial.Interval {
	slices.Sort(sample)
	at := func(q float64) float64 {
		h := q * float64(len(sample)-1)
		k := min(int(h), len(sample)-1)
		next := min(k+1, len(sample)-1)
		return sample[k] + (h-float64(k))*(sample[next]-sample[k])
	}
	return binomial.Interval{Method: "bootstrap_percentile", Level: level, Lo: at((1 - level) / 2),
		Hi: at((1 + level) / 2)}
}
