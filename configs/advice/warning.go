// Package advice defines the [Warning] that configs and players return when a series is valid
// but probably not intended. A Warning is a value; the command prints it in the user's
// language.
package advice

import "gogi/internal/i18n"

// Warning is what works in a series, but not as its user may think. It is a value;
// In and String render it where it is shown.
type Warning struct {
	Engine string       // the engine that it is about; "": the series, or several players
	Text   i18n.Message // what is so, such as "NetworkDelay 120: made for play over networks, they distort short games"
	Advice i18n.Message // what to write into the file instead, such as `profile = "yaneuraou" sets them`; nothing: there is none
}

// Said is the warning in one line: "engine NAME: TEXT; ADVICE".
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

// In is the warning in a language.
func (w Warning) In(in i18n.Language) string { return w.Said().In(in) }

// String is the warning in English.
func (w Warning) String() string { return w.In(i18n.English) }

// Of is a warning about the series, by a phrase and what fills it.
func Of(phrase string, args ...any) Warning { return Warning{Text: i18n.Of(phrase, args...)} }
