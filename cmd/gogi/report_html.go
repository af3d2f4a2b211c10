package main

import (
	"bytes"
	"context"
	"embed"
	"fmt"
	"html/template"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"gogi/diagram"
	"gogi/kifu"
	"gogi/match"
	"gogi/results"
	"gogi/shogi"
)

// templates are the page's HTML and CSS. A page loads nothing from anywhere and
// needs no scripts.
//
//go:embed templates
var templates embed.FS

// page is what the template shows: the report, and what only the page has.
type page struct {
	*report
	Style    template.CSS
	Verdict  verdict
	Digest   string
	Created  string
	Plan     *match.CanonicalPlan
	Changes  []string // between the run's starts, a line each
	Engines  []engineFacts
	Curve    *lineChart
	Endings  *barChart
	Lengths  *columnChart
	Millis   *barChart
	Speeds   *barChart
	Matrix   []matrixRow // nil for two players
	FaultLog []match.Row
	Figures  []figure
}

// engineFacts is one player as the plan has it.
type engineFacts struct {
	Name, Identity, Limits string
	Options                []match.Option
	Profile, Restart       string
	Files                  []match.FileHash
}

// matrixRow is one player's results against each of the others.
type matrixRow struct {
	Name  string
	Cells []matrixCell
}

type matrixCell struct{ Score, Games string }

// figure is the end of one game.
type figure struct {
	Game    string // as --game wants it
	Black   string
	White   string
	Result  string
	Last    string
	Note    string
	Diagram template.HTML
}

// printPage writes a run's page.
func printPage(ctx context.Context, w io.Writer, store *results.Store, info *results.RunInfo) error {
	seen := newScenes(info.Players[0], info.Players[1])
	r, err := makeReport(ctx, store, info.Name, seen.game)
	if err != nil {
		return err
	}
	seen.endPair()
	p, err := newPage(r, info, seen)
	if err != nil {
		return err
	}
	if err := p.addChanges(ctx, store, info); err != nil {
		return err
	}
	if p.Figures, err = figures(ctx, store, info, seen.games()); err != nil {
		return err
	}
	return p.write(w)
}

// writePage is printPage into a file, which is left as it was if anything fails
// before the writing itself; "-" is out.
func writePage(ctx context.Context, file string, out io.Writer, store *results.Store, info *results.RunInfo) error {
	if file == "-" {
		return printPage(ctx, out, store, info)
	}
	var text bytes.Buffer
	if err := printPage(ctx, &text, store, info); err != nil {
		return err
	}
	if err := os.WriteFile(file, text.Bytes(), 0o644); err != nil {
		return fmt.Errorf("--html: %w", err)
	}
	return nil
}

func newPage(r *report, info *results.RunInfo, seen *scenes) (*page, error) {
	p := &page{
		report: r, Verdict: r.verdict(), Digest: info.Digest, Created: info.Created.Format("2006-01-02 15:04 MST"),
		Curve: newLineChart(r.A, seen.curve.all()), Lengths: newColumnChart(seen.histogram()),
		Endings: r.endingsChart(), FaultLog: seen.faults(), Matrix: r.matrix(),
		Millis: r.playersChart("ms", 1, func(p playerReport) *float64 { return p.MillisPerMove }),
		Speeds: r.playersChart("nodes/s", 0, func(p playerReport) *float64 { return p.NodesPerSecond }),
	}
	var err error
	if p.Plan, err = match.ParseCanonical(info.Plan); err != nil {
		return nil, fmt.Errorf("the plan of run %s: %w", info.Name, err)
	}
	for i := range info.Engines {
		e := &info.Engines[i]
		p.Engines = append(p.Engines, engineFacts{
			Name: e.Name, Identity: e.Identity.String(), Limits: e.Limits, Options: e.Options,
			Profile: e.Profile, Restart: string(e.Restart), Files: e.Identity.Files,
		})
	}
	return p, nil
}

func (p *page) write(w io.Writer) error {
	style, err := templates.ReadFile("templates/report.css")
	if err != nil {
		return err
	}
	p.Style = template.CSS(string(style) + diagram.Style) // both are our own
	t, err := template.New("report.gohtml").Funcs(template.FuncMap{
		"count": count, "number": numberOf, "percent": percent, "decimal": decimal, "wdl": wdl, "words": words, "plus": func(a, b int) int { return a + b },
		"brief": brief, "label": intervalLabel, "test": testLabel, "text": func(v interface{ text() string }) string { return v.text() }, "tenth": func(v float64) string { return fmt.Sprintf("%.1f", v) },
		"loser": loserOf, "seconds": func(v float64) time.Duration { return time.Duration(v * float64(time.Second)).Round(time.Second) },
	}).ParseFS(templates, "templates/*.gohtml")
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// numberOf is "1 game", "2 games".
func numberOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return count(n) + " " + what + "s"
}

// words is a spelling of the JSON output as one reads it.
func words(snake string) string { return strings.ReplaceAll(snake, "_", " ") }

// addChanges tells of the differences between the starts of a run.
func (p *page) addChanges(ctx context.Context, store *results.Store, info *results.RunInfo) error {
	settings, err := store.Settings(ctx, info.ID)
	if err != nil {
		return err
	}
	for _, s := range settings {
		for _, change := range s.Changes {
			p.Changes = append(p.Changes, s.At.Format("2006-01-02 15:04 MST")+" – "+change.String())
		}
	}
	if n := retargeted(settings); n > 0 {
		p.Verdict.Caveats = append(p.Verdict.Caveats, fmt.Sprintf(
			"The number of pairs was changed %s since the first start: tests and intervals hold only if no result was looked at before.", numberOf(n, "time")))
	}
	return nil
}

// retargeted is how often a run's target was changed.
func retargeted(settings []results.Setting) int {
	n := 0
	for _, s := range settings {
		if slices.ContainsFunc(s.Changes, func(c match.Difference) bool { return slices.Equal(c.Path, []string{"pairs"}) }) {
			n++
		}
	}
	return n
}

// endingsChart shows how many games ended in each way.
func (r *report) endingsChart() *barChart {
	var rows []bar
	index := map[string]int{}
	for _, e := range r.Terminations {
		i, ok := index[e.Termination]
		if !ok {
			i, index[e.Termination] = len(rows), len(rows)
			t, err := match.ParseTermination(e.Termination)
			rows = append(rows, bar{Label: words(e.Termination), Fault: err == nil && t.IsFault()})
		}
		rows[i].value += float64(e.Count)
	}
	for i := range rows {
		rows[i].Value = fmt.Sprintf("%s (%s)", count(int(rows[i].value)), percent(rows[i].value/float64(r.Games)))
	}
	return newBarChart(rows)
}

// playersChart shows one figure of each player.
func (r *report) playersChart(unit string, digits int, of func(playerReport) *float64) *barChart {
	var rows []bar
	for i := range r.Players {
		if v := of(r.Players[i]); v != nil {
			rows = append(rows, bar{Label: r.Players[i].Name, Value: decimal(v, digits) + " " + unit, value: *v})
		}
	}
	return newBarChart(rows)
}

// matrix is the crosstable, each pairing seen from both sides.
func (r *report) matrix() []matrixRow {
	if len(r.Players) < 3 {
		return nil
	}
	rows := make([]matrixRow, len(r.Players))
	index := map[string]int{}
	for i := range rows {
		rows[i] = matrixRow{Name: r.Players[i].Name, Cells: make([]matrixCell, len(rows))}
		index[rows[i].Name] = i
	}
	for _, c := range r.Crosstable {
		a, b := index[c.A], index[c.B]
		rows[a].Cells[b] = matrixCell{percent(c.Score), wdl(c.WDL)}
		rows[b].Cells[a] = matrixCell{percent(1 - c.Score), wdl(c.Mirror())}
	}
	return rows
}

// ScoreInterval is the interval of A's points a game.
func (p *page) ScoreInterval() *intervalReport { return p.interval("score") }

// WinInterval is the interval of the rate of wins among decisive games.
func (p *page) WinInterval() *intervalReport { return p.interval("win_rate_decisive") }

// Deciding is the test behind the verdict.
func (p *page) Deciding() *testReport {
	test, _ := p.deciding()
	return test
}

// Swapped reports whether pairs have two games with colours swapped.
func (p *page) Swapped() bool { return p.Pentanomial.Pairs() > 0 }

// Cells are the pentanomial's columns in order.
func (p *page) Cells() []pentaCell {
	c := p.Pentanomial
	return []pentaCell{
		{"LL", "both lost", c.LL},
		{"LD", "a loss and a draw", c.LD},
		{"WL", "a win and a loss", c.WL},
		{"DD", "both drawn", c.DD},
		{"WD", "a win and a draw", c.WD},
		{"WW", "both won", c.WW},
	}
}

type pentaCell struct {
	Name, Words string
	Pairs       int
}

// figures are the last positions of games, with their last moves, for which
// these few records are opened.
func figures(ctx context.Context, store *results.Store, info *results.RunInfo, games []match.Row) ([]figure, error) {
	var all []figure
	for _, g := range games {
		record, err := store.Record(ctx, info.ID, g.Pair, g.Leg)
		if err != nil {
			return nil, err
		}
		f, err := newFigure(g, record)
		if err != nil {
			return nil, fmt.Errorf("game %d.%d: %w", g.Pair, g.Leg, err)
		}
		all = append(all, f)
	}
	return all, nil
}

func newFigure(g match.Row, record kifu.Record) (figure, error) {
	position, err := shogi.ParseSFEN(g.LastSFEN)
	if err != nil {
		return figure{}, err
	}
	f := figure{Game: fmt.Sprintf("%d.%d", g.Pair, g.Leg), Black: g.Black, White: g.White, Note: g.Note, Result: resultOf(g)}
	last, err := lastMove(g, record)
	if err != nil {
		return figure{}, err
	}
	if last != shogi.NoMove {
		f.Last = fmt.Sprintf("%s, by %s", last, [2]string{g.Black, g.White}[position.Side().Opponent()])
	}
	f.Diagram = template.HTML(diagram.Diagram{ // which escapes every text
		Position: position, Last: last, ID: fmt.Sprintf("game-%d-%d", g.Pair, g.Leg),
		Title: fmt.Sprintf("Last position of game %s, %s (Black) against %s (White)", f.Game, g.Black, g.White),
	}.SVG())
	return f, nil
}

// resultOf says who won, by what, and after how many plies.
func resultOf(g match.Row) string {
	by := words(g.Termination.String())
	winner, ok := g.Outcome.Winner()
	if !ok {
		return fmt.Sprintf("Drawn by %s after %d plies", by, g.Plies)
	}
	if g.Termination.IsFault() {
		return fmt.Sprintf("%s lost by %s after %d plies", loserOf(g), by, g.Plies)
	}
	return fmt.Sprintf("%s won by %s after %d plies", [2]string{g.Black, g.White}[winner], by, g.Plies)
}

// lastMove is the last move that was made; an illegal one was not.
func lastMove(g match.Row, record kifu.Record) (shogi.Move, error) {
	p, err := match.Opening{ID: g.OpeningID, Start: record.Start}.Position()
	if err != nil {
		return shogi.NoMove, err
	}
	last := shogi.NoMove
	for _, m := range record.Moves {
		if p.CheckLegal(m.Move) != nil {
			break
		}
		p.Apply(m.Move)
		last = m.Move
	}
	return last, nil
}
