package binomial

import (
	"errors"
	"fmt"
)

// DrawRule says what became of the draws in a number of wins.
type DrawRule string

// The draw conventions.
const (
	DrawsDropped DrawRule = "dropped"      // only decisive games count: the one that exact methods hold for
	DrawsHalf    DrawRule = "half"         // half a point each: a score, no number of wins
	DrawsFloored DrawRule = "floored_half" // half of them, rounded down, are wins: the other one of the LFICS calculator
)

// Counted is the wins of a series under a draw convention, which all its results name.
type Counted struct {
	Draws  DrawRule `json:"draws"`
	Points float64  `json:"points"` // wins, with what the draws gave
	N      int      `json:"n"`      // games that count
}

// Score is the points per game that counts, in [0, 1].
func (c Counted) Score() float64 { return c.Points / float64(c.N) }

// Interval is an interval for the win rate by the method named. Half points are
// no binomial successes, so it fails for [DrawsHalf]; for [DrawsFloored] it
// fails for all methods but LFICS, whose calculator offers it, as no other is
// derived for it.
func (c Counted) Interval(m IntervalMethod, level float64) (Interval, error) {
	switch {
	case c.Draws == DrawsHalf:
		return Interval{}, errHalfPoints()
	case c.Draws == DrawsFloored && m != MethodLFICS:
		return Interval{}, fmt.Errorf("%s does not hold where draws were made wins", m)
	}
	i, err := m.Interval(int(c.Points), c.N, level)
	if err == nil {
		i.Draws = c.Draws
	}
	return i, err
}

// Test is the exact test against even chances. It fails unless draws were
// dropped: half points in a binomial test make its p value wrong.
func (c Counted) Test(alt Alternative) (Test, error) {
	if c.Draws != DrawsDropped {
		return Test{}, errHalfPoints()
	}
	test, err := Exact(int(c.Points), c.N, 0.5, alt)
	if err == nil {
		test.Draws = c.Draws
	}
	return test, err
}

func errHalfPoints() error {
	return errors.New("half points are no wins: binomial methods need decisive games only")
}
