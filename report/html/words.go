package html

import (
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/report"
	"gogi/report/text"
	"gogi/shogi/diagram"
)

// Words returns the texts of a page in a language. Numbers are the same in all languages.
type Words struct{ In i18n.Language }

// Say translates a phrase of the templates, given in English, and fills its verbs as fmt.Sprintf does.
func (w Words) Say(phrase string, args ...any) string { return i18n.Say(w.In, phrase, args...) }

// Said returns a message of the report in the page's language.
func (w Words) Said(s i18n.Message) string { return s.In(w.In) }

// Draw is a diagram with the language's words around it.
func (w Words) Draw(d diagram.Diagram) string {
	d.Japanese = w.In == i18n.Japanese
	return d.SVG()
}

// Ending is a termination's word.
func (w Words) Ending(termination string) string { return w.Said(text.Ending(termination)) }

// Design returns the name of a design.
func (w Words) Design(kind string) string { return w.Said(text.Design(kind)) }

// Result returns the winner, the termination and the number of plies.
func (w Words) Result(g match.Row) string {
	by := text.Ending(g.Termination.String())
	winner, ok := g.Outcome.Winner()
	switch {
	case !ok:
		return w.Say("Drawn by %s after %d plies", by, g.Plies)
	case g.Termination.IsFault():
		return w.Say("%s lost by %s after %d plies", report.LoserOf(g), by, g.Plies)
	}
	return w.Say("%s won by %s after %d plies", [2]string{g.Black, g.White}[winner], by, g.Plies)
}
