package binomial

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// farSample draws n up to 10^8, k often near 0 or n, and a level that may be near 1.
func farSample(t *rapid.T) (k, n int, level float64) {
	n = int(math.Pow(10, rapid.Float64Range(0, 8).Draw(t, "log n")))
	k = min(n, int(float64(n)*rapid.Float64Range(0, 1).Draw(t, "share")),
		int(math.Pow(10, rapid.Float64Range(0, 9).Draw(t, "log k")))-1)
	if rapid.Bool().Draw(t, "from above") {
		k = n - k
	}
	return k, n, rapid.SampledFrom([]float64{0.5, 0.95, 1 - 1e-6, 1 - 1e-9}).Draw(t, "level")
}

// TestLawsOfFarIntervals: each interval (but Blaker's and Jeffreys', which are checked in a smaller range) is within 0
// and 1, contains the rate, is mirrored for exchanged players, and grows with the level and with k.
func TestLawsOfFarIntervals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k, n, level := farSample(t)
		m := rapid.SampledFrom([]IntervalMethod{MethodClopperPearson, MethodMidP, MethodWilson,
			MethodWilsonContinuity}).Draw(t, "method")
		i := testutil.Must(m.Interval(k, n, level))(t)
		rate := float64(k) / float64(n)
		testutil.Check(t, 0 <= i.Lo && i.Lo <= i.Hi && i.Hi <= 1, "%+v", i)
		testutil.Check(t, i.Lo <= rate+1e-12 && i.Hi >= rate-1e-12, "%+v does not contain %v", i, rate)
		wide := testutil.Must(m.Interval(k, n, (1+level)/2))(t)
		testutil.Check(t, wide.Lo <= i.Lo+1e-12 && wide.Hi >= i.Hi-1e-12, "%+v, at a higher level %+v", i, wide)
		mirrored := testutil.Must(m.Interval(n-k, n, level))(t)
		testutil.Check(t, math.Abs(mirrored.Lo+i.Hi-1)+math.Abs(mirrored.Hi+i.Lo-1) <= 1e-9, "%+v, mirrored %+v", i, mirrored)
		if k < n {
			next := testutil.Must(m.Interval(k+1, n, level))(t)
			testutil.Check(t, next.Lo >= i.Lo-1e-12 && next.Hi >= i.Hi-1e-12, "%+v, with one more win %+v", i, next)
		}
		if m == MethodClopperPearson && k > 0 {
			tail := (1 - level) / 2
			testutil.Check(t, agree(NewBinomial(n, i.Lo).AtLeast(k), tail, 1e-4), "%+v has the tail %v", i,
				NewBinomial(n, i.Lo).AtLeast(k))
		}
	})
}

// TestLawsOfMatchChances: the chances add up to 1, exchanged players exchange them, and a larger chance to win a game
// raises the chance to win the match.
func TestLawsOfMatchChances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{1, 2, 3, 40, 999}).Draw(t, "games")
		draw := rapid.Float64Range(0, 1).Draw(t, "draw")
		win := rapid.Float64Range(0, 1).Draw(t, "share") * (1 - draw)
		c := testutil.Must(MatchChances(n, win, draw))(t)
		testutil.Check(t, min(c.Win, c.Draw, c.Loss) >= 0 && max(c.Win, c.Draw, c.Loss) <= 1 &&
			math.Abs(c.Win+c.Draw+c.Loss-1) <= 1e-9, "%+v", c)
		m := testutil.Must(MatchChances(n, max(0, 1-win-draw), draw))(t)
		testutil.Check(t, math.Abs(c.Win-m.Loss)+math.Abs(c.Draw-m.Draw) <= 1e-9, "%+v, mirrored %+v", c, m)
		better := testutil.Must(MatchChances(n, win+(1-draw-win)/2, draw))(t)
		testutil.Check(t, better.Win >= c.Win-1e-9, "%+v, with a larger chance %+v", c, better)
	})
}
