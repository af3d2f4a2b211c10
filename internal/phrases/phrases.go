// Package phrases says things in the languages of gogi. What is to be said is a value, an
// English phrase and what fills it; ja.json has the Japanese of each phrase, and tests hold
// that none is missing and none is there for nobody.
package phrases

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"gogi/internal/format"
)

// Tongue is a language, by its tag.
type Tongue string

// The tongues.
const (
	English  Tongue = "en"
	Japanese Tongue = "ja"
)

//go:embed ja.json
var written []byte

// book is read once. That it can be read is what a test holds.
//
//nolint:gochecknoglobals // a table, read once
var book = sync.OnceValues(Book)

// Book is a copy of all that has Japanese, by the English.
func Book() (map[string]string, error) {
	var b map[string]string
	err := json.Unmarshal(written, &b)
	return b, err
}

// Say is a phrase in a tongue, its verbs filled as by fmt.Sprintf; arguments that are
// themselves to be said come in the same tongue. What has no Japanese stays English.
func Say(in Tongue, phrase string, args ...any) string {
	if in == Japanese {
		if b, err := book(); err == nil && b[phrase] != "" {
			phrase = b[phrase]
		}
	}
	if len(args) == 0 {
		return phrase
	}
	filled := make([]any, len(args))
	for i, a := range args {
		filled[i] = a
		if s, ok := a.(interface{ In(in Tongue) string }); ok {
			filled[i] = s.In(in)
		}
	}
	return fmt.Sprintf(phrase, filled...)
}

// Said is something that can be said in every tongue; the zero value is nothing.
type Said struct {
	Phrase string // English, with verbs of fmt
	Args   []any  // what fills the verbs
}

// Of is a phrase with what fills its verbs.
func Of(phrase string, args ...any) Said { return Said{phrase, args} }

// Verbatim is text that is the same in all tongues, such as a name.
func Verbatim(text string) Said { return Said{"%s", []any{text}} }

// Because is why something failed: a phrase where the error is one (its Phrase), else its
// text, which is the same in all tongues.
func Because(err error) Said {
	var reason interface{ Phrase() string }
	if errors.As(err, &reason) {
		return Of(reason.Phrase())
	}
	return Verbatim(err.Error())
}

// IsZero reports whether there is nothing to say.
func (s Said) IsZero() bool { return s.Phrase == "" }

// In says it in a tongue.
func (s Said) In(in Tongue) string { return Say(in, s.Phrase, s.Args...) }

// String says it in English, which is the language of all that programs read.
func (s Said) String() string { return s.In(English) }

// MarshalText is what JSON has of it: the English.
func (s Said) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes a text that was said; from then on it is the same in all tongues.
func (s *Said) UnmarshalText(text []byte) error {
	*s = Said{}
	if len(text) > 0 {
		*s = Verbatim(string(text))
	}
	return nil
}

// Each says a list of things in a tongue.
func Each(in Tongue, list []Said) []string {
	said := make([]string, len(list))
	for i, s := range list {
		said[i] = s.In(in)
	}
	return said
}

// Number is how many there are of something: "1 game", "2 games", 2局.
type Number struct {
	N    int
	Noun string // in English, one of counters
}

// counters are how Japanese counts things.
func counters() map[string]string {
	return map[string]string{"game": "局", "pair": "ペア", "opening": "開始局面", "time": "回"}
}

// In says the number in a tongue.
func (n Number) In(in Tongue) string {
	if in == Japanese {
		return format.Count(n.N) + counters()[n.Noun]
	}
	return format.NumberOf(n.N, n.Noun)
}

// List is several things in a row: "a, b and c", a、b、c.
type List []string

// In says the list in a tongue.
func (l List) In(in Tongue) string {
	text := ""
	for i, item := range l {
		switch {
		case i == 0:
		case in == Japanese:
			text += "、"
		case i == len(l)-1:
			text += " and "
		default:
			text += ", "
		}
		text += item
	}
	return text
}
