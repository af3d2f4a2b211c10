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

	"gogi/match"
)

// Text returns the file as commented TOML that a user can edit. The text is the starter file with the values
// of f instead of the examples. Keys that f does not have are commented out. Parse reads f back from the
// text; if f has no games or no limits, the text has those of the starter file. Text returns an error if a
// value is not UTF-8, because a TOML file must be UTF-8.
func (f *File) Text() ([]byte, error) {
	w := writer{file: f}
	for _, b := range passagesOf(string(template)) {
		w.passage(b)
	}
	if !utf8.Valid(w.out.Bytes()) {
		return nil, errors.New("a word of the command line is not UTF-8, which a series file must be")
	}
	return append(bytes.TrimRight(w.out.Bytes(), "\n"), '\n'), nil
}

// passage is a part of the starter file: the header of a table, the comment before it, and the lines of the
// table.
type passage struct {
	table string // name of the table; "" before the first header
	lines []string
}

// aKey matches a line of the starter file with a key, which may be commented out. Its groups are the name,
// the value, and the comment with the blanks before it.
var aKey = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:# )?([a-z_]+) = (.*?)(\s+# .*)?$`) })

// aHeader matches the header of a table, which may be commented out.
var aHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:# )?\[\[?([a-z_]+)\]`) })

// passagesOf splits the starter file at empty lines into passages.
func passagesOf(text string) (list []passage) {
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		b := passage{lines: strings.Split(part, "\n")}
		for _, line := range b.lines {
			if m := aHeader().FindStringSubmatch(line); m != nil && b.table == "" {
				b.table = m[1]
			}
		}
		if last := len(list) - 1; last >= 0 && b.table == "" && list[last].table == "" {
			list[last].lines = slices.Concat(list[last].lines, []string{""}, b.lines) // the title, and the keys
			continue
		}
		list = append(list, b)
	}
	return list
}

// writer writes the starter file with the values of a File.
type writer struct {
	file    *File
	out     bytes.Buffer
	engines bool // all engines are written, in place of the first engine of the starter file
}

func (w *writer) passage(b passage) {
	f := w.file
	switch b.table {
	case "":
		w.table(b, w.top())
	case "limits":
		w.table(b, w.limits())
	case "limits_by_colour":
		w.table(b, valuesOf(f.ByColour))
	case "store":
		w.table(b, valuesOf(f.Store))
	case "engine":
		w.list(b, w.engines, len(f.Engines), func(i int) []keyValue { return valuesOf(&f.Engines[i]) })
		w.engines = true
	case "council":
		w.list(b, false, len(f.Councils), func(i int) []keyValue { return valuesOf(&f.Councils[i]) })
	default: // the top has it on a line: the table is an example
		w.table(b, nil)
	}
}

// list writes the n tables of a list. Only the first table gets the comments of the starter file on its keys.
func (w *writer) list(b passage, written bool, n int, values func(int) []keyValue) {
	switch {
	case written:
		return
	case n == 0:
		w.table(b, nil)
		return
	}
	for i := range n {
		w.table(b, values(i))
		b = passage{table: b.table, lines: []string{"[[" + b.table + "]]"}}
	}
}

type keyValue struct{ key, value string }

// table writes a passage with these values instead of its example values. It adds the values whose keys are
// not in the passage at the end.
func (w *writer) table(b passage, values []keyValue) {
	for _, line := range b.lines {
		m := aKey().FindStringSubmatch(line)
		switch {
		case aHeader().MatchString(line) && len(values) > 0:
			w.line(strings.TrimPrefix(line, "# "))
			continue
		case m == nil:
			w.line(line)
			continue
		}
		i := slices.IndexFunc(values, func(v keyValue) bool { return v.key == m[1] })
		switch {
		case i >= 0:
			w.pair(values[i], m[3])
			values = slices.Delete(slices.Clone(values), i, i+1)
		case strings.HasPrefix(line, "# "):
			w.line(line)
		default:
			w.line("# " + line)
		}
	}
	for _, v := range values {
		w.pair(v, "")
	}
	w.line("")
}

func (w *writer) line(text string) { w.out.WriteString(text + "\n") }

const commentColumn = 27

func (w *writer) pair(v keyValue, said string) {
	line := v.key + " = " + v.value
	if said = strings.TrimSpace(said); said != "" {
		line += strings.Repeat(" ", max(1, commentColumn-utf8.RuneCountInString(line))) + said
	}
	w.line(line)
}

func (w *writer) top() (values []keyValue) {
	f := w.file
	for _, v := range valuesOf(f) {
		switch v.key {
		case "limits", "limits_by_colour", "store", "engine", "council":
		default:
			values = append(values, v)
		}
	}
	if d := or(f.Design, Design{}); f.Games == nil && d.Rounds == nil && d.Kind != match.DesignKnockout {
		values = append(values, keyValue{"games", starterGames})
	}
	return values
}

// The starter file's values for a match that does not have them.
const (
	starterGames = "100"
	starterNodes = "400"
)

// limits returns the common limits of the file. If the file has no search limits at all, it adds the node
// limit of the starter file.
func (w *writer) limits() []keyValue {
	f := w.file
	values := valuesOf(f.Limits)
	limited := f.ByColour != nil || f.Limits != nil && f.Limits.search()
	for _, e := range f.Engines {
		limited = limited || e.Limits != nil
	}
	for _, c := range f.Councils {
		limited = limited || c.Limits != nil
	}
	if !limited {
		values = append(values, keyValue{"nodes", starterNodes})
	}
	return values
}

// valuesOf returns the keys of a table that are set, with their values. It returns none for nil.
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
	texts := make([]string, len(list))
	for i, v := range list {
		texts[i] = text(v)
	}
	return strings.Join(texts, ", ")
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

// scalarText returns a scalar as TOML. It leaves out the quotes of numbers, true and false if the decoder
// then reads the same value.
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
