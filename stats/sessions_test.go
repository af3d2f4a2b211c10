package stats_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/testutil"
	"gogi/stats"
)

// session plays n pairs at this Elo difference. A pair is two independent games without draws.
func session(random *rand.Rand, n int, elo float64) stats.Scores {
	p := 1 / (1 + math.Pow(10, -elo/400))
	count := func(n int, p float64) int {
		return int(distuv.Binomial{N: float64(n), P: p, Src: random}.Rand())
	}
	wins := count(n, p*p)
	losses := count(n-wins, (1-p)*(1-p)/(1-p*p))
	return stats.Pentanomial{WW: wins, LL: losses, WL: n - wins - losses}.PairScores()
}

// coverage simulates earlier sessions whose shifts have the standard deviation omega in Elo, and a present session with
// a quarter of their pairs. held is how often the 95% interval with a History of the earlier sessions contains the true
// difference. naive is the same if all scores are added. worth is the mean weight of the History.
func coverage(t *testing.T, omega float64, sessions, pairs, repetitions int) (held, naive, worth float64) {
	t.Helper()
	random := rand.New(rand.NewPCG(28, uint64(sessions)))
	for range repetitions {
		var b stats.Bridge
		var all stats.Scores
		for range sessions {
			s := session(random, pairs, 20+omega*random.NormFloat64())
			b, all = append(b, s), all.Plus(s)
		}
		truth := 20 + omega*random.NormFloat64()
		present := session(random, pairs/4, truth)
		all = all.Plus(present)
		w, err := stats.NewBetween([]stats.Bridge{b})
		testutil.OK(t, err)
		h := w.History(b)
		n, variance := float64(present.N()), present.Scatter()/float64(present.N())
		score := 1 / (1 + math.Pow(10, -truth/400))
		holds := func(mean, n float64) float64 {
			if math.Abs(mean-score) <= 1.96*math.Sqrt(variance/n) {
				return 1 / float64(repetitions)
			}
			return 0
		}
		held += holds((n*present.Mean()+h.Worth*h.Mean)/(n+h.Worth), n+h.Worth)
		naive += holds(all.Mean(), float64(all.N()))
		worth += h.Worth / float64(repetitions)
	}
	return held, naive, worth
}

// TestHistoryCoverage requires that the interval from the present pairs and a History contains the true difference in
// at least 95% of cases. If sessions differ, the interval of all added scores does not.
func TestHistoryCoverage(t *testing.T) {
	repetitions := testutil.ByLength(400, 20_000)
	se := math.Sqrt(.95 * .05 / float64(repetitions))
	for _, pairs := range []int{500, 5000, 40_000} {
		for _, omega := range []float64{0, 3, 6} {
			for _, sessions := range []int{3, 6, 12} {
				held, naive, worth := coverage(t, omega, sessions, pairs, repetitions)
				t.Logf("| %d | %v | %d | %.3f | %.3f | %.0f |", pairs, omega, sessions, held, naive, worth)
				testutil.Check(t, held >= .95-3*se, "ω %v, %d sessions of %d pairs: %v with history", omega, sessions, pairs, held)
				testutil.Check(t, worth > 0 && worth < float64(pairs*sessions), "the history weighs %v pairs", worth)
				if pairs >= 5000 && omega > 0 {
					testutil.Check(t, naive < .95-3*se, "ω %v, %d sessions of %d pairs: %v if all scores are added", omega, sessions,
						pairs, naive)
				}
			}
		}
	}
}

// TestBetween compares the estimate with a one-way analysis of variance. They are the same for sessions of equal size.
func TestBetween(t *testing.T) {
	of := func(wins ...int) (b stats.Bridge) {
		for _, n := range wins {
			b = append(b, stats.Pentanomial{WW: n, LL: 1000 - n}.PairScores())
		}
		return b
	}
	bridge := of(500, 560, 440)
	w, err := stats.NewBetween([]stats.Bridge{bridge})
	testutil.OK(t, err)
	within := (0.125 + 1000*(.5*.5+.56*.44+.44*.56)) / (1 + 3*999)
	slope := 0.25 * math.Ln10 / 400
	between := .06 * .06 // variance of the means with divisor 2
	testutil.Check(t, math.Abs(w.Elo-math.Sqrt(between-within/1000)/slope) < 1e-9 && math.Abs(w.Freedom-2) < 1e-9, "%+v",
		w)
	// The present session has its own shift, so the weight is less than that of one session without the noise of games.
	student := distuv.StudentsT{Sigma: 1, Nu: 2}.Quantile(.9975) / distuv.UnitNormal.Quantile(.9975)
	h := w.History(bridge)
	testutil.Check(t, math.Abs(h.Worth-within/(between*4/3)/student/student) < 1e-9 && h.N == 3000 &&
		math.Abs(h.Mean-.5) < 1e-9, "%+v", h)

	// Two bridges add their degrees of freedom; a small session adds almost none.
	w, err = stats.NewBetween([]stats.Bridge{bridge, of(500, 500)})
	testutil.Check(t, err == nil && math.Abs(w.Freedom-3) < .01, "%+v, %v", w, err)
	small := append(of(500, 560), stats.Pentanomial{WW: 5, LL: 5}.PairScores())
	w, err = stats.NewBetween([]stats.Bridge{small})
	testutil.Check(t, err == nil && w.Freedom < 1.1, "%+v, %v", w, err)
	// Equal sessions show no shifts, but a longer session can have them.
	w, err = stats.NewBetween([]stats.Bridge{of(500, 500, 500)})
	testutil.OK(t, err)
	testutil.Equal(t, w.Elo, 0)
	long := stats.Bridge{stats.Pentanomial{WW: 50_000, LL: 50_000}.PairScores()}
	testutil.Check(t, w.Shifts(long)[0] > 0 && w.History(long).Worth < 1000, "%v, %+v", w.Shifts(long), w.History(long))

	for _, few := range [][]stats.Bridge{nil, {of(500)}, {of(500, 600), of(400, 500)},
		{append(of(500, 600), stats.Scores{})}} {
		_, err = stats.NewBetween(few)
		testutil.Equal(t, err, stats.ErrFewSessions)
	}
}
