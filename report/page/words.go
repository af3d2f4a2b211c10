package page

import (
	"fmt"

	"gogi/diagram"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/match"
	"gogi/report"
	"gogi/report/text"
)

// Words puts a report into the words of a language. Numbers are the same in all of them.
type Words interface {
	// Say is a phrase of the templates, given in English, its verbs filled as by fmt.Sprintf.
	Say(phrase string, args ...any) string
	Said(s phrases.Said) string // what the report has to say
	Draw(d diagram.Diagram) string
	Verdict(r *report.Report) report.Verdict
	Slowed(r *report.Report) string   // most pairs were slowed by the machine; "": they were not
	Evidence(r *report.Report) string // how many observations the pairs are, and what these are worth
	IntervalLabel(i report.Interval) string
	Interval(i report.Interval) string
	Elo(e report.Elo) string
	StoppedElo(e report.Elo) string
	TestLabel(t report.Test) string
	Test(t report.Test) string
	Gate(g *report.Gate) string
	IfIndependent(r *report.Report) string
	Advantage(a report.Advantage) string
	Ending(termination string) string // a termination's word
	Result(g match.Row) string        // who won, by what, after how many plies
	Design(kind string) string        // who plays whom
}

// English is the language of the command, too.
type English struct{}

// Say is the phrase itself.
func (English) Say(phrase string, args ...any) string {
	if len(args) == 0 {
		return phrase
	}
	return fmt.Sprintf(phrase, args...)
}

// Said is the text itself.
func (English) Said(s phrases.Said) string { return s.String() }

// Draw is the diagram itself.
func (English) Draw(d diagram.Diagram) string { return d.SVG() }

// Verdict is the report's own.
func (English) Verdict(r *report.Report) report.Verdict { return r.Verdict() }

// Slowed is as the command says it.
func (English) Slowed(r *report.Report) string { return r.Slowed().String() }

// Evidence is as the command says it.
func (English) Evidence(r *report.Report) string {
	words := report.DependenceWords(r.Dependence)
	if weight := report.WeightWords(r.Dependence); weight != "" {
		words += ": " + weight
	}
	return words
}

// IntervalLabel is as the command says it.
func (English) IntervalLabel(i report.Interval) string { return text.IntervalLabel(i) }

// Interval is as the command says it.
func (English) Interval(i report.Interval) string { return text.Interval(i) }

// Elo is as the command says it.
func (English) Elo(e report.Elo) string { return text.Elo(e) }

// StoppedElo is as the command says it.
func (English) StoppedElo(e report.Elo) string { return text.StoppedElo(e) }

// TestLabel is as the command says it.
func (English) TestLabel(t report.Test) string { return text.TestLabel(t) }

// Test is as the command says it.
func (English) Test(t report.Test) string { return text.Test(t) }

// Gate is as the command says it.
func (English) Gate(g *report.Gate) string { return text.Gate(g) }

// IfIndependent is as the command says it.
func (English) IfIndependent(r *report.Report) string { return text.IfIndependent(r) }

// Advantage is as the command says it.
func (English) Advantage(a report.Advantage) string { return text.Advantage(a) }

// Ending is the termination's word with blanks.
func (English) Ending(termination string) string { return format.Words(termination) }

// Design is the design's word with blanks.
func (English) Design(kind string) string { return format.Words(kind) }

// Result says who won, by what, and after how many plies.
func (English) Result(g match.Row) string {
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
