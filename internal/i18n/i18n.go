// Package i18n translates messages. A [Message] is an English phrase in the format of fmt.Sprintf, with the
// values for its verbs, such as %d. Make a message with [Of] and an error with [Errorf]. [Message.In] returns
// the text in a [Language]. The file ja.json has the Japanese text of each phrase. Tests check that no phrase
// is missing or unused.
package i18n

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"gogi/internal/format"
	"gogi/internal/lists"
)

// A Language is the tag of an output language.
type Language string

// languageKey is the key of a request's language in its context.
type languageKey struct{}

// With returns a context with the language of a request, for handlers of other packages.
func With(ctx context.Context, in Language) context.Context {
	return context.WithValue(ctx, languageKey{}, in)
}

// From returns the language of With. Without one it returns English.
func From(ctx context.Context) Language {
	if in, ok := ctx.Value(languageKey{}).(Language); ok {
		return in
	}
	return English
}

// Other returns the other output language.
func (l Language) Other() Language {
	if l == Japanese {
		return English
	}
	return Japanese
}

// These are the output languages.
const (
	English  Language = "en"
	Japanese Language = "ja"
)

//go:embed ja.json
var written []byte

// book returns the parsed ja.json, which it parses only once. A test checks that ja.json can be parsed.
var book = sync.OnceValues(Book)

// Book returns a new map from each English phrase to its Japanese text.
func Book() (map[string]string, error) {
	var b map[string]string
	err := json.Unmarshal(written, &b)
	return b, err
}

// Say translates a phrase and formats its arguments like fmt.Sprintf. It also translates arguments that have
// a method In. If a phrase has no Japanese text, Say uses the English phrase.
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

// A Message is a text that can be printed in every language. The zero value is empty.
type Message struct {
	Phrase string // English, with verbs of fmt
	Args   []any  // values for the verbs
}

// Of returns the Message of a phrase in the format of fmt.Sprintf. args are the values for its verbs, such as
// %d.
func Of(phrase string, args ...any) Message { return Message{phrase, args} }

// Phrase returns its argument unchanged. Use it for a phrase that code passes to Of through a variable. The
// test of ja.json finds phrases in calls of Of and Phrase.
func Phrase(phrase string) string { return phrase }

// Verbatim returns a Message that is the same in all languages, such as a name.
func Verbatim(text string) Message { return Message{"%s", []any{text}} }

// A Wrong is an error whose text can be printed in every language.
type Wrong struct{ why Message }

// Errorf returns a [*Wrong] with the text that Of makes of phrase and args. Unlike fmt.Errorf, it cannot wrap
// another error.
func Errorf(phrase string, args ...any) error { return &Wrong{Of(phrase, args...)} }

// Error returns the English text.
func (w *Wrong) Error() string { return w.why.String() }

// Because returns the Message of an error. A Wrong has its own Message. For an error with a method Phrase,
// the Message is that phrase. For other errors it is the error's text, which is the same in all languages.
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

// IsZero reports whether the Message is empty.
func (s Message) IsZero() bool { return s.Phrase == "" }

// In returns the text in a language.
func (s Message) In(in Language) string { return Say(in, s.Phrase, s.Args...) }

// String returns the English text. All output for programs is English.
func (s Message) String() string { return s.In(English) }

// MarshalText returns the English text, for JSON.
func (s Message) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// UnmarshalText reads a text that MarshalText wrote. The result is English in all languages.
func (s *Message) UnmarshalText(text []byte) error {
	*s = Message{}
	if len(text) > 0 {
		*s = Verbatim(string(text))
	}
	return nil
}

// Each returns the texts of several Messages in a language.
func Each(in Language, list []Message) []string {
	return lists.Map(list, func(m Message) string { return m.In(in) })
}

// Heads translates the column heads of a table. It returns them as the arguments of format.Table.
func Heads(in Language, heads ...string) []any {
	texts := make([]any, len(heads))
	for i, head := range heads {
		texts[i] = Say(in, head)
	}
	return texts
}

// Sentence turns a Message without punctuation into a sentence. It adds a full stop, and in English also a
// capital letter.
func Sentence(remark Message) Message { return Of("%s", sentence{remark}) }

// Small returns a heading for use inside a sentence. Its text is in lower case.
func Small(heading Message) Message { return Of("%s", small{heading}) }

type small struct{ Message }

// In returns the heading in a language, in lower case.
func (s small) In(in Language) string { return strings.ToLower(s.Message.In(in)) }

type sentence struct{ Message }

// In returns the sentence in a language.
func (s sentence) In(in Language) string {
	text := s.Message.In(in)
	if in == Japanese {
		return text + "。"
	}
	first, size := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(first)) + text[size:] + "."
}

// Clauses is a list of Messages that In joins with semicolons: "a; b" in English, "a；b" in Japanese.
type Clauses []Message

// In returns the clauses in a language.
func (c Clauses) In(in Language) string {
	if in == Japanese {
		return strings.Join(Each(in, c), "；")
	}
	return strings.Join(Each(in, c), "; ")
}

// A Row is a list of Messages that In joins with commas: "a, b" in English, "a、b" in Japanese.
type Row []Message

// In returns the row in a language.
func (r Row) In(in Language) string {
	if in == Japanese {
		return strings.Join(Each(in, r), "、")
	}
	return strings.Join(Each(in, r), ", ")
}

// Lines is a list of Messages that In joins with line breaks. In indents all lines except the first.
type Lines []Message

// In returns the lines in a language.
func (l Lines) In(in Language) string { return strings.Join(Each(in, l), "\n  ") }

// A Number is a count with its noun: "1 game" or "2 games" in English, "2局" in Japanese.
type Number struct {
	N    int
	Noun string // English noun, a key of counters
}

// counters returns the Japanese counter word of each English noun.
func counters() map[string]string {
	return map[string]string{
		"game": "局", "pair": "ペア", "opening": "開始局面", "time": "回", "win": "勝", "draw": "分", "loss": "敗", "player": "名",
		"decisive game": "決着局", "more worker": "ワーカー", "test": "件の検定", "tested row": "行", "row": "行", "slot": "スロット",
		"core": "コア", "CPU": "個の CPU", "round": "回戦", "member": "名", "council": "組の合議", "decision": "回の決定",
		"p value": "個の p 値", "cell": "個のセル", "other split": "種のその他の割れ方", "segment": "セグメント", "option": "個のオプション", "ply": "手",
	}
}

// In returns the number with its noun in a language.
func (n Number) In(in Language) string {
	switch {
	case in == Japanese:
		return format.Count(n.N) + counters()[n.Noun]
	case n.Noun == "loss" && n.N != 1:
		return format.Count(n.N) + " losses"
	case n.Noun == "ply" && n.N != 1:
		return format.Count(n.N) + " plies"
	}
	return format.NumberOf(n.N, n.Noun)
}

// A List is a list of words that In joins as in a sentence: "a, b and c" in English, "a、b、c" in Japanese.
type List []string

// In returns the list in a language.
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
