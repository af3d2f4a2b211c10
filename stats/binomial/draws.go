package binomial

import (
	"errors"
	"fmt"
)

// A DrawRule states how drawn games were counted: left out, as half a win, or partly as wins.
type DrawRule string

// The draw rules.
const (
	DrawsDropped DrawRule = "dropped"      // only decisive games count, as exact methods require
	DrawsHalf    DrawRule = "half"         // a draw counts half a point, so the result is a score and not a number of wins
	DrawsFloored DrawRule = "floored_half" // half of the draws, rounded down, count as wins, as another option of LFICS
)

// A Counted is a result of games after draws were counted under a draw rule: points, and the number of games
// that count.
type Counted struct {
	Draws  DrawRule `json:"draws"`
	Points float64  `json:"points"` // wins, plus the points of draws
	N      int      `json:"n"`      // number of games that count
}

// Score returns the points per counted game, in [0, 1].
func (c Counted) Score() float64 { return c.Points / float64(c.N) }

// Interval returns an interval for the win rate by the method m. It returns an error for [DrawsHalf], because
// half points are not binomial successes. For [DrawsFloored] it accepts only [MethodLFICS], because no other
// method is derived for this rule.
func (c Counted) Interval(m IntervalMethod, level float64) (Interval, error) {
	switch {
	case c.Draws == DrawsHalf:
		return Interval{}, errors.New("half points are no wins: binomial methods need decisive games only")
	case c.Draws == DrawsFloored && m != MethodLFICS:
		return Interval{}, fmt.Errorf("%s does not hold where draws were made wins", m)
	}
	i, err := m.Interval(int(c.Points), c.N, level)
	if err == nil {
		i.Draws = c.Draws
	}
	return i, err
}
