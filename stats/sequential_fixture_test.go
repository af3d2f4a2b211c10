package stats

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// cellsOf returns the outcomes of three or five counts, from losses to wins.
func cellsOf(t *testing.T, c []int) Outcomes {
	t.Helper()
	switch len(c) {
	case 3:
		return WDL{Losses: c[0], Draws: c[1], Wins: c[2]}
	case 5:
		return Pentanomial{LL: c[0], LD: c[1], WL: c[2], WD: c[3], WW: c[4]}
	}
	t.Fatal(c)
	return nil
}

func llrOf(t *testing.T, s SPRT, o Outcomes) float64 {
	t.Helper()
	llr, err := s.LLR(o)
	testutil.OK(t, err, "%+v of %+v", s, o)
	return llr
}

type stoppedRow struct {
	Elo float64
	CI  [2]float64
	LOS float64
}

func TestLLRAgainstFixture(t *testing.T) {
	var fixture struct {
		Cases []struct {
			Results     []int
			Elo0, Elo1  float64
			Alpha, Beta float64
			Lower       float64
			Upper       float64
			Logistic    float64    `json:"independent_llr_logistic"`
			Normalized  float64    `json:"independent_llr_normalized"`
			Bayes       *float64   `json:"fishtest_llr_BayesElo_model"`
			EloLogistic stoppedRow `json:"fishtest_SPRT_elo_logistic"`
			EloNormal   stoppedRow `json:"fishtest_SPRT_elo_normalized"`
		}
		Published []struct {
			Source     string
			Results    []int
			Elo0, Elo1 float64
			Model      string
			LLR        float64
			Fishtest   float64 `json:"fishtest_llr"`
		} `json:"published_by_peers"`
	}
	load(t, "sprt_llr.json", &fixture)
	testutil.Require(t, len(fixture.Cases) == 20 && len(fixture.Published) == 16, "rows are missing")
	var llr, elo, published worst
	for _, c := range fixture.Cases {
		o := cellsOf(t, c.Results)
		s := SPRT{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta, Model: ModelLogistic, Boundary: BoundaryWald}
		lower, upper := s.Bounds()
		llr.near(t, "lower", lower, c.Lower, 1e-12, 0)
		llr.near(t, "upper", upper, c.Upper, 1e-12, 0)
		normalized, bayes := s, s
		normalized.Model, bayes.Model = ModelNormalized, ModelBayesElo
		llr.near(t, "logistic", llrOf(t, s, o), c.Logistic, 1e-4, 0)
		llr.near(t, "normalized", llrOf(t, normalized, o), c.Normalized, 1e-4, 0)
		if c.Bayes != nil {
			llr.near(t, "bayeselo", llrOf(t, bayes, o), *c.Bayes, 1e-4, 0)
		}
		elo.stopped(t, s, o, c.EloLogistic)
		elo.stopped(t, normalized, o, c.EloNormal)
	}
	for _, c := range fixture.Published {
		s := SPRT{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: 0.05, Beta: 0.05, Model: EloModel(c.Model), Boundary: BoundaryWald}
		if c.Model == "bayesian" {
			s.Model = ModelBayesElo
		}
		got := llrOf(t, s, cellsOf(t, c.Results))
		llr.near(t, c.Source, got, c.Fishtest, 1e-4, 0)
		published.near(t, c.Source, got, c.LLR, 0.03, 0)
	}
	llr.log(t, "LLR")
	elo.log(t, "Elo after a stop")
	published.log(t, "printed LLR")
}

// stopped compares Elo with fishtest's estimate, whose search ends at ±1000 Elo.
func (w *worst) stopped(t *testing.T, s SPRT, o Outcomes, want stoppedRow) {
	t.Helper()
	got, err := s.Elo(o, 0.95)
	if newDistribution(o).seen == 0 {
		testutil.Check(t, err != nil, "no games: %+v", got)
		return
	}
	testutil.OK(t, err)
	near := func(what string, got, want float64) {
		if math.Abs(want) == 1000 {
			testutil.Check(t, math.IsInf(got, int(want)), "%+v: %s %v, want %v", o, what, got, want)
			return
		}
		w.near(t, what, got, want, 1e-4, 0)
	}
	near("median", got.Elo, want.Elo)
	near("lower end", got.Interval.Lo, want.CI[0])
	near("upper end", got.Interval.Hi, want.CI[1])
	stop, _ := s.newStop(newDistribution(o), o)
	w.near(t, "LOS", stop.worse(0), want.LOS, 1e-6, 0)
}

func TestOperatingAgainstFixture(t *testing.T) {
	var fixture struct {
		Brownian []struct {
			Alpha, Beta float64
			Elo0, Elo1  float64
			DrawRatio   float64 `json:"draw_ratio"`
			Bias        float64 `json:"rms_bias"`
			Model       string
			Elo         float64 `json:"true_logistic_elo"`
			Pass        float64 `json:"pass_prob"`
			Games       float64 `json:"expected_games"`
		} `json:"expected_games_brownian"`
	}
	load(t, "sprt_oc.json", &fixture)
	testutil.Require(t, len(fixture.Brownian) == 21, "rows are missing")
	var brownian worst
	for _, c := range fixture.Brownian {
		s := SPRT{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta, Model: ModelLogistic, Boundary: BoundaryWald}
		if c.Model == "Normalized" {
			s.Model = ModelNormalized
		}
		got := testutil.Must(s.Expect(c.Elo, Conditions{DrawRate: c.DrawRatio, RMSBias: c.Bias}))(t)
		brownian.near(t, "pass", got.Pass, c.Pass, 1e-9, 0)
		// The reference does not use expm1 and loses digits near the middle: 1.2e-4 of 39463 games.
		brownian.near(t, "games", got.Games, c.Games, 1e-6, 1e-8)
	}
	brownian.log(t, "Brownian characteristic")
}

// TestSequencesAgainstFixture replays seeded sequences pair by pair. The fixture also has fishtest's correction for the
// overshoot, which gogi does not make.
func TestSequencesAgainstFixture(t *testing.T) {
	var fixture struct {
		Traces []struct {
			Elo0, Elo1  float64
			Alpha, Beta float64
			Model       EloModel
			Batch       int
			Pairs       string
			Used        int              `json:"pairs_used"`
			At          []map[string]any `json:"llr_at"`
			Naive       *int             `json:"first_pair_naive_bounds_cross"`
		} `json:"sequential_traces"`
	}
	load(t, "sprt_oc.json", &fixture)
	testutil.Require(t, len(fixture.Traces) == 3, "rows are missing")
	var w worst
	for _, c := range fixture.Traces {
		s := SPRT{Elo0: c.Elo0, Elo1: c.Elo1, Alpha: c.Alpha, Beta: c.Beta, Model: c.Model, Boundary: BoundaryWald}
		at := map[int]map[string]any{}
		for _, a := range c.At {
			at[int(a["pairs"].(float64))] = a
		}
		var counts Pentanomial
		for i, digit := range c.Pairs[:c.Used] {
			*[]*int{&counts.LL, &counts.LD, &counts.WL, &counts.WD, &counts.WW}[digit-'0']++
			pairs := i + 1
			if pairs%c.Batch != 0 {
				continue
			}
			if want := at[pairs]; want != nil {
				w.near(t, "LLR", llrOf(t, s, counts), want["llr"].(float64), 1e-6, 0)
			}
			naive, err := s.Judge(counts)
			testutil.Require(t, err == nil && (naive.Decision != Continue) == (c.Naive != nil && pairs == *c.Naive),
				"after %d pairs without correction: %+v, %v", pairs, naive, err)
		}
	}
	w.log(t, "sequences")
}

// TestPeekingAgainstFixture compares the probability that repeated tests ever reject a fair match with the fixture.
// falseAlarms calculates it from the exact distribution of the wins.
func TestPeekingAgainstFixture(t *testing.T) {
	var fixture struct {
		False map[string]map[string]float64 `json:"peeking_false_alarm"`
	}
	load(t, "confidence_sequence.json", &fixture)
	rejected := map[string]func(k, n int) bool{
		"clopper_pearson_95": func(k, n int) bool { return pOf(t, k, n, 0.5, binomial.TwoSided) <= 0.05 },
	}
	looks := map[string]func(n int) bool{
		"every_game":         func(int) bool { return true },
		"every_game_from_20": func(n int) bool { return n >= 20 },
		"every_100":          func(n int) bool { return n%100 == 0 },
		"every_500":          func(n int) bool { return n%500 == 0 },
	}
	var w worst
	for when, look := range looks {
		for method, reject := range rejected {
			want := fixture.False[when+"|"+method]
			testutil.Require(t, want != nil, "rows are missing")
			alarms := falseAlarms(1000, look, reject)
			w.near(t, when+" "+method+" by 100", alarms[100], want["100"], 1e-8, 0)
			w.near(t, when+" "+method+" by 1000", alarms[1000], want["1000"], 1e-8, 0)
		}
	}
	w.log(t, "peeking")
	betting := falseAlarms(1000, looks["every_game"], func(k, n int) bool {
		e, err := WDL{Wins: k, Losses: n - k}.DecisiveScores().EValue(0.5)
		return err == nil && e.P <= 0.05
	})
	testutil.Check(t, betting[1000] <= 0.05 && betting[1000] >= 0.01,
		"the anytime interval leaves out a fair match's score with probability %v", betting[1000])
}

// falseAlarms returns the probability of a rejection by game n, for n up to games. It tests only counts below one half,
// because the rejection is symmetric. It assumes that rejected counts are contiguous.
func falseAlarms(games int, look func(n int) bool, reject func(k, n int) bool) []float64 {
	alarms := make([]float64, games+1)
	probs := []float64{1}
	below := -1 // the largest rejected count
	for n := 1; n <= games; n++ {
		next := make([]float64, n+1)
		for k, p := range probs {
			next[k] += p / 2
			next[k+1] += p / 2
		}
		alarms[n] = alarms[n-1]
		if look(n) {
			for below+1 <= n/2 && reject(below+1, n) {
				below++
			}
			if below >= 0 && reject(below, n) {
				for k := range below + 1 {
					alarms[n] += next[k] + next[n-k]
					next[k], next[n-k] = 0, 0
				}
			}
		}
		probs = next
	}
	return alarms
}

func TestSignFlipAgainstFixture(t *testing.T) {
	var fixture struct {
		Pairs []struct {
			Penta    [5]int
			Ge       float64  `json:"p_ge"`
			Le       *float64 `json:"p_le"`
			Two      *float64 `json:"p_two_sided"`
			TwoShort *float64 `json:"p_two"` // the empty row uses this name
			Score    *float64
			Variance *float64 `json:"pair_var"`
			Z        float64  `json:"z_penta"`
			SignTest *float64 `json:"pair_sign_test_two_sided"`
		}
	}
	load(t, "draws_pairs_los.json", &fixture)
	var flips, moments worst
	for _, c := range fixture.Pairs {
		tally := tallyOf(t, c.Penta[0], c.Penta[1], c.Penta[2], 0, c.Penta[3], c.Penta[4])
		check := func(alt binomial.Alternative, want *float64) {
			if want == nil {
				return
			}
			got, err := tally.SignFlip(alt)
			testutil.Require(t, err == nil && got.N == tally.Pairs() && got.Method == "pair_sign_flip", "%v %v", got, err)
			flips.near(t, "sign flip "+string(alt), got.P, *want, 0, 1e-9)
		}
		check(binomial.Greater, &c.Ge)
		check(binomial.Less, c.Le)
		check(binomial.TwoSided, c.Two)
		check(binomial.TwoSided, c.TwoShort)
		if c.Score == nil {
			continue
		}
		s := testutil.Must(tally.Sample())(t)
		moments.near(t, "score", s.Mean, *c.Score, 1e-9, 0)
		moments.near(t, "variance", s.Variance, *c.Variance, 1e-9, 0)
		moments.near(t, "z", (s.Mean-0.5)/math.Sqrt(s.Variance/float64(s.N)), c.Z, 1e-9, 0)
		better, worse := c.Penta[3]+c.Penta[4], c.Penta[0]+c.Penta[1]
		flips.near(t, "sign test", pOf(t, better, better+worse, 0.5, binomial.TwoSided), *c.SignTest, 0, 1e-9)
	}
	flips.log(t, "pair_sign_flip")
	moments.log(t, "pair moments")
}

func TestDrawsAgainstFixture(t *testing.T) {
	var fixture struct {
		Trinomial []struct {
			W, D, L  int
			Score    float64
			Elo      *float64
			SignTest float64 `json:"sign_test_p_greater"`
			HalfWins float64 `json:"half_win_floor_p_greater"`
			AsLosses float64 `json:"draws_as_nonwins_p_greater"`
		}
	}
	load(t, "draws_pairs_los.json", &fixture)
	var p, scores worst
	for _, c := range fixture.Trinomial {
		games := WDL{Wins: c.W, Draws: c.D, Losses: c.L}
		k, n := games.Decisive()
		p.near(t, "without draws", pOf(t, k, n, 0.5, binomial.Greater), c.SignTest, 0, 1e-9)
		p.near(t, "half wins", pOf(t, c.W+c.D/2, games.Games(), 0.5, binomial.Greater), c.HalfWins, 0, 1e-9)
		p.near(t, "draws lost", pOf(t, c.W, games.Games(), 0.5, binomial.Greater), c.AsLosses, 0, 1e-9)

		tally := singlesOf(t, games)
		score := testutil.Must(tally.Score())(t)
		scores.near(t, "score", score, c.Score, 1e-9, 0)
		if c.Elo == nil {
			testutil.Check(t, math.IsInf(binomial.Elo(score), 1), "Elo of %v is %v", score, binomial.Elo(score))
			continue
		}
		scores.near(t, "elo", binomial.Elo(score), *c.Elo, 1e-9, 0)
	}
	p.log(t, "draw conventions")
	scores.log(t, "scores of games")
}
