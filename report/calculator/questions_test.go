package calculator

import (
	"fmt"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/gate"
	"gogi/stats"
	"gogi/stats/binomial"
)

// TestSPRTGivesTheGatesDecision plays pairs until an SPRT stops. The calculator comes to the same decision from the
// same counts, and to no decision one pair before.
func TestSPRTGivesTheGatesDecision(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	seen := map[stats.Decision]int{}
	for series := range 60 {
		design := stats.SPRT{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
		rate := []float64{0.45, 0.5, 0.6}[series%3]
		g := testutil.Must(gate.New(design, 2000))(t)
		var before, now stats.Pentanomial
		for id := 0; !g.State().Decided(); id++ {
			before = now
			testutil.OK(t, g.Add(id, stats.Play{Opening: fmt.Sprint(id), Pair: playedPair(r, rate)}))
			now = g.State().Tally.Penta
		}
		want := g.State().Judgement
		testutil.Require(t, want.Decision == stats.Pass || want.Decision == stats.Fail, "the gate came to %s", want.Decision)
		seen[want.Decision]++
		q := SPRTQuestion{Pentanomial: cellsOf(now), Design: designOf(0, 60, 0.05, 0.1, "logistic", "ratio"),
			Confidence: 0.95}
		row := sprtOf(t, q)
		if row["decision"] != string(want.Decision) || row["boundary"] != "ratio" {
			t.Errorf("%s: %v by %v, and the gate says %s", q.Pentanomial, row["decision"], row["boundary"], want.Decision)
		}
		wantNear(t, "lower", row["lower"], want.Lower, 0)
		wantNear(t, "upper", row["upper"], want.Upper, 0)
		wantNear(t, "upper is ln(1/alpha)", row["upper"], math.Log(20), 1e-12)
		q.Pentanomial = cellsOf(before)
		if row := sprtOf(t, q); row["decision"] != "continue" {
			t.Errorf("%s: %v one pair before the stop", q.Pentanomial, row["decision"])
		}
	}
	testutil.Check(t, seen[stats.Pass] >= 5 && seen[stats.Fail] >= 5, "too few stops of a kind: %v", seen)
}

func playedPair(r *rand.Rand, rate float64) stats.Pair {
	leg := func(black bool) stats.Leg {
		switch x := r.Float64(); {
		case x < 0.05:
			return stats.Leg{Outcome: stats.Draw, AIsBlack: black, Points: 0.5}
		case x < 0.05+0.95*rate:
			return stats.Leg{Outcome: stats.Win, AIsBlack: black, Points: 1}
		}
		return stats.Leg{Outcome: stats.Loss, AIsBlack: black}
	}
	return stats.Pair{leg(true), leg(false)}
}

func cellsOf(p stats.Pentanomial) string {
	return fmt.Sprintf("%d,%d,%d,%d,%d", p.LL, p.LD, p.WL+p.DD, p.WD, p.WW)
}

// TestBoundaries: Wald's bounds are those of fishtest. Bounded ones come closer together with the games.
func TestBoundaries(t *testing.T) {
	state := func(list, boundary string) map[string]any {
		return sprtOf(t, SPRTQuestion{Pentanomial: list, Design: designOf(0, 40, 0.05, 0.05, "logistic", boundary),
			Confidence: 0.95})
	}
	wantNear(t, "wald", state("10,0,20,0,10", "wald")["upper"], math.Log(19), 1e-12)
	few, many := state("10,0,20,0,10", "bounded"), state("40,0,80,0,40", "bounded")
	width := func(row map[string]any) float64 { return row["upper"].(float64) - row["lower"].(float64) }
	testutil.Check(t, width(many) < width(few)-0.5, "bounded bounds are %v apart after 40 pairs, and %v after 160",
		width(few), width(many))
}

// TestPlanOfPairs compares the length with the textbook's formula for a mean of independent pairs, n = (z_{α/2} + z_β)²
// V / δ². Sign flips have discrete steps, so they need a little more.
func TestPlanOfPairs(t *testing.T) {
	const z, draws, correlation = 1.959964 + 0.841621, 0.2, -0.1
	q := PlanQuestion{Elo: 10, Alpha: 0.05, Power: 0.8,
		Conditions: Conditions{stats.Conditions{DrawRate: draws, Correlation: correlation}, "given"}}
	delta, variance := binomial.Expected(10)-0.5, (1-draws)/4*(1+correlation)/2
	want := z * z * variance / (delta * delta)
	row := plansOf(t, q)[0]
	wantNear(t, "pairs", row["pairs"], want, 0.015*want)
	wantNear(t, "games", row["games"], 2*row["pairs"].(float64), 0)
	for field, want := range map[string]any{"kind": "fixed", "alternative": "two_sided", "test": "pair_sign_flip",
		"unit": "pair", "correlation": correlation, "conditions": "given"} {
		testutil.Equal(t, row[field], want, "%s", field)
	}
	q.OneSided, q.Elo = true, -10
	want *= (1.644854 + 0.841621) * (1.644854 + 0.841621) / (z * z)
	row = plansOf(t, q)[0]
	wantNear(t, "pairs, one-sided", row["pairs"], want, 0.015*want)
	testutil.Equal(t, row["alternative"], "less", "the alternative of -10 Elo")
}

// TestDetectableIsTheDifferenceThatTakesSoMany: the planned number of games detects the planned difference.
func TestDetectableIsTheDifferenceThatTakesSoMany(t *testing.T) {
	for _, q := range []PlanQuestion{
		{Elo: 25, Alpha: 0.05, Power: 0.9, Conditions: Typical()},
		{Elo: -25, Alpha: 0.05, Power: 0.9, OneSided: true, Conditions: Typical()},
		{Elo: 25, Alpha: 0.05, Power: 0.9, Unpaired: true, Conditions: Typical()},
	} {
		q.Games = new(int(plansOf(t, q)[0]["games"].(float64)))
		row := plansOf(t, q)[1]
		wantNear(t, "detectable", row["elo"], q.Elo, 0.25)
		testutil.Equal(t, row["kind"], "detectable", "the second plan")
	}
}

// TestPlanOfASequentialTest compares the output of the command with the course from which it is calculated.
func TestPlanOfASequentialTest(t *testing.T) {
	perHour := 120.0
	simulated := Conditions{stats.Conditions{DrawRate: 0.03, Correlation: -0.1}, "given"}
	q := PlanQuestion{
		Elo: 50, Alpha: 0.05, Power: 0.95, Conditions: simulated, SPRT: &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: 40}},
		Boundary: "ratio", PerHour: &perHour,
	}
	answer, err := q.Answer()
	rows := rowsOf(t, "plans", answer, err)
	kinds := lists.Map(rows, func(row map[string]any) string { return fmt.Sprint(row["kind"], row["elo"]) })
	if got := strings.Join(kinds, " "); got != "fixed50 sequential0 sequential20 sequential40 sequential50 "+
		"bounded0 bounded20 bounded40 bounded50 deterministic0 deterministic20 deterministic40 deterministic50 deterministic0 deterministic20 deterministic40 deterministic50" {
		t.Errorf("the plans are %s", got)
	}
	// docs/statistics.md has 20,000 simulated tests at α = β = 0.05. They take 185.6 pairs at 0 Elo and 317.9 at 20 Elo.
	// At 20 Elo the 99% quantile is 1,257. The plan knows the steps of the ratio.
	wantNear(t, "pairs at 0", rows[1]["games"], 2*185.6, 0.04*2*185.6)
	wantNear(t, "pairs at 20", rows[2]["games"], 2*317.9, 0.03*2*317.9)
	wantNear(t, "99% of tests at 20", quantileOf(rows[2], 0.99)["games"], 2*1257, 0.03*2*1257)
	wantNear(t, "passes at 40", rows[3]["pass"], 0.956, 0.01)
	wantNear(t, "hours", rows[2]["hours"], rows[2]["games"].(float64)/120, 1e-9)
	wantNear(t, "hours of the quantile", quantileOf(rows[2], 0.99)["hours"],
		quantileOf(rows[2], 0.99)["games"].(float64)/120, 1e-9)
	// Measured on resampled pairs: halfway, 95% of bounded tests end within 842 pairs, and 95% of tests of a ratio within
	// 1,224. For players that differ at 2% of plies, V is 1/1.71.
	ratio := quantileOf(rows[6], 0.95)["games"].(float64) / quantileOf(rows[2], 0.95)["games"].(float64)
	wantNear(t, "bounded", ratio, 842./1224, 0.06)
	wantNear(t, "deterministic", rows[10]["games"].(float64)/rows[2]["games"].(float64), 1/1.71, 0.05)
	var out strings.Builder
	answer.Print(&out, i18n.English)
	for _, want := range []string{
		"draw rate 3%, correlation of the games of a pair -0.10 (given)", "two-sided sign flips of",
		"test of 0 against 40, boundary ratio",
		"bounded boundary", "deterministic players that differ at 2% of plies", "99% within",
	} {
		testutil.Check(t, strings.Contains(out.String(), want), "the text lacks %q:\n%s", want, &out)
	}
}

func quantileOf(row map[string]any, share float64) map[string]any {
	for _, q := range row["games_until"].([]any) {
		if q := q.(map[string]any); q["share"] == share {
			return q
		}
	}
	return nil
}

// TestPlanOfATinyDifference: a difference that no match of fixed length can find has no number of games and no power.
// The SPRT has both, and a duration beyond the range of a time.Duration. The expected length at 0 is proportional to
// 1/elo1², so it is that of 0 against 1 Elo (TestPlanOfASequentialTest), times a million, but for the overshoot.
func TestPlanOfATinyDifference(t *testing.T) {
	lengths := map[float64]float64{}
	for _, elo1 := range []float64{1, 0.001} {
		plans := testutil.Must(PlanQuestion{
			Elo: elo1, Alpha: 0.05, Power: 0.95, SPRT: &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: elo1}}, Boundary: "ratio",
			PerHour: new(100.0), Conditions: Typical(),
		}.Answer())(t)
		lengths[elo1] = *plans.sequentialAt(0).Games
		var text strings.Builder
		plans.Print(&text, i18n.English)
		if elo1 < 1 {
			testutil.Check(t, regexp.MustCompile(`fixed +\+0\.001( +–){7}`).MatchString(text.String()), "%s", text.String())
			testutil.Check(t, regexp.MustCompile(` 6,240,\d{3},\d{3}h +4\.`).MatchString(text.String()), "%s", text.String())
		}
	}
	testutil.Check(t, math.Abs(lengths[0.001]/(1e6*lengths[1])-1) <= 2e-3, "%v", lengths)
}

// TestPlanWithAMaximum: with a maximum some tests are undecided, and no test is longer.
func TestPlanWithAMaximum(t *testing.T) {
	q := PlanQuestion{Elo: 20, Alpha: 0.05, Power: 0.95, Conditions: Typical(),
		SPRT: &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: 40}}, Boundary: "ratio", Most: new(600)}
	row := plansOf(t, q)[2]
	testutil.Require(t, row["elo"] == 20.0 && row["max_games"] == 600.0, "not the plan halfway with its maximum: %v", row)
	if left := row["unfinished"].(float64); !(left > 0.2 && left < 0.6) { // half of the tests take 486 games
		t.Errorf("%v of the tests are undecided after 600 games", left)
	}
	wantNear(t, "the longest", quantileOf(row, 0.99)["games"], 600, 0)
}

// TestCheaperWhereItApplies: the plan offers no cheaper alternative that does not apply to the run.
func TestCheaperWhereItApplies(t *testing.T) {
	design := stats.SPRT{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	normalized := design
	normalized.Model = stats.ModelNormalized
	for _, c := range []struct {
		name string
		q    GateQuestion
		want []string
	}{
		{"fixed nodes", GateQuestion{Gate: design, Pairs: 400, Repeatable: true},
			[]string{"bounded", "deterministic", "sequential"}},
		{"clocks", GateQuestion{Gate: design, Pairs: 400}, []string{"bounded", "sequential"}},
		{"normalised", GateQuestion{Gate: normalized, Pairs: 400, Repeatable: true}, []string{"bounded", "sequential"}},
		{"single games", GateQuestion{Gate: design, Pairs: 400, Unpaired: true, Repeatable: true}, []string{"sequential"}},
	} {
		c.q.PerHour, c.q.Conditions = 60, Typical()
		kinds := map[string]bool{}
		for _, row := range rowsOf(t, "plans", c.q.Answer(), nil) {
			kinds[row["kind"].(string)] = true
			testutil.Check(t, row["hours"] != nil && row["pass"] != nil, "%s: no hours, or no probability to pass: %v", c.name,
				row)
			if !c.q.Unpaired && row["max_games"] != 800.0 {
				t.Errorf("%s: at most %v games, of 400 pairs", c.name, row["max_games"])
			}
		}
		var got []string
		for kind := range kinds {
			got = append(got, kind)
		}
		if slices.Sort(got); !slices.Equal(got, c.want) {
			t.Errorf("%s: plans of %v, not %v", c.name, got, c.want)
		}
		wantNoNaN(t, c.q.Answer())
	}
}

// TestPlayedConditions: in ten pairs, 2 LL, 6 WL and 2 WW, the variance of a pair's mean score is 1/10. Independent
// games would have 1/8, so the correlation is -0.2.
func TestPlayedConditions(t *testing.T) {
	won, lost := stats.Leg{Outcome: stats.Win, Points: 1}, stats.Leg{Outcome: stats.Loss}
	var tally stats.Tally
	for i := range 10 {
		pair := stats.Pair{won, lost}
		if i < 2 {
			pair = stats.Pair{lost, lost}
		} else if i < 4 {
			pair = stats.Pair{won, won}
		}
		pair[0].AIsBlack = true
		testutil.OK(t, tally.Add(pair))
	}
	c := testutil.Must(Played("earlier", &tally))(t)
	row := plansOf(t, PlanQuestion{Elo: 10, Alpha: 0.05, Power: 0.8, Conditions: c})[0]
	wantNear(t, "correlation", row["correlation"], -0.2, 1e-12)
	wantNear(t, "draw rate", row["draw_rate"], 0, 0)
	testutil.Equal(t, row["conditions"], "run earlier", "the conditions")
	testutil.Fails(t, testutil.Err(Played("empty", &stats.Tally{})), "run empty",
		"a run without pairs shows its conditions")
}

// TestForecastOfOneGame: the forecast is the mean of the posterior, and its interval is that of the record.
func TestForecastOfOneGame(t *testing.T) {
	a, err := ForecastQuestion{stats.WDL{Wins: 60, Losses: 40}, []int{1, 3}, 0.95}.Answer()
	rows := rowsOf(t, "forecasts", a, err)
	wantNear(t, "win of one", rows[0]["win"], 60.5/101.5, 1e-12)
	wantNear(t, "loss of one", rows[0]["loss"], 40.5/101.5, 1e-12)
	interval := testutil.Must(binomial.ClopperPearson(60, 100, 0.95))(t)
	wantNear(t, "from", rows[0]["lo"], interval.Lo, 1e-12)
	wantNear(t, "to", rows[0]["hi"], interval.Hi, 1e-12)
}

// TestLFICSSpread: S = √(q(1-q)/(n - 3/2)), and in Elo it is 400/ln 10 · S/(q(1-q)).
func TestLFICSSpread(t *testing.T) {
	row := intervalsOf(t, IntervalQuestion{Counts: &stats.WDL{Wins: 527, Losses: 473}, DrawMode: "drop", Confidence: 0.95,
		Method: "lfics"})[0]
	s := math.Sqrt(0.527 * 0.473 / 998.5)
	wantNear(t, "S", row["standard_error"], s, 1e-12)
	wantNear(t, "S in Elo", row["elo_error"], 400/math.Ln10*s/(0.527*0.473), 1e-9)
	wantNear(t, "Elo", row["elo"], -400*math.Log10(473./527), 1e-9)
}

// TestImpossibleQuestions: an impossible question gives a usage error that names the flag.
func TestImpossibleQuestions(t *testing.T) {
	plan := func(change func(q *PlanQuestion)) error {
		q := PlanQuestion{Elo: 5, Alpha: 0.05, Power: 0.8, Conditions: Typical(), Boundary: "ratio"}
		change(&q)
		_, err := q.Answer()
		return err
	}
	sprt := func(q SPRTQuestion) error { _, err := q.Answer(); return err }
	design := designOf(0, 4, 0.05, 0.05, "logistic", "ratio")
	for flag, err := range map[string]error{
		"--alpha":           plan(func(q *PlanQuestion) { q.Alpha = 1 }),
		"--power":           plan(func(q *PlanQuestion) { q.Power = math.NaN() }),
		"--draws":           plan(func(q *PlanQuestion) { q.Conditions.DrawRate = 1 }),
		"--correlation":     plan(func(q *PlanQuestion) { q.Conditions.Correlation = -1 }),
		"--games -1":        plan(func(q *PlanQuestion) { q.Games = new(-1) }),
		"--max-games 1":     plan(func(q *PlanQuestion) { q.Most = new(1) }),
		"--max-games: only": plan(func(q *PlanQuestion) { q.Most, q.Unpaired = new(100), true }),
		"--games-per-hour":  plan(func(q *PlanQuestion) { q.PerHour = new(0.0) }),
		"elo0 4 is not below": plan(func(q *PlanQuestion) {
			q.SPRT = &match.SPRT{SPRT: stats.SPRT{Elo0: 4, Elo1: 0}}
		}),
		"--boundary x": sprt(SPRTQuestion{Trinomial: "1,2,3",
			Design: designOf(0, 4, 0.05, 0.05, "logistic", "x"), Confidence: 0.95}),
		"--pentanomial":               sprt(SPRTQuestion{Pentanomial: "1,2,3", Design: design, Confidence: 0.95}),
		"--trinomial":                 sprt(SPRTQuestion{Trinomial: "1,2,x", Design: design, Confidence: 0.95}),
		"--confidence 95":             sprt(SPRTQuestion{Trinomial: "1,2,3", Design: design, Confidence: 95}),
		"--games 0: expected a match": second(ForecastQuestion{stats.WDL{Wins: 1}, []int{0}, 0.95}.Answer()),
		"--score 2":                   second(EloQuestion{Score: new(2.0)}.Answer()),
		"expected --wins W and --losses L, or --pentanomial": second(IntervalQuestion{DrawMode: "drop",
			Confidence: 0.95}.Answer()),
		"--method wald: it takes games": second(IntervalQuestion{Pentanomial: "1,2,3,4,5", DrawMode: "drop", Confidence: 0.95,
			Method: "wald"}.Answer()),
		"--method exact: expected all": second(IntervalQuestion{Counts: &stats.WDL{Wins: 1}, DrawMode: "drop",
			Confidence: 0.95, Method: "exact"}.Answer()),
		"--draw-mode floor: only lfics": second(IntervalQuestion{Counts: &stats.WDL{Wins: 1}, DrawMode: "floor",
			Confidence: 0.95}.Answer()),
		"--pentanomial \"1,2\"": second(IntervalQuestion{Pentanomial: "1,2", DrawMode: "drop", Confidence: 0.95}.Answer()),
		"15 pairs with 17.5 points are not the 30 games with 17 points": second(IntervalQuestion{
			Counts: &stats.WDL{Wins: 12, Draws: 10, Losses: 8}, Pentanomial: "1,2,3,9,0", DrawMode: "drop", Confidence: 0.95,
		}.Answer()),
		"15 pairs with 17.5 points are not the 38 games": second(IntervalQuestion{
			Counts: &stats.WDL{Wins: 17, Draws: 1, Losses: 20}, Pentanomial: "1,2,3,9,0", DrawMode: "drop", Confidence: 0.95,
		}.Answer()),
		"--wins -1": second(IntervalQuestion{Counts: &stats.WDL{Wins: -1}, DrawMode: "drop",
			Confidence: 0.95, Method: "all"}.Answer()),
		"expected --wins W and --losses": second(TestQuestion{Wins: new(1)}.Answer()),
	} {
		testutil.Check(t, err != nil && fail.IsUsage(err) && strings.Contains(err.Error(), flag), "%s: %v", flag, err)
	}
}

// TestTooManyDraws: if the draw rate or the correlation does not fit the difference, the reason names the flag and a
// rate that fits.
func TestTooManyDraws(t *testing.T) {
	drawRate := regexp.MustCompile(`set --draws (\S+) or less$`)
	wide := &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: 900}}
	for _, q := range []PlanQuestion{{Elo: 730}, {Elo: -950}, {Elo: 728, Unpaired: true}, {Elo: 5, SPRT: wide}} {
		q.Alpha, q.Power, q.Boundary, q.Conditions = 0.05, 0.8, "ratio", Typical()
		flag := "--elo " + fmt.Sprint(q.Elo) + ": "
		if q.SPRT != nil {
			flag = "--sprt: "
		}
		why := func() (list []string) {
			for _, p := range testutil.Must(q.Answer())(t).Plans {
				if p.Why != "" && !p.cheaper() {
					list = append(list, p.Why)
				}
			}
			return list
		}
		reasons := why()
		testutil.Require(t, len(reasons) == 1, "%v", reasons)
		groups := drawRate.FindStringSubmatch(reasons[0])
		testutil.Require(t, groups != nil && strings.HasPrefix(reasons[0], flag), "%s", reasons[0])
		q.Conditions.DrawRate = testutil.Must(strconv.ParseFloat(groups[1], 64))(t)
		testutil.Check(t, len(why()) == 0, "%v at the suggested rate", why())
		q.Conditions.DrawRate *= 1.1 // the suggestion has two digits, so that 1.1 times as many draws are too many
		testutil.Check(t, len(why()) == 1, "no reason at %v", q.Conditions.DrawRate)
	}
	opposite := Conditions{stats.Conditions{Correlation: -0.9}, "given"}
	q := PlanQuestion{Elo: 300, Alpha: 0.05, Power: 0.8, Boundary: "ratio", Conditions: opposite}
	why := testutil.Must(q.Answer())(t).Plans[0].Why
	named := strings.HasPrefix(why, "--elo 300: ") && strings.HasSuffix(why, "set --correlation nearer to 0")
	testutil.Check(t, named, "%s", why)
}

// TestFarRemark: the remark about the number for 99% is printed far outside the hypotheses alone, and not if the
// maximum ends the tests. TestForecastsFarAway of the package stats simulates such tests.
func TestFarRemark(t *testing.T) {
	for _, c := range []struct {
		elo, elo1, draws float64
		most             *int
		printed          bool
	}{
		{elo: 10, elo1: 10}, {elo: 200, elo1: 10}, {elo: 450, elo1: 10, printed: true}, {elo: -450, elo1: 10, printed: true},
		{elo: 100, elo1: 5, draws: 0.5}, {elo: 150, elo1: 5, draws: 0.5, printed: true},
		{elo: 300, elo1: 600}, {elo: 450, elo1: 10, most: new(20)}, {elo: 450, elo1: 10, most: new(100_000), printed: true},
	} {
		q := PlanQuestion{
			Elo: c.elo, Alpha: 0.05, Power: 0.95, Boundary: "ratio", Most: c.most,
			Conditions: Conditions{stats.Conditions{DrawRate: c.draws}, "given"},
			SPRT:       &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: c.elo1}},
		}
		var out strings.Builder
		testutil.Must(q.Answer())(t).Print(&out, i18n.English)
		testutil.Equal(t, strings.Contains(out.String(), "or more of the tests end within"), c.printed, "%+v\n%s", c, &out)
	}
}

func second[A any](_ A, err error) error { return err }

// TestCheaperIsHeldAgainstTheSameTruth: the change of a row is relative to the sequential plan with the same true Elo.
func TestCheaperIsHeldAgainstTheSameTruth(t *testing.T) {
	at := func(kind string, elo, games float64, longest int) PlanRow {
		return PlanRow{Kind: kind, Elo: &elo, Games: &games,
			PlanCourse: &PlanCourse{Quantiles: []Quantile{{Share: 0.99, Games: longest}}}}
	}
	var out strings.Builder
	(&Plans{Version, []PlanRow{
		at("sequential", 0, 100, 400), at("sequential", 20, 200, 1000), at("bounded", 0, 101, 300),
		at("bounded", 20, 160, 700),
	}}).Print(&out, i18n.English)
	for _, want := range []string{"bounded boundary +0.00 101 +1% 300 -25%", "bounded boundary +20.00 160 -20% 700 -30%"} {
		testutil.Check(t, strings.Contains(strings.Join(strings.Fields(out.String()), " "), want), "no %q in\n%s", want, &out)
	}
}

// TestGateThatIsBounded: the plan of a bounded SPRT is bounded. Its rows are at 0 Elo, at the hypotheses and halfway
// between them.
func TestGateThatIsBounded(t *testing.T) {
	q := GateQuestion{
		Gate: stats.SPRT{Elo0: 10, Elo1: 60, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic,
			Boundary: stats.BoundaryBounded},
		Pairs: 400, PerHour: PerHour(30*time.Second, 8), Conditions: Typical(),
	}
	var at []any
	for _, row := range rowsOf(t, "plans", q.Answer(), nil) {
		if row["kind"] != "sequential" || row["boundary"] != "bounded" {
			t.Errorf("%v by %v", row["kind"], row["boundary"])
		}
		at = append(at, row["elo"])
		wantNear(t, "hours at 960 games an hour", row["hours"], row["games"].(float64)/960, 1e-9)
	}
	testutil.Check(t, slices.Equal(at, []any{0.0, 10.0, 35.0, 60.0}), "planned at %v Elo", at)
}

// TestUnpairedPlansHaveNoCorrelation: single games have no pair, so their correlation is 0.
func TestUnpairedPlansHaveNoCorrelation(t *testing.T) {
	c := Typical()
	c.Correlation = -0.3
	for _, row := range plansOf(t,
		PlanQuestion{Elo: 10, Alpha: 0.05, Power: 0.8, Unpaired: true, Conditions: c,
			SPRT: &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: 10}}, Boundary: "ratio", Games: new(100)}) {
		if row["unit"] != "game" || row["correlation"] != 0.0 {
			t.Errorf("%v: %v with correlation %v", row["kind"], row["unit"], row["correlation"])
		}
	}
}

// TestHalfPointsHaveNoSpread: the calculator's S is defined for wins only.
func TestHalfPointsHaveNoSpread(t *testing.T) {
	row := intervalsOf(t, IntervalQuestion{Counts: &stats.WDL{Wins: 5, Draws: 2, Losses: 4}, DrawMode: "half",
		Confidence: 0.95, Method: "lfics"})[0]
	testutil.Check(t, row["standard_error"] == nil && row["why"] != nil, "half points: %v", row)
}

// named returns the methods of the rows of an answer, with their units and draw modes.
func named(rows []map[string]any) string {
	var names []string
	for _, row := range rows {
		names = append(names, fmt.Sprint(row["method"], "/", row["unit"], "/", row["draw_mode"]))
	}
	return strings.Join(names, " ")
}

// TestUsualIntervals: without a method, the answer has the exact interval of games, that of pairs and the anytime
// interval. Each needs its counts.
func TestUsualIntervals(t *testing.T) {
	games := &stats.WDL{Wins: 521, Draws: 10, Losses: 469}
	for _, c := range []struct {
		q    IntervalQuestion
		want string
	}{
		{IntervalQuestion{Counts: games}, "clopper-pearson/decisive_game/drop anytime/decisive_game/drop"},
		{IntervalQuestion{Counts: games, DrawMode: "half"}, "gaffke/game/half anytime/game/half"},
		{IntervalQuestion{Pentanomial: "100,5,283,4,108"}, "gaffke/pair/half anytime/pair/half"},
		{IntervalQuestion{Counts: games, Pentanomial: "100,4,267,2,127"},
			"clopper-pearson/decisive_game/drop gaffke/pair/half anytime/pair/half"},
		{IntervalQuestion{Counts: games, Method: "gaffke"}, "gaffke/decisive_game/drop"},
	} {
		if c.q.Confidence = 0.95; c.q.DrawMode == "" {
			c.q.DrawMode = "drop"
		}
		if c.want == "" {
			continue
		}
		a, err := c.q.Answer()
		if err != nil {
			t.Errorf("%+v: %v", c.q, err)
			continue
		}
		rows := rowsOf(t, "intervals", a, nil)
		testutil.Equal(t, named(rows), c.want, "%+v", c.q)
		var out strings.Builder
		a.Print(&out, i18n.English)
		testutil.Check(t, !strings.Contains(out.String(), "–"), "a cell is empty:\n%s", &out)
	}
	all := intervalsOf(t, IntervalQuestion{Counts: games, Pentanomial: "100,4,267,2,127", DrawMode: "drop",
		Confidence: 0.95, Method: "all"})
	testutil.Equal(t, len(all), len(MethodNames()), "all are %s", named(all))
}

// TestIntervalsByPairs: the intervals are those of a tally of the same pairs. Gaffke's interval of decisive games is
// that of Clopper and Pearson.
func TestIntervalsByPairs(t *testing.T) {
	rows := intervalsOf(t, IntervalQuestion{Pentanomial: "3,1,7,2,9", DrawMode: "drop", Confidence: 0.9})
	var tally stats.Tally
	win, draw, loss := stats.Leg{Outcome: stats.Win, Points: 1}, stats.Leg{Outcome: stats.Draw, Points: 0.5},
		stats.Leg{Outcome: stats.Loss}
	for _, c := range []struct {
		n    int
		a, b stats.Leg
	}{{3, loss, loss}, {1, loss, draw}, {7, win, loss}, {2, draw, win}, {9, win, win}} {
		c.a.AIsBlack = true
		for range c.n {
			testutil.OK(t, tally.Add(stats.Pair{c.a, c.b}))
		}
	}
	want := testutil.Must(tally.Interval(0.9))(t)
	wantNear(t, "lower end", rows[0]["lo"], want.Lo, 1e-12)
	wantNear(t, "upper end", rows[0]["hi"], want.Hi, 1e-12)
	wantNear(t, "score", rows[0]["estimate"], (0.25+3.5+1.5+9)/22, 1e-12)
	scores := testutil.Must(tally.PairScores())(t)
	watched := testutil.Must(scores.AnytimeInterval(0.9))(t)
	wantNear(t, "anytime lower end", rows[1]["lo"], watched.Lo, 1e-12)
	wantNear(t, "Elo of the lower end", rows[1]["elo_lo"], -400*math.Log10(1/watched.Lo-1), 1e-9)
	games := IntervalQuestion{Counts: &stats.WDL{Wins: 13, Losses: 8}, DrawMode: "drop", Confidence: 0.95,
		Method: "gaffke"}
	gaffke := intervalsOf(t, games)[0]
	games.Method = "clopper-pearson"
	exact := intervalsOf(t, games)[0]
	wantNear(t, "Gaffke's of decisive games", gaffke["lo"], exact["lo"].(float64), 1e-9)
}

// TestEloOfIntervals compares with the example of the LFICS calculator, which prints dr, dr_min and dr_max. 8,000 wins
// of 10,000 are 240.82 Elo, from 232.48 to 249.42.
func TestEloOfIntervals(t *testing.T) {
	q := IntervalQuestion{Counts: &stats.WDL{Wins: 8000, Losses: 2000}, DrawMode: "drop", Confidence: 0.95,
		Method: "lfics"}
	row := intervalsOf(t, q)[0]
	wantNear(t, "dr", row["elo"], 240.82, 0.005)
	wantNear(t, "dr_min", row["elo_lo"], 232.48, 0.005)
	wantNear(t, "dr_max", row["elo_hi"], 249.42, 0.005)
	won := IntervalQuestion{Counts: &stats.WDL{Wins: 3}, DrawMode: "drop", Confidence: 0.95}
	if row := intervalsOf(t, won)[0]; row["elo"] != nil || row["elo_hi"] != nil || row["elo_why"] == nil ||
		row["elo_lo"] == nil {
		t.Errorf("won all: %v", row)
	}
	a, err := won.Answer()
	var out strings.Builder
	if err == nil {
		a.Print(&out, i18n.English)
	}
	testutil.Contains(t, out.String(), "+∞", "%v %s", err, &out)
}

// TestNoEloOfEmptyCells: if all pairs have the same score, their variance is unknown, and the answer has no Elo. One
// other pair is enough for an Elo.
func TestNoEloOfEmptyCells(t *testing.T) {
	design := Design{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.1, Model: "logistic", Boundary: "ratio"}
	for list, known := range map[string]bool{"0,0,10,0,0": false, "0,0,155,0,0": false, "0,0,0,0,20": false,
		"0,0,10,1,0": true, "3,0,10,0,3": true} {
		row := sprtOf(t, SPRTQuestion{Pentanomial: list, Design: design, Confidence: 0.95})
		testutil.Check(t, (row["elo"] != nil) == known && (row["elo_lo"] != nil) == known &&
			(row["elo_why"] == nil) == known && row["llr"] != nil,
			"%s: %v", list, row)
	}
	row := sprtOf(t, SPRTQuestion{Trinomial: "0,12,0", Design: design, Confidence: 0.95})
	testutil.Check(t, row["elo"] == nil, "twelve draws: %v", row)
	testutil.Equal(t, row["elo_why"], any("all have the same score: their variance is not known yet"))
	for _, none := range []SPRTQuestion{{Pentanomial: "0,0,0,0,0"}, {Trinomial: "0,0,0"}} {
		none.Design, none.Confidence = design, 0.95
		testutil.Equal(t, sprtOf(t, none)["elo_why"], any("no games to judge by"))
	}
}

// TestPlanOfAnSPRT: the keys of an SPRT override --alpha, --power and --boundary. The flags apply to the keys that it
// does not set.
func TestPlanOfAnSPRT(t *testing.T) {
	for text, want := range map[string]string{
		"0,40": "alpha 0.05 beta 0.2 boundary wald",
		"elo0=0,elo1=40,alpha=0.01,beta=0.1,boundary=bounded": "alpha 0.01 beta 0.1 boundary bounded",
		"elo0=0,elo1=40,beta=0.1,boundary=ratio":              "alpha 0.05 beta 0.1 boundary ratio",
	} {
		var test match.SPRT
		testutil.OK(t, test.UnmarshalText([]byte(text)))
		row := plansOf(t, PlanQuestion{Elo: 20, Alpha: 0.05, Power: 0.8, Conditions: Typical(), SPRT: &test,
			Boundary: "wald"})[1]
		testutil.Equal(t, fmt.Sprintf("alpha %v beta %v boundary %v", row["alpha"], row["beta"], row["boundary"]), want, "%s",
			text)
	}
	draws := Typical()
	draws.DrawRate = 0.6
	games := func(model stats.EloModel) float64 {
		q := PlanQuestion{Elo: 20, Alpha: 0.05, Power: 0.95, Conditions: draws,
			SPRT: &match.SPRT{SPRT: stats.SPRT{Elo1: 40, Model: model}, Set: []string{"model"}}, Boundary: "ratio"}
		return plansOf(t, q)[1]["games"].(float64)
	}
	l, n := games(stats.ModelLogistic), games(stats.ModelNormalized)
	testutil.Check(t, n >= 1.5*l, "with many draws 40 normalised Elo are a smaller difference: %v games, logistic %v", n,
		l)
}

// TestUndecided: with the number of games that Undecided returns, 10% of tests end undecided.
func TestUndecided(t *testing.T) {
	q := GateQuestion{Gate: stats.SPRT{Elo1: 4, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic}, Pairs: 10_000,
		Conditions: Typical()}
	share, games := q.Undecided()
	testutil.Require(t, share > 0.5 && games > 20_000, "20,000 games: share %v, %d games", share, games)
	q.Pairs = games / 2
	share, again := q.Undecided()
	testutil.Check(t, math.Abs(share-0.1) < 0.003 && again == games, "%d games: share %v, %d games", games, share, again)
	q.Unpaired = true
	share, games = q.Undecided()
	testutil.Check(t, share == 0 && games == 0, "single games: share %v, %d games; want unknown", share, games)
}

// TestNormalizedEloOfPairs compares with fastchess's formula, (score - ½) ÷ √(2 variance) × 800 ÷ ln 10. It is
// calculated by hand from the counts of the README's example.
func TestNormalizedEloOfPairs(t *testing.T) {
	row := rowsOf(t, "elos", testutil.Must(EloQuestion{Pentanomial: "2,1,13,1,33"}.Answer())(t), nil)[0]
	wantNear(t, "score", row["score"], 0.81, 1e-12)
	wantNear(t, "nElo", row["normalized_elo"], 266.94, 0.01)
	testutil.Check(t, row["pairs"] == 50.0, "pairs: %v", row["pairs"])
	for list, want := range map[string]string{"0,0,0,0,0": "there is no pair", "1,2,3": "--pentanomial"} {
		testutil.Fails(t, testutil.Err(EloQuestion{Pentanomial: list}.Answer()), want, "%s", list)
	}
}

// TestNamesOfElo: an Elo that is not the Elo of the score has another name, and so have the hypotheses of other models.
func TestNamesOfElo(t *testing.T) {
	for mode, want := range map[string]string{"drop": "Elo of the estimate", "half": " Elo "} {
		q := IntervalQuestion{Counts: &stats.WDL{Wins: 22, Draws: 38, Losses: 1}, DrawMode: mode, Confidence: 0.95}
		var out strings.Builder
		must[*Intervals](t)(q.Answer()).Print(&out, i18n.English)
		testutil.Equal(t, strings.Contains(out.String(), "Elo of the estimate"), mode == "drop", out.String())
		testutil.Contains(t, out.String(), want)
	}
	for model, want := range map[string]string{"logistic": "0 against 10 Elo (", "normalized": "0 against 10 nElo (",
		"bayeselo": "0 against 10 BayesElo ("} {
		q := SPRTQuestion{Trinomial: "30,20,10", Design: designOf(0, 10, 0.05, 0.05, model, "wald"), Confidence: 0.95}
		var out strings.Builder
		must[*SPRTs](t)(q.Answer()).Print(&out, i18n.English)
		testutil.Contains(t, out.String(), want)
	}
}
