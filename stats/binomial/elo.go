package binomial

import (
	"errors"
	"fmt"
	"math"
)

// EloPerNat is the number of Elo points for each natural unit of log strength: 400/ln 10. One natural unit is
// a factor of e in strength.
const EloPerNat = 400 / math.Ln10

// Elo returns the rating difference in Elo at which A's expected score is p: 400 log10(p/(1-p)). It returns
// -Inf for p <= 0 and +Inf for p >= 1, because a player who never scored has no finite rating.
func Elo(p float64) float64 {
	switch {
	case p <= 0:
		return math.Inf(-1)
	case p >= 1:
		return math.Inf(1)
	}
	return 400 * math.Log10(p/(1-p))
}

// Expected returns the expected score at an Elo difference. It is the inverse of [Elo].
func Expected(elo float64) float64 { return 1 / (1 + math.Pow(10, -elo/400)) }

// EloInterval converts an interval of scores to Elo. [Elo] is monotone, so the level and the method stay the
// same. The ends of the result may be infinite.
func EloInterval(i Interval) Interval {
	i.Lo, i.Hi = Elo(i.Lo), Elo(i.Hi)
	return i
}

// EloError returns the standard error of the Elo difference [Elo](q), calculated to first order from s. s is
// the standard error of the score q. The result is accurate only if s is small compared with q and 1-q;
// [EloInterval] does not have this limitation. EloError returns an error for q outside (0, 1) and for a
// negative s.
func EloError(q, s float64) (float64, error) {
	if err := CheckOpen("score", q); err != nil {
		return 0, err
	}
	if !(s >= 0) {
		return 0, errors.New("a standard error is not negative")
	}
	return EloPerNat * s / (q * (1 - q)), nil
}

// CheckFinite returns an error if a difference in Elo is infinite or NaN.
func CheckFinite(elo float64) error {
	if math.IsNaN(elo) || math.IsInf(elo, 0) {
		return fmt.Errorf("a true difference of %v Elo is none", elo)
	}
	return nil
}
