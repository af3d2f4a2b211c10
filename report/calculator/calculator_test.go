package calculator

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/stats"
)

// statsFixtures are reference values from other programs, which testdata/stats.json names.
type statsFixtures struct {
	Intervals  []map[string]json.RawMessage `json:"intervals"`
	PValues    []map[string]float64         `json:"p_values"`
	Thresholds []map[string]any             `json:"thresholds"`
	SPRTs      []struct {
		Kind       string
		Results    []int
		Elo0, Elo1 float64
		Logistic   *float64
		Normalized *float64
		Bayeselo   *float64
		Elo        *float64
		CI         []float64
	} `json:"sprts"`
	Plans []struct {
		Elo, Alpha, Power float64
		Decisive          int `json:"decisive"`
		CriticalWins      int `json:"critical_wins"`
		Safe              int `json:"safe"`
	} `json:"plans"`
}

func readStatsFixtures(t *testing.T) *statsFixtures {
	t.Helper()
	text := testutil.Must(os.ReadFile("testdata/stats.json"))(t)
	var f statsFixtures
	testutil.OK(t, json.Unmarshal(text, &f))
	return &f
}

// rowsOf returns the rows of one array in the JSON of an answer.
func rowsOf(t *testing.T, array string, answer any, err error) []map[string]any {
	t.Helper()
	testutil.OK(t, err)
	text := testutil.Must(json.Marshal(answer))(t)
	var object map[string]any
	testutil.OK(t, json.Unmarshal(text, &object))
	testutil.Require(t, object["version"] == 1.0, "version %v", object["version"])
	rows := []map[string]any{}
	for _, row := range object[array].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

func intervalsOf(t *testing.T, q IntervalQuestion) []map[string]any {
	t.Helper()
	a, err := q.Answer()
	return rowsOf(t, "intervals", a, err)
}

func testOf(t *testing.T, array string, q TestQuestion) []map[string]any {
	t.Helper()
	a, err := q.Answer()
	return rowsOf(t, array, a, err)
}

func designOf(elo0, elo1, alpha, beta float64, model, boundary string) Design {
	return Design{Elo0: elo0, Elo1: elo1, Alpha: alpha, Beta: beta, Model: model, Boundary: boundary}
}

func sprtOf(t *testing.T, q SPRTQuestion) map[string]any {
	t.Helper()
	a, err := q.Answer()
	return rowsOf(t, "sprts", a, err)[0]
}

func plansOf(t *testing.T, q PlanQuestion) []map[string]any {
	t.Helper()
	a, err := q.Answer()
	return rowsOf(t, "plans", a, err)
}

func wantNear(t *testing.T, what string, got any, want, tolerance float64) {
	t.Helper()
	v, ok := got.(float64)
	testutil.Check(t, ok && math.Abs(v-want) <= tolerance, "%s: got %v, want %v", what, got, want)
}

func TestStatsIntervalFixtures(t *testing.T) {
	columns := map[string]string{
		"clopper-pearson": "clopper_pearson", "midp": "mid_p", "blaker": "blaker",
		"wilson": "wilson", "wilson-cc": "wilson_cc", "jeffreys": "jeffreys",
	}
	for _, f := range readStatsFixtures(t).Intervals {
		var n, k int
		var alpha float64
		for name, into := range map[string]any{"n": &n, "k": &k, "alpha": &alpha} {
			testutil.OK(t, json.Unmarshal(f[name], into))
		}
		level := testutil.Must(strconv.ParseFloat(strconv.FormatFloat(1-alpha, 'g', 15, 64), 64))(t)
		rows := intervalsOf(t, IntervalQuestion{Counts: &stats.WDL{Wins: k, Losses: n - k}, DrawMode: "drop",
			Confidence: level, Method: "all"})
		for _, row := range rows {
			var want []float64
			if json.Unmarshal(f[columns[row["method"].(string)]], &want) != nil {
				continue
			}
			what := fmt.Sprintf("%v of %d, %d", row["method"], k, n)
			wantNear(t, what, row["lo"], want[0], 1e-9)
			wantNear(t, what, row["hi"], want[1], 1e-9)
		}
	}
}

func TestStatsTestFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).PValues {
		n, k := int(f["n"]), int(f["k"])
		losses := n - k
		row := testOf(t, "tests", TestQuestion{Wins: &k, Losses: &losses})[0]
		what := fmt.Sprintf("%d of %d", k, n)
		for ours, theirs := range map[string]string{"p_greater": "p_ge", "p_two_sided": "p_two_sided"} {
			wantNear(t, what+" "+ours, row[ours], f[theirs], 1e-9*f[theirs])
		}
	}
}

func TestStatsCriticalWins(t *testing.T) {
	rows := testOf(t, "critical", TestQuestion{Games: new(1000), Alpha: []float64{0.05, 0.01}})
	want := []map[string]float64{
		{"alpha": 0.05, "wins": 527, "two_sided_wins": 532, "normal_wins": 527},
		{"alpha": 0.01, "wins": 538, "normal_wins": 537},
	}
	for i, fields := range want {
		for name, v := range fields {
			wantNear(t, name, rows[i][name], v, 0)
		}
	}
	for _, row := range testOf(t, "critical", TestQuestion{Games: new(3), Alpha: []float64{0.05, 0.01}}) {
		testutil.Check(t, row["wins"] == nil && row["p"] == nil && row["why"] != nil, "three games prove something: %v", row)
	}
	one := testOf(t, "critical", TestQuestion{Games: new(1), Alpha: []float64{0.05}})[0]
	testutil.Equal(t, one["why"], any("even 1 win in 1 game would not be significant at this level"))
	// 2^-5 is below 0.05, and 2^-4 is not
	five := testOf(t, "critical", TestQuestion{Games: new(5), Alpha: []float64{0.05}})[0]
	testutil.Equal(t, five["why"], any("even 5 wins in 5 games would not be significant two-sided at this level"))
}

func TestStatsThresholdFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).Thresholds {
		want, ok := f["exact_min_wins"].(float64)
		alpha := f["one_sided_alpha"].(float64)
		row := testOf(t, "critical", TestQuestion{Games: new(int(f["n"].(float64))), Alpha: []float64{alpha}})[0]
		testutil.Require(t, ok, "no threshold in %v", f)
		what := fmt.Sprintf("%v at %v", f["n"], alpha)
		wantNear(t, what, row["wins"], want, 0)
		wantNear(t, what, row["p"], f["exact_p_at_min"].(float64), 1e-9)
		wantNear(t, what, row["normal_wins"], f["normal_no_cc_min_wins"].(float64), 0)
	}
}

func TestStatsSPRTFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).SPRTs {
		counts := []string{}
		for _, n := range f.Results {
			counts = append(counts, strconv.Itoa(n))
		}
		var q SPRTQuestion
		if len(counts) == 3 { // losses, draws, wins
			counts[0], counts[2] = counts[2], counts[0]
			q.Trinomial = strings.Join(counts, ",")
		} else {
			q.Pentanomial = strings.Join(counts, ",")
		}
		for model, want := range map[string]*float64{"logistic": f.Logistic, "normalized": f.Normalized,
			"bayeselo": f.Bayeselo} {
			if want == nil {
				continue
			}
			q.Design, q.Confidence = designOf(f.Elo0, f.Elo1, 0.05, 0.05, model, "wald"), 0.95
			row := sprtOf(t, q)
			what := fmt.Sprintf("%v %s", f.Results, model)
			wantNear(t, what, row["llr"], *want, 1e-4)
			wantNear(t, what, row["upper"], 2.9444389791664403, 1e-12)
			if model == "logistic" && row["elo"] != nil {
				wantNear(t, what+" Elo", row["elo"], *f.Elo, 1e-3)
			}
		}
	}
}

func TestStatsPlanFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).Plans {
		row := plansOf(t, PlanQuestion{Elo: f.Elo, Alpha: f.Alpha, Power: f.Power, OneSided: true, Unpaired: true})[0]
		what := fmt.Sprintf("%v Elo, alpha %v, power %v", f.Elo, f.Alpha, f.Power)
		wantNear(t, what, row["games"], float64(f.Decisive), 0)
		wantNear(t, what, row["critical_wins"], float64(f.CriticalWins), 0)
		wantNear(t, what, row["safe_games"], float64(f.Safe), 0)
	}
}

// An answer is a result that a command prints.
type answer interface {
	Print(w io.Writer, in i18n.Language)
}

func must[A answer](t *testing.T) func(a A, err error) answer {
	return func(a A, err error) answer {
		t.Helper()
		testutil.OK(t, err)
		return a
	}
}

// TestGapsHaveReasons: for any counts, the output is valid JSON (without NaN), and every null has a reason next to it.
func TestGapsHaveReasons(t *testing.T) {
	wdl := func(w, d, l int) stats.WDL { return stats.WDL{Wins: w, Draws: d, Losses: l} }
	interval := func(counts stats.WDL, mode string) answer {
		return must[*Intervals](t)(IntervalQuestion{Counts: &counts, DrawMode: mode, Confidence: 0.95,
			Method: "all"}.Answer())
	}
	test := func(wins, losses int) answer {
		return must[*Tests](t)(TestQuestion{Wins: &wins, Losses: &losses, Alpha: []float64{0.05}}.Answer())
	}
	critical := func(games int) answer {
		return must[*Tests](t)(TestQuestion{Games: &games, Alpha: []float64{0.05, 0.01}}.Answer())
	}
	games := func(list, boundary string, elo float64) answer {
		return must[*SPRTs](t)(SPRTQuestion{Trinomial: list, Design: designOf(-elo, elo, 0.05, 0.05, "logistic", boundary),
			Confidence: 0.95}.Answer())
	}
	pairs := func(list, model string) answer {
		return must[*SPRTs](t)(SPRTQuestion{Pentanomial: list, Design: designOf(0, 2, 0.05, 0.05, model, "ratio"),
			Confidence: 0.95}.Answer())
	}
	plan := func(elo, draws float64, games int, unpaired bool, boundary string) answer {
		c := Typical()
		c.DrawRate = draws
		return must[*Plans](t)(PlanQuestion{
			Elo: elo, Alpha: 0.05, Power: 0.95, Unpaired: unpaired, Conditions: c,
			SPRT: &match.SPRT{SPRT: stats.SPRT{Elo0: 0, Elo1: 4}}, Boundary: boundary, Games: &games,
		}.Answer())
	}
	elo := func(q EloQuestion) answer { return must[*Elos](t)(q.Answer()) }
	forecast := func(record stats.WDL) answer {
		return must[*Forecasts](t)(ForecastQuestion{record, []int{1, 10}, 0.95}.Answer())
	}
	for array, answers := range map[string][]answer{
		"intervals": {
			interval(wdl(0, 0, 0), "drop"), interval(wdl(0, 9, 0), "drop"), interval(wdl(0, 0, 7), "drop"),
			interval(wdl(7, 0, 0), "drop"),
			interval(wdl(1, 2, 0), "half"), interval(wdl(1, 2, 0), "floor"), interval(wdl(1_000_000, 0, 0), "drop"),
			interval(wdl(0, 0, 0), "half"),
		},
		"tests":    {test(0, 0), test(0, 9), test(100_000, 0)},
		"critical": {critical(0), critical(1), critical(5)},
		"sprts": {
			games("0,0,0", "ratio", 2), games("0,9,0", "ratio", 2), games("9,0,0", "bounded", 2), games("0,0,9", "wald", 1000),
			pairs("0,0,0,0,9", "normalized"), pairs("0,0,9,0,0", "bayeselo"),
		},
		"plans": {
			plan(0, 0.03, 100, false, "ratio"), plan(900, 0.99, 100, false, "ratio"), plan(1e-9, 0, 0, false, "bounded"),
			plan(-3, 0, 0, true, "bounded"),
			plan(1000, 0, 1, true, "wald"),
		},
		"elos": {
			elo(EloQuestion{Score: new(0.0)}), elo(EloQuestion{Score: new(1.0)}),
			elo(EloQuestion{Score: new(0.5), Draws: new(0.9)}),
			elo(EloQuestion{Score: new(0.9), Draws: new(0.5)}), elo(EloQuestion{Elo: new(-1000.0)}),
		},
		"forecasts": {forecast(wdl(0, 0, 0)), forecast(wdl(0, 7, 0)), forecast(wdl(7, 0, 0))},
	} {
		for _, a := range answers {
			for _, row := range rowsOf(t, array, a, nil) {
				for field, v := range row {
					testutil.Check(t, v != nil || row["why"] != nil || row["elo_why"] != nil,
						"%s: %s is null without a reason: %v", array, field, row)
				}
			}
			wantNoNaN(t, a)
		}
	}
}

func wantNoNaN(t *testing.T, a answer) {
	t.Helper()
	var out strings.Builder
	a.Print(&out, i18n.English)
	testutil.Check(t, out.Len() != 0 && !strings.Contains(out.String(), "NaN") && !strings.Contains(out.String(), "Inf"),
		"%T prints\n%s", a, &out)
}
