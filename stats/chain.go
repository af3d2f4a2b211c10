package stats

import (
	"fmt"
	"math"
	"strings"

	"gogi/stats/binomial"
)

// EloCovariance returns the Elo of several series against one opponent, and the covariance of these
// estimates. Fitting a line through a chain of versions needs this covariance. The covariance is calculated
// from the mean scores of the openings that two series share, to first order in Elo. The matrix is positive
// semidefinite, and singular if one series repeats another. EloCovariance returns an error for a series with
// fewer than two openings or without a finite Elo.
func EloCovariance(runs []*Series) (elo []float64, covariance [][]float64, err error) {
	all := make([][]shift, len(runs))
	for i, s := range runs {
		shifts, mean, err := s.shifts()
		if err != nil {
			return nil, nil, fmt.Errorf("series %d: %w", i+1, err)
		}
		all[i], elo = shifts, append(elo, binomial.Elo(mean))
		covariance = append(covariance, make([]float64, len(runs)))
	}
	for i, a := range all {
		for j, b := range all[:i+1] {
			v := product(a, b, i == j)
			covariance[i][j], covariance[j][i] = v, v
		}
	}
	return elo, covariance, nil
}

// A shift is the effect of one opening on the Elo of the mean score. The sum of the squared shifts is the variance.
type shift struct {
	key   string
	value float64
}

func (s *Series) shifts() (shifts []shift, mean float64, err error) {
	n := float64(s.Openings())
	if n < 2 {
		return nil, 0, ErrOneOpening
	}
	for _, v := range s.all() {
		mean += v / n
	}
	if !(mean > 1e-12 && mean < 1-1e-12) {
		return nil, 0, ErrOneSided
	}
	slope, err := binomial.EloError(mean, 1)
	for _, o := range s.order {
		shifts = append(shifts, shift{o.key, slope * (o.share(s.legs) - mean) / math.Sqrt(n*(n-1))})
	}
	return shifts, mean, err
}

// product returns the sum, over the openings that both series have, of the product of their shifts. An
// opening without a name is shared with no other series.
func product(a, b []shift, same bool) float64 {
	other := map[string]float64{}
	for _, s := range b {
		other[s.key] = s.value
	}
	sum := 0.0
	for _, s := range a {
		if same || !strings.HasPrefix(s.key, unnamed) {
			sum += s.value * other[s.key]
		}
	}
	return sum
}
