package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"

	"pgregory.net/rapid"
)

var models = []EloModel{ModelLogistic, ModelNormalized, ModelBayesElo}

func design(t *rapid.T) SPRT {
	elo0 := rapid.Float64Range(-50, 50).Draw(t, "elo0")
	return SPRT{
		Elo0:  elo0,
		Elo1:  elo0 + rapid.Float64Range(0.5, 50).Draw(t, "width"),
		Alpha: rapid.SampledFrom([]float64{0.01, 0.05, 0.2}).Draw(t, "alpha"),
		Beta:  rapid.SampledFrom([]float64{0.01, 0.05, 0.2}).Draw(t, "beta"),
		Model: rapid.SampledFrom(models).Draw(t, "model"), Boundary: BoundaryWald,
	}
}

// outcomes draws any WDL or Pentanomial, often with empty cells.
func outcomes(t *rapid.T) Outcomes {
	cell := rapid.OneOf(rapid.Just(0), rapid.IntRange(0, 20), rapid.IntRange(0, 100_000))
	if rapid.Bool().Draw(t, "single games") {
		return WDL{cell.Draw(t, "w"), cell.Draw(t, "d"), cell.Draw(t, "l")}
	}
	return Pentanomial{
		cell.Draw(t, "ll"), cell.Draw(t, "ld"), cell.Draw(t, "wl"),
		cell.Draw(t, "dd"), cell.Draw(t, "wd"), cell.Draw(t, "ww"),
	}
}

func mirrored(o Outcomes) Outcomes {
	switch o := o.(type) {
	case WDL:
		return o.Mirror()
	case Pentanomial:
		return o.Mirror()
	}
	return nil
}

func TestExchangingTheEnginesMirrorsTheSequentialTest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s, o := design(t), outcomes(t)
		r := SPRT{Elo0: -s.Elo1, Elo1: -s.Elo0, Alpha: s.Beta, Beta: s.Alpha, Model: s.Model, Boundary: BoundaryWald}
		a, err := s.LLR(o)
		b, err2 := r.LLR(mirrored(o))
		testutil.Require(t, (err == nil) == (err2 == nil) && math.Abs(a+b) <= 1e-6*max(1, math.Abs(a)), "%v %v %v %v", a, err,
			b, err2)
		x, err := s.Elo(o, 0.95)
		y, err2 := r.Elo(mirrored(o), 0.95)
		testutil.Require(t, (err == nil) == (err2 == nil), "%v %v %v %v", x, err, y, err2)
		testutil.Require(t, err != nil || math.IsInf(x.Elo, 0) || math.Abs(x.Elo+y.Elo) <= 0.01*max(1, math.Abs(x.Elo)),
			"%v %v", x, y)
	})
}

// TestSequentialNumbersAreNumbers requires that no counts and no design lead to NaN or a panic.
func TestSequentialNumbersAreNumbers(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(-1100, 1100), rapid.Float64Range(0, 1))
		s := SPRT{
			number.Draw(t, "elo0"), number.Draw(t, "elo1"), number.Draw(t, "alpha"), number.Draw(t, "beta"),
			rapid.SampledFrom(models).Draw(t, "model"), rapid.SampledFrom(boundaries).Draw(t, "boundary"),
		}
		if rapid.Bool().Draw(t, "sound") {
			s.Elo0, s.Elo1 = math.Remainder(s.Elo0, 1000), math.Remainder(s.Elo1, 1000)
			s.Elo0, s.Elo1 = min(s.Elo0, s.Elo1), max(s.Elo0, s.Elo1)
			s.Alpha, s.Beta = 0.05, 0.1
		}
		o, level, elo := outcomes(t), number.Draw(t, "level"), number.Draw(t, "elo")
		j, err := s.Judge(o)
		sound(t, "judge", err, j.LLR)
		e, err := s.Elo(o, level)
		sound(t, "elo", err, e.Elo, e.Interval.Lo, e.Interval.Hi)
		testutil.Require(t, err != nil || e.Interval.Lo <= e.Elo && e.Elo <= e.Interval.Hi, "%+v", e)
		c := Conditions{number.Draw(t, "draw rate"), number.Draw(t, "bias"), number.Draw(t, "correlation")}
		x, err := s.Expect(elo, c)
		sound(t, "expect", err, x.Pass, x.Fail, x.Games)
		d := binomial.Design{Alpha: s.Alpha, Power: number.Draw(t, "power"), DrawRate: c.DrawRate,
			Alternative: rapid.SampledFrom([]binomial.Alternative{binomial.Greater, binomial.Less, binomial.TwoSided}).Draw(t,
				"alt")}
		if math.Abs(elo) > 1 || math.Abs(elo) < 1e-3 { // values between take a second
			l, err := d.Length(elo)
			sound(t, "length", err, l.Power)
		}
		found, err := d.Detectable(rapid.IntRange(-10, 100_000).Draw(t, "games"))
		sound(t, "detectable", err, found)
		few := rapid.IntRange(-1, 2000)
		scores := WDL{Wins: few.Draw(t, "wins"), Draws: few.Draw(t, "draws"), Losses: few.Draw(t, "losses")}.GameScores()
		i, err := scores.AnytimeInterval(level)
		sound(t, "anytime", err, i.Lo, i.Hi)
		v, err := scores.EValue(elo)
		sound(t, "e-value", err, v.LogE, v.P)
	})
}

func sound(t *rapid.T, what string, err error, numbers ...float64) {
	if err == nil && slices.ContainsFunc(numbers, math.IsNaN) || err != nil &&
		slices.ContainsFunc(numbers, func(x float64) bool { return x != 0 }) {
		t.Fatalf("%s: %v, %v", what, numbers, err)
	}
}

var boundaries = []Boundary{BoundaryWald, BoundaryRatio, BoundaryBounded}

// symmetric are the boundaries whose bounds change their signs if α and β are exchanged.
var symmetric = []Boundary{BoundaryWald, BoundaryBounded}

func randomPairs(t *rapid.T) []Pair { return pairs(false).Draw(t, "pairs") }

// TestPrefixIgnoresTheOrderOfArrival requires that the order of arrival does not change the judgement, and that a
// decision is final.
func TestPrefixIgnoresTheOrderOfArrival(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := randomPairs(t)
		if len(all) == 0 {
			t.Skip()
		}
		s := SPRT{Elo0: 0, Elo1: 400, Alpha: 0.3, Beta: 0.3, Model: rapid.SampledFrom(models).Draw(t, "model"),
			Boundary: BoundaryWald}
		ordered := testutil.Must(NewPrefix(s, len(all)))(t)
		shuffled, _ := NewPrefix(s, len(all))
		stopped := Judgement{Decision: Continue}
		for id, p := range all {
			testutil.OK(t, ordered.Add(id, p))
			j := ordered.Judgement()
			if stopped.Decision != Continue &&
				(j.Decision != stopped.Decision || j.LLR != stopped.LLR || j.Units != stopped.Units) {
				t.Fatalf("%+v after %+v", j, stopped)
			}
			stopped = j
		}
		ids := rapid.Permutation(slices.Collect(func(yield func(int) bool) {
			for i := range all {
				if !yield(i) {
					return
				}
			}
		})).Draw(t, "arrival")
		for _, id := range ids {
			testutil.OK(t, shuffled.Add(id, all[id]))
			before := shuffled.Judgement()
			if err := shuffled.Add(id, all[id]); err != nil || shuffled.Judgement() != before {
				t.Fatalf("%v, %+v: an equal pair that comes again changes nothing", err, shuffled.Judgement())
			}
			other := slices.Clone(all[id])
			other[0], other[1] = other[1], other[0]
			testutil.Fails(t, shuffled.Add(id, other), "", "a pair counted twice")
		}
		a, b := ordered.Judgement(), shuffled.Judgement()
		testutil.Require(t, a == b && same(ordered.Tally(), shuffled.Tally()) && a.Units+a.Beyond == len(all), "%+v, %+v", a,
			b)
		testutil.Require(t, a.Decision != Continue, "the whole plan without a decision: %+v", a)
	})
}

func TestPrefixWaitsForGaps(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryWald}
	p := testutil.Must(NewPrefix(s, 1000))(t)
	sweep := Pair{leg(Win, true), leg(Win, false)}
	split := Pair{leg(Win, true), leg(Loss, false)}
	add := func(id int, pair Pair) Judgement {
		t.Helper()
		testutil.OK(t, p.Add(id, pair))
		return p.Judgement()
	}
	for id := 1; id < 200; id++ {
		pair := sweep
		if id%5 == 0 {
			pair = split
		}
		if j := add(id, pair); j.Decision != Continue || j.Units != 0 || j.Beyond != id || j.LLR != 0 {
			t.Fatalf("judged behind a gap: %+v", j)
		}
	}
	j := add(0, split)
	testutil.Require(t, j.Decision == Pass && j.Units < 200 && j.Units+j.Beyond == 200 && j.LLR >= j.Upper, "%+v", j)
	e, err := p.Elo(0.95)
	testutil.Check(t, err == nil && e.Interval.Lo < e.Elo && e.Elo < e.Interval.Hi, "%+v, %v", e, err)
	for name, add := range map[string]error{
		"another":    p.Add(3, split),
		"negative":   p.Add(-1, sweep),
		"beyond":     p.Add(1000, sweep),
		"one leg":    p.Add(500, Pair{leg(Win, true)}),
		"no pair":    p.Add(500, Pair{}),
		"no outcome": p.Add(500, Pair{{AIsBlack: true}, leg(Win, false)}),
	} {
		testutil.Check(t, add != nil, "%s: no error", name)
	}
	testutil.Fails(t, testutil.Err(NewPrefix(s, 0)), "", "a plan without pairs")
	testutil.Fails(t, testutil.Err(NewPrefix(SPRT{}, 10)), "", "no design")
}

// TestMaximumIsInconclusive requires that a test that reaches its maximum with draws only is inconclusive.
func TestMaximumIsInconclusive(t *testing.T) {
	p, _ := NewPrefix(SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.05, Model: ModelNormalized, Boundary: BoundaryWald}, 20)
	for id := range 20 {
		if j := p.Judgement(); j.Decision != Continue {
			t.Fatalf("%+v", j)
		}
		testutil.OK(t, p.Add(id, Pair{leg(Draw, true), leg(Draw, false)}))
	}
	if j := p.Judgement(); j.Decision != Inconclusive || j.Units != 20 {
		t.Fatalf("%+v", j)
	}
}

// arrivals simulates a fair match with many pairs in flight. Pairs that A wins 2-0 are a little shorter than pairs that
// A loses 0-2. sweeps is in plan order, and finished is the order in which the pairs end.
func arrivals(r *rand.Rand, pairs, flight int) (sweeps []int, finished []int) {
	slots := make([]float64, flight)
	ends := make([]float64, pairs)
	for id := range pairs {
		outcome := []int{-1, 0, 0, 1}[r.IntN(4)]
		slot := 0
		for i := range slots {
			if slots[i] < slots[slot] {
				slot = i
			}
		}
		slots[slot] += []float64{1.2, 1.1, 1}[outcome+1] * (0.5 + r.Float64())
		ends[id] = slots[slot]
		sweeps, finished = append(sweeps, outcome), append(finished, id)
	}
	slices.SortFunc(finished, func(a, b int) int {
		if ends[a] < ends[b] {
			return -1
		}
		return 1
	})
	return sweeps, finished
}

// TestOnlyPlanOrderKeepsTheErrorRate plays between equals with 128 pairs in flight. A test that takes pairs as they
// arrive passes far more often than alpha. In plan order it does not.
func TestOnlyPlanOrderKeepsTheErrorRate(t *testing.T) {
	const series, pairs, flight = 300, 400, 128
	s := SPRT{Elo0: 0, Elo1: 50, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryWald}
	r := rand.New(rand.NewPCG(1, 2))
	kinds := []Pair{{leg(Loss, true), leg(Loss, false)}, {leg(Win, true), leg(Loss, false)},
		{leg(Win, true), leg(Win, false)}}
	passes := map[string]int{}
	for range series {
		outcomes, finished := arrivals(r, pairs, flight)
		planned, _ := NewPrefix(s, pairs)
		arrived, _ := NewPrefix(s, pairs) // takes the order of arrival as the plan
		for place, id := range finished {
			pair := kinds[outcomes[id]+1]
			testutil.OK(t, planned.Add(id, pair))
			testutil.OK(t, arrived.Add(place, pair))
		}
		for name, p := range map[string]*Prefix{"plan": planned, "arrival": arrived} {
			if p.Judgement().Decision == Pass {
				passes[name]++
			}
		}
	}
	t.Logf("of %d fair series, %d passed in plan order, %d in order of arrival", series, passes["plan"], passes["arrival"])
	if test, _ := binomial.Exact(passes["plan"], series, s.Alpha, binomial.Greater); test.P < 0.01 {
		t.Errorf("plan order passes %d of %d", passes["plan"], series)
	}
	if test, _ := binomial.Exact(passes["arrival"], series, s.Alpha, binomial.Greater); test.P > 1e-6 {
		t.Errorf("order of arrival passes %d of %d only", passes["arrival"], series)
	}
}

func TestHomogeneity(t *testing.T) {
	// Calculated by hand: both rows expect 15 and 5, so χ² is 2·(4/15 + 4/5) = 32/15.
	h, err := SameEverywhere([]Outcomes{WDL{Wins: 17, Losses: 3}, WDL{Wins: 13, Losses: 7}}, 0.05)
	testutil.Check(t, err == nil && agree(h.ChiSquare, 32./15, 1e-12) && h.Freedom == 1 && len(h.Outliers) == 0 &&
		h.Sparse == 0,
		"%+v, %v", h, err)
	if !agree(h.P, math.Erfc(math.Sqrt(16./15)), 1e-9) { // chi-square with one degree of freedom
		t.Errorf("p = %v", h.P)
	}
	r := h.Residuals[0]
	testutil.Check(t, agree(r[2]*r[2], h.ChiSquare, 1e-12) && r[0] == -r[2] && r[1] == 0, "residuals %v", r)
	h, err = SameEverywhere([]Outcomes{
		Pentanomial{LL: 10, WL: 30, WW: 10}, Pentanomial{LL: 12, WL: 27, WW: 11}, Pentanomial{},
		Pentanomial{LL: 40, WL: 5, WW: 5},
	}, 0.05)
	testutil.Check(t, err == nil && h.Freedom == 4 && slices.Contains(h.Outliers, 3) && h.P <= 1e-6, "%+v, %v", h, err)
	for name, bad := range map[string][]Outcomes{
		"nothing":     nil,
		"one source":  {WDL{Wins: 1, Losses: 1}, WDL{}},
		"one outcome": {WDL{Wins: 1}, WDL{Wins: 2}},
		"mixed":       {WDL{Wins: 1, Losses: 1}, Pentanomial{LL: 1, WW: 1}},
		"negative":    {WDL{Wins: -1, Losses: 1}, WDL{Wins: 1}},
	} {
		testutil.Fails(t, testutil.Err(SameEverywhere(bad, 0.05)), "", "%s", name)
	}
}

func TestDrawConventions(t *testing.T) {
	games := WDL{Wins: 136, Draws: 111, Losses: 96}
	for rule, want := range map[binomial.DrawRule]binomial.Counted{
		binomial.DrawsDropped: {Draws: binomial.DrawsDropped, Points: 136, N: 232},
		binomial.DrawsHalf:    {Draws: binomial.DrawsHalf, Points: 191.5, N: 343},
		binomial.DrawsFloored: {Draws: binomial.DrawsFloored, Points: 191, N: 343},
	} {
		c, err := games.Counted(rule)
		testutil.Check(t, err == nil && c == want, "%+v, %v; want %+v", c, err, want)
		i, err := c.Interval(binomial.MethodLFICS, 0.95)
		testutil.Check(t, (err == nil) == (rule != binomial.DrawsHalf) && (err != nil || i.Draws == rule), "%s: %+v, %v",
			rule, i, err)
		i, err = c.Interval(binomial.MethodClopperPearson, 0.95)
		exact := rule == binomial.DrawsDropped
		testutil.Check(t, (err == nil) == exact && (!exact || i.Draws == rule), "%s: %+v, %v", rule, i, err)
	}
	for _, w := range []WDL{{}, {Draws: 5}, {Wins: -1, Losses: 3}} {
		testutil.Fails(t, testutil.Err(w.Counted(binomial.DrawsDropped)), "", "%+v", w)
	}
	testutil.Fails(t, testutil.Err(games.Counted("lost")), "")
}

func TestScoresOfASeries(t *testing.T) {
	games := WDL{Wins: 521, Draws: 10, Losses: 469}
	is := func(s Scores, unit string, sum float64, n int) bool {
		return s.Unit == unit && s.N() == n && math.Abs(s.Mean()*float64(n)-sum) < 1e-9
	}
	if s := games.DecisiveScores(); !is(s, "decisive_game", 521, 990) {
		t.Errorf("%+v", s)
	}
	if s := games.GameScores(); !is(s, "game", 526, 1000) {
		t.Errorf("%+v", s)
	}
	s, err := tallyOf(t, 1, 0, 2, 1, 1, 3).PairScores()
	if err != nil || !is(s, "pair", 5.25, 8) { // 0 + 2·½ + ½ + ¾ + 3
		t.Errorf("%+v, %v", s, err)
	}
	penta := Pentanomial{LL: 1, WL: 2, DD: 1, WD: 1, WW: 3}.PairScores()
	testutil.Check(t, is(penta, "pair", 5.25, 8) && slices.Equal(penta.all, s.all), "%+v, of pairs one by one %+v", penta,
		s)
	testutil.Fails(t, testutil.Err(singlesOf(t, games).PairScores()), "")
	if c, err := games.Counted(binomial.DrawsHalf); err != nil || c.Score() != 0.526 {
		t.Errorf("%+v, %v", c, err)
	}
}

func TestNormalizedElo(t *testing.T) {
	sigma := math.Sqrt(0.24)
	elo := NormalizedElo(0.6, sigma)
	testutil.Check(t, agree(elo, 800/math.Ln10*0.1/sigma, 1e-12) && agree(normalizedScore(elo, sigma), 0.6, 1e-12), "%v",
		elo)
	testutil.Check(t, NormalizedElo(0.5, 0) == 0 && math.IsInf(NormalizedElo(1, 0), 1), "a score without variance")
}

func TestPrefixOfSingleGames(t *testing.T) {
	s := SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic, Boundary: BoundaryWald}
	p, _ := NewPrefix(s, 200)
	e, err := p.Elo(0.95)
	testutil.Check(t, err != nil, "before the first game: %+v", e)
	for id := range 200 {
		testutil.OK(t, p.Add(id, Pair{leg([]Outcome{Win, Win, Loss}[id%3], true)}))
	}
	j := p.Judgement()
	llr := llrOf(t, s, p.Tally().Total())
	testutil.Check(t, j.Decision == Pass && j.LLR == llr && j.Units+j.Beyond == 200, "%+v", j)
}

// TestTheMostLikelyDistributionsHaveTheMeans: the most likely distribution under a hypothesis has the mean of the
// hypothesis. For some counts, such as LD 14, WD 2, WW 1, the solver's first step ends next to a pole of its function.
func TestTheMostLikelyDistributionsHaveTheMeans(t *testing.T) {
	far := func(a, b float64) bool { return !(math.Abs(a-b) < 1e-9) }
	for i := range 4 * 30 * 3 * 30 * 4 {
		o := Pentanomial{LL: i % 4, LD: i / 4 % 30, DD: i / 120 % 3, WD: i / 360 % 30, WW: i / 10_800}
		d := newDistribution(o)
		h := hypotheses{h0: 0.5, h1: binomial.Expected(5)}
		p0, p1, ok := d.fits(h)
		mean0, _ := moments(d.values, p0)
		mean1, _ := moments(d.values, p1)
		if !ok || far(mean0, h.h0) || far(mean1, h.h1) {
			t.Fatalf("%+v: means %v and %v", o, mean0, mean1)
		}
	}
	// This value was calculated with 50 digits.
	llr := testutil.Must(SPRT{Elo0: -5, Alpha: 0.05, Beta: 0.05, Model: ModelLogistic,
		Boundary: BoundaryWald}.LLR(Pentanomial{LD: 14, WD: 2, WW: 1}))(t)
	testutil.Check(t, !far(llr, -0.17356456445537676), "the LLR is %v", llr)
}
