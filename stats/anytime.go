package stats

import (
	"errors"
	"fmt"
	"math"

	"gogi/stats/counts"
)

// Scores is a total of independent scores, each in [0, 1] and of the same mean:
// what an anytime-valid statement is made of.
type Scores struct {
	Unit string  `json:"unit"` // decisive_game, game, pair
	Sum  float64 `json:"sum"`
	N    int     `json:"n"`
}

// DecisiveScores are A's wins of the games that were not drawn.
func (w WDL) DecisiveScores() Scores {
	k, n := w.Decisive()
	return Scores{"decisive_game", float64(k), n}
}

// GameScores are A's points of all games, half a point for a draw. They are
// independent only where each game has an opening of its own; where colours are
// swapped, [Tally.PairScores] are.
func (w WDL) GameScores() Scores {
	return Scores{unitGame, float64(w.Wins) + float64(w.Draws)/2, w.Games()}
}

// PairScores are A's points of the colour-swapped pairs, halved so that each is
// in [0, 1]; draws are worth what the rules said. It fails for a series of games
// without swapped colours, in whole or in part.
func (t Tally) PairScores() (Scores, error) {
	if t.Singles > 0 {
		return Scores{}, errors.New("not all games are in colour-swapped pairs")
	}
	return Scores{unitPair, t.Points() / 2, t.Pairs()}, nil
}

// AnytimeInterval is the confidence sequence for the mean score: it holds at
// every length at once, so it may be read while the games run, after every game,
// and by who stops when it pleases. It is the set of p that the mixture
// martingale of [Scores.EValue] has not refuted, {p: e < 1/(1-level)}, and wider
// than an interval for one fixed length. It fails for n = 0, a sum outside
// [0, n], and a level outside (0, 1). Method: beta_mixture. (Price: 527 wins of
// 1000 give [.469, .584], Clopper–Pearson [.496, .558].)
func (s Scores) AnytimeInterval(level float64) (counts.Interval, error) {
	if err := s.check(); err != nil {
		return counts.Interval{}, err
	}
	if err := counts.CheckOpen("confidence level", level); err != nil {
		return counts.Interval{}, err
	}
	limit := -math.Log1p(-level)
	rest := Scores{s.Unit, float64(s.N) - s.Sum, s.N}
	return counts.Interval{Method: "beta_mixture", Level: level, Lo: s.anytimeLower(limit), Hi: 1 - rest.anytimeLower(limit)}, nil
}

// anytimeLower is the smallest p whose log e-value is below the limit.
func (s Scores) anytimeLower(limit float64) float64 {
	if s.Sum == 0 {
		return 0
	}
	return counts.Root(0, s.Sum/float64(s.N), func(p float64) float64 { return limit - s.logE(p) })
}

// Evidence is what the games say against a hypothesis, at any time.
type Evidence struct {
	Method string  `json:"method"` // beta_mixture
	Unit   string  `json:"unit"`
	N      int     `json:"n"`
	LogE   float64 `json:"ln_e"` // natural logarithm of the e-value
	P      float64 `json:"p"`    // min(1, 1/e), valid whenever it is read
}

// EValue is the evidence against the mean score p0: the wealth of a gambler who
// began with 1 and bet, by a Beta(½, ½) mixture (the Krichevsky–Trofimov
// estimator), that the mean is another. Were it p0, the chance that the wealth
// ever reaches x would be at most 1/x (Ville). For scores between 0 and 1 the
// bound holds as the bet's payoff is convex in the score. It fails for n = 0, a
// sum outside [0, n], and p0 outside (0, 1).
func (s Scores) EValue(p0 float64) (Evidence, error) {
	if err := s.check(); err != nil {
		return Evidence{}, err
	}
	if err := counts.CheckOpen("null probability", p0); err != nil {
		return Evidence{}, err
	}
	e := s.logE(p0)
	return Evidence{"beta_mixture", s.Unit, s.N, e, min(1, math.Exp(-e))}, nil
}

// logE is log B(k+½, n-k+½)/B(½, ½) p^-k (1-p)^-(n-k).
func (s Scores) logE(p float64) float64 {
	k, n := s.Sum, float64(s.N)
	a, _ := math.Lgamma(k + 0.5)
	b, _ := math.Lgamma(n - k + 0.5)
	c, _ := math.Lgamma(n + 1)
	e := a + b - c - math.Log(math.Pi)
	if k > 0 {
		e -= k * math.Log(p)
	}
	if n > k {
		e -= (n - k) * math.Log1p(-p)
	}
	return e
}

func (s Scores) check() error {
	switch {
	case s.N == 0:
		return errors.New("no games to judge by")
	case s.N < 0 || !(s.Sum >= 0 && s.Sum <= float64(s.N)):
		return fmt.Errorf("%v points of %d is impossible", s.Sum, s.N)
	}
	return nil
}
