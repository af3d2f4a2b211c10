package rating

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
	"gogi/stats/rating/newton"

	"pgregory.net/rapid"

	"gogi/stats/rating/crosstable"
)

var models = []Model{
	{},
	{FirstMove: Multiplicative},
	{Draws: Davidson},
	{Draws: Davidson, FirstMove: Multiplicative},
	{Prior: Prior{SD: 0.8}},
	{Draws: Davidson, FirstMove: Multiplicative, Prior: Prior{VirtualDraws: 0.5}},
	{Draws: Davidson, Prior: Prior{SD: 2, VirtualDraws: 0.1}},
}

// drawCounts draws games for which every model has an estimate: neighbouring players have every result in both colours.
func drawCounts(t *rapid.T) []crosstable.Count {
	n := rapid.IntRange(2, 6).Draw(t, "players")
	results := rapid.IntRange(0, 9)
	var record []crosstable.Count
	for a := range n {
		for b := range n {
			if a == b {
				continue
			}
			c := crosstable.Count{
				Black: fmt.Sprint("P", a), White: fmt.Sprint("P", b),
				BlackWins: results.Draw(t, "wins"), Draws: results.Draw(t, "draws"), WhiteWins: results.Draw(t, "losses"),
			}
			if (a+1)%n == b || (b+1)%n == a {
				c.BlackWins++
				c.Draws++
				c.WhiteWins++
			}
			record = append(record, c)
		}
	}
	return record
}

func elos(f *Fit) map[string]float64 {
	m := map[string]float64{}
	for _, p := range f.Players {
		m[p.Name] = p.Elo
	}
	return m
}

func rateOrFail(t *rapid.T, record []crosstable.Count, m Model) *Fit {
	f, err := Rate(record, m)
	testutil.OK(t, err, "%+v", m)
	return f
}

// TestDerivatives compares every gradient and every information matrix with finite differences.
func TestDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		table := testutil.Must(crosstable.New(drawCounts(t)))(t)
		model, _ := rapid.SampledFrom(models).Draw(t, "model").resolved()
		l := newLadder(table, model)
		x := l.start()
		for i := range x {
			x[i] += rapid.Float64Range(-0.4, 0.4).Draw(t, "x")
		}
		if l.draw >= 0 {
			x[l.draw] = math.Abs(x[l.draw]) + 0.1
		}
		g, _ := l.Derivatives(x)
		checkDerivatives(t, l.Value, func(x []float64) []float64 { g, _ := l.Derivatives(x); return g }, x, g,
			l.information(x))
	})
}

func TestHandicapDerivatives(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawCounts(t)
		for i := range record {
			record[i].Handicap = rapid.SampledFrom([]int{0, 1, 2, 4}).Draw(t, "handicap")
			record[i].Receiver = record[i].Black
			if rapid.Bool().Draw(t, "white") {
				record[i].Receiver = record[i].White
			}
		}
		record = append(record,
			crosstable.Count{Black: "P0", White: "P1", BlackWins: 1, Handicap: 1},
			crosstable.Count{Black: "P0", White: "P1", BlackWins: 1, Handicap: 2})
		table := testutil.Must(crosstable.New(record))(t)
		model := rapid.SampledFrom(HandicapModels()).Draw(t, "model")
		s := testutil.Must(shapeOf(model, table.Levels()))(t)
		g := s.on(table)
		x := make([]float64, g.players+g.terms)
		for i := range x {
			x[i] = rapid.Float64Range(-1, 1).Draw(t, "x")
		}
		gradient, info := g.slopes(x)
		checkDerivatives(t, g.Value, func(x []float64) []float64 { g, _ := g.slopes(x); return g }, x, gradient, info)
	})
}

func checkDerivatives(t *rapid.T, value func([]float64) float64, slope func([]float64) []float64, x, g []float64,
	info matrix) {
	const h = 1e-5
	at := func(i int, d float64) []float64 {
		y := slices.Clone(x)
		y[i] += d
		return y
	}
	for i := range x {
		want := (value(at(i, h)) - value(at(i, -h))) / (2 * h)
		testutil.Check(t, math.Abs(g[i]-want) <= 1e-5*(1+math.Abs(want)), "gradient %d: %v, want %v", i, g[i], want)
		up, down := slope(at(i, h)), slope(at(i, -h))
		for j := range x {
			if want := (down[j] - up[j]) / (2 * h); math.Abs(info.At(i, j)-want) > 1e-5*(1+math.Abs(want)) {
				t.Errorf("information %d, %d: %v, want %v", i, j, info.At(i, j), want)
			}
		}
	}
}

func TestLabelsAndOrderDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawCounts(t)
		m := rapid.SampledFrom(models).Draw(t, "model")
		f := elos(rateOrFail(t, record, m))
		rename := strings.NewReplacer("P0", "Z", "P1", "A", "P2", "P0")
		renamed := slices.Clone(record)
		for i := range renamed {
			renamed[i].Black, renamed[i].White = rename.Replace(renamed[i].Black), rename.Replace(renamed[i].White)
		}
		slices.Reverse(renamed)
		g := elos(rateOrFail(t, renamed, m))
		for name, elo := range f {
			testutil.Check(t, math.Abs(elo-g[rename.Replace(name)]) <= 1e-8, "%s: %v, renamed %v", name, elo,
				g[rename.Replace(name)])
		}
		again := elos(rateOrFail(t, record, m))
		testutil.Check(t, maps.Equal(f, again), "a second fit differs")
	})
}

func TestMoreGamesOfTheSameScaleNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawCounts(t)
		m := models[rapid.IntRange(0, 3).Draw(t, "model")]
		f := rateOrFail(t, record, m)
		k := rapid.IntRange(2, 1000).Draw(t, "times")
		for i := range record {
			record[i].BlackWins *= k
			record[i].Draws *= k
			record[i].WhiteWins *= k
		}
		g := rateOrFail(t, record, m)
		for name, elo := range elos(f) {
			testutil.Check(t, math.Abs(elo-elos(g)[name]) <= 1e-7, "%s: %v, %d times the games %v", name, elo, k, elos(g)[name])
		}
		mean, strengths := 0.0, 0.0
		for _, p := range g.Players {
			mean += p.Elo
			strengths += p.Strength
		}
		n := float64(len(g.Players))
		testutil.Check(t, math.Abs(mean) <= 1e-8 && math.Abs(strengths-50*n) <= 1e-9*n, "mean %v, strengths %v", mean,
			strengths)
	})
}

func TestMirroredGamesNegate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawCounts(t)
		for _, m := range []Model{{}, {FirstMove: Multiplicative, Draws: Davidson}, {Draws: Davidson}} {
			f := rateOrFail(t, record, m)
			mirrored := slices.Clone(record)
			for i, c := range mirrored {
				mirrored[i].BlackWins, mirrored[i].WhiteWins = c.WhiteWins, c.BlackWins
			}
			g := rateOrFail(t, mirrored, m)
			for name, elo := range elos(f) {
				testutil.Check(t, math.Abs(elo+elos(g)[name]) <= 1e-7, "%s: %v, mirrored %v", name, elo, elos(g)[name])
			}
			testutil.Check(t, math.Abs(f.FirstMove*g.FirstMove-1) <= 1e-9, "first move %v, mirrored %v", f.FirstMove,
				g.FirstMove)
		}
	})
}

// drawRecord returns few games of up to four players, with handicaps up to most.
func drawRecord(t *rapid.T, most int) (record []crosstable.Count) {
	names, few := rapid.SampledFrom([]string{"A", "B", "C", "D"}), rapid.IntRange(0, 2)
	for range rapid.IntRange(0, 12).Draw(t, "rows") {
		c := crosstable.Count{
			Black: names.Draw(t, "black"), White: names.Draw(t, "white"), Handicap: rapid.IntRange(0, most).Draw(t, "h"),
			BlackWins: few.Draw(t, "w"), Draws: few.Draw(t, "d"), WhiteWins: few.Draw(t, "l"),
		}
		if c.Black != c.White {
			record = append(record, c)
		}
	}
	return record
}

func TestAnyCountsGiveNumbersOrReasons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawRecord(t, 0)
		m := rapid.SampledFrom(models).Draw(t, "model")
		f, err := Rate(record, m)
		if err != nil {
			if err.Error() == "" || strings.Contains(err.Error(), "stalled") || strings.Contains(err.Error(), "did not end") ||
				strings.Contains(err.Error(), "NaN") {
				t.Fatalf("%+v: %v", m, err)
			}
			return
		}
		for _, p := range f.Players {
			testutil.Require(t, !math.IsNaN(p.Elo) && !math.IsInf(p.Elo, 0) && p.Strength > 0, "%+v", p)
		}
		for _, r := range f.Residuals() {
			testutil.Require(t, !math.IsNaN(r.Z) && !math.IsNaN(r.PHolm), "%+v", r)
		}
		if c, err := f.Pairwise(0.95); err == nil {
			for _, c := range c {
				testutil.Require(t, !math.IsNaN(c.P+c.SE+c.Z), "%+v", c)
			}
		}
		if i, err := f.Profile(f.Players[0].Name, 0.9); err != nil || math.IsNaN(i.Lo+i.Hi) && !math.IsInf(i.Lo, -1) {
			t.Fatal(i, err)
		}
	})
}

func TestAnyHandicapGamesGiveNumbersOrReasons(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		record := drawRecord(t, 3)
		c, err := CompareHandicaps(record, 0.9, rapid.SampledFrom(HandicapModels()).Draw(t, "model"))
		if err != nil {
			testutil.Require(t, !strings.Contains(err.Error(), "search"), "%v", err)
			return
		}
		for _, p := range c.Fits[0].Players {
			testutil.Require(t, !math.IsNaN(p.Elo+p.Strength), "%+v", p)
		}
		for _, p := range c.Fits[0].Params {
			testutil.Require(t, !math.IsNaN(p.Value+p.SE) && p.Interval.Lo <= p.Value+1e-6 && p.Interval.Hi >= p.Value-1e-6,
				"%+v", p)
		}
	})
}

func TestProfileEndsHaveTheirLikelihood(t *testing.T) {
	record := orderCounts(t)
	for _, m := range []Model{{}, {FirstMove: Multiplicative}} {
		f := testutil.Must(Rate(record, m))(t)
		errs := eloErrors(t, f)
		for i, p := range f.Players {
			interval := testutil.Must(f.Profile(p.Name, 0.95))(t)
			// With sixty games per player, a profile interval is close to the normal interval.
			testutil.Check(t, math.Abs(interval.Lo-(p.Elo-1.96*errs[i])) <= 3 && math.Abs(interval.Hi-(p.Elo+1.96*errs[i])) <= 3,
				"%s: %+v, want about %v ± %v", p.Name, interval, p.Elo, 1.96*errs[i])
		}
	}
	full := testutil.Must(Rate(record, Model{FirstMove: Multiplicative}))(t)
	// At 1 minus the p value of the LR test, the profile interval ends at 1, which is no effect.
	lr := testutil.Must(LikelihoodRatio(testutil.Must(Rate(record, Model{}))(t), full))(t)
	i := testutil.Must(full.ProfileFirstMove(1 - lr.P))(t)
	testutil.Check(t, math.Abs(i.Lo-1) <= 1e-7, "the profile ends at %v, want 1", i.Lo)
	d := testutil.Must(full.ProfileDifference("E7", "E6", 0.95))(t)
	testutil.Check(t, math.Abs(d.Lo-108.4) <= 2 && math.Abs(d.Hi-262.2) <= 2, "E7 less E6: %+v", d)
}

func TestBootstrapRepeatsAndCovers(t *testing.T) {
	f := testutil.Must(Rate(orderCounts(t), Model{FirstMove: Multiplicative}))(t)
	a, b := testutil.Must(f.Bootstrap(300, 0.95, 7))(t), testutil.Must(f.Bootstrap(300, 0.95, 7))(t)
	testutil.Check(t, slices.Equal(a, b), "the same seed gives other intervals")
	errs := eloErrors(t, f)
	for i, p := range f.Players {
		if half := (a[i].Hi - a[i].Lo) / 2; math.Abs(half/(1.96*errs[i])-1) > 0.25 {
			t.Errorf("%s: %+v, standard error %v", p.Name, a[i], errs[i])
		}
	}
	g := testutil.Must(f.Goodness(Replay{Samples: 300, Seed: 7}))(t)
	testutil.Check(t, math.Abs(g.Bootstrap-g.P) <= 0.3 && g.Samples == 300, "%+v", g)
	t.Logf("%+v", g)
}

// world simulates games of the paper's 14 players, with the strengths of its table 8.
func world(gap bool, games int) []crosstable.Count {
	pi := []float64{102.42, 103.49, 60.08, 35.74, 70.02, 107.49, 55.55, 34.37, 72.6, 4.15, 11.51, 23.38, 14.37, 4.83}
	dan := []int{7, 7, 6, 6, 6, 5, 5, 4, 4, 3, 3, 2, 2, 2}
	random := rand.New(rand.NewPCG(1, 2))
	list := make([]crosstable.Count, games)
	for n := range list {
		a, b := random.IntN(14), random.IntN(13)
		if b >= a {
			b++
		}
		if dan[a] > dan[b] {
			a, b = b, a
		}
		h := random.IntN(5)
		if gap {
			h = min(4, dan[b]-dan[a])
		}
		strength := pi[a] * (1 + 0.82*float64(h))
		g := crosstable.Count{Black: fmt.Sprintf("%02d", a+1), White: fmt.Sprintf("%02d", b+1), Handicap: h, WhiteWins: 1}
		if random.Float64() < strength/(strength+pi[b]) {
			g.BlackWins, g.WhiteWins = 1, 0
		}
		list[n] = g
	}
	return list
}

func TestHandicapThatFollowsThePlayersIsWarnedOf(t *testing.T) {
	free := testutil.Must(CompareHandicaps(world(false, 2000), 0.95, Multiplicative3, LogLinear))(t)
	gap := testutil.Must(CompareHandicaps(world(true, 2000), 0.95, Multiplicative3, LogLinear))(t)
	ratio := gap.Fits[1].Params[0].SE / free.Fits[1].Params[0].SE
	t.Logf("independent: R² %.3f, slope %+v; by rank gap: R² %.3f, slope %+v; errors %.1f times larger",
		free.Following, free.Fits[1].Params[0], gap.Following, gap.Fits[1].Params[0], ratio)
	t.Log(free.Warnings, gap.Warnings)
	has := func(c *HandicapComparison) bool {
		return slices.ContainsFunc(c.Warnings, func(w Warning) bool { return w.Kind == HandicapFollows })
	}
	testutil.Check(t, !has(free) && has(gap), "the warning is missing or false")
}

func TestHandicapGoodnessOfFit(t *testing.T) {
	record := world(false, 400)
	c := testutil.Must(CompareHandicaps(record, 0.95, Multiplicative3, Additive1))(t)
	for _, f := range c.Fits {
		g := testutil.Must(f.Goodness(Replay{Samples: 10, Seed: 3}))(t)
		testutil.Equal(t, testutil.Must(f.Goodness(Replay{Samples: 10, Seed: 3}))(t), g, "the same seed gives another result")
		t.Logf("%s: %+v", f.Model, g)
	}
}

func TestReceiverMayBeWhite(t *testing.T) {
	record := world(false, 150)
	black := testutil.Must(CompareHandicaps(record, 0.95, Additive2, Multiplicative1, LogFree))(t)
	for i, c := range record {
		if c.Handicap > 0 {
			record[i] = crosstable.Count{Black: c.White, White: c.Black, BlackWins: c.WhiteWins, WhiteWins: c.BlackWins,
				Handicap: c.Handicap, Receiver: c.Black}
		}
	}
	white := testutil.Must(CompareHandicaps(record, 0.95, Additive2, Multiplicative1, LogFree))(t)
	for i, f := range black.Fits {
		testutil.Check(t, math.Abs(f.LogLik-white.Fits[i].LogLik) <= 1e-8,
			"%s: %v, with colours swapped %v", f.Model, f.LogLik, white.Fits[i].LogLik)
	}
}

func TestResiduals(t *testing.T) {
	record := []crosstable.Count{
		{Black: "rock", White: "scissors", BlackWins: 18, WhiteWins: 2},
		{Black: "scissors", White: "paper", BlackWins: 17, WhiteWins: 3},
		{Black: "paper", White: "rock", BlackWins: 16, WhiteWins: 4},
		{Black: "well", White: "rock", BlackWins: 12, WhiteWins: 8},
	}
	f := testutil.Must(Rate(record, Model{}))(t)
	worst := f.Residuals()[0]
	testutil.Check(t, worst.A == "paper" && worst.B == "rock" && worst.PHolm <= 0.01, "%+v", worst)
	g := testutil.Must(f.Goodness(Replay{Samples: 200, Seed: 1}))(t)
	testutil.Check(t, g.Bootstrap <= 0.01 && g.P <= 1e-6, "%+v", g)
}

// TestSamplesAreBounded requires an error for too many samples, before the first one. They would need days or all
// memory.
func TestSamplesAreBounded(t *testing.T) {
	f := testutil.Must(Rate(orderCounts(t), Model{FirstMove: Multiplicative}))(t)
	for _, samples := range []int{1, newton.MaxSamples + 1, 1_000_000_000} {
		want := fmt.Sprintf("%d bootstrap samples are too many: expected at most 100000", samples)
		if samples == 1 {
			want = "1 bootstrap samples have no percentiles"
		}
		if _, err := f.Bootstrap(samples, 0.95, 1); err == nil || err.Error() != want {
			t.Errorf("Bootstrap of %d: %v", samples, err)
		}
		if _, err := f.Goodness(Replay{Samples: samples}); samples > 1 && (err == nil || err.Error() != want) {
			t.Errorf("Goodness of %d: %v", samples, err)
		}
	}
}

// eloErrors returns the standard errors of the ratings in Elo, in the order of the players.
func eloErrors(t *testing.T, f *Fit) []float64 {
	t.Helper()
	c := testutil.Must(f.Covariance())(t)
	errs := make([]float64, len(f.Players))
	for i := range errs {
		errs[i] = binomial.EloPerNat * math.Sqrt(c.Matrix[i][i])
	}
	return errs
}
