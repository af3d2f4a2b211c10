package main

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

	"gogi/kifu"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
)

// outcomes is a run for tests: each pair as its two results from the first
// player's side, such as "WL".
type outcomes struct {
	players []string
	pairs   []string
	planned int // pairs; 0: as many as there are
	fault   bool
	repeat  int // how many pairs share their games
}

// rows are the games, in order.
func (o outcomes) rows() []match.Row {
	var rows []match.Row
	for pair, text := range o.pairs {
		for leg, result := range text {
			rows = append(rows, o.row(pair, leg, result))
		}
	}
	return rows
}

func (o outcomes) row(pair, leg int, result rune) match.Row {
	a, b := o.players[0], o.players[1]
	if n := len(o.players); n > 2 { // everybody against everybody
		a, b = o.players[pair%n], o.players[(pair+1)%n]
		if pair%n == n-1 {
			a, b = b, a
		}
	}
	same := pair / max(1, o.repeat)
	r := match.Row{
		Pair: pair, Leg: leg, PairA: a, PairB: b, Black: a, White: b, Outcome: match.Draw, Termination: match.Repetition,
		Points: [2]float64{0.5, 0.5}, Plies: 30 + 7*pair%200, MovesHash: uint64(2*same + leg), OpeningID: "1",
		LastSFEN: "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL w - 2",
	}
	colour := shogi.Black
	if leg == 1 {
		r.Black, r.White, colour = b, a, shogi.White
	}
	if result == 'L' {
		colour = colour.Opponent()
	}
	if result != 'D' {
		r.Outcome, r.Termination, r.Points = match.WinFor(colour), match.Checkmate, [2]float64{}
		r.Points[colour] = 1
	}
	if o.fault && result == 'L' {
		r.Termination, r.Note = match.Crash, "exit status 7"
	}
	return r
}

func (o outcomes) info() *results.RunInfo {
	info := &results.RunInfo{
		Name: "run", Digest: "abcdef", Plan: []byte(`{"design":"match","swap":true,"seed":7,"openings":{"count":3,"sha256":"00ff"}}`),
		Rules: "default", Pairs: max(o.planned, len(o.pairs)), Players: o.players, Created: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC),
	}
	for _, name := range o.players {
		info.Engines = append(info.Engines, results.Engine{Name: name, Limits: "nodes 10", Identity: match.Identity{Fixed: "by hand"}})
	}
	return info
}

func (o outcomes) gather(t *testing.T, watch func(match.Row)) *report {
	t.Helper()
	var players []playerReport
	for _, name := range o.players {
		players = append(players, playerReport{Name: name, Identity: "by hand", Limits: "nodes 10"})
	}
	r, err := gather(o.info(), players, match.Gate{}, func(yield func(match.Row) error) error {
		for _, row := range o.rows() {
			watch(row)
			if err := yield(row); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func (o outcomes) report(t *testing.T) *report {
	t.Helper()
	return o.gather(t, func(match.Row) {})
}

// page renders the run, whose records all are 7g7f.
func (o outcomes) page(t *testing.T) string {
	t.Helper()
	seen := newScenes(o.players[0], o.players[1])
	p, err := newPage(o.gather(t, seen.game), o.info(), seen)
	if err != nil {
		t.Fatal(err)
	}
	for _, g := range seen.games() {
		f, err := newFigure(g, kifu.Record{Start: "startpos", Moves: []kifu.Move{{Move: move(t, "7g7f")}}})
		if err != nil {
			t.Fatal(err)
		}
		p.Figures = append(p.Figures, f)
	}
	var b bytes.Buffer
	if err := p.write(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func move(t *testing.T, text string) shogi.Move {
	t.Helper()
	m, err := shogi.ParseMove(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// checkPage asserts what holds for each page: it is well-formed, loads nothing,
// runs nothing, labels what it has and names no id twice. It returns the text
// and how often each element occurs.
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
		if err != nil {
			t.Fatalf("not well-formed: %v", err)
		}
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
		if !slices.Contains(ids, id) {
			t.Errorf("no element has the id %q", id)
		}
	}
	slices.Sort(ids)
	if unique := slices.Compact(slices.Clone(ids)); len(unique) != len(ids) {
		t.Errorf("an id occurs twice: %v", ids)
	}
	for _, name := range []string{"script", "link", "iframe", "img", "object", "image", "use", "base", "form"} {
		if elements[name] > 0 {
			t.Errorf("the page has %d %s elements", elements[name], name)
		}
	}
	if strings.Contains(page, "@import") || strings.Contains(strings.ReplaceAll(page, "url(#curve-c)", ""), "url(") || strings.Contains(page, "ZgotmplZ") {
		t.Error("the page refers to something outside, or a value was refused")
	}
	if elements["h1"] != 1 || elements["title"] == 0 || elements["main"] != 1 {
		t.Errorf("headings: %v", elements)
	}
	return text, elements
}

func checkAttribute(t *testing.T, element string, a xml.Attr) {
	t.Helper()
	name := strings.ToLower(a.Name.Local)
	if strings.HasPrefix(name, "on") || name == "src" || name == "href" || name == "srcset" || name == "style" {
		t.Errorf("<%s> has the attribute %s=%q", element, name, a.Value)
	}
	if element == "th" && name == "scope" && a.Value != "col" && a.Value != "row" {
		t.Errorf("a table header has the scope %q", a.Value)
	}
}

func TestPageIsSelfContained(t *testing.T) {
	for name, o := range map[string]outcomes{
		"many":       {players: []string{"x", "y"}, pairs: slices.Repeat([]string{"WL", "WW", "DL", "DD"}, 30)},
		"unfinished": {players: []string{"x", "y"}, pairs: []string{"WL", "WW"}, planned: 9},
		"empty":      {players: []string{"x", "y"}, planned: 2},
		"one game":   {players: []string{"x", "y"}, pairs: []string{"W"}},
		"three":      {players: []string{"x", "y", "z"}, pairs: []string{"WL", "WW", "DL", "DD", "LL", "WW"}},
		"faults":     {players: []string{"x", "y"}, pairs: []string{"LL", "LL", "LL"}, fault: true},
	} {
		t.Run(name, func(t *testing.T) {
			_, elements := checkPage(t, o.page(t))
			if games := len(o.rows()); (elements["figcaption"] > 0) != (games > 0) {
				t.Errorf("%d games and %d figures", games, elements["figcaption"])
			}
		})
	}
}

func TestPageEscapes(t *testing.T) {
	const hostile = `</title></style><script>alert(1)</script><img src=x onerror=alert(1)>"'&`
	o := outcomes{players: []string{hostile, "b" + hostile}, pairs: []string{"LW", "WL", "LL"}, fault: true}
	text, _ := checkPage(t, o.page(t))
	if n := strings.Count(text, hostile); n < 10 {
		t.Errorf("the name stands only %d times in the text", n)
	}
}

func TestPageOfThreePlayers(t *testing.T) {
	o := outcomes{players: []string{"x", "y", "z"}, pairs: []string{"WW", "WD", "LL"}}
	got := o.report(t).matrix()
	want := [][]matrixCell{
		{{}, {"100.0%", "2–0–0"}, {"0.0%", "0–0–2"}}, // the third pair is x against z
		{{"0.0%", "0–0–2"}, {}, {"75.0%", "1–1–0"}},
		{{"100.0%", "2–0–0"}, {"25.0%", "0–1–1"}, {}},
	}
	for i, row := range got {
		if !slices.Equal(row.Cells, want[i]) {
			t.Errorf("%s: %v, want %v", row.Name, row.Cells, want[i])
		}
	}
}

// TestVerdict: a claim only where the exact test over pairs, which for n pairs
// that are all won twice gives 2^(1-n), is at most 5 %, and nothing else explains
// the result.
func TestVerdict(t *testing.T) {
	two := []string{"x", "y"}
	pairs := func(text string, n int) []string { return slices.Repeat([]string{text}, n) }
	for name, test := range map[string]struct {
		run               outcomes
		kind, claim, with string
	}{
		"p is 1/32":          {outcomes{players: two, pairs: pairs("WW", 6)}, "shown", "x is stronger than y", "p\u00a0=\u00a00.031"},
		"the other one":      {outcomes{players: two, pairs: pairs("LL", 6)}, "shown", "y is stronger than x", ""},
		"p is 1/16":          {outcomes{players: two, pairs: pairs("WW", 5)}, "open", "do not show whether x or y", "differ about an even score"},
		"even":               {outcomes{players: two, pairs: pairs("WL", 50)}, "open", "do not show whether x or y", "does not prove them equal"},
		"only draws":         {outcomes{players: two, pairs: pairs("DD", 50)}, "open", "do not show whether x or y", "won no game and lost none"},
		"colour decides":     {outcomes{players: two, pairs: append(pairs("WL", 90), pairs("WW", 10)...)}, "shown", "x is stronger", "takes the two games of a pair for independent"},
		"unfinished":         {outcomes{players: two, pairs: pairs("WW", 20), planned: 21}, "none", "no verdict yet: 20 of 21 pairs", ""},
		"no swap":            {outcomes{players: two, pairs: pairs("W", 20)}, "none", "x always had Black", ""},
		"nothing":            {outcomes{players: two, planned: 3}, "none", "no pair of x against y is finished", ""},
		"five games ×4":      {outcomes{players: two, pairs: pairs("WW", 20), repeat: 4}, "open", "too many of them repeat", "Of the 5 pairs without repeated games, p\u00a0=\u00a00.062"},
		"ten games ×2":       {outcomes{players: two, pairs: pairs("WW", 20), repeat: 2}, "shown", "x is stronger", "20 of 40 games repeat"},
		"faults alone":       {outcomes{players: two, pairs: pairs("LL", 8), fault: true}, "open", "y is ahead of x by faults alone", "16 of 16 games ended by"},
		"faults beside wins": {outcomes{players: two, pairs: append(pairs("WW", 9), "LL"), fault: true}, "shown", "x is stronger", "2 of 20 games ended by"},
		"several pairings":   {outcomes{players: []string{"x", "y", "z"}, pairs: pairs("WW", 18)}, "shown", "x is stronger than y", "Only x against y is judged"},
	} {
		t.Run(name, func(t *testing.T) {
			v := test.run.report(t).verdict()
			if v.Kind != test.kind || !strings.Contains(v.Claim, test.claim) {
				t.Errorf("%s: %q, want %s: …%s…", v.Kind, v.Claim, test.kind, test.claim)
			}
			if all := strings.Join(append(v.Reasons, v.Caveats...), " "); !strings.Contains(all, test.with) {
				t.Errorf("no word of %q in %q", test.with, all)
			}
		})
	}
}

// TestScenesAreBounded: a long run leaves as little as a short one, and the
// curve still ends with the result.
func TestScenesAreBounded(t *testing.T) {
	const pairs = 12345
	s := newScenes("x", "y")
	o := outcomes{players: []string{"x", "y"}}
	points := 0.0
	for pair := range pairs {
		for leg, result := range []rune{'W', rune("WDL"[pair%3])} {
			row := o.row(pair, leg, result)
			if pair == 5 {
				row.Termination = match.Stall
			}
			s.game(row)
			points += map[rune]float64{'W': 1, 'D': 0.5, 'L': 0}[result]
		}
	}
	s.endPair()
	curve := s.curve.all()
	if n := len(curve); n > curvePoints+1 || n < curvePoints/2 {
		t.Errorf("%d points are kept", n)
	}
	if last := curve[len(curve)-1]; last.Pairs != pairs || last.Score != points/(2*pairs) {
		t.Errorf("the last point is %v, want %d pairs and %v", last, pairs, points/(2*pairs))
	}
	for i := 1; i < len(curve); i++ {
		if curve[i].Pairs <= curve[i-1].Pairs {
			t.Fatalf("point %d of %d pairs follows one of %d", i, curve[i].Pairs, curve[i-1].Pairs)
		}
	}
	games := s.games()
	if len(games) != shownGames || games[0].Termination != match.Stall {
		t.Errorf("%d games are shown, the first ended by %s", len(games), games[0].Termination)
	}
	if len(s.faults()) != 2 || s.faults()[0].Leg != 1 {
		t.Errorf("faults: %v", s.faults())
	}
	if n := len(s.histogram()); n > 25 {
		t.Errorf("the histogram has %d classes", n)
	}
}

func TestHistogramKeepsEveryGame(t *testing.T) {
	for _, plies := range [][]int{{0}, {9, 10}, {14, 85, 85}, {3, 511, 2000}} {
		s := newScenes("x", "y")
		for _, n := range plies {
			s.game(match.Row{Plies: n})
		}
		total := 0
		for i, class := range s.histogram() {
			total += class.Games
			inside := 0
			for _, n := range plies {
				if n >= class.From && n <= class.To {
					inside++
				}
			}
			if inside != class.Games {
				t.Errorf("%v: class %d, %d to %d plies, has %d games, want %d", plies, i, class.From, class.To, class.Games, inside)
			}
		}
		if total != len(plies) {
			t.Errorf("%v: %d games in all classes", plies, total)
		}
	}
}

func TestLineChart(t *testing.T) {
	var points []curvePoint
	for i := 1; i <= 100; i++ {
		points = append(points, curvePoint{i, 0.53 + 0.47/float64(i*i)})
	}
	c := newLineChart("x", points)
	if !c.Cut {
		t.Error("the wild beginning decides the scale")
	}
	if strings.Count(c.Points, ",") != len(points) {
		t.Errorf("points: %s", c.Points)
	}
	if c.Even < c.End || c.End < c.Top || c.Even > c.Bottom {
		t.Errorf("50%% is at %v, the end at %v, in %+v", c.Even, c.End, c.frame)
	}
	for _, list := range [][]tick{c.XTicks, c.YTicks} {
		if len(list) < 3 || len(list) > 8 {
			t.Errorf("%d ticks: %v", len(list), list)
		}
	}
	if labels := fmt.Sprint(c.YTicks); !strings.Contains(labels, "50%") {
		t.Errorf("no 50%% at the side: %s", labels)
	}
}

func TestFenceHolds(t *testing.T) {
	got := fence([]string{"a ``` b", "\x1b[31mred\x1b[0m  ", strings.Repeat("x", 300)})
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if lines[0] != "````" || lines[len(lines)-1] != "````" || len(lines) != 5 {
		t.Errorf("%q", got)
	}
	if lines[2] != "red" {
		t.Errorf("%q", lines[2])
	}
	if n := len([]rune(lines[3])); n > blockWidth+1 {
		t.Errorf("a line has %d characters", n)
	}
}
