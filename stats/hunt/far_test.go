package hunt

import (
	"math"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/stats"
)

// TestLawsOfHunts: with any results of any pairings, the posterior is a distribution, each estimate is within its
// interval, and the next block is possible. The versions in the opposite order, with exchanged players, have the
// posterior in the opposite order.
func TestLawsOfHunts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := Config{
			Versions: rapid.IntRange(2, 12).Draw(t, "versions"), Confidence: 0.95,
			Block: rapid.IntRange(1, 300).Draw(t, "block"),
			Drift: rapid.SampledFrom([]float64{0, 0.1, 1, 50, maxDrift}).Draw(t, "drift"),
		}
		h, back := testutil.Must(New(c))(t), testutil.Must(New(c))(t)
		for range rapid.IntRange(1, 8).Draw(t, "blocks") {
			old := rapid.IntRange(0, c.Versions-2).Draw(t, "old")
			new := rapid.IntRange(old+1, c.Versions-1).Draw(t, "new")
			most := rapid.SampledFrom([]int{0, 1, 40, 1_000_000}).Draw(t, "most")
			count := rapid.IntRange(0, most)
			p := stats.Pentanomial{LL: count.Draw(t, "LL"), LD: count.Draw(t, "LD"), WL: count.Draw(t, "WL"),
				WD: count.Draw(t, "WD"), WW: count.Draw(t, "WW")}
			h.Add(old, new, p.PairScores())
			back.Add(c.Versions-1-new, c.Versions-1-old, p.PairScores())
		}
		a, b := h.Answer(), back.Answer()
		sum := 0.0
		for v, p := range a.Posterior {
			testutil.Check(t, p >= 0 && p <= 1, "version %d has %v", v, p)
			sum += p
			if v > 0 {
				other := b.Posterior[c.Versions-v]
				testutil.Check(t, math.Abs(p-other) <= 1e-6, "version %d has %v, in the opposite order %v", v, p, other)
			}
		}
		testutil.Check(t, math.Abs(sum-1) <= 1e-9 && a.Posterior[0] == 0, "%v", a.Posterior)
		testutil.Check(t, a.Lo <= a.Elo && a.Elo <= a.Hi && a.Lo >= minElo-1e-9, "%+v", a)
		testutil.Check(t, a.TotalLo <= a.Total && a.Total <= a.TotalHi, "%+v", a)
		testutil.Check(t, a.EValue >= 0 && a.ResidualP >= 0 && a.ResidualP <= 1, "%+v", a)
		q := h.Next()
		testutil.Check(t, 0 <= q.Old && q.Old < q.New && q.New < c.Versions && q.Pairs >= c.Block, "%+v", q)
	})
}
