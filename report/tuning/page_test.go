package tuning

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tune"
	"gogi/stats/binomial"
)

// account returns a tune of two parameters. Only the first matters: its best value is 70.
func account(t *testing.T, pairs int) *Account {
	t.Helper()
	s := tune.Defaults(tune.SPSA, 400)
	s.Params = []tune.Param{{Name: "A&B", Kind: tune.Int, Start: 30, Max: 100, Scale: 40},
		{Name: "None", Kind: tune.Int, Start: 50, Max: 100}}
	s.REnd = 0.02
	path := testutil.Must(tune.NewPath(s))(t)
	var states []match.TuneState
	var rows [][]match.Row
	var points [][2][]match.Option
	for id := range pairs {
		d, ok := path.Draw(id)
		testutil.Require(t, ok, "%v", id)
		row := []match.Row{{Pair: id, Black: "p", PairA: "p", MovesHash: 1},
			{Pair: id, Leg: 1, Black: "m", PairA: "p", MovesHash: 2}}
		if plus, minus := math.Abs(d.Plus[0]-70), math.Abs(d.Minus[0]-70); plus < minus {
			row[0].Points, row[1].Points = [2]float64{1, 0}, [2]float64{0, 1}
		} else if plus > minus {
			row[0].Points, row[1].Points = [2]float64{0, 1}, [2]float64{1, 0}
		}
		_, learnt, err := path.Add(id, tune.ResultOfRows(row).Score, false)
		testutil.OK(t, err)
		for i := range learnt {
			states = append(states, learnt[i].Stored())
		}
		rows, points = append(rows, row), append(points, s.Points(&d))
	}
	w := testutil.Must(tune.NewWalk(s, states, Latest))(t)
	for i := range rows {
		w.Pair(rows[i], points[i])
	}
	a := &Account{Walk: w, Run: "a <tune>", Plan: &tune.Plan{Settings: s}, Stored: pairs, State: w.End()}
	testutil.Require(t, len(a.Differences) == 0, "%v", a.Differences)
	return a
}

func TestPrint(t *testing.T) {
	var b bytes.Buffer
	Print(&b, i18n.English, account(t, 400), []i18n.Message{i18n.Verbatim("validation 1 (t-validation-1): pass")})
	text := b.String()
	for _, want := range []string{"400 of 400 pairs", "proves no strength", "validation 1 (t-validation-1): pass"} {
		testutil.Contains(t, text, want, "no")
	}
	// The results of a tune choose its iterates, so they give no interval for a best value. The report has none.
	if heads := strings.Fields("parameter initial current final value ± s.e. effect at ±c, Elo*"); !slices.ContainsFunc(strings.Split(text, "\n"), func(line string) bool { return slices.Equal(strings.Fields(line), heads) }) {
		t.Errorf("no line of these columns, %q, in\n%s", heads, text)
	}
	// A&B matters and None does not: their p values show it.
	for name, matters := range map[string]bool{"A&B": true, "None": false} {
		_, after, _ := strings.Cut(text[strings.Index(text, "\n"+name):], "p = ")
		p, err := strconv.ParseFloat(strings.Fields(after)[0], 64)
		testutil.OK(t, err)
		testutil.Check(t, p < 0.05 == matters, "the p value of %s is %g", name, p)
	}
	var running bytes.Buffer
	Print(&running, i18n.English, account(t, 40), nil)
	testutil.Contains(t, running.String(), "value so far", "a tune that has not ended")
}

// TestPage: the page is well formed after any number of pairs, and loads nothing from another site.
func TestPage(t *testing.T) {
	for _, pairs := range []int{0, 5, 40, 400} {
		page := Page(i18n.English, account(t, pairs), nil)
		d := xml.NewDecoder(strings.NewReader(page))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		for {
			if _, err := d.Token(); errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%d pairs: %v", pairs, err)
			}
		}
		if strings.Contains(page, "http://") || strings.Contains(page, "https://") || strings.Contains(page, "NaN") ||
			strings.Contains(page, "Inf") {
			t.Errorf("%d pairs: something of elsewhere, or no number", pairs)
		}
		testutil.Check(t, !strings.Contains(page, "<tune>") && strings.Contains(page, "A&amp;B"), "names are not escaped")
	}
}

// TestPageInJapanese: the page is in the requested language, including its validations.
func TestPageInJapanese(t *testing.T) {
	judged := []i18n.Message{i18n.Of("validation %d (%s): not begun", 1, "v")}
	english, japanese := Page(i18n.English, account(t, 40), judged), Page(i18n.Japanese, account(t, 40), judged)
	for _, c := range []struct{ page, lang, judged, figure string }{
		{english, `<html lang="en">`, "validation 1 (v): not begun", "The band is how far"},
		{japanese, `<html lang="ja">`, "検証 1（v）：まだ始まっていません", "帯はエンジン"},
	} {
		for _, want := range []string{c.lang, c.judged, c.figure} {
			testutil.Contains(t, c.page, want, "%s lacks", c.lang)
		}
	}
	words := regexp.MustCompile(`(?s)<style>.*</style>|<[^>]*>|&lt;tune&gt;|A&amp;B|None|Elo|SPSA|spsa`).ReplaceAllString(japanese, "")
	left := regexp.MustCompile(`[A-Za-z]{4,}`).FindAllString(words, -1)
	testutil.Check(t, len(left) == 0, "half in English: %q", left)
}

func TestTell(t *testing.T) {
	text := testutil.Must(json.Marshal(NewResult(account(t, 400))))(t)
	var told Result
	if err := json.Unmarshal(text, &told); err != nil || told.Summary.Pairs != 400 || len(told.Track) != 26 ||
		!told.Summary.Params[0].Distinct {
		t.Errorf("%v, %+v", err, told.Summary)
	}
	long := make([]tune.Step, 5000)
	for i := range long {
		long[i].Blocks = i
	}
	thin := thinned(long)
	testutil.Check(t, len(thin) == trackPoints && thin[0].Blocks == 0 && thin[trackPoints-1].Blocks == 4999, "%d points",
		len(thin))
}

// TestBodyInJapanese: the Japanese page has no English except names, and has the same numbers. The text that a tune may
// end equals the text of the error.
func TestBodyInJapanese(t *testing.T) {
	a := account(t, 400)
	a.Failed[0].Above, a.Failed[0].OfAbove = 3, 40
	a.Copies = 390
	a.Candidates = []match.TuneCandidate{{Number: 1, Blocks: 20}}
	a.Plan.From = "x"
	a.Plan.Settings.Spread = 10
	said := Body(i18n.Japanese, a, nil)
	for _, tag := range []string{`<[^>]*aria-label="([^"]*)"[^>]*>`, `<[^>]*>`} {
		said = regexp.MustCompile(tag).ReplaceAllString(said, " $1 ")
	}
	known := regexp.MustCompile(`^(A|B|amp|lt|gt|None|a|x|spsa|Elo|c|r|p|e|W|L|gogi|tune|probe)$`)
	for _, word := range regexp.MustCompile(`[A-Za-z]+`).FindAllString(said, -1) {
		testutil.Check(t, known.MatchString(word), "%q is English", word)
	}
	number := regexp.MustCompile(`\d+(?:\.\d+)?`)
	sorted := func(in i18n.Language) []string {
		list := number.FindAllString(Body(in, a, nil), -1)
		slices.Sort(list)
		return list
	}
	testutil.Slices(t, sorted(i18n.Japanese), sorted(i18n.English), "the numbers are others")
	why := &tune.Futile{Pairs: 1234, Factor: 4}
	testutil.Equal(t, futile(why).String(), why.Error(), "%q", futile(why))
}

// TestMinusOnThePage holds that negative numbers of the page have the typographic minus sign, but names keep their
// hyphen.
func TestMinusOnThePage(t *testing.T) {
	s := &tune.Settings{Params: []tune.Param{{Name: "a-1", Kind: tune.Float, Min: -50, Max: 50, Start: -2}}}
	elo := -35.9
	table := answers(i18n.English, s, &tune.Summary{Params: []tune.ParamSummary{{
		Name: "a-1", Value: "-7", SensitivityElo: &elo, Sensitivity: &binomial.Interval{Lo: -92, Hi: 20.1},
	}}})
	for _, want := range []string{">a-1<", ">−7<", ">−35.9 [−92.0, 20.1]<"} {
		testutil.Contains(t, table, want)
	}
}
