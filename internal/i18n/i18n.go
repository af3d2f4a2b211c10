// Package i18n translates messages. A [Message] is an English phrase and the values that fill
// it; make one with [Say] and an error with [Errorf]. A [Language] turns it into text. ja.json
// has the Japanese of each phrase, and tests check that none is missing or unused.
package i18n

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gogi/internal/format"
)

// Language is a language, by its tag.
type Language string

// The tongues.
const (
	English  Language = "en"
	Japanese Language = "ja"
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
func Say(in Language, phrase string, args ...any) string {
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
		if s, ok := a.(interface{ In(in Language) string }); ok {
			filled[i] = s.In(in)
		}
	}
	return fmt.Sprintf(phrase, filled...)
}

// Message is something that can be said in every tongue; the zero value is nothing.
type Message struct {
	Phrase string // English, with verbs of fmt
	Args   []any  // what fills the verbs
}

// Of is a phrase with what fills its verbs.
func Of(phrase string, args ...any) Message { return Message{phrase, args} }

// Verbatim is text that is the same in all tongues, such as a name.
func Verbatim(text string) Message { return Message{"%s", []any{text}} }

// Wrong is an error that can be said in every tongue.
type Wrong struct{ why Message }

// Errorf is an error that is a phrase with what fills its verbs; unlike fmt.Errorf's it
// wraps nothing.
func Errorf(phrase string, args ...any) error { return &Wrong{Of(phrase, args...)} }

// Error says it in English.
func (w *Wrong) Error() string { return w.why.String() }

// Because is why something failed: a phrase where the error is one (a Wrong, or by its
// Phrase), else its text, which is the same in all tongues.
func Because(err error) Message {
	var wrong *Wrong
	if errors.As(err, &wrong) {
		return wrong.why
	}
	var reason interface{ Phrase() string }
	if errors.As(err, &reason) {
		return Of(reason.Phrase())
	}
	return Verbatim(err.Error())
}

// IsZero reports whether there is nothing to say.
func (s Message) IsZero() bool { return s.Phrase == "" }

// In says it in a tongue.
func (s Message) In(in Language) string { return Say(in, s.Phrase, s.Args...) }

// String says it in English, which is the language of all that programs read.
func (s Message) String() string { return s.In(English) }

// MarshalText is what JSON has of it: the English.
func (s Message) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText takes a text that was said; from then on it is the same in all tongues.
func (s *Message) UnmarshalText(text []byte) error {
	*s = Message{}
	if len(text) > 0 {
		*s = Verbatim(string(text))
	}
	return nil
}

// Each says a list of things in a tongue.
func Each(in Language, list []Message) []string {
	said := make([]string, len(list))
	for i, s := range list {
		said[i] = s.In(in)
	}
	return said
}

// Heads are the heads of a table's columns in a tongue.
func Heads(in Language, heads ...string) []any {
	said := make([]any, len(heads))
	for i, head := range heads {
		said[i] = Say(in, head)
	}
	return said
}

// Sentence is a remark as a sentence of its own: with a capital, where a tongue has them,
// and a stop.
func Sentence(remark Message) Message { return Of("%s", sentence{remark}) }

// Small is a heading in the middle of a sentence: without its capitals, where a tongue has
// them.
func Small(heading Message) Message { return Of("%s", small{heading}) }

type small struct{ Message }

// In says the heading in a tongue.
func (s small) In(in Language) string { return strings.ToLower(s.Message.In(in)) }

type sentence struct{ Message }

// In says the sentence in a tongue.
func (s sentence) In(in Language) string {
	text := s.Message.In(in)
	if in == Japanese {
		return text + "。"
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// Clauses are several remarks in one sentence: "a; b", a；b.
type Clauses []Message

// In says the clauses in a tongue.
func (c Clauses) In(in Language) string {
	if in == Japanese {
		return strings.Join(Each(in, c), "；")
	}
	return strings.Join(Each(in, c), "; ")
}

// Row is several things in a row without an "and": "a, b", a、b.
type Row []Message

// In says the row in a tongue.
func (r Row) In(in Language) string {
	if in == Japanese {
		return strings.Join(Each(in, r), "、")
	}
	return strings.Join(Each(in, r), ", ")
}

// Lines are several remarks, each in a line of its own, those after the first set in.
type Lines []Message

// In says the lines in a tongue.
func (l Lines) In(in Language) string { return strings.Join(Each(in, l), "\n  ") }

// Number is how many there are of something: "1 game", "2 games", 2局.
type Number struct {
	N    int
	Noun string // in English, one of counters
}

// counters are how Japanese counts things.
func counters() map[string]string {
	return map[string]string{
		"game": "局", "pair": "ペア", "opening": "開始局面", "time": "回", "win": "勝", "draw": "分", "loss": "敗", "player": "名",
		"decisive game": "決着局", "more worker": "ワーカー", "test": "件の検定", "tested row": "行", "row": "行", "slot": "スロット", "core": "コア", "CPU": "CPU", "round": "回戦", "member": "名", "decision": "回の決定", "p value": "個の p 値", "cell": "個のセル", "other split": "種のその他の割れ方", "duel": "組の対戦", "segment": "セグメント",
	}
}

// In says the number in a tongue.
func (n Number) In(in Language) string {
	switch {
	case in == Japanese:
		return format.Count(n.N) + counters()[n.Noun]
	case n.Noun == "loss" && n.N != 1:
		return format.Count(n.N) + " losses"
	}
	return format.NumberOf(n.N, n.Noun)
}

// List is several things in a row: "a, b and c", a、b、c.
type List []string

// In says the list in a tongue.
func (l List) In(in Language) string {
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
