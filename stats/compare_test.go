package stats

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

func seriesOf(t *testing.T, first int, deviations ...int) *Series {
	t.Helper()
	var s Series
	for i, d := range deviations {
		plays(t, &s, strconv.Itoa(first+i), uint64(i), d)
	}
	return &s
}

// TestComparisonOfSharedOpenings compares with an enumeration. In six shared openings the differences are 1, 1, 0, 2, 2
// and -1 half points.
func TestComparisonOfSharedOpenings(t *testing.T) {
	a := seriesOf(t, 0, 2, 1, 0, 2, 2, -1)
	b := seriesOf(t, 0, 1, 0, 0, 0, 0, 0)
	c := testutil.Must(Compare(a, b, 0.95))(t)
	ge := 0
	differences := []int{1, 1, 2, 2, -1}
	for signs := range 1 << 5 {
		sum := 0
		for i, d := range differences {
			sum += d * (1 - 2*(signs>>i&1))
		}
		if sum >= 5 {
			ge++
		}
	}
	if want := 2 * float64(ge) / 32; c.Method != "paired_openings" || c.Test.Method != "paired_sign_flip" ||
		math.Abs(c.Test.P-want) > 1e-12 || c.Shared != 6 {
		t.Errorf("%+v, want p = %v", c, want)
	}
	if want := binomial.Elo(18./24) - binomial.Elo(13./24); math.Abs(c.Elo-want) > 1e-9 ||
		!(c.Interval.Lo < c.Elo && c.Elo < c.Interval.Hi) {
		t.Errorf("%+v, want %v", c, want)
	}
	// In a comparison of a series with itself, the effect of the openings cancels.
	if c, err := Compare(a, a, 0.95); err != nil || c.Elo != 0 || c.Test.P != 1 || c.Interval.Hi-c.Interval.Lo > 100 {
		t.Errorf("%+v, %v", c, err)
	}
}

// TestComparisonOfOtherOpenings: series with different openings are independent, and Welch's test applies. By hand the
// scores are 4 of 6 and 2 of 4, with variances of q(1-q)/(n-1).
func TestComparisonOfOtherOpenings(t *testing.T) {
	a := seriesOf(t, 0, 2, -2, 2, 2, -2, 2)
	b := seriesOf(t, 100, 2, -2, 2, -2)
	c := testutil.Must(Compare(a, b, 0.95))(t)
	z := (4./6 - 0.5) / math.Sqrt(4./6*2/6/5+0.25/3)
	if c.Method != "independent" || c.Shared != 0 || math.Abs(c.Test.P-math.Erfc(z/math.Sqrt2)) > 1e-12 ||
		c.Test.Method != "welch_normal" {
		t.Errorf("%+v", c)
	}
	x, _ := binomial.ClopperPearson(4, 6, 0.95)
	y, _ := binomial.ClopperPearson(2, 4, 0.95)
	want := c.Elo - math.Hypot(binomial.Elo(4./6)-binomial.Elo(x.Lo), binomial.Elo(y.Hi)-binomial.Elo(0.5))
	testutil.Check(t, math.Abs(c.Interval.Lo-want) <= 1e-9, "%+v, want %v", c.Interval, want)
	if c, err := Compare(seriesOf(t, 0, 2, 2), b, 0.95); err == nil {
		t.Errorf("%+v: infinite", c)
	}
	if c, err := Compare(a, &Series{}, 0.95); err == nil {
		t.Errorf("%+v: no games", c)
	}
}

// TestComparisonOfPartlySharedOpenings: with four of eight openings shared, the comparison uses all openings. The
// difference is that of the Elo of each series alone. The p value is calculated by hand from the variances of the
// scores and the correlation in the shared openings.
func TestComparisonOfPartlySharedOpenings(t *testing.T) {
	x, y := []int{2, 1, 0, 2, 2, -1, 0, 1}, []int{1, 0, 0, -1, 0, -2, 1, 0}
	a, b := seriesOf(t, 0, x...), seriesOf(t, 4, y...)
	c := testutil.Must(Compare(a, b, 0.95))(t)
	moments := func(x, y []int) (mx, vx, vy, cov float64) {
		n := float64(len(x))
		var my float64
		for i := range x {
			mx, my = mx+float64(x[i])/n, my+float64(y[i])/n
		}
		for i := range x {
			vx += (float64(x[i]) - mx) * (float64(x[i]) - mx) / n
			vy += (float64(y[i]) - my) * (float64(y[i]) - my) / n
			cov += (float64(x[i]) - mx) * (float64(y[i]) - my) / n
		}
		return mx, vx, vy, cov
	}
	mx, vx, vy, _ := moments(x, y)
	my, _, _, _ := moments(y, x)
	_, sx, sy, cov := moments(x[4:], y[:4])
	variance := vx/7 + vy/7 - 2*cov/math.Sqrt(sx*sy)*4/8*math.Sqrt(vx*vy)/7
	want := math.Erfc(math.Abs(mx-my) / math.Sqrt(2*variance))
	if c.Method != "partly_paired" || c.Test.Method != "partly_paired_normal" || c.Shared != 4 || c.First != 8 ||
		c.Second != 8 || math.Abs(c.Test.P-want) > 1e-12 {
		t.Errorf("%+v, want p = %v", c, want)
	}
	ea, _ := a.Elo(0.95)
	eb, _ := b.Elo(0.95)
	testutil.Check(t, math.Abs(c.Elo-(ea.Elo-eb.Elo)) <= 1e-9,
		"the difference is %v, and the series alone show %v and %v", c.Elo, ea.Elo, eb.Elo)
}

// TestTestNotWorse calculates by hand: 18 of 24 and 13 of 24 half points in six openings each, none of them shared.
func TestTestNotWorse(t *testing.T) {
	a, b := seriesOf(t, 0, 2, 1, 0, 2, 2, -1), seriesOf(t, 100, 1, 0, 0, 0, 0, 0)
	got := testutil.Must(TestNotWorse(a, b, 30, 0.95))(t)
	// A deviation of 2 is a whole point of the score. The first mean is 0.75 with squares of 8 over 16·6·5, the second
	// mean is 13/24.
	slope := func(m float64) float64 { return 400 / math.Ln10 / (m * (1 - m)) }
	va := (14 - 36./6) / 16 / 30 * slope(0.75) * slope(0.75)
	vb := (1 - 1./6) / 16 / 30 * slope(13./24) * slope(13./24)
	gain, se := binomial.Elo(0.75)-binomial.Elo(13./24), math.Sqrt(va+vb)
	if p := math.Erfc((gain+30)/se/math.Sqrt2) / 2; math.Abs(got.Test.P-p) > 1e-9 ||
		math.Abs(got.Bound-(gain-1.6448536269514722*se)) > 1e-6 || got.Margin != 30 {
		t.Errorf("%+v, want p = %v, bound %v", got, p, gain-1.6448536269514722*se)
	}
	for name, f := range map[string]func() error{
		"margin": func() error { _, err := TestNotWorse(a, b, 0, 0.95); return err },
		"level":  func() error { _, err := TestNotWorse(a, b, 3, 1); return err },
		"alike": func() error {
			_, err := TestNotWorse(seriesOf(t, 0, 0, 0, 0), seriesOf(t, 9, 0, 0, 0), 3, 0.95)
			return err
		},
		"won": func() error { _, err := TestNotWorse(seriesOf(t, 0, 2, 2), b, 3, 0.95); return err },
	} {
		testutil.Check(t, f() != nil, "%s: no error", name)
	}
}

// TestSimulatedComparison: the interval of the difference holds with its level, and is not wider with shared openings
// than without. The tests have their level, and the log has their power.
func TestSimulatedComparison(t *testing.T) {
	n := simulations(50, 400)
	r := rand.New(rand.NewPCG(12, 13))
	first, second := ratesOf(t, ordinary, 40), ratesOf(t, ordinary, 10)
	const openings = 200
	widths := map[int]float64{}
	for _, shared := range []int{0, openings/2 - 2, openings / 2, openings} {
		missed, found, wrong, worse := 0, 0, 0, 0
		for range n {
			var a, b, null Series
			for i := range openings {
				// In some shared openings, both series have the same luck.
				u, v := r.Float64(), r.Float64()
				if i < shared && i%4 == 0 {
					v = u
				}
				other := strconv.Itoa(i)
				if i >= shared {
					other += "b"
				}
				plays(t, &a, strconv.Itoa(i), 1, first.at(u))
				plays(t, &b, other, 1, second.at(v))
				plays(t, &null, other, 1, first.at(v))
			}
			c, err := Compare(&a, &b, 0.95)
			testutil.OK(t, err)
			missed += oneIf(c.Interval.Lo > 30 || c.Interval.Hi < 30)
			found += oneIf(c.Test.Significant(0.05))
			widths[shared] += (c.Interval.Hi - c.Interval.Lo) / float64(n)
			if c, err = Compare(&a, &null, 0.95); err != nil {
				t.Fatal(err)
			}
			wrong += oneIf(c.Test.Significant(0.05))
			// b is exactly 30 Elo weaker than a, so "not worse by 30 Elo or more" is wrong.
			w := testutil.Must(TestNotWorse(&b, &a, 30, 0.95))(t)
			worse += oneIf(w.Test.Significant(0.05))
		}
		share := func(k int) float64 { return float64(k) / float64(n) }
		t.Logf("%d of %d shared: missed %.4f, power %.4f, size %.4f, width %.1f; not worse, size %.4f", shared, openings,
			share(missed), share(found), share(wrong), widths[shared], share(worse))
		for what, k := range map[string]int{"the interval misses": missed, "the test is wrong in": wrong,
			"not worse is wrong in": worse} {
			testutil.Check(t, !exceeds(k, n, 0.05), "%d shared: %s %d of %d", shared, what, k, n)
		}
		testutil.Check(t, widths[shared] <= 1.02*widths[0],
			"%d shared: intervals of %.1f Elo, %.1f where none is", shared, widths[shared], widths[0])
	}
}

func oneIf(b bool) int {
	if b {
		return 1
	}
	return 0
}

// at returns the deviation at the quantile u.
func (r PairRates) at(u float64) int {
	cell := 0
	for ; cell < 4 && u >= r[cell]; cell++ {
		u -= r[cell]
	}
	return cell - 2
}

func TestForecast(t *testing.T) {
	// In rational numbers, by rising factorials: the predictive probability of w wins, d draws and l losses is
	// n!/(w!d!l!) (W+½)ʷ (D+½)ᵈ (L+½)ˡ / (W+D+L+3/2)ⁿ.
	rising := func(from, halves, n int64) *big.Rat {
		product := big.NewRat(1, 1)
		for i := range n {
			product.Mul(product, big.NewRat(2*(from+i)+halves, 2))
		}
		return product
	}
	chances := func(w WDL, n int64) (win, draw, loss float64) {
		for won := range n + 1 {
			for lost := range n - won + 1 {
				p := new(big.Rat).SetInt(new(big.Int).Mul(new(big.Int).Binomial(n, won), new(big.Int).Binomial(n-won, lost)))
				p.Mul(p, rising(int64(w.Wins), 1, won)).Mul(p, rising(int64(w.Losses), 1, lost)).Mul(p,
					rising(int64(w.Draws), 1, n-won-lost))
				share, _ := p.Quo(p, rising(int64(w.Games()), 3, n)).Float64()
				switch {
				case won > lost:
					win += share
				case won < lost:
					loss += share
				default:
					draw += share
				}
			}
		}
		return win, draw, loss
	}
	for n, w := range map[int]WDL{1: {Wins: 2, Losses: 1}, 2: {Wins: 5}, 9: {Wins: 3, Draws: 1, Losses: 2},
		15: {Wins: 60, Draws: 20, Losses: 40}} {
		f, err := w.Forecast(n, 0.95)
		win, draw, loss := chances(w, int64(n))
		testutil.Check(t, err == nil && math.Abs(f.Win-win) <= 1e-12 && math.Abs(f.Draw-draw) <= 1e-12 &&
			math.Abs(f.Loss-loss) <= 1e-12,
			"%+v, %d games: %+v, %v, want %v, %v, %v", w, n, f, err, win, draw, loss)
		testutil.Check(t, w.Losses <= 0 || f.Interval.Lo < f.Win && f.Win < f.Interval.Hi, "%+v is outside of its interval",
			f)
	}
	// Another program summed these values by logarithms of the gamma function.
	if f, err := (WDL{Wins: 10, Draws: 1, Losses: 5}).Forecast(100, 0.95); err != nil ||
		math.Abs(f.Win-0.880999551362448) > 1e-9 || math.Abs(f.Draw-0.007826829270523) > 1e-9 {
		t.Errorf("%+v, %v", f, err)
	}
	for name, w := range map[string]WDL{"all drawn": {Draws: 3}, "impossible": {Wins: -1}} {
		testutil.Fails(t, testutil.Err(w.Forecast(3, 0.95)), "", "%s", name)
	}
}
