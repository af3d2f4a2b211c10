package binomial

import (
	"errors"
	"fmt"
)

// An IntervalMethod is the name of a method to calculate a confidence interval for a win rate.
type IntervalMethod string

// The interval methods, the exact methods first.
const (
	// MethodClopperPearson is exact: its coverage is at least the level for every true rate (Clopper and
	// Pearson 1934).
	MethodClopperPearson IntervalMethod = "clopper_pearson"
	// MethodBlaker is the exact interval of Blaker (2000, "Confidence curves and improved exact confidence
	// intervals for discrete distributions"). It lies inside the interval of MethodClopperPearson and is a
	// few percent narrower.
	MethodBlaker IntervalMethod = "blaker"
	// MethodMidP is like MethodClopperPearson, but each tail has only half of the observed count's
	// probability. Its coverage is near the level on average, and may be below the level.
	MethodMidP IntervalMethod = "mid_p"
	// MethodWilson is the score interval of Wilson (1927). It is approximate. Its coverage is near the level
	// on average, and may be far below it for rates near 0 and 1.
	MethodWilson IntervalMethod = "wilson"
	// MethodWilsonContinuity is MethodWilson with continuity correction (Newcombe 1998, method 4). It is
	// approximate and mostly conservative. At k = 0 and k = n it ends at 0 and 1.
	MethodWilsonContinuity IntervalMethod = "wilson_continuity"
	// MethodJeffreys is the central interval of the posterior Beta(k+½, n-k+½). Its lower end is 0 for k = 0,
	// and its upper end is 1 for k = n. As a confidence interval it is approximate.
	MethodJeffreys IntervalMethod = "jeffreys"
	// MethodWald is the textbook interval k/n ± z standard errors, cut off at 0 and 1, for comparison. Its
	// coverage breaks down for small n and near 0 and 1. At k = 0 and k = n it is a single point.
	MethodWald IntervalMethod = "wald"
	// MethodLFICS is the method of the calculator of the Laboratory for Fundamental Information on Computer
	// Shogi. Use it to compare results with published ones. Its result is not a confidence interval, and its
	// coverage is not guaranteed. It is the smallest set of win rates that has at least the probability level
	// under Binomial(n, k/n), so it shows how much the result would fluctuate.
	MethodLFICS IntervalMethod = "lfics"
)

// IntervalMethods returns all methods, the exact methods first.
func IntervalMethods() []IntervalMethod {
	return []IntervalMethod{
		MethodClopperPearson, MethodBlaker, MethodMidP, MethodWilson,
		MethodWilsonContinuity, MethodJeffreys, MethodWald, MethodLFICS,
	}
}

// Exact reports whether the method's coverage is at least the level for every true rate.
func (m IntervalMethod) Exact() bool { return m == MethodClopperPearson || m == MethodBlaker }

// Interval returns the two-sided interval for the win probability after k wins of n games. It returns an
// error for impossible counts, n = 0, a level outside (0, 1), and an unknown method.
func (m IntervalMethod) Interval(k, n int, level float64) (Interval, error) {
	if err := checkSample(k, n, level); err != nil {
		return Interval{}, err
	}
	var lower func(k int) float64 // the upper end is 1 minus the lower end for the failures
	tail, z := (1-level)/2, ZWithin(level)
	switch m {
	case MethodClopperPearson:
		lower = func(k int) float64 { return lowerExact(k, n, tail) }
	case MethodBlaker:
		lower = func(k int) float64 { return blakerLower(k, n, 1-level) }
	case MethodMidP:
		lower = func(k int) float64 { return midPLower(k, n, tail) }
	case MethodWilson:
		lower = func(k int) float64 { return wilsonLower(k, n, z) }
	case MethodWilsonContinuity:
		lower = func(k int) float64 { return wilsonContinuityLower(k, n, z) }
	case MethodJeffreys:
		lower = func(k int) float64 { return jeffreysLower(k, n, tail) }
	case MethodWald:
		return wald(k, n, level), nil
	case MethodLFICS:
		return lfics(k, n, level)
	default:
		return Interval{}, fmt.Errorf("unknown interval method %q", string(m))
	}
	return NewInterval(string(m), level, lower(k), 1-lower(n-k)), nil
}

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
