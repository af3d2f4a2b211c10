package stats

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/integrate/quad"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// lookedAt returns the same probability as c.worse by another method. It calculates the density of the motion at many
// equidistant times by quadrature of the normal transition. The motion is looked at only at these times, so its bounds
// are 0.5826 standard deviations of a step nearer (Chernoff 1965, Siegmund 1985).
func lookedAt(c converging, time, height float64, looks, points int) float64 {
	step := time / float64(looks)
	sd := math.Sqrt(c.variance * step)
	bounds := func(look int) (lo, hi float64) {
		return c.lower + c.slope*step*float64(look) + 0.5826*sd, c.upper - c.slope*step*float64(look) - 0.5826*sd
	}
	type node struct{ x, mass float64 }
	now, failed, worse := []node{{0, 1}}, 0.0, 0.0
	xs, ws := make([]float64, points), make([]float64, points)
	for look := 1; look <= looks; look++ {
		lo, hi := bounds(look)
		at := float64(look) * step
		from, to := max(lo, c.drift*at-8*math.Sqrt(c.variance*at)), min(hi, c.drift*at+8*math.Sqrt(c.variance*at))
		for _, n := range now {
			below := func(x float64) float64 { return n.mass * normalBelow((x-n.x-c.drift*step)/sd) }
			failed += below(lo)
			if look == looks {
				worse += below(max(lo, min(hi, height))) - below(lo)
			}
		}
		quad.Legendre{}.FixedLocations(xs, ws, from, to)
		next := make([]node, points)
		for i, x := range xs {
			mass := 0.0
			for _, n := range now {
				z := (x - n.x - c.drift*step) / sd
				mass += n.mass * math.Exp(-z*z/2)
			}
			next[i] = node{x, mass * ws[i] / (sd * math.Sqrt(2*math.Pi))}
		}
		now = next
	}
	if height <= c.lower+c.slope*time {
		return failed
	}
	return failed + worse
}

// TestConvergingAgainstLooks compares the series with a walk through many equidistant times, for drifts within the
// hypotheses (±½) and far beyond.
func TestConvergingAgainstLooks(t *testing.T) {
	for _, c := range []struct {
		converging
		time, height float64
	}{
		{converging{-3.5, 3.5, 0.1, 0.5, 1}, 5, 0.7},
		{converging{-3.5, 3.5, 0.1, -0.5, 1}, 20, -10},
		{converging{-3.5, 3.5, 0.1, 0, 1}, 30, 0.1},
		{converging{-2, 4, 0.2, 0.3, 2}, 8, 10},
		{converging{-3.5, 3.5, 0.1, 5, 1}, 0.6, 2},
		{converging{-3.5, 3.5, 0.1, 5, 1}, 0.6, 10},
		{converging{-1, 1.5, 0.3, -8, 0.5}, 0.1, -0.8},
	} {
		want := lookedAt(c.converging, c.time, c.height, 100, 120)
		got := c.worse(c.time, c.height)
		near := 1e-3
		if math.Abs(c.drift) > 1 { // the correction by half a step is for slow motions; TestOneFarBound is exact
			near = 5e-3
		}
		testutil.Check(t, math.Abs(got-want) <= near, "%+v: %v, want %v", c, got, want)
	}
}

// TestConvergingAgainstTheBounds: at the two hypotheses, the series has the error rates for which another walk chose
// the bounds.
func TestConvergingAgainstTheBounds(t *testing.T) {
	for _, rates := range [][2]float64{{0.05, 0.05}, {0.01, 0.2}, {0.001, 0.001}, {0.3, 0.3}} {
		b := boundedBy(rates[0], rates[1])
		ends := func(drift float64) (pass, fail float64) {
			c := converging{-b.l, b.u, tightening, drift, 1}
			return c.ended(c.end())
		}
		pass, _ := ends(-0.5)
		_, fail := ends(0.5)
		testutil.Check(t, agree(pass, rates[0], 0.01) && agree(fail, rates[1], 0.01), "%v: %v and %v", rates, pass, fail)
	}
}

// TestLawsOfConverging draws motions, among them such with a very large drift, and requires laws that need no other
// calculation: probabilities from 0 to 1 that fall with the drift and rise with the height, and mirrored probabilities
// for the mirrored motion. With constant bounds, the Fourier series is a second method.
func TestLawsOfConverging(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		c := converging{
			lower: -number("lower", 0.1, 20), upper: number("upper", 0.1, 20), slope: math.Pow(10, number("slope", -3, 1)),
			variance: math.Pow(10, number("variance", -2, 2)),
		}
		c.drift = rapid.SampledFrom([]float64{-1, 1}).Draw(t, "sign") * math.Pow(10, number("drift", -3, 4))
		time := c.end() * number("time", 1e-6, 1.1)
		height := number("height", 1.1*c.lower, 1.1*c.upper)
		p := c.worse(time, height)
		faster, mirrored := c, converging{-c.upper, -c.lower, c.slope, -c.drift, c.variance}
		faster.drift += math.Pow(10, number("faster", -3, 3))
		pass, fail := c.ended(time)
		testutil.Check(t, p >= 0 && p <= 1 && fail <= p+1e-9 && p <= 1-pass+1e-9, "%v with %v and %v", p, fail, pass)
		testutil.Check(t, faster.worse(time, height) <= p+1e-9, "%v, and %v with a larger drift", p,
			faster.worse(time, height))
		testutil.Check(t, c.worse(time, height+number("higher", 0, 1)) >= p-1e-9, "less than %v below a larger height", p)
		testutil.Check(t, math.Abs(mirrored.worse(time, -height)-(1-p)) <= 1e-9, "%v, mirrored %v", p,
			mirrored.worse(time, -height))
		last, first := c.ended(c.end())
		testutil.Check(t, math.Abs(last+first-1) <= 1e-9, "%v end above, %v below", last, first)
		c.slope = 0
		b := brownian{c.lower, c.upper, c.drift, c.variance}
		near := math.Abs(c.worse(time, height)-b.worse(time, max(c.lower, min(c.upper, height)))) <= 1e-3
		testutil.Check(t, near, "%+v at %v and %v: not the approximation for constant bounds", c, time, height)
		if math.Abs(c.drift/c.variance*(c.upper-c.lower)) < 15 && c.variance*time > (c.upper-c.lower)*(c.upper-c.lower)/100 {
			within := max(c.lower, min(c.upper, height))
			testutil.Check(t, math.Abs(c.worse(time, height)-b.worseSeries(time, within)) <= 1e-9, "%+v: not the Fourier series",
				c)
		}
	})
}

// TestOneFarBound: a motion that drifts fast to one bound does not see the other one. The time until it passes the
// straight bound has the inverse normal distribution (Bachelier and Lévy).
func TestOneFarBound(t *testing.T) {
	for _, drift := range []float64{-4, -20, -300, -1e4} {
		c := converging{-3.5, 3.5, 0.1, drift, 1}
		towards := c.slope - drift // speed at which the bound and the motion come together
		for _, z := range []float64{-2, -0.5, 0, 0.5, 2} {
			time := -c.lower/towards + z*math.Sqrt(-c.lower/(towards*towards*towards))
			want := normalBelow((towards*time+c.lower)/math.Sqrt(time)) +
				math.Exp(-2*towards*c.lower+logNormalBelow((c.lower-towards*time)/math.Sqrt(time)))
			_, got := c.ended(time)
			testutil.Check(t, math.Abs(got-want) <= 1e-9, "drift %v at %v: %v, want %v", drift, time, got, want)
		}
	}
}

// TestEloFarFromTheBounds: as long as the ratio is far from both bounds, the estimate after a bounded test is the Elo
// of the score, and its interval is the normal one, whatever the score is. A test with constant bounds agrees within
// 1%.
func TestEloFarFromTheBounds(t *testing.T) {
	for _, c := range []struct {
		Pentanomial
		elo1 float64
	}{
		{Pentanomial{LL: 10, WL: 20, WW: 30}, 2}, {Pentanomial{LL: 2, WL: 4, WW: 4}, 5},
		{Pentanomial{LL: 1, WL: 2, WW: 2}, 5},
		{Pentanomial{LL: 100, LD: 10, WL: 300, WD: 40, WW: 150}, 1}, {Pentanomial{LL: 1, WL: 1}, 0.01},
		{Pentanomial{LL: 500, WL: 50, WD: 1, WW: 5}, 0.1},
	} {
		s := SPRT{Elo0: 0, Elo1: c.elo1, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
		bounded := testutil.Must(s.Elo(c.Pentanomial, 0.95))(t)
		s.Boundary = BoundaryRatio
		ratio := testutil.Must(s.Elo(c.Pentanomial, 0.95))(t)
		d := newDistribution(c.Pentanomial)
		mean, variance := moments(d.values, d.probs)
		for z, got := range map[float64][2]float64{
			0: {bounded.Elo, ratio.Elo}, -1.959964: {bounded.Interval.Lo, ratio.Interval.Lo},
			1.959964: {bounded.Interval.Hi, ratio.Interval.Hi},
		} {
			score := mean + z*math.Sqrt(variance/d.n)
			if score < binomial.Expected(-maxElo) {
				testutil.Check(t, math.IsInf(got[0], -1) && math.IsInf(got[1], -1), "%+v: %v", c, got)
				continue
			}
			want := binomial.Elo(score)
			testutil.Check(t, agree(got[0], want, 0.005) && agree(got[1], got[0], 0.01), "%+v at %v: %v, want %v", c, z, got,
				want)
		}
	}
}

// TestMirroredBoundedElo: the estimate after a bounded test changes its sign if the players are exchanged, for any
// tally, also long after the bounds have met. It is on the same side of the hypotheses as the score.
func TestMirroredBoundedElo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		cell := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 30), rapid.IntRange(0, 100_000_000))
		p := Pentanomial{LL: cell.Draw(t, "ll"), LD: cell.Draw(t, "ld"), WL: cell.Draw(t, "wl"), WD: cell.Draw(t, "wd"),
			WW: cell.Draw(t, "ww")}
		s := SPRT{Elo0: rapid.Float64Range(-20, 20).Draw(t, "elo0"), Alpha: 0.05, Beta: 0.02, Model: ModelLogistic,
			Boundary: BoundaryBounded}
		s.Elo1 = s.Elo0 + rapid.Float64Range(0.5, 40).Draw(t, "width")
		if !Vary(p) {
			t.Skip("no variance")
		}
		m := SPRT{Elo0: -s.Elo1, Elo1: -s.Elo0, Alpha: s.Beta, Beta: s.Alpha, Model: s.Model, Boundary: s.Boundary}
		e, o := testutil.Must(s.Elo(p, 0.95))(t), testutil.Must(m.Elo(p.Mirror(), 0.95))(t)
		same := func(x, y float64) bool { return x == y || math.Abs(x-y) <= 1e-3*max(1, math.Abs(x)) }
		testutil.Check(t, same(e.Elo, -o.Elo) && same(e.Interval.Lo, -o.Interval.Hi) && same(e.Interval.Hi, -o.Interval.Lo),
			"%+v, mirrored %+v", e, o)
		d := newDistribution(p)
		mean, _ := moments(d.values, d.probs)
		if far := binomial.Elo(mean); far < s.Elo0-50 || far > s.Elo1+50 {
			testutil.Check(t, (e.Elo > s.Elo1) == (far > s.Elo1), "%+v for a score of %v", e, mean)
		}
	})
}

// TestNothingEndsAtOnce: no motion has ended at its beginning.
func TestNothingEndsAtOnce(t *testing.T) {
	for _, slope := range []float64{0, 0.1} {
		up, down := converging{-3, 3, slope, 5, 1}.ended(0)
		testutil.Check(t, up == 0 && down == 0, "%v and %v", up, down)
	}
}
