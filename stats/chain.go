package stats

import (
	"errors"
	"math"
	"strings"

	"gogi/stats/binomial"
)

// eloGain returns the first series' Elo minus the second series' Elo, both against one opponent, and the
// variance of this difference. The variance includes the correlation of the openings that the two series share.
// It is calculated from the mean scores of the openings, to first order in Elo. eloGain returns an error for a
// series with fewer than two openings or without a finite Elo.
func eloGain(first, second *Series) (gain, variance float64, err error) {
	a, meanA, err := first.shifts()
	b, meanB, err2 := second.shifts()
	if err := errors.Join(err, err2); err != nil {
		return 0, 0, err
	}
	variance = product(a, a, true) + product(b, b, true) - 2*product(a, b, false)
	return binomial.Elo(meanA) - binomial.Elo(meanB), variance, nil
}

// A shift is the effect of one opening on the Elo of the mean score. The sum of the squared shifts is the variance of
// this Elo.
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

// product returns the sum of a's shift times b's shift, over the openings that both series have. same means that a
// and b are from the same series. If they are not, product ignores openings without a name, because the series cannot
// share such an opening.
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
