package stats

import (
	"math"
	"math/rand/v2"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// pairScores are the possible scores of a pair of games, and kinds are distributions of them.
var (
	pairScores = [5]float64{0, 0.25, 0.5, 0.75, 1}
	kinds      = map[string][5]float64{
		"few draws":        {0.24, 0.01, 0.5, 0.01, 0.24},
		"the same player":  {0.1, 0, 0.8, 0, 0.1},
		"many draws":       {0.01, 0.18, 0.6, 0.2, 0.01},
		"nearly all drawn": {0.002, 0.02, 0.956, 0.02, 0.002},
	}
)

// drawn returns the pair scores of a simulated match.
func drawn(r *rand.Rand, n int, p [5]float64) []float64 {
	xs := make([]float64, n)
	for i := range xs {
		u, k := r.Float64(), 0
		for k < 4 && u >= p[k] {
			u -= p[k]
			k++
		}
		xs[i] = pairScores[k]
	}
	return xs
}

func pentanomialOf(xs []float64) Pentanomial {
	var n [5]int
	for _, x := range xs {
		n[int(4*x)]++
	}
	return Pentanomial{LL: n[0], LD: n[1], WL: n[2], WD: n[3], WW: n[4]}
}

// hedgedCapital returns the confidence sequence of Waudby-Smith and Ramdas (2024, Theorem 3) after all scores, on a
// grid of means around the true one. It is the hedged capital process with the predictable plug-in bets of their
// equations 24 to 26, truncated at c = 1/2.
func hedgedCapital(xs []float64, level, around, reach, step float64) (lo, hi float64) {
	alpha := 1 - level
	bets := make([]float64, len(xs))
	sum, squares, variance := 0.5, 0.25, 0.25
	for i, x := range xs {
		t := float64(i + 1)
		bets[i] = math.Sqrt(2 * math.Log(2/alpha) / (variance * t * math.Log(t+1)))
		sum += x
		squares += (x - sum/(t+1)) * (x - sum/(t+1))
		variance = squares / (t + 1)
	}
	lo, hi = math.Inf(1), math.Inf(-1)
	for m := around - reach; m <= around+reach; m += step {
		up, down := 0.0, 0.0
		for i, x := range xs {
			up += math.Log1p(min(bets[i], 0.5/m) * (x - m))
			down += math.Log1p(-min(bets[i], 0.5/(1-m)) * (x - m))
		}
		if max(up, down)-math.Ln2 < -math.Log(alpha) {
			lo, hi = min(lo, m), max(hi, m)
		}
	}
	return lo, hi
}

// TestAnytimeWidths compares the widths at 1,000 pairs with those of the published method. It also compares the
// published method with figures of another program (8.3, 4.8, 3.4 and 1.0 %). That program may truncate its bets
// elsewhere, which matters if nearly all pairs are drawn.
func TestAnytimeWidths(t *testing.T) {
	elsewhere := map[string]float64{"few draws": 0.083, "the same player": 0.048, "many draws": 0.034,
		"nearly all drawn": 0.010}
	const runs = 6
	for name, p := range kinds {
		r := rand.New(rand.NewPCG(7, 1000))
		ours, theirs, mean := 0.0, 0.0, 0.0
		for k, x := range pairScores {
			mean += p[k] * x
		}
		for range runs {
			xs := drawn(r, 1000, p)
			i := testutil.Must(pentanomialOf(xs).PairScores().AnytimeInterval(0.95))(t)
			lo, hi := hedgedCapital(xs, 0.95, mean, 8*elsewhere[name]/5, elsewhere[name]/100)
			ours, theirs = ours+(i.Hi-i.Lo)/runs, theirs+(hi-lo)/runs
		}
		t.Logf("%s: %.2f %% wide, published method %.2f %%", name, 100*ours, 100*theirs)
		if ours > 1.1*theirs || math.Abs(theirs/elsewhere[name]-1) > 0.3 {
			t.Errorf("%s: %.4f wide, the published method is %.4f, elsewhere %.4f", name, ours, theirs, elsewhere[name])
		}
	}
}

// TestAnytimeCoverage: over all pairs of a match, the true mean leaves the always-valid interval in at most 5 % of the
// matches. It must leave it in some, or the test could not fail.
func TestAnytimeCoverage(t *testing.T) {
	runs, pairs := testutil.ByLength(100, 500), testutil.ByLength(150, 1000)
	if testutil.Figures() {
		runs, pairs = 4000, 1000
	}
	all, missed := 0, 0
	for name, p := range kinds {
		r := rand.New(rand.NewPCG(11, 12))
		mean, left := 0.0, 0
		for k, x := range pairScores {
			mean += p[k] * x
		}
		for range runs {
			var n Pentanomial
			for _, x := range drawn(r, pairs, p) {
				one := pentanomialOf([]float64{x})
				n = n.plus(one)
				e := testutil.Must(n.PairScores().EValue(mean))(t)
				if e.P <= 0.05 {
					left++
					break
				}
			}
		}
		t.Logf("%s: the mean was outside once in %d of %d series of %d pairs", name, left, runs, pairs)
		limit := 0.05 + 4*math.Sqrt(0.05*0.95/float64(runs))
		testutil.Check(t, float64(left) <= limit*float64(runs), "%s: outside once in %d of %d series", name, left, runs)
		all, missed = all+runs, missed+left
	}
	testutil.Check(t, float64(missed) <= (0.05+3*math.Sqrt(0.05*0.95/float64(all)))*float64(all) && missed != 0,
		"outside once in %d of %d series", missed, all)
}

// TestTheBetsGainNothing: the wealth of each half begins with 1. If the true mean is the tested mean, one more score
// leaves the expected wealth unchanged, for any past. By Ville's inequality, the interval then holds at all lengths at
// once.
func TestTheBetsGainNothing(t *testing.T) {
	sum := 0.0
	for _, s := range stakes() {
		sum += s.weight
		testutil.Check(t, s.share > 0 && s.share <= 1 && s.weight > 0, "%+v", s)
	}
	if w, _ := (means{}).logWealth(0.3); math.Abs(w) > 1e-12 || math.Abs(sum-1) > 1e-12 {
		t.Errorf("the capital is %v, the log wealth before the first score %v", sum, w)
	}
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(0, 200)
		past := Pentanomial{LL: count.Draw(t, "LL"), LD: count.Draw(t, "LD"), WL: count.Draw(t, "WL"),
			WD: count.Draw(t, "WD"), WW: count.Draw(t, "WW")}
		p, mean, total := [5]float64{}, 0.0, 0.0
		for k := range p {
			p[k] = rapid.Float64Range(0.01, 1).Draw(t, "weight")
			total += p[k]
		}
		for k, x := range pairScores {
			p[k] /= total
			mean += p[k] * x
		}
		for _, side := range []func(Pentanomial) float64{
			func(n Pentanomial) float64 { w, _ := n.PairScores().all.logWealth(mean); return w },
			func(n Pentanomial) float64 { w, _ := n.PairScores().all.mirror().logWealth(1 - mean); return w },
		} {
			before, growth := side(past), 0.0
			for k, x := range pairScores {
				growth += p[k] * math.Exp(side(past.plus(pentanomialOf([]float64{x})))-before)
			}
			testutil.Require(t, math.Abs(growth-1) <= 1e-9, "the wealth grows by %v", growth)
		}
	})
}

// TestAnytimeLaws: the interval has exactly the means that the e-value does not reject, and includes the mean of the
// scores. It is symmetric, and wider than an interval for a fixed length.
func TestAnytimeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		most := rapid.SampledFrom([]int{3, 300, 2_000_000}).Draw(t, "most")
		count := rapid.IntRange(0, most)
		n := Pentanomial{LL: count.Draw(t, "LL"), LD: count.Draw(t, "LD"), WL: count.Draw(t, "WL"), DD: count.Draw(t, "DD"),
			WD: count.Draw(t, "WD"), WW: count.Draw(t, "WW") + 1}
		s := n.PairScores()
		i, err := s.AnytimeInterval(0.95)
		if err != nil || !(0 <= i.Lo && i.Lo <= s.Mean() && s.Mean() <= i.Hi && i.Hi <= 1) || i.Method != "betting" ||
			s.N() != n.Pairs() {
			t.Fatalf("%+v, %v", i, err)
		}
		m, _ := n.Mirror().PairScores().AnytimeInterval(0.95)
		testutil.Require(t, math.Abs(m.Lo-(1-i.Hi)) <= 1e-12, "not symmetric: %+v, %+v", i, m)
		wide, _ := s.AnytimeInterval(0.99)
		testutil.Require(t, wide.Lo <= i.Lo && wide.Hi >= i.Hi, "not monotone: %+v in %+v", i, wide)
		for end, outside := range map[float64]float64{i.Lo: -1e-7, i.Hi: 1e-7} {
			for _, at := range []float64{end + outside, end - outside} {
				if at <= 0 || at >= 1 || end == 0 || end == 1 {
					continue
				}
				e, err := s.EValue(at)
				if refuted := e.LogE >= math.Log(20); err != nil || refuted != (at == end+outside) &&
					math.Abs(e.LogE-math.Log(20)) > 1e-9 {
					t.Fatalf("%+v: e-value %+v at %v, %v", i, e, at, err)
				}
			}
		}
	})
	for _, w := range []WDL{{Wins: 1}, {Losses: 3, Wins: 4}, {Wins: 555, Losses: 436, Draws: 9}, {Losses: 700}} {
		s := w.DecisiveScores()
		i, err := s.AnytimeInterval(0.95)
		cp, err2 := binomial.ClopperPearson(w.Wins, w.Wins+w.Losses, 0.95)
		testutil.Check(t, err == nil && err2 == nil && cp.Lo >= i.Lo-1e-12 && cp.Hi <= i.Hi+1e-12,
			"%+v: %+v is not within %+v: %v, %v", w, cp, i, err, err2)
	}
}

// TestAnytimeByHand calculates the e-value of one won game by hand. Half of the capital bets on a win. Of this half,
// each share b has the weight √b and gains the factor 1 - b + b/m.
func TestAnytimeByHand(t *testing.T) {
	const m = 0.01
	want, sum := 0.0, 0.0
	for b := 1.0; b > 1e-4; b *= 0.8 {
		want += math.Sqrt(b) * (1 - b + b/m)
		sum += math.Sqrt(b)
	}
	e, err := WDL{Wins: 1}.DecisiveScores().EValue(m)
	if err != nil || math.Abs(math.Exp(e.LogE)-want/sum/2) > 1e-9 || e.N != 1 || e.Unit != "decisive_game" {
		t.Errorf("%+v, %v, want e-value %v", e, err, want/sum/2)
	}
	for _, s := range []Scores{{}, WDL{}.GameScores(), {all: means{{0.5, -1}, {1, 2}}}} {
		testutil.Fails(t, testutil.Err(s.AnytimeInterval(0.95)), "", "%+v has an interval", s)
	}
	testutil.Fails(t, testutil.Err((WDL{Wins: 1}).GameScores().EValue(1)), "", "an e-value against a mean of 1")
}
