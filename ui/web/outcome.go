package web

import (
	"gogi/internal/i18n"
	"gogi/report/html"
)

// words are a language's.
func (p *pages) words(in language) html.Words { return html.Words{In: in} }

// outcome is how a game ended, in words: black, white or draw as events have it.
func outcome(in language, word string) string {
	switch word {
	case "black":
		return i18n.Say(in, "Black won")
	case "white":
		return i18n.Say(in, "White won")
	}
	return i18n.Say(in, "drawn")
}
