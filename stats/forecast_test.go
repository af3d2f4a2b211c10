package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// ordinary has conditions like those of real matches.
var ordinary = Conditions{DrawRate: 0.03, Correlation: -0.1}

func ratesOf(t *testing.T, c Conditions, elo float64) PairRates {
	t.Helper()
	return testutil.Must(c.PairRates(elo))(t)
}

// TestPairRates: the rates have the score and the correlation of their conditions.
func TestPairRates(t *testing.T) {
	for _, c := range []Conditions{{}, ordinary, {DrawRate: 0.4, Correlation: 0.3}, {Correlation: -0.5},
		{DrawRate: 0.5, Correlation: 1}, {RMSBias: 100}} {
		for _, elo := range []float64{-50, 0, 30} {
			r := ratesOf(t, c, elo)
			mean, variance := r.moments()
			sum := r[0] + r[1] + r[2] + r[3] + r[4]
			testutil.Check(t, math.Abs(sum-1)+math.Abs(mean-binomial.Expected(elo)) <= 1e-12 && slices.Min(r[:]) >= 0,
				"%+v at %v: %v", c, elo, r)
			game := binomial.Expected(elo)*(1-binomial.Expected(elo)) - c.DrawRate/4
			bias := binomial.Expected(c.RMSBias) - 0.5
			correlation := c.Correlation - bias*bias/((1-c.DrawRate)/4)
			if want := game * (1 + correlation) / 2; math.Abs(variance-want) > 1e-12 {
				t.Errorf("%+v at %v: variance %v, want %v", c, elo, variance, want)
			}
		}
	}
	for _, c := range []Conditions{{DrawRate: 1}, {DrawRate: 0.9}, {Correlation: -0.99}, {Correlation: -1}} {
		testutil.Fails(t, testutil.Err(c.PairRates(150)), "", "%+v", c)
	}
	// By hand: 10 WW, 10 LL and 20 WL are independent games. Without WL the correlation is 1, with 60 WL it is -0.5.
	for wl, want := range map[int]float64{20: 0, 0: 1, 60: -0.5} {
		c, err := tallyOf(t, 10, 0, wl, 0, 0, 10).Conditions()
		testutil.Check(t, err == nil && math.Abs(c.Correlation-want) <= 1e-12 && c.DrawRate == 0, "%d: %+v, %v", wl, c, err)
	}
	testutil.Fails(t, testutil.Err(singlesOf(t, WDL{1, 1, 1}).Conditions()), "")
}

// TestCourseAgainstExactSums compares a walk of two steps with the exact distribution of the wins of the tests that
// still run.
func TestCourseAgainstExactSums(t *testing.T) {
	const limit = 3000
	for _, elo := range []float64{0, 40, 80} {
		s := SPRT{Elo0: 0, Elo1: 80, Alpha: 0.05, Beta: 0.1, Model: ModelLogistic, Boundary: BoundaryWald}
		p, p0, p1 := binomial.Expected(elo), binomial.Expected(s.Elo0), binomial.Expected(s.Elo1)
		win, loss := math.Log(p1/p0), math.Log((1-p1)/(1-p0))
		information := (p1 - p0) * (p1 - p0) / ((p0 + p1) / 2 * (1 - (p0+p1)/2))
		for _, s.Boundary = range boundaries {
			running, pass, games, left := map[int]float64{0: 1}, 0.0, 0.0, 1.0
			for game := 1; game <= limit; game++ {
				next := map[int]float64{}
				for wins, q := range running {
					next[wins] += q * (1 - p)
					next[wins+1] += q * p
				}
				lower, upper := s.BoundsAt(float64(game) * information)
				for wins, q := range next {
					llr := float64(wins)*win + float64(game-wins)*loss
					if llr >= upper {
						pass += q
					}
					if llr >= upper || llr <= lower {
						games, left = games+float64(game)*q, left-q
						delete(next, wins)
					}
				}
				running = next
			}
			games += limit * left
			w := ratioWalk{test: s, steps: ratioSteps{sizes: []float64{loss, win}, probs: []float64{1 - p, p},
				information: func(n float64) float64 { return n * information }}}
			w.lower, w.upper = s.Bounds()
			got := w.run(5000, limit)
			testutil.Check(t, math.Abs(got.Pairs/games-1) <= 0.002 && math.Abs(got.Pass-pass) <= 0.002,
				"%v %q: %+v, want %v games and %v", elo, s.Boundary, got, games, pass)
		}
	}
}

// TestEndOfACourse: after its last point, a course continues as in its last step. A third of the newly ended tests
// pass, and the share of running tests falls to a tenth in a hundred pairs.
func TestEndOfACourse(t *testing.T) {
	before, now := tail{SPRTForecast{Pass: 0.5, Fail: 0.4}, 100, 0.1},
		tail{SPRTForecast{Pass: 0.53, Fail: 0.46, Pairs: 50}, 200, 0.01}
	c := now.SPRTForecast
	left := c.finish(before, now, 300)
	pairs, steps := 50.0, 100_000
	for i := range steps {
		at := (float64(i) + 0.5) / float64(steps) // share of the hundred pairs up to the limit
		pairs += (200 + 100*at) * 0.01 * math.Log(10) * math.Pow(0.1, at) / float64(steps)
	}
	if math.Abs(left-0.001) > 1e-12 || math.Abs(c.Pass-0.533) > 1e-12 || math.Abs(c.Fail-0.466) > 1e-12 ||
		math.Abs(c.Pairs-pairs) > 1e-9 {
		t.Errorf("%+v, want %v pairs; left %v", c, pairs, left)
	}
}

// TestDiffusionAgainstWalk: walk and diffusion agree at the length at which the forecast changes from one to the other.
func TestDiffusionAgainstWalk(t *testing.T) {
	for _, b := range boundaries {
		s := SPRT{Elo0: 0, Elo1: 25, Alpha: 0.05, Beta: 0.1, Model: ModelLogistic, Boundary: b}
		for _, elo := range []float64{0, 12} {
			steps := testutil.Must(s.ratioSteps(ratesOf(t, ordinary, elo)))(t)
			w := ratioWalk{test: s, steps: steps}
			w.lower, w.upper = s.Bounds()
			w.mean, w.spread = steps.moments()
			want := w.run(walkPlaces, 1500)
			got := w.diffusion(1500)
			if math.Abs(got.Pairs/want.Pairs-1) > 0.003 || math.Abs(got.Pass-want.Pass) > 0.002 ||
				math.Abs(got.Unfinished-want.Unfinished) > 0.003 || math.Abs(float64(got.P90)/float64(want.P90)-1) > 0.01 {
				t.Errorf("%q at %v: %+v, want %+v", b, elo, got, want)
			}
		}
	}
}

// TestForecastsFarAway plays tests of players far outside the hypotheses, and compares their lengths with the forecast.
// The shares are the smallest of docs/research/statistics.md. If the number for 99% is above 1.05 medians, 97% or more
// end within it.
func TestForecastsFarAway(t *testing.T) {
	for _, c := range []struct {
		elo, elo1 float64
		boundary  Boundary
	}{
		{-1000, 5, BoundaryRatio}, {700, 5, BoundaryBounded}, {700, 5, BoundaryWald}, {700, 100, BoundaryBounded},
		{450, 10, BoundaryRatio}, {250, 100, BoundaryBounded}, {200, 10, BoundaryWald}, {-240, 40, BoundaryRatio},
	} {
		rates := ratesOf(t, Conditions{DrawRate: 0.001}, c.elo)
		s := SPRT{Elo0: 0, Elo1: c.elo1, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: c.boundary}
		f := testutil.Must(s.Forecast(rates, 0))(t)
		r := rand.New(rand.NewPCG(1, 2))
		const tests, extra = 600, 20
		lengths := make([]int, tests)
		for i := range lengths {
			lengths[i] = lengthOf(t, s, rates, r)
		}
		within := func(pairs int) int { return lists.Count(lengths, func(n int) bool { return n <= pairs }) }
		median, most, later := within(f.Median), within(f.P99), within(f.P99+extra)
		share := 0.97
		if float64(f.P99) <= 1.05*float64(f.Median) {
			share = 0.91
		}
		testutil.Check(t, float64(most) >= share*tests && median >= tests*2/5 && later >= tests*995/1000,
			"%+v: of %d tests %d end within %d pairs, %d within %d, and %d within %d more",
			c, tests, median, f.Median, most, f.P99, later, extra)
	}
}

// draw returns the number of a cell that is drawn with these probabilities.
func draw(rates PairRates, r *rand.Rand) (cell int) {
	for u := r.Float64(); cell < 4 && u >= rates[cell]; cell++ {
		u -= rates[cell]
	}
	return cell
}

// lengthOf plays a test and returns its number of pairs.
func lengthOf(t *testing.T, s SPRT, rates PairRates, r *rand.Rand) int {
	var counts [5]int
	for pairs := 1; ; pairs++ {
		counts[draw(rates, r)]++
		if testutil.Must(s.Judge(pairsOf(counts[:])))(t).Decision != Continue {
			return pairs
		}
	}
}

// TestVarianceTowardsABound compares the variance of the distance to the bound with that of drawn results.
func TestVarianceTowardsABound(t *testing.T) {
	const pairs, draws = 240, 2000
	s := SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
	for _, elo := range []float64{-500, -100, 500} {
		rates := ratesOf(t, Conditions{DrawRate: 0.001}, elo)
		r := rand.New(rand.NewPCG(3, 4))
		var sum, squares float64
		for range draws {
			var counts [5]int
			for range pairs {
				counts[draw(rates, r)]++
			}
			j := testutil.Must(s.Judge(pairsOf(counts[:])))(t)
			distance := j.LLR - j.Lower
			if elo > 0 {
				distance = j.LLR - j.Upper
			}
			sum += distance
			squares += distance * distance
		}
		want := (squares - sum*sum/draws) / draws / pairs
		got := testutil.Must(s.ratioSteps(rates))(t).towards(elo, pairs)
		testutil.Check(t, math.Abs(got/want-1) < 0.2, "%v: %v, drawn results have %v", elo, got, want)
	}
}

// TestLawsOfForecasts draws designs and conditions, among them true differences of hundreds of widths of the
// hypotheses, and requires laws that need no other calculation: probabilities from 0 to 1 with the sum 1, quantiles in
// order, a mean that fits them, mirrored results for exchanged players, and a larger probability to pass for a stronger
// player. By Wald's identity, the mean length is the mean ratio at the end, divided by the drift.
func TestLawsOfForecasts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, lo, hi float64) float64 { return rapid.Float64Range(lo, hi).Draw(t, name) }
		s := SPRT{
			Elo0: number("elo0", -300, 300), Alpha: number("alpha", 0.001, 0.29), Beta: number("beta", 0.001, 0.29),
			Model: ModelLogistic, Boundary: rapid.SampledFrom(symmetric).Draw(t, "boundary"),
		}
		s.Elo1 = s.Elo0 + math.Pow(10, number("width", -2, 2.5))
		c := Conditions{DrawRate: number("draws", 0, 0.6), Correlation: number("correlation", -0.3, 0.3)}
		elo := rapid.OneOf(rapid.Float64Range(-700, 700), rapid.Float64Range(s.Elo0-5, s.Elo1+5)).Draw(t, "elo")
		rates, err := c.PairRates(elo)
		if err != nil {
			t.Skip(err)
		}
		limit := rapid.SampledFrom([]int{0, 10, 1000}).Draw(t, "limit")
		f := testutil.Must(s.Forecast(rates, limit))(t)
		testutil.Check(t, min(f.Pass, f.Fail, f.Unfinished) >= 0 && math.Abs(f.Pass+f.Fail+f.Unfinished-1) <= 1e-6, "%+v", f)
		testutil.Check(t, f.Median >= 1 && f.Median <= f.P90 && f.P90 <= f.P95 && f.P95 <= f.P99, "%+v", f)
		testutil.Check(t, f.Pairs >= 0.45*float64(f.Median-1) && (limit == 0 || f.Pairs <= float64(limit)+1e-6), "%+v", f)
		slices.Reverse(rates[:])
		other := s
		other.Elo0, other.Elo1, other.Alpha, other.Beta = -s.Elo1, -s.Elo0, s.Beta, s.Alpha
		m := testutil.Must(other.Forecast(rates, limit))(t)
		testutil.Check(t, math.Abs(m.Pass-f.Fail)+math.Abs(m.Fail-f.Pass) <= 0.02 && agree(m.Pairs, f.Pairs, 0.02),
			"%+v, mirrored %+v", f, m)
		if stronger, err := c.PairRates(elo + number("stronger", 0, 50)); err == nil && limit == 0 {
			g := testutil.Must(s.Forecast(stronger, limit))(t)
			testutil.Check(t, g.Pass >= f.Pass-0.01, "%+v, stronger %+v", f, g)
		}
	})
}

// TestForecastFarFromTheHypotheses compares forecasts of the bounded test with the mean time in which a motion with a
// fast drift passes one bound, (l + 0.583 sd)/(drift + I/10), calculated apart from gogi for elo0 = 0 and elo1 = 2 in
// games. Between equals it is the length of before.
func TestForecastFarFromTheHypotheses(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 2, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
	for elo, games := range map[float64]float64{-20: 9825, -40: 5124.4, -60: 3526, -80: 2737} {
		f := testutil.Must(s.Forecast(ratesOf(t, Conditions{DrawRate: 0.03}, elo), 0))(t)
		testutil.Check(t, agree(2*f.Pairs, games, 0.001) && f.Pass < 1e-6 && f.P99 > f.Median, "%v: %+v", elo, f)
	}
}

// TestForecastWithManyDraws: if nearly all games are drawn, the two scores that the test adds to the variance decide
// its length. 40 simulated tests of the bounded rule have about the planned length.
func TestForecastWithManyDraws(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 4, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryBounded}
	rates := ratesOf(t, Conditions{DrawRate: 0.999}, 0)
	f := testutil.Must(s.Forecast(rates, 0))(t)
	r := rand.New(rand.NewPCG(1, 9))
	sum := 0
	for range 40 {
		sum += stopped(t, r, s, rates).Pairs()
	}
	testutil.Check(t, math.Abs(f.Pairs/(float64(sum)/40)-1) <= 0.12, "planned %v, simulated %v", f.Pairs, float64(sum)/40)
}

// TestSimulatedCourse compares simulated tests with their forecast.
func TestSimulatedCourse(t *testing.T) {
	type test struct {
		elo1 float64
		b    Boundary
	}
	n := simulations(400, 20_000)
	for _, c := range []test{{40, BoundaryRatio}, {60, BoundaryBounded}} {
		s := SPRT{Elo0: 0, Elo1: c.elo1, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: c.b}
		for _, elo := range []float64{0, c.elo1 / 2, c.elo1} {
			rates := ratesOf(t, ordinary, elo)
			plan := testutil.Must(s.Forecast(rates, 0))(t)
			r := rand.New(rand.NewPCG(5, uint64(elo)))
			var lengths []float64
			passes, sum, squares := 0, 0.0, 0.0
			for range n {
				penta := stopped(t, r, s, rates)
				if j, err := s.Judge(penta); err == nil && j.Decision == Pass {
					passes++
				}
				pairs := penta.Pairs()
				lengths = append(lengths, float64(pairs))
				sum += float64(pairs)
				squares += float64(pairs * pairs)
			}
			slices.Sort(lengths)
			mean := sum / float64(n)
			se := math.Sqrt((squares/float64(n) - mean*mean) / float64(n))
			pass, passSE := float64(passes)/float64(n), math.Sqrt(plan.Pass*(1-plan.Pass)/float64(n))
			t.Logf("[0,%v] %q at %v: %.1f pairs (s.e. %.1f), planned %.1f; passes %.4f, planned %.4f; quantiles %v %v %v, planned %d %d %d",
				c.elo1, c.b, elo, mean, se, plan.Pairs, pass, plan.Pass, lengths[n/2], lengths[n*9/10], lengths[n*99/100],
				plan.Median, plan.P90, plan.P99)
			testutil.Check(t, math.Abs(mean-plan.Pairs) <= 4*se+0.02*mean && math.Abs(pass-plan.Pass) <= 4*passSE+0.01,
				"[0,%v] %q at %v: the plan is off", c.elo1, c.b, elo)
			for share, planned := range map[float64]int{0.5: plan.Median, 0.9: plan.P90, 0.99: plan.P99} {
				within, _ := slices.BinarySearch(lengths, float64(planned)+0.5)
				got := float64(within) / float64(n)
				testutil.Check(t, math.Abs(got-share) <= 4*math.Sqrt(share*(1-share)/float64(n))+0.012,
					"[0,%v] %q at %v: %v of the tests ended within %d pairs, planned %v", c.elo1, c.b, elo, got, planned, share)
			}
		}
	}
}

// stopped plays a test pair by pair until it decides.
func stopped(t *testing.T, r *rand.Rand, s SPRT, rates PairRates) Pentanomial {
	t.Helper()
	var p Pentanomial
	for {
		u, cell := r.Float64(), 0
		for ; cell < 4 && u >= rates[cell]; cell++ {
			u -= rates[cell]
		}
		*[]*int{&p.LL, &p.LD, &p.WL, &p.WD, &p.WW}[cell]++
		j := testutil.Must(s.Judge(p))(t)
		if j.Decision != Continue {
			return p
		}
	}
}

// TestSimulatedPower: at the planned length, the sign-flip test finds the difference with the planned power.
func TestSimulatedPower(t *testing.T) {
	n := simulations(2000, 40_000)
	for _, c := range []struct {
		PairDesign
		elo float64
	}{
		{PairDesign{0.05, 0.8, binomial.TwoSided, ordinary}, 30},
		{PairDesign{0.05, 0.95, binomial.Greater, Conditions{DrawRate: 0.3, Correlation: 0.2}}, 60},
		{PairDesign{0.01, 0.9, binomial.TwoSided, Conditions{}}, -150},
	} {
		l := testutil.Must(c.Length(c.elo))(t)
		rates := ratesOf(t, c.Conditions, math.Abs(c.elo))
		r := rand.New(rand.NewPCG(9, 9))
		found := 0
		for range n {
			penta := cells(rates).draw(r, l.Pairs)
			var s scores
			for i, k := range penta {
				if k > 0 {
					s = append(s, scoreCount{i * milli / 2, k})
				}
			}
			if signFlip("", s, binomial.Greater).Significant(map[binomial.Alternative]float64{binomial.TwoSided: c.Alpha / 2,
				binomial.Greater: c.Alpha}[c.Alternative]) {
				found++
			}
		}
		got := float64(found) / float64(n)
		se := math.Sqrt(l.Power * (1 - l.Power) / float64(n))
		t.Logf("%+v at %v Elo: %+v; simulated %.4f, s.e. %.4f", c.PairDesign, c.elo, l, got, se)
		testutil.Check(t, math.Abs(got-l.Power) <= 4*se+0.002 && l.Power >= c.Power, "%+v: the power is %v", l, got)
		if elo, err := c.Detectable(l.Pairs); err != nil || math.Abs(elo/math.Abs(c.elo)-1) > 0.05 {
			t.Errorf("%d pairs detect %v, %v", l.Pairs, elo, err)
		}
	}
}

// TestPowerNormalAndExact: the exact power, averaged over several numbers of pairs, is near the normal approximation.
func TestPowerNormalAndExact(t *testing.T) {
	for _, c := range []struct {
		Conditions
		pairs int
	}{{ordinary, 120}, {Conditions{DrawRate: 0.3}, 90}, {Conditions{}, 400}} {
		rates := ratesOf(t, c.Conditions, 40)
		smooth := 0.0 // the exact power goes up and down with each pair
		for k := c.pairs - 4; k <= c.pairs+4; k++ {
			smooth += (1 - rates.exactMiss(k, 0.025, 1e-6)) / 9
		}
		normal := rates.normalPower(c.pairs, 0.025)
		testutil.Check(t, math.Abs(normal-smooth) <= 0.006, "%+v: exact %v, normal %v", c, smooth, normal)
	}
}

// TestPlanByGamesIsTooShort: a plan by games, one-sided, needs 7,502 games for 10 Elo and a power of 0.8. In the
// two-sided test over pairs, these games have a power of only 0.69.
func TestPlanByGamesIsTooShort(t *testing.T) {
	games, err := binomial.Design{Alpha: 0.05, Power: 0.8, Alternative: binomial.Greater}.Length(10)
	testutil.Require(t, err == nil && games.Games == 7502, "%+v, %v", games, err)
	rates := ratesOf(t, Conditions{}, 10)
	power := rates.normalPower(games.Games/2, 0.025)
	testutil.Check(t, math.Abs(power-0.69) <= 0.006, "%v", power)
}

func TestImpossiblePlans(t *testing.T) {
	good := PairDesign{0.05, 0.8, binomial.TwoSided, ordinary}
	for name, f := range map[string]func() error{
		"no difference": func() error { _, err := good.Length(0); return err },
		"wrong side":    func() error { _, err := PairDesign{0.05, 0.8, binomial.Greater, ordinary}.Length(-10); return err },
		"no power": func() error {
			_, err := PairDesign{0.05, 0.01, binomial.TwoSided, ordinary}.Length(10)
			return err
		},
		"all drawn": func() error {
			_, err := PairDesign{0.05, 0.8, binomial.TwoSided, Conditions{DrawRate: 1}}.Length(10)
			return err
		},
		"too close": func() error { _, err := good.Length(1e-3); return err },
		"few pairs": func() error { _, err := good.Detectable(2); return err },
		"no pairs":  func() error { _, err := good.Detectable(0); return err },
		"no design": func() error { _, err := SPRT{}.Forecast(PairRates{0.5, 0, 0, 0, 0.5}, 0); return err },
		"no rates":  func() error { _, err := gateDesign.Forecast(PairRates{0.5, 0, 0, 0, 0.4}, 0); return err },
		"one score": func() error { _, err := gateDesign.Forecast(PairRates{0, 0, 1, 0, 0}, 0); return err },
		"negative":  func() error { _, err := gateDesign.Forecast(PairRates{-1, 0, 1, 0, 1}, 0); return err },
	} {
		testutil.Check(t, f() != nil, "%s: no error", name)
	}
}
