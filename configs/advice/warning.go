// Package advice defines the [Warning] that packages configs and players return when the settings of a match
// are valid but probably not intended. A Warning is a value; the command prints it in the user's language.
package advice

import "gogi/internal/i18n"

// Warning is a warning about a setting that is valid but may not do what the user expects. In and String return
// its text.
type Warning struct {
	Engine string       // the engine of the warning; "": the whole match, or several players
	Text   i18n.Message // the problem, such as "NetworkDelay 120: made for play over networks, they distort short games"
	Advice i18n.Message // the recommended setting, such as `profile = "yaneuraou" sets them`; empty: no advice
}

// Message returns the warning in one line: "engine NAME: TEXT; ADVICE".
func (w Warning) Message() i18n.Message {
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
func (w Warning) In(in i18n.Language) string { return w.Message().In(in) }

// String returns the warning in English.
func (w Warning) String() string { return w.In(i18n.English) }

// Of returns a warning about the match without advice. Its text is the message phrase, formatted with args.
func Of(phrase string, args ...any) Warning { return Warning{Text: i18n.Of(phrase, args...)} }
