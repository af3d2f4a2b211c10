package html

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/match/tournament"
	"gogi/report"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/stats"
)

func aboutRun(o matchtest.Run) report.About {
	a := report.About{
		RunInfo: &results.RunInfo{Digest: "abcdef", Rules: "default", Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)},
		Plan:    &match.CanonicalPlan{Design: "match", Swap: true, Seed: 7},
	}
	a.Plan.Openings.Count, a.Plan.Openings.SHA256 = 3, "00ff"
	for _, name := range o.Players {
		a.Engines = append(a.Engines, results.Engine{EngineSettings: results.EngineSettings{Name: name, Limits: "nodes 10"},
			Identity: match.Identity{Fixed: "by hand"}})
	}
	return a
}

// gather returns the report of a run and the other data on its page.
func gather(t *testing.T, o matchtest.Run) (*report.Report, *Scenes) {
	t.Helper()
	return gatherAs(t, o, report.Registration{})
}

// gatherAs does the same as gather for a run that may have an SPRT.
func gatherAs(t *testing.T, o matchtest.Run, gate report.Registration, starts ...report.Start) (*report.Report,
	*Scenes) {
	t.Helper()
	run := report.Run{Gate: gate, Starts: starts, Name: "run", Rules: "default", Pairs: max(o.Planned, len(o.Pairs))}
	for _, name := range o.Players {
		run.Players = append(run.Players, report.Player{Name: name, Identity: "by hand", Limits: "nodes 10"})
	}
	g := testutil.Must(report.New(run))(t)
	seen := NewScenes(o.Players[0], o.Players[1])
	for _, rows := range o.Rows() {
		seen.Add(rows)
		testutil.OK(t, g.Add(rows))
	}
	return g.Report(), seen
}

// pageOfRun renders a run in which the record of every game is 7g7f.
func pageOfRun(t *testing.T, o matchtest.Run) string {
	t.Helper()
	r, seen := gather(t, o)
	return render(t, o, r, seen)
}

func render(t *testing.T, o matchtest.Run, r *report.Report, seen *Scenes) string {
	t.Helper()
	var b bytes.Buffer
	testutil.OK(t, Shown{Report: r, Seen: seen, About: aboutRun(o), Record: func(int, int) (kifu.Record, error) {
		return kifu.Record{Start: "startpos", Moves: []kifu.Move{{Move: move(t, "7g7f")}}}, nil
	}}.Write(&b, i18n.English))
	return b.String()
}

func move(t *testing.T, text string) shogi.Move {
	t.Helper()
	return testutil.Must(shogi.ParseMove(text))(t)
}

// checkPage checks the rules for every page: it is well-formed, loads no file, runs no script, labels its elements, and
// uses no id twice. It returns the text and the number of each element.
func checkPage(t *testing.T, page string) (text string, elements map[string]int) {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(page))
	d.Strict, d.Entity = false, xml.HTMLEntity
	elements = map[string]int{}
	var ids, referred []string
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		testutil.OK(t, err, "not well-formed")
		switch e := token.(type) {
		case xml.CharData:
			text += string(e)
		case xml.StartElement:
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				checkAttribute(t, e.Name.Local, a)
				switch a.Name.Local {
				case "id":
					ids = append(ids, a.Value)
				case "aria-labelledby":
					referred = append(referred, strings.Fields(a.Value)...)
				}
			}
		}
	}
	for _, id := range referred {
		testutil.Check(t, slices.Contains(ids, id), "no element has the id %q", id)
	}
	slices.Sort(ids)
	unique := slices.Compact(slices.Clone(ids))
	testutil.Check(t, len(unique) == len(ids), "an id occurs twice: %v", ids)
	for _, name := range []string{"script", "link", "iframe", "img", "object", "image", "use", "base", "form"} {
		testutil.Check(t, elements[name] <= 0, "the page has %d %s elements", elements[name], name)
	}
	testutil.Check(t, !strings.Contains(page, "@import") && !strings.Contains(page, "url(") &&
		!strings.Contains(page, "ZgotmplZ"),
		"the page refers to something outside, or a value was refused")
	testutil.Check(t, elements["h1"] == 1 && elements["title"] != 0 && elements["main"] == 1, "headings: %v", elements)
	return text, elements
}

func checkAttribute(t *testing.T, element string, a xml.Attr) {
	t.Helper()
	name := strings.ToLower(a.Name.Local)
	testutil.Check(t, !strings.HasPrefix(name, "on") && name != "src" && name != "href" && name != "srcset" &&
		name != "style",
		"<%s> has the attribute %s=%q", element, name, a.Value)
	testutil.Check(t, element != "th" || name != "scope" || a.Value == "col" || a.Value == "row",
		"a table header has the scope %q", a.Value)
}

func TestPageIsSelfContained(t *testing.T) {
	for name, o := range map[string]matchtest.Run{
		"many":       {Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WL", "WW", "DL", "DD"}, 30)},
		"unfinished": {Players: []string{"x", "y"}, Pairs: []string{"WL", "WW"}, Planned: 9},
		"empty":      {Players: []string{"x", "y"}, Planned: 2},
		"one game":   {Players: []string{"x", "y"}, Pairs: []string{"W"}},
		"three":      {Players: []string{"x", "y", "z"}, Pairs: []string{"WL", "WW", "DL", "DD", "LL", "WW"}},
		"faults":     {Players: []string{"x", "y"}, Pairs: []string{"LL", "LL", "LL"}, Fault: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, elements := checkPage(t, pageOfRun(t, o))
			games := len(strings.Join(o.Pairs, ""))
			testutil.Check(t, (elements["figcaption"] > 0) == (games > 0), "%d games and %d figures", games,
				elements["figcaption"])
		})
	}
}

// TestPageOfAFarm: the page shows which workers played, and only for a run on a farm. It shows a withdrawn verdict.
func TestPageOfAFarm(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 4)}
	r, seen := gather(t, o)
	if text, _ := checkPage(t, render(t, o, r, seen)); strings.Contains(text, "Against the rest") {
		t.Error("workers without a farm")
	}
	e := 7.25
	r.Workers = []report.Worker{{Name: "<attic>", Pairs: 3, Share: 0.75, Log10E: &e, StandsOut: "crashes"},
		{Pairs: 1, Share: 0.25}}
	r.Looks.FixedLength = false
	r.Gate = &report.Gate{Decision: stats.Continue, Withdrawn: stats.Pass, Verdict: report.Inconclusive}
	text, _ := checkPage(t, render(t, o, r, seen))
	for _, want := range []string{"Against the rest", "<attic>", "75.0%", "10^7.2 !", "(this process)",
		"undecided (pass withdrawn)"} {
		testutil.Contains(t, strings.Join(strings.Fields(text), " "), want, "no word")
	}
}

// TestPageSaysHowItEnded: like every form of the report, the page shows a stopped run, a late SPRT, a changed target
// and a slow machine. Such a page has no figure for a fixed length.
func TestPageSaysHowItEnded(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW"}, 60), Slowed: 60}
	late := report.Registration{Pairs: 60,
		Design: stats.SPRT{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}}
	retarget := report.Start{Late: true, Changes: []match.Difference{{Path: []string{"pairs"}}}}
	r, seen := gatherAs(t, o, late, retarget)
	text, _ := checkPage(t, render(t, o, r, seen))
	for _, want := range append([]string{r.Looks.Changes[0].String()},
		"The SPRT is inconclusive", "the machine slowed 60 of 60 pairs · rules", "Target changed 1 time",
		"Stopped by the SPRT",
		"written down or changed after the first game", "Elo, corrected", "at any time, by 60 pairs") {
		testutil.Contains(t, strings.Join(strings.Fields(text), " "), want, "no word")
	}
	for _, no := range []string{"binomial", "Clopper", "p = "} {
		testutil.Check(t, !strings.Contains(text, no), "a stopped run has %q", no)
	}
	r, seen = gather(t, matchtest.Run{Players: o.Players, Pairs: o.Pairs})
	text, _ = checkPage(t, render(t, o, r, seen))
	for _, want := range []string{"by 60 pairs", "exact test over 60 pairs", "Clopper–Pearson, 120 games",
		"60 pairs from 60 openings"} {
		testutil.Contains(t, text, want, "no word")
	}
}

func TestPageEscapes(t *testing.T) {
	const hostile = `</title></style><script>alert(1)</script><img src=x onerror=alert(1)>"'&`
	o := matchtest.Run{Players: []string{hostile, "b" + hostile}, Pairs: []string{"LW", "WL", "LL"}, Fault: true}
	text, _ := checkPage(t, pageOfRun(t, o))
	n := strings.Count(text, hostile)
	testutil.Check(t, n >= 10, "the name stands only %d times in the text", n)
}

func TestPageOfThreePlayers(t *testing.T) {
	o := matchtest.Run{Players: []string{"x", "y", "z"}, Pairs: []string{"WW", "WD", "LL"}}
	r, _ := gather(t, o)
	got := matrix(r)
	want := [][]matrixCell{
		{{}, {"100.0%", "2–0–0"}, {"0.0%", "0–0–2"}}, // the third pair is x against z
		{{"0.0%", "0–0–2"}, {}, {"75.0%", "1–1–0"}},
		{{"100.0%", "2–0–0"}, {"25.0%", "0–1–1"}, {}},
	}
	for i, row := range got {
		testutil.Slices(t, row.Cells, want[i], "%s", row.Name)
	}
}

// TestScenesAreBounded: the data of a long run stay as small as those of a short one, and the curve ends with the
// result.
func TestScenesAreBounded(t *testing.T) {
	const pairs = 12345
	s := NewScenes("x", "y")
	o := matchtest.Run{Players: []string{"x", "y"}}
	points := 0.0
	for pair := range pairs {
		var rows []match.Row
		for leg, result := range []rune{'W', rune("WDL"[pair%3])} {
			row := o.Row(pair, leg, result)
			if pair == 5 {
				row.Termination = match.Stall
			}
			rows = append(rows, row)
			points += map[rune]float64{'W': 1, 'D': 0.5, 'L': 0}[result]
		}
		s.Add(rows)
	}
	curve := s.curve.all()
	if n := len(curve); n > curvePoints+1 || n < curvePoints/2 {
		t.Errorf("%d points are kept", n)
	}
	if last := curve[len(curve)-1]; last.Pairs != pairs || last.Score != points/(2*pairs) {
		t.Errorf("the last point is %v, want %d pairs and %v", last, pairs, points/(2*pairs))
	}
	for i := 1; i < len(curve); i++ {
		testutil.Require(t, curve[i].Pairs > curve[i-1].Pairs,
			"point %d of %d pairs follows one of %d", i, curve[i].Pairs, curve[i-1].Pairs)
	}
	games := s.games()
	if len(games) != shownGames || games[0].Termination != match.Stall {
		t.Errorf("%d games are shown, the first ended by %s", len(games), games[0].Termination)
	}
	testutil.Check(t, len(s.faults()) == 2 && s.faults()[0].Leg == 1, "faults: %v", s.faults())
	if n := len(s.histogram()); n > 25 {
		t.Errorf("the histogram has %d classes", n)
	}
}

func TestHistogramKeepsEveryGame(t *testing.T) {
	for _, plies := range [][]int{{0}, {9, 10}, {14, 85, 85}, {3, 511, 2000}} {
		s := NewScenes("x", "y")
		for _, n := range plies {
			s.Add([]match.Row{{Plies: n}})
		}
		total := 0
		for i, class := range s.histogram() {
			total += class.Games
			inside := lists.Count(plies, func(n int) bool { return n >= class.From && n <= class.To })
			testutil.Check(t, inside == class.Games,
				"%v: class %d, %d to %d plies, has %d games, want %d", plies, i, class.From, class.To, class.Games, inside)
		}
		testutil.Check(t, total == len(plies), "%v: %d games in all classes", plies, total)
	}
}

func TestLineChart(t *testing.T) {
	var points []CurvePoint
	for i := 1; i <= 100; i++ {
		points = append(points, CurvePoint{Pairs: i, Score: 0.53 + 0.47/float64(i*i)})
	}
	c := scorePlot("x", points, Words{i18n.English})
	testutil.Check(t, c.High <= 0.7 && c.Low <= 0.5 && c.High >= 0.53,
		"the wild beginning decides the scale, %v to %v", c.Low, c.High)
	testutil.Equal(t, len(c.Lines[0].Y), len(points), "points")
	labels := string(c.HTML())
	testutil.Check(t, strings.Contains(labels, ">50%</text>"), "no 50%% at the side: %s", labels)
}

// TestTournamentPage: the page has the standings and the matches, escaped. It has no figures of two players, because
// these may not have met.
func TestTournamentPage(t *testing.T) {
	t.Parallel()
	rep := &report.Report{
		Run: "cup", Finished: true, A: "a", B: "b", Games: 2, Pairs: 1, Players: []report.Player{{Name: "<a>"}, {Name: "b"}},
		Tournament: &report.Tournament{
			Design: match.DesignSwiss, Over: true,
			Rounds: []tournament.Round{{Name: i18n.Of("round 1"),
				Matches: []tournament.Meeting{{A: "<a>", B: "b", Points: [2]float64{2, 0}, Pairs: 1}}}},
			Standings: []tournament.Standing{{Place: 1, Player: "<a>", Start: 2, Points: 2}, {Place: 2, Player: "b", Start: 1}},
		},
	}
	var b strings.Builder
	p := testutil.Must(newPage(rep, report.About{RunInfo: &results.RunInfo{}, Plan: &match.CanonicalPlan{}},
		NewScenes("a", "b"), Words{i18n.English}))(t)
	testutil.OK(t, p.execute(&b, "report.gohtml"))
	for _, want := range []string{`<h2 id="tournament">The Swiss</h2>`, "<li>&lt;a&gt; 2.0–0.0 b</li>", "Sonneborn–Berger",
		`<th scope="row">&lt;a&gt;</th><td class="num">2</td>`} {
		testutil.Contains(t, b.String(), want, "no")
	}
	testutil.Check(t, !strings.Contains(b.String(), `id="head"`), "figures of a against b")
}

// TestBand: a watched run has the anytime interval along its score. It ends with the report's own interval and is wider
// before. A run that is not watched has no band.
func TestBand(t *testing.T) {
	t.Parallel()
	run := report.Run{Name: "run", Pairs: 100, Players: []report.Player{{Name: "x"}, {Name: "y"}}}
	g := testutil.Must(report.New(run))(t)
	seen := NewScenes("x", "y")
	seen.Watch(g.Moment)
	for _, rows := range (matchtest.Run{Players: []string{"x", "y"},
		Pairs: slices.Repeat([]string{"WW", "WL", "DL"}, 10)}).Rows() {
		testutil.OK(t, g.Add(rows))
		seen.Add(rows)
	}
	curve := seen.Curve()
	first, last := curve[0], curve[len(curve)-1]
	rep := g.Report()
	i := slices.IndexFunc(rep.Intervals, func(i report.Interval) bool { return i.Method == "anytime" })
	testutil.Require(t, i >= 0 && last.Lo != nil && *last.Lo == *rep.Intervals[i].Lo && *last.Hi == *rep.Intervals[i].Hi,
		"the curve ends at %+v, the report has %+v", last, rep.Intervals)
	testutil.Check(t, *first.Hi-*first.Lo > *last.Hi-*last.Lo && *last.Lo < last.Score && *last.Hi > last.Score,
		"from %v–%v to %v–%v around %v", *first.Lo, *first.Hi, *last.Lo, *last.Hi, last.Score)
	if c := scorePlot("x", curve, Words{i18n.English}); len(c.Lines[0].Lo) != len(curve) {
		t.Errorf("the band has %d points of %d", len(c.Lines[0].Lo), len(curve))
	}
	if c := scorePlot("x", []CurvePoint{{Pairs: 1, Score: 0.5}, {Pairs: 2, Score: 0.5}},
		Words{i18n.English}); c.Lines[0].Lo != nil {
		t.Errorf("a band of nothing: %v", c.Lines[0].Lo)
	}
}

// TestSections: a report inside another page has no page and no style of its own, and links its games. Its texts are in
// the language of the page.
func TestSections(t *testing.T) {
	t.Parallel()
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"WL", "WW", "DL"}}
	r, seen := gather(t, o)
	var b strings.Builder
	shown := Shown{Report: r, Seen: seen, About: aboutRun(o), Record: func(int, int) (kifu.Record, error) {
		return kifu.Record{Start: "startpos"}, nil
	}}
	testutil.OK(t, shown.Sections(&b, Words{i18n.Japanese}, func(pair, leg int) string {
		return fmt.Sprintf("/at/%d/%d", pair, leg)
	}))
	for _, want := range []string{`href="/at/2/1"`, "結果</h2>", "終局の内訳"} {
		testutil.Contains(t, b.String(), want, "no")
	}
	for _, bad := range []string{"<html", "<main", "<style", " style=", "gogi games"} {
		testutil.Check(t, !strings.Contains(b.String(), bad), "there is %s", bad)
	}
}

// TestPageTellsWhatWasAsked: the page shows the questions to a mate solver and the moves from books, in both languages.
// Without such data it shows nothing about them.
func TestPageTellsWhatWasAsked(t *testing.T) {
	t.Parallel()
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"WW", "WL"}}
	wants := map[i18n.Language][]string{
		i18n.English:  {"mate solver: asked 7 times, claimed a mate 3 times: proven 1, refuted 1, not proven 1; failed 2 times", "book moves: y: 5 of "},
		i18n.Japanese: {"詰将棋ソルバー: ", "定跡手: y：", "手中 5手"},
	}
	for in, texts := range wants {
		for _, asked := range []bool{false, true} {
			r, seen := gather(t, o)
			if asked {
				r.Mates = &match.Questions{Asked: 7, Claimed: 3, Proven: 1, Refuted: 1, Unproven: 1, Failed: 2}
				r.Players[1].BookMoves = new(5)
			}
			var b strings.Builder
			testutil.OK(t, testutil.Must(newPage(r, aboutRun(o), seen, Words{in}))(t).execute(&b, "sections"))
			for _, want := range texts {
				testutil.Check(t, strings.Contains(b.String(), want) == asked, "%s, asked %t: %q", in, asked, want)
			}
			testutil.Check(t, !strings.Contains(b.String(), "book moves: x") && !strings.Contains(b.String(), "定跡手: x"),
				"a player without a book has moves from one")
		}
	}
}

// TestLLRNearZero: a ratio that rounds to zero has no sign.
func TestLLRNearZero(t *testing.T) {
	t.Parallel()
	g := Glance{Gate: &report.Gate{LLR: new(-0.002), Lower: -2.94, Upper: 2.94}}
	testutil.Contains(t, string(g.LLR()), "0.00 [−2.94, 2.94] <svg")
	testutil.Check(t, !strings.Contains(string(g.LLR()), "−0.00"), "%v", g.LLR())
}

// TestLeader: players that share the first place do not lead, so a glance names none of them.
func TestLeader(t *testing.T) {
	t.Parallel()
	first, second := report.Ranked{Place: 1, Player: "a", Elo: new(-0.02)}, report.Ranked{Place: 2, Player: "b"}
	testutil.Equal(t, leader([]report.Ranked{first, second}), "a +0.0")
	second.Place = 1
	testutil.Equal(t, leader([]report.Ranked{first, second}), "")
}

// TestPlayersOnAPhone: each number of the table of players has its name, which a phone shows in place of the heads.
func TestPlayersOnAPhone(t *testing.T) {
	t.Parallel()
	page := pageOfRun(t, matchtest.Run{Players: []string{"x", "y"}, Pairs: []string{"WL", "WW"}})
	for _, head := range []string{"Won", "Drawn", "Lost", "Points", "As Black W–D–L", "As White W–D–L"} {
		testutil.Equal(t, strings.Count(page, `data-k="`+head+`">`), 2, "%s", head)
	}
}

// TestEloKind: a glance names its Elo difference as the report does. After an SPRT the number is corrected, so it does
// not follow from the wins, draws and losses next to it.
func TestEloKind(t *testing.T) {
	t.Parallel()
	o := matchtest.Run{Players: []string{"x", "y"}, Pairs: slices.Repeat([]string{"WW", "WL", "LW"}, 20)}
	r, _ := gather(t, o)
	r.Finished, r.Looks.FixedLength = true, true
	testutil.Equal(t, NewGlance(r).EloKind, "Elo")
	r.Finished, r.Intervals = false, []report.Interval{{Method: "anytime", Estimate: new(0.75)}}
	testutil.Equal(t, NewGlance(r).EloKind, "Elo at any time")
	r.Gate = &report.Gate{Decision: stats.Continue}
	testutil.Equal(t, NewGlance(r).EloKind, "Elo at any time")
	r.Gate.Decision = stats.Pass
	testutil.Equal(t, NewGlance(r).EloKind, "Elo, corrected")
}
