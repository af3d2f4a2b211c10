package stats

import (
	"errors"
	"fmt"
	"math"
)

// Chances are those of a match of a fixed number of games, by points.
type Chances struct {
	Win  float64 `json:"win"` // A has more than half of the points
	Draw float64 `json:"draw"`
	Loss float64 `json:"loss"`
}

// MatchChances are those of A in a match of n independent games, each won with
// probability win and drawn with probability draw, draws at half a point: exact,
// summed over the number of draws. It fails for n < 1 and impossible
// probabilities.
func MatchChances(n int, win, draw float64) (Chances, error) {
	loss := 1 - win - draw
	if n < 1 {
		return Chances{}, fmt.Errorf("a match of %d games is none", n)
	}
	if !(win >= 0 && draw >= 0 && loss >= -1e-12) {
		return Chances{}, fmt.Errorf("a game is not won with probability %v and drawn with %v", win, draw)
	}
	draws := newBinomial(n, draw)
	share := 0.0
	if decisive := 1 - draw; decisive > 0 {
		share = min(1, win/decisive)
	}
	var c Chances
	for d := 0; d <= n; d++ {
		p := draws.prob(d)
		if p == 0 {
			continue
		}
		wins := newBinomial(n-d, share)
		more := p * wins.atLeast((n-d)/2+1)
		less := p * wins.atMost((n-d+1)/2-1)
		c.Win += more
		c.Loss += less
		c.Draw += p - more - less
	}
	c.Draw = max(0, c.Draw)
	return c, nil
}

// MatchForecast is what a record of games says about a match to come.
type MatchForecast struct {
	Chances           // at the rates of the record
	Interval Interval `json:"interval"` // of Win
}

// Forecast is A's chances in a match of n games at the rates of this record. The
// interval of Win is the image of the [ClopperPearson] interval of the win rate
// of decisive games, at the draw rate of the record, which it takes as known. It
// fails without a decisive game, for n < 1 and a level outside (0, 1).
func (w WDL) Forecast(n int, level float64) (MatchForecast, error) {
	if err := w.check(); err != nil {
		return MatchForecast{}, err
	}
	k, decisive := w.Decisive()
	if decisive == 0 {
		return MatchForecast{}, errors.New("no decisive game")
	}
	i, err := ClopperPearson(k, decisive, level)
	if err != nil {
		return MatchForecast{}, err
	}
	draw := float64(w.Draws) / float64(w.Games())
	at := func(rate float64) Chances {
		c, failed := MatchChances(n, rate*(1-draw), draw)
		err = errors.Join(err, failed)
		return c
	}
	f := MatchForecast{Chances: at(float64(k) / float64(decisive))}
	i.Lo, i.Hi = at(i.Lo).Win, at(i.Hi).Win
	f.Interval = i
	return f, err
}

// Coverage is how often the interval of this method for n games, each won with
// probability p, holds p: by summing over all numbers of wins. A number of wins
// for which the method has no interval counts as a miss. It fails for n < 1, a p
// outside [0, 1], a level outside (0, 1) and an unknown method.
func (m IntervalMethod) Coverage(n int, p, level float64) (float64, error) {
	if n < 1 || !(p >= 0 && p <= 1) {
		return 0, fmt.Errorf("%d games won with probability %v are impossible", n, p)
	}
	if _, err := m.Interval(1, 10, level); err != nil {
		return 0, err
	}
	b, covered := newBinomial(n, p), 0.0
	for k := 0; k <= n; k++ {
		q := b.prob(k)
		if q < 1e-18 {
			continue
		}
		if i, err := m.Interval(k, n, level); err == nil && i.Lo-coverageSlack <= p && p <= i.Hi+coverageSlack {
			covered += q
		}
	}
	return math.Min(1, covered), nil
}

// coverageSlack forgives an end its rounding error.
const coverageSlack = 1e-12
