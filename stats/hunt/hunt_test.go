package hunt

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats"
	"gogi/stats/binomial"
)

func made(t *testing.T, c Config) *Hunt {
	t.Helper()
	h, err := New(c)
	testutil.OK(t, err)
	return h
}

func near(t *testing.T, got, want float64, what string) {
	t.Helper()
	testutil.Check(t, math.Abs(got-want) <= 1e-9*max(1, math.Abs(want)), "%s: %v, want %v", what, got, want)
}

// TestPosterior calculates the posterior of two pairings by the formula: the sum over the losses of the products of
// normal densities. With drift, the pairings share the drift of their common versions.
func TestPosterior(t *testing.T) {
	first := stats.Pentanomial{LL: 40, WL: 50, WW: 10}.PairScores()  // version 2 against 0
	second := stats.Pentanomial{LL: 15, WL: 20, WW: 15}.PairScores() // version 1 against 0
	for _, drift := range []float64{0, 3} {
		h := made(t, Config{Versions: 4, Confidence: .95, Drift: drift, Block: 16})
		h.Add(0, 2, first)
		h.Add(0, 1, second)
		// Three standard errors above 70 points of 200 games is 0.45565.
		one := 4 * 0.45564790641927216 * (1 - 0.45564790641927216)
		variance := (20*.125 + first.Scatter() + second.Scatter()) / (20 + 99*4*.35*.65 + 49)
		step := math.Pow(lost(drift), 2)
		a, b, c := variance*one/100+2*step, step, variance/50+step
		var sums [3]float64
		for k := range sums {
			for _, s := range h.lost {
				x, y := first.Mean()-.5, second.Mean()-.5
				if k < 2 {
					x += s
				}
				if k < 1 {
					y += s
				}
				sums[k] += math.Exp(-(c*x*x - 2*b*x*y + a*y*y) / (2 * (a*c - b*b)))
			}
		}
		got := h.Answer().Posterior
		near(t, got[0], 0, "the good version")
		for k, s := range sums {
			near(t, got[k+1], s/(sums[0]+sums[1]+sums[2]), fmt.Sprintf("drift %v, culprit %d", drift, k+1))
		}
	}
}

// TestNext: the first block is between the good and the bad version. With a known loss the blocks divide the posterior
// into halves, and in the end they are between the culprit and the version before it.
func TestNext(t *testing.T) {
	h := made(t, Config{Versions: 9, Confidence: .95, Block: 16})
	testutil.Equal(t, h.Next(), Query{0, 8, 16}, "first block")
	h.Add(0, 8, stats.Pentanomial{LL: 400, WL: 500, WW: 100}.PairScores())
	testutil.Equal(t, h.Next(), Query{0, 4, 1000 / blockShare}, "half of the versions")
	h.Add(0, 4, stats.Pentanomial{LL: 250, WL: 500, WW: 250}.PairScores())
	testutil.Equal(t, h.Next(), Query{0, 6, 2000 / blockShare}, "half of the rest, with a version that has played")
	h.Add(0, 6, stats.Pentanomial{LL: 400, WL: 500, WW: 100}.PairScores())
	h.Add(0, 5, stats.Pentanomial{LL: 250, WL: 500, WW: 250}.PairScores())
	testutil.Equal(t, h.Next(), Query{5, 6, 4000 / blockShare}, "the culprit")
}

// TestFreshPairs: pairs before the nomination are no evidence for a culprit, and a culprit needs evidence.
func TestFreshPairs(t *testing.T) {
	h := made(t, Config{Versions: 3, Confidence: .95, Block: 16})
	weak, even := stats.Pentanomial{LL: 200, WL: 250, WW: 50}.PairScores(),
		stats.Pentanomial{LL: 50, WL: 100, WW: 50}.PairScores()
	h.Add(0, 2, weak)
	h.Add(1, 2, weak)
	a := h.Answer()
	testutil.Check(t, a.Culprit == 2 && a.Posterior[2] > .95 && a.Verdict == Open, "without fresh pairs: %+v", a)
	near(t, a.EValue, 1, "e-value without fresh pairs")
	h.Add(1, 2, even)
	testutil.Check(t, h.Answer().EValue < 1 && h.Answer().Verdict == Open, "fresh pairs without a loss: %+v", h.Answer())
	h.Add(1, 2, weak)
	a = h.Answer()
	testutil.Check(t, a.Verdict == Found && a.EValue >= 20 && a.Lo < a.Elo && a.Elo < a.Hi, "with fresh pairs: %+v", a)
}

// TestKnown: known pairs change the posterior like played ones. They do not change the total loss, the test of the
// residuals and the e-value.
func TestKnown(t *testing.T) {
	c := Config{Versions: 4, Confidence: .95, Drift: 1, Block: 16}
	known, played := made(t, c), made(t, c)
	weak := stats.Pentanomial{LL: 200, WL: 250, WW: 50}.PairScores()
	even := stats.Pentanomial{LL: 50, WL: 100, WW: 50}.PairScores()
	for _, q := range []Query{{0, 3, 0}, {0, 1, 0}, {1, 2, 0}, {2, 3, 0}} {
		scores := even
		switch q.New {
		case 3:
			scores = weak
		case 2: // no loss explains all pairings exactly
			scores = stats.Pentanomial{LL: 48, WL: 100, WW: 52}.PairScores()
		}
		known.Know(q.Old, q.New, scores)
		played.Add(q.Old, q.New, scores)
	}
	a, b := known.Answer(), played.Answer()
	testutil.Slices(t, a.Posterior, b.Posterior)
	testutil.Check(t, b.ResidualP < 1 && b.Total > 0 && a.ResidualP == 1 && a.Total == 0 && a.Pairs == 0, "%+v", a)
	testutil.Check(t, a.Culprit == 3 && a.Posterior[3] > .95 && math.Abs(a.EValue-1) < 1e-9 && a.Verdict == Open, "%+v", a)
	testutil.Equal(t, known.Next(), Query{0, 3, 16}, "the first block")
	known.Add(0, 3, even)
	testutil.Equal(t, known.Answer().Total, 0, "total loss of the played pairs")
	testutil.Equal(t, known.Next(), Query{2, 3, 16}, "the block that tests the culprit")
	known.Add(2, 3, weak)
	testutil.Check(t, known.Answer().Verdict == Found, "%+v", known.Answer())
}

// TestSeveral: if no single culprit explains the pairings, the verdict is Several.
func TestSeveral(t *testing.T) {
	h := made(t, Config{Versions: 3, Confidence: .95, Drift: 1, Block: 16})
	h.Add(0, 2, stats.Pentanomial{LL: 800, WL: 1000, WW: 200}.PairScores())
	h.Add(0, 1, stats.Pentanomial{LL: 650, WL: 1000, WW: 350}.PairScores())
	h.Add(1, 2, stats.Pentanomial{LL: 650, WL: 1000, WW: 350}.PairScores())
	a := h.Answer()
	testutil.Check(t, a.Verdict == Several && a.ResidualP < 1e-4, "%+v", a)
}

// TestLargeLoss: a loss of hundreds of Elo is found as one change, too.
func TestLargeLoss(t *testing.T) {
	h := made(t, Config{Versions: 9, Confidence: .95, Drift: 1, Block: 16})
	w, _ := newWorld(1, 9, 0, 0)
	for i := 3; i < 9; i++ {
		w.strength[i] -= 250
	}
	for h.Answer().Verdict == Open && h.pairs < 5000 {
		q := h.Next()
		h.Add(q.Old, q.New, w.block(q))
	}
	a := h.Answer()
	testutil.Check(t, a.Verdict == Found && a.Culprit == 3 && a.Pairs < 500 && a.Hi > 200, "%+v", a)
}

// TestTotalLoss: a version that loses all games is found, whatever the block, and its loss has no upper end. JSON has
// no number for it. The other pairings are even. The capital of the e-value of thousands of pairs is larger than any
// number.
func TestTotalLoss(t *testing.T) {
	for _, block := range []int{16, 64, 200, 2000} {
		h := made(t, Config{Versions: 12, Confidence: .95, Drift: 1, Block: block})
		for h.Answer().Verdict == Open && h.pairs < 100*block {
			q := h.Next()
			scores := stats.Pentanomial{LL: q.Pairs / 4, WL: q.Pairs - 2*(q.Pairs/4), WW: q.Pairs / 4}
			if q.Old < 7 && q.New >= 7 {
				scores = stats.Pentanomial{LL: q.Pairs}
			}
			h.Add(q.Old, q.New, scores.PairScores())
		}
		a := h.Answer()
		testutil.Check(t, a.Verdict == Found && a.Culprit == 7 && a.Lo > 400 && math.IsInf(float64(a.Hi), 1), "block %d: %+v",
			block, a)
		testutil.Check(t, math.IsInf(float64(a.Total), 1) && a.TotalLo > 300 && math.IsInf(float64(a.TotalHi), 1),
			"block %d: %+v", block, a)
		text := string(testutil.Must(json.Marshal(a))(t))
		testutil.Check(t, strings.Contains(text, `"hi":null,"total":null`) &&
			strings.Contains(text, `"why":"a loss of all games`), "%s", text)
		testutil.Equal(t, fmt.Sprint(a.Total, -a.Total, Elo(-12.4)), "+∞ −∞ -12")
	}
}

// TestWilson compares the interval of the total loss with the interval of independent games: pairs of two such games
// have the variance 1/8.
func TestWilson(t *testing.T) {
	for _, wins := range []int{0, 1, 30, 100, 199, 200} {
		want := testutil.Must(binomial.MethodWilson.Interval(wins, 200, .95))(t)
		lo, hi := wilson(float64(wins)/200, 200, binomial.ZAbove(.025))
		near(t, lo, want.Lo, "lower end")
		near(t, hi, want.Hi, "upper end")
	}
}

// TestOneGain: a version that gained Elo is one change, so the pairings are no sign of several ones.
func TestOneGain(t *testing.T) {
	h := made(t, Config{Versions: 5, Confidence: .95, Block: 16})
	gain := stats.Pentanomial{LL: 200, WL: 1000, WW: 800}.PairScores()
	for _, q := range []Query{{0, 4, 0}, {0, 3, 0}, {1, 3, 0}, {2, 3, 0}} {
		h.Add(q.Old, q.New, gain)
	}
	a := h.Answer()
	testutil.Check(t, a.ResidualP > .99 && a.Verdict == NoLoss, "%+v", a)
}

// TestNoLoss: if the bad version is stronger, the verdict is NoLoss.
func TestNoLoss(t *testing.T) {
	h := made(t, Config{Versions: 5, Confidence: .95, Block: 16})
	h.Add(0, 4, stats.Pentanomial{LL: 100, WL: 500, WW: 400}.PairScores())
	a := h.Answer()
	testutil.Check(t, a.Verdict == NoLoss && a.TotalHi < 0 && a.TotalLo < a.Total, "%+v", a)
}

// TestDeterministic: the same results give the same decisions.
func TestDeterministic(t *testing.T) {
	decisions := func() (list []Query) {
		w, _ := newWorld(5, 17, 30, 1)
		h := made(t, Config{Versions: 17, Confidence: .95, Drift: 1, Block: 16})
		for h.Answer().Verdict == Open && len(list) < 500 {
			q := h.Next()
			list = append(list, q)
			h.Add(q.Old, q.New, w.block(q))
		}
		return list
	}
	first := decisions()
	testutil.Check(t, len(first) > 10 && slices.Equal(first, decisions()), "the decisions differ, or are too few: %v",
		first)
}

func TestImpossible(t *testing.T) {
	for _, c := range []Config{
		{Versions: 1, Confidence: .95, Block: 1}, {Versions: 2, Confidence: .5, Block: 1},
		{Versions: 2, Confidence: 1, Block: 1},
		{Versions: 2, Confidence: .95, Drift: -1, Block: 1},
		{Versions: 2, Confidence: .95, Drift: math.NaN(), Block: 1}, {Versions: 2, Confidence: .95},
	} {
		testutil.Fails(t, testutil.Err(New(c)), "", "%+v", c)
	}
	h := made(t, Config{Versions: 2, Confidence: .95, Block: 1})
	h.Add(0, 1, stats.Scores{})
	testutil.Equal(t, h.Answer().Pairs, 0)
	defer func() { testutil.Check(t, recover() != nil, "versions in the wrong order") }()
	h.Add(1, 0, stats.Pentanomial{LL: 1}.PairScores())
}

// TestRemember: pairs of earlier sessions change the posterior with their weight. Like known pairs, they do not change
// the total loss, the test of the residuals and the e-value.
func TestRemember(t *testing.T) {
	c := Config{Versions: 4, Confidence: .95, Drift: 1, Block: 16}
	past, known, light, alone := made(t, c), made(t, c), made(t, c), made(t, c)
	weak := stats.Pentanomial{LL: 200, WL: 250, WW: 50}.PairScores()
	for _, h := range []*Hunt{past, known, light, alone} {
		h.Add(0, 3, stats.Pentanomial{LL: 150, WL: 250, WW: 100}.PairScores())
	}
	past.Remember(2, 3, stats.History{Mean: weak.Mean(), N: 5000, Worth: 500})
	light.Remember(2, 3, stats.History{Mean: weak.Mean(), N: 5000, Worth: 5})
	known.Know(2, 3, weak)
	a, b, l, without := past.Answer(), known.Answer(), light.Answer(), alone.Answer()
	for k := range a.Posterior { // not equal, because known pairs also change the variance
		testutil.Check(t, math.Abs(a.Posterior[k]-b.Posterior[k]) < .02, "%v, %v", a.Posterior, b.Posterior)
	}
	testutil.Check(t, a.Posterior[3] > .95 && l.Posterior[3] < .6 && l.Posterior[3] > without.Posterior[3], "%v, %v",
		a.Posterior, l.Posterior)
	testutil.Check(t, a.Verdict == Open && a.Total == without.Total && a.ResidualP == without.ResidualP &&
		math.Abs(a.EValue-1) < 1e-9 && a.Pairs == 500, "%+v", a)
	past.Remember(0, 1, stats.History{})
	testutil.Slices(t, past.Answer().Posterior, a.Posterior)
}
