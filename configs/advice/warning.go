// Package advice is what the resolving of a series warns of: a value, told where it is
// shown.
package advice

import "gogi/internal/phrases"

// Warning is what works in a series, but not as its user may think. It is a value;
// In and String render it where it is shown.
type Warning struct {
	Engine string       // the engine that it is about; "": the series, or several players
	Text   phrases.Said // what is so, such as "NetworkDelay 120: made for play over networks, they distort short games"
	Advice phrases.Said // what to write into the file instead, such as `profile = "yaneuraou" sets them`; nothing: there is none
}

// Said is the warning in one line: "engine NAME: TEXT; ADVICE".
func (w Warning) Said() phrases.Said {
	text := w.Text
	if w.Engine != "" {
		text = phrases.Of("engine %s: %s", w.Engine, text)
	}
	if !w.Advice.IsZero() {
		text = phrases.Of("%s", phrases.Clauses{text, w.Advice})
	}
	return text
}

// In is the warning in a tongue.
func (w Warning) In(in phrases.Tongue) string { return w.Said().In(in) }

// String is the warning in English.
func (w Warning) String() string { return w.In(phrases.English) }

// Of is a warning about the series, by a phrase and what fills it.
func Of(phrase string, args ...any) Warning { return Warning{Text: phrases.Of(phrase, args...)} }
