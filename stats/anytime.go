package stats

import (
	"errors"
	"math"
	"slices"
	"sync"

	"gogi/internal/lists"
	"gogi/stats/binomial"
)

// A Scores counts independent scores in [0, 1], such as A's points in each pair. All scores have the same
// expected value, the mean. The methods make statements about this mean that are valid at any time, also
// while games are played. The order of the scores does not matter. The zero value has no scores.
type Scores struct {
	Unit string // decisive_game, game, pair or opening
	all  means
}

// DecisiveScores returns A's scores in the decisive games: 1 for a win and 0 for a loss.
func (w WDL) DecisiveScores() Scores {
	return scoresOf("decisive_game", []float64{0, 1}, []int{w.Losses, w.Wins})
}

// GameScores returns A's points in each game, with half a point for a draw. The scores are independent only
// if each game has its own opening. If colours are swapped, use [Tally.PairScores].
func (w WDL) GameScores() Scores {
	return scoresOf(unitGame, []float64{0, 0.5, 1}, []int{w.Losses, w.Draws, w.Wins})
}

// PairScores returns A's points per game in each pair, with half a point for a draw.
func (p Pentanomial) PairScores() Scores {
	return scoresOf(unitPair, []float64{0, 0.25, 0.5, 0.75, 1}, []int{p.LL, p.LD, p.WL + p.DD, p.WD, p.WW})
}

// PairScores returns A's points per game in each pair. A draw gives the points that the rules of the games
// gave for it. PairScores returns an error if not all games are in colour-swapped pairs.
func (t Tally) PairScores() (Scores, error) {
	if t.Singles > 0 {
		return Scores{}, errors.New("not all games are in colour-swapped pairs")
	}
	return Scores{unitPair, t.paired.means(2 * milli)}, nil
}

func scoresOf(unit string, values []float64, numbers []int) Scores {
	s := Scores{Unit: unit}
	for i, n := range numbers {
		if n != 0 {
			s.all = append(s.all, meanCount{values[i], n})
		}
	}
	return s
}

// N returns the number of scores.
func (s Scores) N() int { return s.all.units() }

// Mean returns the mean score, or 0 without scores.
func (s Scores) Mean() float64 {
	if s.N() == 0 {
		return 0
	}
	sum := lists.Sum(s.all, func(c meanCount) float64 { return c.value * float64(c.count) })
	return sum / float64(s.N())
}

// Plus returns the scores of s and o together. The result has the Unit of s, or that of o if s has none.
func (s Scores) Plus(o Scores) Scores {
	all := slices.Clone(s.all)
	for _, c := range o.all {
		all.take(c.value, c.count)
	}
	if s.Unit == "" {
		s.Unit = o.Unit
	}
	return Scores{s.Unit, all}
}

// Mirror returns the opponent's scores, which are 1 minus each score.
func (s Scores) Mirror() Scores { return Scores{s.Unit, s.all.mirror()} }

// Scatter returns the sum of the squared differences between the scores and their mean, or 0 without scores.
func (s Scores) Scatter() float64 {
	sum, mean := 0.0, s.Mean()
	for _, c := range s.all {
		sum += float64(c.count) * (c.value - mean) * (c.value - mean)
	}
	return sum
}

// LogWealth returns the logarithm of the wealth of a gambler after all scores. The gambler starts with the
// wealth 1 and bets on each score that the mean is above m. Each bet is the given share of the current
// wealth. The result is the logarithm of an e-value if the share was fixed before the games.
func (s Scores) LogWealth(share, m float64) float64 {
	growth, _ := s.all.logGrowth(share, m)
	return growth
}

// betting is the method name in the results of [Scores.AnytimeInterval] and [Scores.EValue].
const betting = "betting"

// AnytimeInterval returns a confidence interval for the mean score that is valid after every number of scores. With a
// probability of at least level, all intervals of a growing list of scores contain the mean (a confidence sequence).
// A user may therefore read the interval while the games run, and may stop for any reason.
//
// The interval is a betting confidence sequence (Waudby-Smith and Ramdas 2024, "Estimating means of bounded random
// variables by betting"). It contains each mean m whose e-value ([Scores.EValue]) is below 1/(1-level). The less the
// scores vary, the narrower it is. Its method is named betting. AnytimeInterval returns an error without scores, and
// for a level outside (0, 1).
func (s Scores) AnytimeInterval(level float64) (binomial.Interval, error) {
	if err := s.check(); err != nil {
		return binomial.Interval{}, err
	}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return binomial.Interval{}, err
	}
	limit := math.Ln2 - math.Log1p(-level) // half of the capital bets on each side
	return binomial.Interval{Method: betting, Level: level, Lo: s.all.refuted(limit),
		Hi: 1 - s.all.mirror().refuted(limit)}, nil
}

// Interval returns Gaffke's interval for the mean score ([Series.Interval]). Unlike AnytimeInterval, it is
// valid only if the number of scores was fixed before the first game. For decisive games it is the interval
// of Clopper and Pearson. Interval returns the same errors as AnytimeInterval.
func (s Scores) Interval(level float64) (binomial.Interval, error) {
	if err := s.check(); err != nil {
		return binomial.Interval{}, err
	}
	return s.all.interval(s.Unit+gaffke, level)
}

// An Evidence is an e-value with its p value: the evidence of the scores against a hypothetical mean. It is
// valid at any time, also while games are played.
type Evidence struct {
	Method string  // always betting
	Unit   string  // unit of the scores
	N      int     // number of scores
	LogE   float64 // natural logarithm of the e-value
	P      float64 // min(1, 1/e), valid at any time
}

// EValue returns the evidence against the hypothesis that the mean score is m. A gambler bets half of a
// capital of 1 that the mean is above m, and the other half that it is below. The e-value is the larger
// wealth of the two halves. If the mean is m, the probability that the e-value ever reaches x is at most 1/x
// (Ville's inequality). EValue returns an error without scores, and for m outside (0, 1).
func (s Scores) EValue(m float64) (Evidence, error) {
	if err := s.check(); err != nil {
		return Evidence{}, err
	}
	if err := binomial.CheckOpen("null probability", m); err != nil {
		return Evidence{}, err
	}
	above, _ := s.all.logWealth(m)
	below, _ := s.all.mirror().logWealth(1 - m)
	e := max(above, below) - math.Ln2
	return Evidence{betting, s.Unit, s.N(), e, min(1, math.Exp(-e))}, nil
}

// A stake is a part of the gambler's capital with its own strategy: it bets the same share of its wealth on every
// score. weight is the part of the capital that bets this share.
type stake struct{ share, weight float64 }

// stakes returns the stakes of the gambler in [Scores.EValue]. No single share is good for every mean, variance and
// number of scores, so the gambler divides the capital among many shares. The shares go from 1 down to 1/10,000, and
// each is four fifths of the one before. A share b is good for about 1/b² scores of a large variance. The weight of a
// share is its square root, because most series are short.
var stakes = sync.OnceValue(func() []stake {
	var all []stake
	sum := 0.0
	for share := 1.0; share > 1e-4; share *= 0.8 {
		all = append(all, stake{share, math.Sqrt(share)})
		sum += math.Sqrt(share)
	}
	for i := range all {
		all[i].weight /= sum
	}
	return all
})

// logWealth returns the logarithm of the gambler's wealth after all scores of a, and the derivative of this logarithm
// by log m. The gambler starts with 1 and bets that the mean is above m. If a gambler bets the share b of the wealth on
// a score x, the bet pays b x/m, so the wealth is multiplied by 1 - b + b x/m. The mean of this factor is 1 if the mean
// of x is m.
//
// As a function of log m, the logarithm of the wealth is convex and falls. It is at most 0 if m is at least the mean of
// the scores.
func (a means) logWealth(m float64) (wealth, slope float64) {
	logs, slopes := make([]float64, len(stakes())), make([]float64, len(stakes()))
	largest := math.Inf(-1)
	for i, s := range stakes() {
		logs[i], slopes[i] = a.logGrowth(s.share, m)
		logs[i] += math.Log(s.weight)
		largest = max(largest, logs[i])
	}
	if math.IsInf(largest, 0) {
		return largest, 0
	}
	sum := 0.0
	for i, l := range logs {
		part := math.Exp(l - largest)
		sum += part
		slope += part * slopes[i]
	}
	return largest + math.Log(sum), slope / sum
}

// logGrowth returns the logarithm of the wealth after all scores if the gambler always bets this share, and the
// derivative of this logarithm by log m.
func (a means) logGrowth(share, m float64) (growth, slope float64) {
	for _, c := range a {
		bought := share * c.value / m
		factor := 1 - share + bought
		if factor == 0 { // the gambler bet the whole wealth, and the score was 0
			return math.Inf(-1), 0
		}
		growth += float64(c.count) * math.Log(factor)
		slope -= float64(c.count) * bought / factor
	}
	return growth, slope
}

// refuted returns the largest mean m at which the logarithm of the wealth (logWealth) is above limit. It uses Newton's
// method in log m. The logarithm of the wealth is convex, so steps from below the solution cannot pass it.
func (a means) refuted(limit float64) float64 {
	mean := Scores{all: a}.Mean()
	if mean == 0 {
		return 0
	}
	at := math.Log(mean)
	for range 200 {
		wealth, slope := a.logWealth(math.Exp(at))
		step := max((limit-wealth)/slope, -1) // a flat start would lead too far away
		at += step
		if math.Abs(step) <= 1e-13*max(1, math.Abs(at)) {
			break
		}
	}
	return min(math.Exp(at), mean)
}

func (s Scores) check() error {
	n := 0
	for _, c := range s.all {
		if c.count < 0 {
			return errors.New("a number of games is negative")
		}
		n += c.count
	}
	if n == 0 {
		return errors.New("no games to judge by")
	}
	return nil
}
