package configs

import "fmt"

// Warning is what works in a series, but not as its user may think. It is a value;
// String renders it where it is shown.
type Warning struct {
	Engine string // the engine that it is about; "": the series, or several players
	Text   string // what is so, such as "NetworkDelay 120: made for play over networks, they distort short games"
	Advice string // what to write into the file instead, such as `profile = "yaneuraou" sets them`; "": there is none
}

// String is the warning in one line: "engine NAME: TEXT; ADVICE".
func (w Warning) String() string {
	text := w.Text
	if w.Engine != "" {
		text = "engine " + w.Engine + ": " + text
	}
	if w.Advice != "" {
		text += "; " + w.Advice
	}
	return text
}

// warning is one about the series.
func warning(format string, args ...any) Warning { return Warning{Text: fmt.Sprintf(format, args...)} }
