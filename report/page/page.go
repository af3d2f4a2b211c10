// Package page tells a report as one HTML page with charts and diagrams that loads
// nothing and runs nothing.
package page

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"gogi/diagram"
	"gogi/internal/format"
	"gogi/kifu"
	"gogi/match"
	"gogi/report"
	"gogi/report/text"
	"gogi/shogi"
)

// templates are the page's HTML and CSS. A page loads nothing from anywhere and
// needs no scripts.
//
//go:embed templates
var templates embed.FS

// page is what the template shows: the report, and what only the page has.
type page struct {
	*report.Report
	Style    template.CSS
	Verdict  report.Verdict
	Digest   string
	Created  string
	Plan     *match.CanonicalPlan
	Engines  []report.Engine
	Curve    *lineChart
	Endings  *barChart
	Lengths  *columnChart
	Millis   *barChart
	Speeds   *barChart
	Matrix   []matrixRow // nil for two players
	FaultLog []match.Row
	Figures  []figure
	More     []template.HTML // sections that other packages made
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

// Write writes a run's page: the report, what else was seen of its games, and
// what is known about the run. record opens the few games that are drawn; more are
// sections before the plan's, whole and escaped.
func Write(w io.Writer, r *report.Report, seen *scenes, about report.About, record func(pair, leg int) (kifu.Record, error), more ...template.HTML) error {
	p := newPage(r, about, seen)
	figures, err := drawGames(seen.games(), record)
	if err != nil {
		return err
	}
	p.Figures, p.More = figures, more
	return p.write(w)
}

func newPage(r *report.Report, about report.About, seen *scenes) *page {
	p := &page{
		Report: r, Verdict: r.Verdict(), Digest: about.Digest, Created: about.Created.Format("2006-01-02 15:04 MST"),
		Plan: about.Plan, Engines: about.Engines,
		Curve: newLineChart(r.A, seen.curve.all()), Lengths: newColumnChart(seen.histogram()),
		Endings: endingsChart(r), FaultLog: seen.faults(), Matrix: matrix(r),
		Millis: playersChart(r, "ms", 1, func(p report.Player) *float64 { return p.MillisPerMove }),
		Speeds: playersChart(r, "nodes/s", 0, func(p report.Player) *float64 { return p.NodesPerSecond }),
	}
	return p
}

func (p *page) write(w io.Writer) error {
	style, err := templates.ReadFile("templates/report.css")
	if err != nil {
		return err
	}
	p.Style = template.CSS(string(style) + diagram.Style) // both are our own
	t, err := template.New("report.gohtml").Funcs(template.FuncMap{
		"count": format.Count, "number": format.NumberOf, "percent": format.Percent, "decimal": format.Decimal, "wdl": text.WDL, "words": format.Words, "plus": func(a, b int) int { return a + b },
		"brief": brief, "label": text.IntervalLabel, "test": text.TestLabel, "interval": text.Interval, "result": text.Test, "elo": text.Elo, "stopped": text.StoppedElo, "gate": text.Gate, "dependence": report.DependenceWords, "weight": report.WeightWords, "ifIndependent": text.IfIndependent, "advantage": text.Advantage, "signed": format.Signed, "match": text.Match, "note": func(t *report.Tournament) string { return strings.Join(text.RatingNote(t), " ") }, "tenth": func(v float64) string { return fmt.Sprintf("%.1f", v) },
		"loser": report.LoserOf, "seconds": func(v float64) time.Duration { return time.Duration(v * float64(time.Second)).Round(time.Second) },
	}).ParseFS(templates, "templates/*.gohtml")
	if err != nil {
		return err
	}
	return t.Execute(w, p)
}

// endingsChart shows how many games ended in each way.
func endingsChart(r *report.Report) *barChart {
	var rows []bar
	index := map[string]int{}
	for _, e := range r.Terminations {
		i, ok := index[e.Termination]
		if !ok {
			i, index[e.Termination] = len(rows), len(rows)
			t, err := match.ParseTermination(e.Termination)
			rows = append(rows, bar{Label: format.Words(e.Termination), Fault: err == nil && t.IsFault()})
		}
		rows[i].value += float64(e.Count)
	}
	for i := range rows {
		rows[i].Value = fmt.Sprintf("%s (%s)", format.Count(int(rows[i].value)), format.Percent(rows[i].value/float64(r.Games)))
	}
	return newBarChart(rows)
}

// playersChart shows one figure of each player.
func playersChart(r *report.Report, unit string, digits int, of func(report.Player) *float64) *barChart {
	var rows []bar
	for i := range r.Players {
		if v := of(r.Players[i]); v != nil {
			rows = append(rows, bar{Label: r.Players[i].Name, Value: format.Decimal(v, digits) + " " + unit, value: *v})
		}
	}
	return newBarChart(rows)
}

// matrix is the crosstable, each pairing seen from both sides.
func matrix(r *report.Report) []matrixRow {
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
		rows[a].Cells[b] = matrixCell{format.Percent(c.Score), text.WDL(c.WDL)}
		rows[b].Cells[a] = matrixCell{format.Percent(1 - c.Score), text.WDL(c.Mirror())}
	}
	return rows
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

// drawGames are the last positions of games, with their last moves, for which
// these few records are opened.
func drawGames(games []match.Row, record func(pair, leg int) (kifu.Record, error)) ([]figure, error) {
	var all []figure
	for _, g := range games {
		r, err := record(g.Pair, g.Leg)
		if err != nil {
			return nil, err
		}
		f, err := newFigure(g, r)
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
	by := format.Words(g.Termination.String())
	winner, ok := g.Outcome.Winner()
	if !ok {
		return fmt.Sprintf("Drawn by %s after %d plies", by, g.Plies)
	}
	if g.Termination.IsFault() {
		return fmt.Sprintf("%s lost by %s after %d plies", report.LoserOf(g), by, g.Plies)
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
