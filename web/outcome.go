package web

import (
	"gogi/internal/phrases"
	"gogi/report/page"
)

// words are a tongue's.
func (p *pages) words(in tongue) page.Words { return page.Words{In: in} }

// outcome is how a game ended, in words: black, white or draw as events have it.
func outcome(in tongue, word string) string {
	switch word {
	case "black":
		return phrases.Say(in, "Black won")
	case "white":
		return phrases.Say(in, "White won")
	}
	return phrases.Say(in, "drawn")
}
