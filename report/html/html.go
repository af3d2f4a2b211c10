// Package html prints a report as one HTML page with charts and diagrams. The page loads no other file and
// runs no script. A [Shown] holds the content of the page, and [Shown.Write] writes the page.
package html

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/svg"
	"gogi/match"
	"gogi/report"
	"gogi/report/text"
	"gogi/results"
	"gogi/shogi"
	"gogi/shogi/diagram"
	"gogi/shogi/kifu"
)

// templates has the page's HTML templates and CSS. A page loads no other file and needs no scripts.
//
//go:embed templates
var templates embed.FS

// Style returns the CSS style sheet for all pages and their diagrams.
func Style() string {
	style, err := templates.ReadFile("templates/gogi.css")
	if err != nil {
		panic(err) // cannot happen: the file is embedded
	}
	return string(style) + diagram.Style
}

// page is the data of the template: the report and the page's own values.
type page struct {
	*report.Report
	Style    template.CSS
	Verdict  report.Verdict
	Lang     i18n.Language
	Digest   string
	Created  string
	Plan     *match.CanonicalPlan
	Engines  []results.Engine
	Class    string // class of the verdict
	Shown    Shown
	Line     template.HTML
	Curve    *svg.Plot // score along the run
	Ratio    *svg.Plot // log likelihood ratio along the run
	Endings  *barChart
	Lengths  *columnChart
	Millis   *barChart
	Speeds   *barChart
	Matrix   []matrixRow // nil for two players
	FaultLog []match.Row
	Figures  []figure
	More     []template.HTML // sections from other packages
	Online   bool            // each game has its own page

	words Words
}

// matrixRow is one player's results against each of the others.
type matrixRow struct {
	Name  string
	Cells []matrixCell
}

type matrixCell struct{ Score, Games string }

// figure shows the last position of one game.
type figure struct {
	Game    string // the game in the form of the flag --game
	Link    string // address of the game's own page; "": no such page
	Black   string
	White   string
	Result  string
	Last    string
	Note    string
	Diagram template.HTML
}

// Shown holds the content of a run's page: the report, and the other data that the page shows.
type Shown struct {
	Report *report.Report
	Seen   *Scenes
	About  report.About
	// Record returns the record of a game. The page calls it for the few games that it shows as diagrams.
	Record func(pair, leg int) (kifu.Record, error)
	// State is the state of a finished run in words, such as "SPRT failed", and StateClass its class in the style sheet.
	// The zero value means that the run is finished.
	State      i18n.Message
	StateClass string
	// More has further sections as complete, escaped HTML. The page shows them before the section of the
	// plan.
	More []template.HTML
}

// Write writes a run's page, in the given language. The page needs no other file.
func (s Shown) Write(w io.Writer, in i18n.Language) error {
	p, err := s.page(Words{in}, nil)
	if err != nil {
		return err
	}
	p.Style = template.CSS(Style()) // safe: the style sheet is part of gogi
	return p.execute(w, "report.gohtml")
}

// Sections writes the same content as Write, but without a head, so that another page can contain it in its
// main element. That page must include Style in its style sheet, because Sections writes no style and no
// script. link returns the address of a game's page.
func (s Shown) Sections(w io.Writer, words Words, link func(pair, leg int) string) error {
	p, err := s.page(words, link)
	if err != nil {
		return err
	}
	return p.execute(w, "sections")
}

// Now returns the two parts of the page that change while a run is played: its result in one line, and a
// chart of the SPRT. If the run has no SPRT, the chart shows A's score.
func (s Shown) Now(words Words) (line, course template.HTML, err error) {
	if line, err = NewGlance(s.Report).Line(words); err != nil {
		return "", "", err
	}
	curve := s.Seen.curve.all()
	plot := ratioPlot(s.Report.Gate, curve, words)
	if plot == nil {
		plot = scorePlot(s.Report.A, curve, words)
	}
	if plot != nil {
		course = plot.HTML()
	}
	return line, course, nil
}

func (s Shown) page(words Words, link func(pair, leg int) string) (*page, error) {
	p, err := newPage(s.Report, s.About, s.Seen, words)
	if err != nil {
		return nil, err
	}
	p.Shown, p.More, p.Online = s, s.More, link != nil
	for _, g := range s.Seen.games() {
		record, err := s.Record(g.Pair, g.Leg)
		if err != nil {
			return nil, err
		}
		f, err := newFigure(g, record, words)
		if err != nil {
			return nil, fmt.Errorf("game %d.%d: %w", g.Pair, g.Leg, err)
		}
		if link != nil {
			f.Link = link(g.Pair, g.Leg)
		}
		p.Figures = append(p.Figures, f)
	}
	return p, nil
}

func newPage(r *report.Report, about report.About, seen *Scenes, words Words) (*page, error) {
	glance, curve := NewGlance(r), seen.curve.all()
	line, err := glance.Line(words)
	return &page{
		Class: glance.Class, Line: line, Ratio: ratioPlot(r.Gate, curve, words),
		Report: r, Verdict: r.Verdict(), Lang: words.In, Digest: about.Digest,
		Created: about.Created.Format("2006-01-02 15:04 MST"),
		Plan:    about.Plan, Engines: about.Engines, words: words,
		Curve: scorePlot(r.A, curve, words), Lengths: newColumnChart(seen.histogram(), words),
		Endings: endingsChart(r, words), FaultLog: seen.faults(), Matrix: matrix(r),
		Millis: playersChart(r, "ms", 1, func(p report.Player) *float64 { return p.MillisPerMove }),
		Speeds: playersChart(r, words.Say("nodes/s"), 0, func(p report.Player) *float64 { return p.NodesPerSecond }),
	}, err
}

func (p *page) execute(w io.Writer, name string) error {
	t, err := parsed(name, p.functions())
	if err != nil {
		return err
	}
	return t.ExecuteTemplate(w, name, p)
}

// parsed parses the templates for the template name, and gives them the functions in funcs. For "glance", the line of
// a Glance, it parses only one file, because the other templates need more functions.
func parsed(name string, funcs template.FuncMap) (*template.Template, error) {
	files := "templates/*.gohtml"
	if name == "glance" {
		files = "templates/glance.gohtml"
	}
	return template.New(name).Funcs(funcs).ParseFS(templates, files)
}

// functions returns the functions that the templates call. The function t translates a phrase.
func (p *page) functions() template.FuncMap {
	w := p.words
	return template.FuncMap{
		"t": w.Say, "count": format.Count,
		"number":  func(n int, noun string) string { return i18n.Number{N: n, Noun: noun}.In(w.In) },
		"percent": format.Percent, "decimal": format.Decimal, "wdl": text.WDL,
		"rankedElo":    func(p report.Ranked) string { return format.Minus(text.RankedElo(p)) },
		"rankedBounds": func(p report.Ranked) string { return format.Minus(text.RankedBounds(p)) },
		"rankingNotes": text.RankingNotes,
		"plus":         func(a, b int) int { return a + b }, "brief": brief, "loser": report.LoserOf,
		"tenth":   func(v float64) string { return fmt.Sprintf("%.1f", v) },
		"seconds": func(v float64) time.Duration { return time.Duration(v * float64(time.Second)).Round(time.Second) },
		"label":   saying(w, text.IntervalLabel), "interval": saying(w, text.Interval), "test": saying(w, text.TestLabel),
		"result": saying(w, text.Test),
		"elo":    saying(w, text.Elo), "stopped": saying(w, text.StoppedElo), "gate": saying(w, text.Gate),
		"ifIndependent": saying(w, text.IfIndependent),
		"advantage":     saying(w, text.Advantage), "signed": format.Signed, "match": saying(w, text.Match),
		"note": saying(w, text.RatingNote), "said": func(m i18n.Message) string { return format.Minus(w.Said(m)) },
		"change": saying(w, report.Change.Message),
		"ending": w.Ending, "design": w.Design,
		"againstRest":    func(k report.Worker) string { return format.Minus(text.AgainstRest(k)) },
		"workerEvidence": text.Evidence,
		"worker":         saying(w, text.WorkerName),
	}
}

// saying returns a template function that prints a value as text. The parameter tell is a function that returns the
// message for the value. The text is in the page's language and has the typographic minus sign.
func saying[T any](w Words, tell func(T) i18n.Message) func(T) string {
	return func(v T) string { return format.Minus(w.Said(tell(v))) }
}

// endingsChart returns the chart of how many games ended in each way.
func endingsChart(r *report.Report, words Words) *barChart {
	var rows []bar
	index := map[string]int{}
	for _, e := range r.Terminations {
		i, ok := index[e.Termination]
		if !ok {
			i, index[e.Termination] = len(rows), len(rows)
			t, err := match.ParseTermination(e.Termination)
			rows = append(rows, bar{Label: words.Ending(e.Termination), Fault: err == nil && t.IsFault()})
		}
		rows[i].value += float64(e.Count)
	}
	for i := range rows {
		rows[i].Value = fmt.Sprintf("%s (%s)", format.Count(int(rows[i].value)),
			format.Percent(rows[i].value/float64(r.Games)))
	}
	return newBarChart(rows)
}

// playersChart returns a chart with one figure of each player. The function value returns this figure, which is
// printed with the number of digits and the unit.
func playersChart(r *report.Report, unit string, digits int, value func(report.Player) *float64) *barChart {
	var rows []bar
	for i := range r.Players {
		if v := value(r.Players[i]); v != nil {
			rows = append(rows, bar{Label: r.Players[i].Name, Value: format.Decimal(v, digits) + " " + unit, value: *v})
		}
	}
	return newBarChart(rows)
}

// matrix returns the crosstable. It has each pairing twice, once from the side of each player.
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

// Clean reports whether the run had no problem: no fault, no repeated game and no move that the machine delayed.
func (p *page) Clean() bool {
	return len(p.Faults) == 0 && p.Duplicates == 0 && (p.Unmarked == nil || p.Unmarked.Marked == 0)
}

// Swapped reports whether pairs have two games with colours swapped.
func (p *page) Swapped() bool { return p.Pentanomial.Pairs() > 0 }

// Cells returns the columns of the pentanomial table, from LL (two losses) to WW (two wins).
func (p *page) Cells() []pentaCell {
	c, say := p.Pentanomial, p.words.Say
	return []pentaCell{
		{"LL", say("both lost"), c.LL},
		{"LD", say("a loss and a draw"), c.LD},
		{"WL", say("a win and a loss"), c.WL},
		{"DD", say("both drawn"), c.DD},
		{"WD", say("a win and a draw"), c.WD},
		{"WW", say("both won"), c.WW},
	}
}

type pentaCell struct {
	Name, Words string
	Pairs       int
}

// newFigure returns the last position of a game, with its last move.
func newFigure(g match.Row, record kifu.Record, words Words) (figure, error) {
	position, err := shogi.ParseSFEN(g.LastSFEN)
	if err != nil {
		return figure{}, err
	}
	f := figure{Game: fmt.Sprintf("%d.%d", g.Pair, g.Leg), Black: g.Black, White: g.White, Note: g.Note,
		Result: words.Result(g)}
	last, err := lastMove(g, record)
	if err != nil {
		return figure{}, err
	}
	if last != shogi.NoMove {
		f.Last = words.Say("%s, by %s", last, [2]string{g.Black, g.White}[position.Side().Opponent()])
	}
	f.Diagram = template.HTML(words.Draw(diagram.Diagram{ // Draw escapes every text
		Position: position, Last: last, ID: fmt.Sprintf("game-%d-%d", g.Pair, g.Leg),
		Title: words.Say("Last position of game %s, %s (Black) against %s (White)", f.Game, g.Black, g.White),
	}))
	return f, nil
}

// lastMove returns the last move that was made. An illegal move does not count as made.
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

// FromBooks returns one line for each player that has a book. The line shows how many of the player's moves
// came from the book.
func (p *page) FromBooks() (list []i18n.Message) {
	for i := range p.Players {
		if said := text.FromBook(&p.Players[i]); !said.IsZero() {
			list = append(list, said)
		}
	}
	return list
}

// Asked returns text about how often gogi asked the plan's mate solver. It returns the zero value if this is
// unknown.
func (p *page) Asked() i18n.Message {
	if p.Mates == nil {
		return i18n.Message{}
	}
	return text.Asked(*p.Mates)
}

// Words is the language of a page. The templates call its methods to get texts in this language. Numbers are
// the same in all languages.
type Words struct{ In i18n.Language }

// Say translates an English phrase of the templates, and fills in args as fmt.Sprintf does.
func (w Words) Say(phrase string, args ...any) string { return i18n.Say(w.In, phrase, args...) }

// Said returns a message as text in the page's language.
func (w Words) Said(s i18n.Message) string { return s.In(w.In) }

// Draw returns a diagram as SVG, with labels in the page's language.
func (w Words) Draw(d diagram.Diagram) string {
	d.Japanese = w.In == i18n.Japanese
	return d.SVG()
}

// Ending returns the way in which a game ended (its termination) as text in the page's language.
func (w Words) Ending(termination string) string { return w.Said(text.Ending(termination)) }

// Design returns the name of a tournament design in the page's language.
func (w Words) Design(kind string) string { return w.Said(text.Design(kind)) }

// Result returns text with a game's winner, termination and number of plies.
func (w Words) Result(g match.Row) string {
	by, plies := text.Ending(g.Termination.String()), i18n.Number{N: g.Plies, Noun: "ply"}
	winner, ok := g.Outcome.Winner()
	switch {
	case !ok:
		return w.Say("Drawn by %s after %s", by, plies)
	case g.Termination.IsFault():
		return w.Say("%s lost by %s after %s", report.LoserOf(&g), by, plies)
	}
	return w.Say("%s won by %s after %s", [2]string{g.Black, g.White}[winner], by, plies)
}
