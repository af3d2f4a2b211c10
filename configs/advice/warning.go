// Package advice defines the [Warning] that configs and players return when a series is valid but probably
// not intended. A Warning is a value; the command prints it in the user's language.
package advice

import "gogi/internal/i18n"

// Warning is a setting that works in a match, but may not do what its user expects. It is a value; In and
// String render it for output.
type Warning struct {
	Engine string       // the engine that it is about; "": the series, or several players
	Text   i18n.Message // the problem, such as "NetworkDelay 120: made for play over networks, they distort short games"
	Advice i18n.Message // the text for the file instead, such as `profile = "yaneuraou" sets them`; empty: none
}

// Said returns the warning in one line: "engine NAME: TEXT; ADVICE".
func (w Warning) Said() i18n.Message {
	text := w.Text
	if w.Engine != "" {
		text = i18n.Of("engine %s: %s", w.Engine, text)
	}
	if !w.Advice.IsZero() {
		text = i18n.Of("%s", i18n.Clauses{text, w.Advice})
	}
	return text
}

// In returns the warning in a language.
func (w Warning) In(in i18n.Language) string { return w.Said().In(in) }

// String returns the warning in English.
func (w Warning) String() string { return w.In(i18n.English) }

// Of returns a warning about the match, from a phrase and its values.
func Of(phrase string, args ...any) Warning { return Warning{Text: i18n.Of(phrase, args...)} }
