package plackettluce

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gogi/stats"
	"gogi/stats/binomial"
	"gogi/stats/rating/newton"
)

// LeastGames is the smallest number of games for an interval of shares. Resampling fewer games would give too
// few different shares.
const LeastGames = 5

// A Comparison compares the shares of two players.
type Comparison struct {
	A, B       string
	Games      int     // number of games in which both players took part
	Difference float64 // A's share of all points minus B's share
	// Interval is the interval of Difference by resampled games. Its ends are NaN with fewer than LeastGames games.
	Interval binomial.Interval
	// Test tests the null hypothesis that the two players are interchangeable. Under this hypothesis the
	// difference of their points in a game has either sign with the same probability, so the signs of the
	// games are fair coins. The method is "game_sign_flip", which is exact. It is "game_sign_flip_normal" if
	// an exact sum would take too long.
	Test binomial.Test
}

// Compare compares the shares of two players. It returns the errors of [Shares]. It also returns an error for
// a player against itself, and if the two players never met.
func Compare(games [][]Placing, a, b string, samples int, level float64, seed uint64) (Comparison, error) {
	c := Comparison{A: a, B: b, Interval: binomial.Interval{Method: "bootstrap_percentile", Level: level, Lo: math.NaN(), Hi: math.NaN()}}
	if err := binomial.CheckOpen("confidence level", level); err != nil {
		return c, err
	}
	if err := newton.CheckSamples(samples); err != nil {
		return c, err
	}
	if _, _, err := pointsOf(games); err != nil {
		return c, err
	}
	if a == b {
		return c, errors.New("a player does not differ from itself")
	}
	gains, totals, met := make([]float64, len(games)), make([]float64, len(games)), []float64{}
	for n, game := range games {
		of := map[string]float64{}
		for _, p := range game {
			of[p.Player] = p.Points
			totals[n] += p.Points
		}
		gains[n] = of[a] - of[b]
		_, first := of[a]
		_, second := of[b]
		if first && second {
			met = append(met, gains[n])
		}
	}
	if c.Games = len(met); c.Games == 0 {
		return c, fmt.Errorf("%s and %s took part in no game together", a, b)
	}
	difference := func(pick func(n int) int) float64 {
		gain, total := 0.0, 0.0
		for n := range games {
			gain += gains[pick(n)]
			total += totals[pick(n)]
		}
		return gain / total
	}
	c.Difference = difference(func(n int) int { return n })
	if len(games) >= LeastGames {
		random, draws := rand.New(rand.NewPCG(seed, 0x636f6d70)), make([]float64, samples)
		for i := range draws {
			drawn := make([]int, len(games))
			for n := range drawn {
				drawn[n] = random.IntN(len(games))
			}
			draws[i] = difference(func(n int) int { return drawn[n] })
		}
		c.Interval = newton.Percentiles(draws, level)
	}
	c.Test = flip(met)
	return c, nil
}

// flip returns the two-sided sign-flip test of differences. The p value is the share of all sign patterns
// whose sum is at least as far from 0 as the observed sum. The test counts the points in whole 1/10,000, so the p value is exact
// if the differences have at most four decimals.
func flip(differences []float64) binomial.Test {
	const method, decimals, most = "game_sign_flip", 10_000, 1 << 28
	if slices.ContainsFunc(differences, func(d float64) bool {
		return math.Abs(math.Round(d*decimals)-d*decimals) > 1e-6 || math.Abs(d*decimals) > most
	}) {
		t := stats.ScoreFlip(differences)
		t.Method, t.N = method+"_normal", len(differences)
		return t
	}
	return stats.FlipSigns(method, differences, decimals)
}
