package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"gogi/stats"
)

// statsFixtures are reference values from other programs (testdata/stats.json
// says from which).
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
	Anytime []struct {
		K, N     int
		Interval []float64
		LogE     float64 `json:"ln_e"`
	} `json:"anytime"`
}

func readStatsFixtures(t *testing.T) *statsFixtures {
	t.Helper()
	text, err := os.ReadFile("testdata/stats.json")
	if err != nil {
		t.Fatal(err)
	}
	var f statsFixtures
	if err := json.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	return &f
}

// statsRows runs a verb with --json and returns the rows of one of its arrays.
func statsRows(t *testing.T, array string, args ...string) []map[string]any {
	t.Helper()
	var out, errs strings.Builder
	code := run(t.Context(), append([]string{"stats"}, append(args, "--json")...), &environment{out: &out, err: &errs})
	if code != exitDone {
		t.Fatalf("gogi stats %v: exit code %d: %s", args, code, &errs)
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(out.String()), &object); err != nil {
		t.Fatalf("gogi stats %v: %v in %s", args, err, &out)
	}
	if object["version"] != 1.0 {
		t.Fatalf("gogi stats %v: version %v", args, object["version"])
	}
	rows := []map[string]any{}
	for _, row := range object[array].([]any) {
		rows = append(rows, row.(map[string]any))
	}
	return rows
}

func wantNear(t *testing.T, what string, got any, want, tolerance float64) {
	t.Helper()
	if v, ok := got.(float64); !ok || math.Abs(v-want) > tolerance {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
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
			if err := json.Unmarshal(f[name], into); err != nil {
				t.Fatal(err)
			}
		}
		level := strconv.FormatFloat(1-alpha, 'g', 15, 64)
		rows := statsRows(t, "intervals", "interval", "--wins", strconv.Itoa(k), "--losses", strconv.Itoa(n-k), "--confidence", level)
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

func TestStatsAnytimeFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).Anytime {
		row := statsRows(t, "intervals", "interval", "--method", "anytime", "--wins", strconv.Itoa(f.K), "--losses", strconv.Itoa(f.N-f.K))[0]
		what := fmt.Sprintf("%d of %d", f.K, f.N)
		wantNear(t, what, row["lo"], f.Interval[0], 1e-8)
		wantNear(t, what, row["hi"], f.Interval[1], 1e-8)
		wantNear(t, what, row["ln_e"], f.LogE, 1e-8*max(1, math.Abs(f.LogE)))
	}
}

func TestStatsTestFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).PValues {
		n, k := int(f["n"]), int(f["k"])
		row := statsRows(t, "tests", "test", "--wins", strconv.Itoa(k), "--losses", strconv.Itoa(n-k))[0]
		what := fmt.Sprintf("%d of %d", k, n)
		for ours, theirs := range map[string]string{"p_greater": "p_ge", "p_two_sided": "p_two_sided", "mid_p": "midp_ge"} {
			wantNear(t, what+" "+ours, row[ours], f[theirs], 1e-9*f[theirs])
		}
	}
}

func TestStatsCriticalWins(t *testing.T) {
	rows := statsRows(t, "critical", "test", "--games", "1000")
	want := []map[string]float64{
		{"alpha": 0.05, "wins": 527, "two_sided_wins": 532, "normal_wins": 527},
		{"alpha": 0.01, "wins": 538, "normal_wins": 537},
	}
	for i, fields := range want {
		for name, v := range fields {
			wantNear(t, name, rows[i][name], v, 0)
		}
	}
	for _, row := range statsRows(t, "critical", "test", "--games", "3") {
		if row["wins"] != nil || row["p"] != nil || row["why"] == nil {
			t.Errorf("three games prove something: %v", row)
		}
	}
}

func TestStatsThresholdFixtures(t *testing.T) {
	for _, f := range readStatsFixtures(t).Thresholds {
		want, ok := f["exact_min_wins"].(float64)
		alpha := f["one_sided_alpha"].(float64)
		row := statsRows(t, "critical", "test", "--games", strconv.Itoa(int(f["n"].(float64))), "--alpha", fmt.Sprint(alpha))[0]
		if !ok {
			t.Fatalf("no threshold in %v", f)
		}
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
		flag := "--pentanomial"
		if len(counts) == 3 { // losses, draws, wins
			flag, counts[0], counts[2] = "--trinomial", counts[2], counts[0]
		}
		for model, want := range map[string]*float64{"logistic": f.Logistic, "normalized": f.Normalized, "bayeselo": f.Bayeselo} {
			if want == nil {
				continue
			}
			row := statsRows(t, "sprts", "sprt", flag, strings.Join(counts, ","), "--model", model,
				"--elo0", fmt.Sprint(f.Elo0), "--elo1", fmt.Sprint(f.Elo1))[0]
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
		row := statsRows(t, "plans", "plan", "--elo", fmt.Sprint(f.Elo), "--alpha", fmt.Sprint(f.Alpha), "--power", fmt.Sprint(f.Power))[0]
		what := fmt.Sprintf("%v Elo, alpha %v, power %v", f.Elo, f.Alpha, f.Power)
		wantNear(t, what, row["games"], float64(f.Decisive), 0)
		wantNear(t, what, row["critical_wins"], float64(f.CriticalWins), 0)
		wantNear(t, what, row["safe_games"], float64(f.Safe), 0)
	}
}

// Whatever is counted, the output is valid JSON (which has no NaN), and what is
// null has a reason beside it.
func TestStatsGapsHaveReasons(t *testing.T) {
	verbs := map[string][]string{
		"intervals": {
			"interval --wins 0 --losses 0", "interval --wins 0 --losses 0 --draws 9", "interval --wins 0 --losses 7", "interval --wins 7 --losses 0",
			"interval --wins 1 --losses 0 --draws 2 --draw-mode half", "interval --wins 1 --losses 0 --draws 2 --draw-mode floor",
			"interval --wins 1000000 --losses 0", "interval --wins 0 --losses 0 --draw-mode half",
		},
		"tests":    {"test --wins 0 --losses 0", "test --wins 0 --losses 9", "test --wins 100000 --losses 0"},
		"critical": {"test --games 0", "test --games 1", "test --games 5"},
		"sprts": {
			"sprt --trinomial 0,0,0", "sprt --trinomial 0,9,0", "sprt --trinomial 9,0,0", "sprt --pentanomial 0,0,0,0,9 --model normalized",
			"sprt --pentanomial 0,0,9,0,0 --model bayeselo", "sprt --trinomial 0,0,9 --elo0 -1000 --elo1 1000",
		},
		"plans": {"plan --elo 0", "plan --elo 900 --draws 0.99 --sprt -5,0", "plan --elo 1e-9", "plan --elo -3 --games 0", "plan --elo 1000"},
		"elos":  {"elo --score 0", "elo --score 1", "elo --score 0.5 --draws 0.9", "elo --score 0.9 --draws 0.5", "elo --elo -1000"},
	}
	for array, lines := range verbs {
		for _, line := range lines {
			for _, row := range statsRows(t, array, strings.Fields(line)...) {
				for field, v := range row {
					if v == nil && row["why"] == nil && row["elo_why"] == nil {
						t.Errorf("%s: %s is null without a reason: %v", line, field, row)
					}
				}
			}
			var out, errs strings.Builder
			if code := run(t.Context(), append([]string{"stats"}, strings.Fields(line)...), &environment{out: &out, err: &errs}); code != exitDone {
				t.Errorf("%s: exit code %d: %s", line, code, &errs)
			}
			if strings.Contains(out.String(), "NaN") || strings.Contains(out.String(), "Inf") {
				t.Errorf("%s prints\n%s", line, &out)
			}
		}
	}
}

// ci_coverage.csv: n = 100, true win rates from 0.3 to 0.7.
func TestLowestCoverage(t *testing.T) {
	want := map[stats.IntervalMethod]float64{
		stats.MethodClopperPearson: 0.9504, stats.MethodBlaker: 0.95, stats.MethodMidP: 0.9392,
		stats.MethodWilson: 0.93714, stats.MethodWald: 0.93068, stats.MethodLFICS: 0.92381,
	}
	for m, lowest := range want {
		interval := allIntervals(100, func(k int) (stats.Interval, error) { return m.Interval(k, 100, 0.95) })
		wantNear(t, string(m), lowestCoverage(100, 0.3, 0.7, interval), lowest, 1e-4)
	}
}

func TestCoverageFigureIsUpToDate(t *testing.T) {
	stored, err := os.ReadFile("../../docs/coverage.svg")
	if err != nil {
		t.Fatal(err)
	}
	if coverageFigure() != string(stored) {
		t.Error("docs/coverage.svg is old: gogi stats coverage-figure --out docs/coverage.svg")
	}
}
