package configs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"gogi/internal/lists"
	"gogi/match"
)

// Text returns the file as TOML that a user can edit: the keys that f has, each with its comment from the
// starter file. Parse of this text returns f again. If f has no games or no search limits, the text has those
// of the starter file, but not for a file of a council alone. Text returns an error if a value is not UTF-8, because a
// TOML file must be UTF-8.
func (f *File) Text() ([]byte, error) {
	w := writer{comments: starterComments()}
	w.out.WriteString("# A match between shogi engines; gogi init FILE without flags writes a file with every key.\n\n")
	alone := f.CouncilAlone()
	if d := or(f.Design, Design{}); !alone && f.Games == nil && d.Rounds == nil && d.Kind != match.DesignKnockout {
		w.pair("", keyValue{"games", starterGames})
	}
	limits := or(f.Limits, Limits{})
	if !alone && limits.Nodes == nil && !f.limited() {
		limits.Nodes = new(uint64(starterNodes))
	}
	for _, v := range valuesOf(f) {
		if v.key != "limits" && v.key != "engine" && v.key != "council" {
			w.pair("", v)
		}
	}
	w.table("[limits]", valuesOf(&limits))
	for i := range f.Engines {
		w.table("[[engine]]", valuesOf(&f.Engines[i]))
	}
	for i := range f.Councils {
		w.table("[[council]]", valuesOf(&f.Councils[i]))
	}
	if !utf8.Valid(w.out.Bytes()) {
		return nil, errors.New("a word of the command line is not UTF-8, which a series file must be")
	}
	return w.out.Bytes(), nil
}

// These are the starter file's values for a match without such values.
const (
	starterGames = "100"
	starterNodes = 400
)

// limited reports whether the file has a search limit for any player.
func (f *File) limited() bool {
	return f.ByColour != nil || f.Limits != nil && f.Limits.search() ||
		slices.ContainsFunc(f.Engines, func(e Engine) bool { return e.Limits != nil }) ||
		slices.ContainsFunc(f.Councils, func(c Council) bool { return c.Limits != nil })
}

type keyValue struct{ key, value string }

// writer writes tables of TOML.
type writer struct {
	comments map[keyValue]string // by header and key
	out      bytes.Buffer
}

// table writes a table with its header. It writes nothing without values.
func (w *writer) table(header string, values []keyValue) {
	if len(values) > 0 {
		w.out.WriteString("\n" + header + "\n")
	}
	for _, v := range values {
		w.pair(header, v)
	}
}

const commentColumn = 27

// pair writes a key of the table with this header. Only the first use of the key in the file gets its
// comment.
func (w *writer) pair(header string, v keyValue) {
	line, at := v.key+" = "+v.value, keyValue{header, v.key}
	if comment := w.comments[at]; comment != "" {
		line += strings.Repeat(" ", max(1, commentColumn-utf8.RuneCountInString(line))) + comment
	}
	delete(w.comments, at)
	w.out.WriteString(line + "\n")
}

// starterLine matches a line of the starter file, which may be commented out. Its groups are the header of a
// table, or a key and its comment.
var starterLine = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^(?:# )?(?:(\[\[?[a-z_]+\]\]?)|([a-z_]+) = .*?(?:[ ]+(# .*))?$)`)
})

// starterComments returns the comments of the keys in the starter file, by header and key.
func starterComments() map[keyValue]string {
	comments, header := map[keyValue]string{}, ""
	for _, m := range starterLine().FindAllStringSubmatch(string(template), -1) {
		if m[1] != "" {
			header = m[1]
		} else if m[3] != "" {
			comments[keyValue{header, m[2]}] = m[3]
		}
	}
	return comments
}

// valuesOf returns the keys of a table that are set, with their values. For nil it returns nothing.
func valuesOf[T any](table *T) (values []keyValue) {
	if table == nil {
		return nil
	}
	for _, f := range fields(reflect.ValueOf(table).Elem()) {
		if !f.value.IsZero() {
			values = append(values, keyValue{f.key, textOf(f.value)})
		}
	}
	return values
}

// textOf returns a value as one line of TOML that the decoder can read.
func textOf(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch value := v.Interface().(type) {
	case time.Duration:
		return quoted(value.String())
	case TimeControl:
		if value == (TimeControl{}) {
			return quoted("0+0")
		}
		return quoted(match.TimeControl(value).String())
	case Concurrency:
		if value == AllCPUs {
			return quoted("cpus")
		}
	case CPUs:
		return quoted(cmp.Or(value.String(), "off"))
	case Resign, Draw, match.SPRT:
		return quoted(fmt.Sprint(value))
	case ByHand:
		if value.Text == "" {
			return textOf(reflect.ValueOf(value.Files))
		}
		return quoted(value.Text)
	case Options:
		return tableText(value, func(o match.Option) string { return keyText(o.Name) + " = " + scalarText(o.Value) })
	case Vary:
		return tableText(value, func(v Variation) string {
			return keyText(v.Name) + " = [" + listText(v.Values, scalarText) + "]"
		})
	}
	return plainText(v)
}

func plainText(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.String:
		return quoted(v.String())
	case v.Kind() == reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case v.CanInt():
		return strconv.FormatInt(v.Int(), 10)
	case v.CanUint():
		return strconv.FormatUint(v.Uint(), 10)
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case v.Kind() == reflect.Slice:
		var list []string
		for i := range v.Len() {
			list = append(list, textOf(v.Index(i)))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return structText(v)
}

// structText returns an inline table, or only the value of its short key if no other key is given.
func structText(v reflect.Value) string {
	var pairs []string
	short := ""
	for _, f := range fields(v) {
		if f.value.IsZero() {
			continue
		}
		text := textOf(f.value)
		if f.short {
			short = text
		}
		pairs = append(pairs, f.key+" = "+text)
	}
	if short != "" && len(pairs) == 1 {
		return short
	}
	return "{" + strings.Join(pairs, ", ") + "}"
}

func listText[T any](list []T, text func(T) string) string {
	return strings.Join(lists.Map(list, text), ", ")
}

func tableText[T any](list []T, text func(T) string) string { return "{" + listText(list, text) + "}" }

// bareKey matches a key that needs no quotes in TOML.
var bareKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_-]+$`) })

func keyText(name string) string {
	if bareKey().MatchString(name) {
		return name
	}
	return quoted(name)
}

// scalarText returns a scalar as TOML. It omits the quotes of numbers, true and false if the decoder then
// reads the same value.
func scalarText(value string) string {
	n, err := strconv.ParseInt(value, 10, 64)
	if value == "true" || value == "false" || err == nil && strconv.FormatInt(n, 10) == value {
		return value
	}
	return quoted(value)
}

func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for i, r := range text {
		switch {
		case r == utf8.RuneError: // perhaps a byte that is not UTF-8, which Text rejects
			_, size := utf8.DecodeRuneInString(text[i:])
			b.WriteString(text[i : i+size])
		case r == '"' || r == '\\':
			b.WriteString(`\` + string(r))
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}
