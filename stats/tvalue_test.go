package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// byMoments returns the largest mean log likelihood of d among all distributions whose mean is t > 0 standard
// deviations above ½. It searches in another way than withT: over the means m on a dense grid, and for each mean by
// Newton's method for the two Lagrange multipliers of the mean m and the second moment m²/c.
func byMoments(d distribution, t float64) float64 {
	u := make([]float64, len(d.values))
	for i, v := range d.values {
		u[i] = v - 0.5
	}
	c := t * t / (1 + t*t)
	value := func(m float64) float64 { return withMoments(d, u, m, m*m/c) }
	grid := []float64{}
	for i := range 200 {
		grid = append(grid, 0.5*(float64(i)+0.5)/200)
	}
	for i := 0; i < 40; i += 2 { // the bends of degenerate observations: a mean with two neighbouring scores
		for j, v := range u {
			for _, w := range u[:j] {
				for _, m := range twoScores(w, v, t) {
					grid = append(grid, m*(1-math.Exp(-float64(i))), m*(1+math.Exp(-float64(i))))
				}
			}
		}
	}
	slices.Sort(grid)
	values := make([]float64, len(grid))
	for i, m := range grid {
		values[i] = value(m)
	}
	best := slices.Max(values)
	for i := 1; i+1 < len(grid); i++ {
		if values[i] < values[i-1] || values[i] < values[i+1] || values[i] < best-0.03*math.Abs(best) {
			continue
		}
		lo, hi := grid[i-1], grid[i+1]
		for range 40 {
			a, b := lo+0.381966*(hi-lo), hi-0.381966*(hi-lo)
			va, vb := value(a), value(b)
			best = max(best, va, vb)
			if va < vb {
				lo = a
			} else {
				hi = b
			}
		}
	}
	return best
}

// twoScores returns the means of the distributions with only the scores w < v that are t standard deviations above 0.
func twoScores(w, v, t float64) (list []float64) {
	excess := func(q float64) float64 { return w + q*(v-w) - t*(v-w)*math.Sqrt(q*(1-q)) }
	const steps = 200
	for i := range steps {
		lo, hi := float64(i)/steps, float64(i+1)/steps
		if excess(lo) > 0 == (excess(hi) > 0) {
			continue
		}
		rising := excess(hi) > 0
		for range 100 {
			if mid := (lo + hi) / 2; excess(mid) > 0 == rising {
				hi = mid
			} else {
				lo = mid
			}
		}
		list = append(list, w+lo*(v-w))
	}
	return list
}

// withMoments returns the largest mean log likelihood of d among the distributions with the mean m and the second
// moment square of the scores u, or -∞ if there is none. It minimises the dual function by Newton's method with halved
// steps.
func withMoments(d distribution, u []float64, m, square float64) float64 {
	least := math.Inf(1) // the least second moment with this mean
	for i := 1; i < len(u); i++ {
		if q := (m - u[i-1]) / (u[i] - u[i-1]); q >= 0 && q <= 1 {
			least = u[i-1]*u[i-1]*(1-q) + u[i]*u[i]*q
		}
	}
	if !(square > least && square < u[0]*u[0]) {
		return math.Inf(-1)
	}
	dual := func(x, y float64) float64 {
		sum := 0.0
		for i, v := range u {
			w := 1 + x*(v-m) + y*(v*v-square)
			if !(w > 0) {
				return math.Inf(1)
			}
			sum -= d.probs[i] * math.Log(w)
		}
		return sum
	}
	x, y, now := 0.0, 0.0, 0.0
	for range 400 {
		// The unknowns are turned so that the smallest divisor depends on one of them only. Otherwise its large second
		// derivative would hide the others.
		near, at, ax, ay := math.Inf(1), 0, 1.0, 0.0
		for i, v := range u {
			a, b := v-m, v*v-square
			if w := 1 + x*a + y*b; w < near {
				near, at, ax, ay = w, i, a/math.Hypot(a, b), b/math.Hypot(a, b)
			}
		}
		var gx, gy, xx, xy, yy float64
		for i, v := range u {
			a, b := (v-m)*ax+(v*v-square)*ay, (v*v-square)*ax-(v-m)*ay
			w := 1 + x*(v-m) + y*(v*v-square)
			if i == at {
				b = 0
			}
			p, q := d.probs[i]/w, d.probs[i]/w/w
			gx, gy = gx-p*a, gy-p*b
			xx, xy, yy = xx+q*a*a, xy+q*a*b, yy+q*b*b
		}
		rest := yy - xy*xy/xx
		sy := -(gy - xy*gx/xx) / rest
		sx := -(gx + xy*sy) / xx
		fall := -(sx*gx + sy*gy)
		if !(fall > 1e-15) {
			break
		}
		sx, sy = sx*ax-sy*ay, sx*ay+sy*ax
		size := 1.0
		for size > 1e-18 && !(dual(x+size*sx, y+size*sy) <= now-size*fall/10) {
			size /= 2
		}
		if size <= 1e-18 {
			break
		}
		x, y = x+size*sx, y+size*sy
		now = dual(x, y)
	}
	sum := now // = -Σ d log w
	for i, p := range d.probs {
		sum += d.probs[i] * math.Log(p)
	}
	return sum
}

// mirrored returns the distribution of the other player.
func (d distribution) mirrored() distribution {
	d.probs = slices.Clone(d.probs)
	slices.Reverse(d.probs)
	return d
}

// drawnTally draws counts of games or pairs from 0 to 10⁹, most of them of very different sizes.
func drawnTally(random *rand.Rand) Outcomes {
	count := func() int {
		if random.IntN(5) == 0 {
			return 0
		}
		return int(math.Exp(random.Float64() * math.Log(1e9)))
	}
	if random.IntN(4) == 0 {
		return WDL{count(), count(), count() + 1}
	}
	return Pentanomial{LL: count(), LD: count(), WL: count(), WD: count(), WW: count() + 1}
}

// TestNormalizedByAnotherSearch compares withT with byMoments for random and extreme tallies and hypotheses.
func TestNormalizedByAnotherSearch(t *testing.T) {
	random := rand.New(rand.NewPCG(39, 1))
	for i := range testutil.ByLength(8, 20_000) {
		o := drawnTally(random)
		d := newDistribution(o)
		elo := maxElo * (2*random.Float64() - 1)
		if random.IntN(4) == 0 {
			elo /= 100
		}
		value := elo / normalizedPerSigma * math.Sqrt(d.games)
		probs, _ := d.withT(value)
		got, sum := 0.0, 0.0
		for i, p := range probs {
			sum += p
			got += d.probs[i] * math.Log(p)
		}
		mean, variance := moments(d.values, probs)
		if found := (mean - 0.5) / math.Sqrt(variance); !(math.Abs(sum-1) < 1e-9) || !(math.Abs(found-value) < 1e-8) {
			t.Errorf("%d: %+v, %v nElo: the probabilities sum to %v and have t = %v, not %v", i, o, elo, sum, found, value)
		}
		view := d
		if value < 0 {
			view = d.mirrored()
		}
		if want := byMoments(view, math.Abs(value)); !(math.Abs(got-want) <= 1e-9*math.Abs(want)+1e-12) {
			t.Errorf("%d: %+v, %v nElo: log likelihood %v, another search finds %v", i, o, elo, got, want)
		}
	}
}

// TestNormalizedMaximum: these tallies have two stationary distributions under a hypothesis. The expected values are of
// an independent search over all minima of the divergence.
func TestNormalizedMaximum(t *testing.T) {
	for _, c := range []struct {
		pairs            Pentanomial
		elo0, elo1, want float64
	}{
		{Pentanomial{LL: 4, LD: 5, WL: 3, WD: 5}, -24.829, 1000, -38.96},
		{Pentanomial{LD: 1, WL: 1, WD: 2, WW: 3}, -788.746, -758.746, 0.4314},
	} {
		s := SPRT{Elo0: c.elo0, Elo1: c.elo1, Alpha: 0.05, Beta: 0.05, Model: ModelNormalized, Boundary: BoundaryWald}
		testutil.Check(t, math.Abs(llrOf(t, s, c.pairs)/c.want-1) < 2e-4, "%+v: %v, want %v", c.pairs, llrOf(t, s, c.pairs),
			c.want)
	}
}

// TestScoresAboveOne: with reused openings a normalised hypothesis can mean an impossible score.
func TestScoresAboveOne(t *testing.T) {
	d := newDistribution(Pentanomial{LL: 10, WW: 12})
	_, err := d.llr(hypotheses{h0: 0.5, h1: 1.2})
	testutil.Fails(t, err, "1.200 for the results so far")
}

// TestEveryT: for any tally and hypothesis, from 10^-160 to 1,000 normalised Elo, the distribution has the sum 1 and
// the t that was asked for. Its rounding error is that of the mean score.
func TestEveryT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := outcomes(t)
		d := newDistribution(o)
		if d.seen == 0 {
			t.Skip("no outcome")
		}
		exponent := rapid.OneOf(rapid.Float64Range(-160, -3), rapid.Float64Range(-7, 3)).Draw(t, "exponent")
		want := math.Pow(10, exponent) / normalizedPerSigma * math.Sqrt(d.games)
		if rapid.Bool().Draw(t, "negative") {
			want = -want
		}
		p, ok := d.withT(want)
		mean, variance := moments(d.values, p)
		got, sum := (mean-0.5)/math.Sqrt(variance), 0.0
		for _, x := range p {
			sum += x
		}
		testutil.Check(t, ok && math.Abs(sum-1) <= 1e-9 && math.Abs(got-want) <= 1e-10+1e-5*math.Abs(want),
			"t %v, want %v; sum %v", got, want, sum)
	})
}
