package trust

import (
	"gogi/match"
	"math"
)

// Decide says which of two playings that differ is refuted by a third, of a third owner:
// the one that agrees with neither of the others. first and second are both false where
// all three differ: the players are not deterministic, and nobody is proved wrong.
func Decide(a, b, third *match.PairResult) (first, second bool) {
	switch {
	case Compare(b, third) == nil:
		return true, false
	case Compare(a, third) == nil:
		return false, true
	}
	return false, false
}

// Next is the level after the audits: an untrusted worker that agreed often enough and
// was never refuted is verified; one that was refuted is untrusted, but for the farm's
// own, whose owner decides.
func (s Standing) Next() Level {
	switch {
	case s.Level == Owner:
		return Owner
	case s.Refuted > 0:
		return Untrusted
	case s.Agreed >= AgreeToVerify:
		return Verified
	}
	return s.Level
}

// Undetected is the probability that a worker is not caught of which a share of the
// pairs is invented, after n of them were played and each was audited with probability
// audit: (1 - forged·audit)ⁿ.
func Undetected(forged, audit float64, n int) float64 {
	return math.Pow(1-forged*audit, float64(n))
}
