package binomial

import (
	"errors"
	"fmt"
	"math"
)

// EloPerNat is the Elo points of a natural unit of log strength, 400/ln 10.
const EloPerNat = 400 / math.Ln10

// Elo is the rating difference, in Elo points from A's side, at which the
// expected score is p: 400 log10(p/(1-p)). It is -Inf for p <= 0 and +Inf for
// p >= 1: a side that never scored has no finite rating, and cutting one off
// would invent it.
func Elo(p float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(p/(1-p))
}

// Expected is the score that an Elo difference promises, the inverse of [Elo].
func Expected(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// EloInterval is the image of a score interval in Elo points. As [Elo] is
// monotone the image has the level of the original, whose method it keeps. Its
// ends may be infinite.
func EloInterval(i Interval) Interval {
	i.Lo, i.Hi = Elo(i.Lo), Elo(i.Hi)
	return i
}

// EloError is the standard error of [Elo](q) to first order, where q has the
// standard error s. It is only good while s is small against q and 1-q;
// [EloInterval] is always exact. It fails for q outside (0, 1) and a negative s.
func EloError(q, s float64) (float64, error) {
	if err := CheckOpen("score", q); err != nil {
		return 0, err
	}
	if !(s >= 0) {
		return 0, errors.New("a standard error is not negative")
	}
	return EloPerNat * s / (q * (1 - q)), nil
}

// CheckFinite demands a true difference in Elo that is a number and finite.
func CheckFinite(elo float64) error {
	if math.IsNaN(elo) || math.IsInf(elo, 0) {
		return fmt.Errorf("a true difference of %v Elo is none", elo)
	}
	return nil
}
