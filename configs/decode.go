package configs

import (
	"cmp"
	"encoding"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"gogi/configs/position"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/usi"
)

// decoder decodes parsed TOML into a File by the tags of its fields. (The TOML library's own decoder loses
// the order of options. It also loses the line of a key if there are several [[engine]] tables.)
type decoder struct {
	file   *File
	faults []fault
}

type fault struct {
	order int
	err   error
}

func (d *decoder) fail(path, format string, args ...any) {
	err := d.file.problem(path, fmt.Errorf(format, args...))
	d.faults = append(d.faults, fault{d.file.places[path].Order, err})
}

// maxFaults is the largest number of errors that gogi lists one by one.
const maxFaults = 20

// err returns all errors joined, in the order of the file. It sorts them because maps have no order.
func (d *decoder) err() error {
	slices.SortStableFunc(d.faults, func(a, b fault) int { return a.order - b.order })
	errs := lists.Map(d.faults[:min(len(d.faults), maxFaults)], func(f fault) error { return f.err })
	if more := len(d.faults) - len(errs); more > 0 {
		errs = append(errs, &Problem{File: d.file.name, Cause: fmt.Errorf("%d more errors are not shown", more)})
	}
	return errors.Join(errs...)
}

type field struct {
	key   string
	short bool
	value reflect.Value
}

// fields returns the keys of a struct in their order. It includes the keys of embedded structs.
func fields(v reflect.Value) []field {
	var list []field
	for i := range v.NumField() {
		f := v.Type().Field(i)
		if f.Anonymous {
			list = append(list, fields(v.Field(i))...)
			continue
		}
		if tag := f.Tag.Get("toml"); tag != "" {
			key, short := strings.CutSuffix(tag, ",short")
			list = append(list, field{key, short, v.Field(i)})
		}
	}
	return list
}

func (d *decoder) table(path string, from map[string]any, into reflect.Value) {
	known := fields(into)
	for key, value := range from {
		i := slices.IndexFunc(known, func(f field) bool { return f.key == key })
		if i < 0 {
			d.unknown(path, key, known)
			continue
		}
		d.value(position.Join(path, key), value, known[i].value)
	}
}

func (d *decoder) unknown(path, key string, known []field) {
	keys := lists.Map(known, func(f field) string { return f.key })
	in := ""
	if path != "" {
		in = " in " + label(path)
	}
	near := usi.Nearest(key, keys, 3)
	if len(near) == 0 {
		d.fail(position.Join(path, key), "unknown key %q%s (expected one of %s)", key, in, strings.Join(keys, ", "))
		return
	}
	d.fail(position.Join(path, key), "unknown key %q%s (did you mean %s?)", key, in, strings.Join(near, " or "))
}

func (d *decoder) value(path string, from any, into reflect.Value) {
	if into.Kind() == reflect.Pointer {
		into.Set(reflect.New(into.Type().Elem()))
		into = into.Elem()
	}
	switch target := into.Addr().Interface().(type) {
	case *time.Duration:
		d.duration(path, from, target)
	case *Rule:
		d.rule(path, from, target)
	case *Vary:
		d.vary(path, from, target)
	case *ByHand:
		if _, list := from.([]any); list {
			d.value(path, from, reflect.ValueOf(&target.Files).Elem())
			return
		}
		if target.Text, _ = from.(string); target.Text == "" {
			d.mismatch(path, `a text such as "v1.2", or a list of files`, from)
		}
	case *Options:
		d.options(path, from, target)
	case *Environ:
		d.environ(path, from, target)
	case *Scalar:
		text, ok := scalar(from)
		if !ok {
			d.mismatch(path, "true, false, a number or a string", from)
		}
		*target = Scalar(text)
	case *match.SPRT:
		d.sprt(path, from, target)
	case encoding.TextUnmarshaler:
		d.text(path, from, target)
	default:
		d.plain(path, from, into)
	}
}

func (d *decoder) plain(path string, from any, into reflect.Value) {
	kind := into.Kind()
	if kind == reflect.Struct {
		d.structure(path, from, into)
		return
	}
	if kind == reflect.Slice {
		d.list(path, from, into)
		return
	}
	switch v := from.(type) {
	case string:
		if kind == reflect.String {
			into.SetString(v)
			return
		}
	case bool:
		if kind == reflect.Bool {
			into.SetBool(v)
			return
		}
	}
	d.number(path, from, into)
}

// number stores a TOML number in an int, a uint64 or a float64. It reports an error for any other value.
func (d *decoder) number(path string, from any, into reflect.Value) {
	n, whole := from.(int64)
	x, fraction := from.(float64)
	// TOML has nan and inf, but no key accepts them.
	fraction = fraction && !math.IsNaN(x) && !math.IsInf(x, 0)
	switch {
	case into.CanFloat() && (whole || fraction):
		if whole {
			x = float64(n)
		}
		into.SetFloat(x)
	case into.CanInt() && whole:
		into.SetInt(n)
	case into.CanUint() && whole && n >= 0:
		into.SetUint(uint64(n))
	default:
		d.mismatch(path, expected(into), from)
	}
}

func expected(into reflect.Value) string {
	switch {
	case into.CanFloat():
		return "a number"
	case into.CanUint():
		return "a whole number from 0"
	case into.CanInt():
		return "a whole number"
	case into.Type() == reflect.TypeFor[bool]():
		return "true or false"
	}
	return "a string"
}

func (d *decoder) structure(path string, from any, into reflect.Value) {
	if table, ok := from.(map[string]any); ok {
		d.table(path, table, into)
		return
	}
	known := fields(into)
	i := slices.IndexFunc(known, func(f field) bool { return f.short })
	if _, ok := from.(string); ok && i >= 0 {
		d.value(path, from, known[i].value)
		return
	}
	if i >= 0 {
		d.mismatch(path, "a table or, for "+known[i].key+" alone, a string", from)
		return
	}
	d.mismatch(path, "a table", from)
}

func (d *decoder) list(path string, from any, into reflect.Value) {
	if _, single := from.(map[string]any); single && isTables(path) {
		d.fail(path, "%s", doubleBrackets(path))
		return
	}
	if one, single := from.(map[string]any); single && into.Type() == reflect.TypeFor[TuneValidates]() {
		into.Set(reflect.MakeSlice(into.Type(), 1, 1))
		d.value(path, one, into.Index(0))
		return
	}
	list := reflect.ValueOf(from) // []any, or []map[string]any of [[…]]
	if list.Kind() != reflect.Slice {
		d.mismatch(path, "a list", from)
		return
	}
	into.Set(reflect.MakeSlice(into.Type(), list.Len(), list.Len()))
	for i := range list.Len() {
		d.value(position.Element(path, i), list.Index(i).Interface(), into.Index(i))
	}
}

func isTables(key string) bool { return key == "engine" || key == "council" }

// doubleBrackets returns the text of an error for [engine] or [engine.a], which TOML reads as one table. The
// text recommends [[engine]].
func doubleBrackets(key string) string {
	return fmt.Sprintf("[%s] is one table: expected [[%s]], with two brackets on each side, once for each, and its name as a key: name = %q", key, key, "A")
}

func (d *decoder) duration(path string, from any, into *time.Duration) {
	text, ok := from.(string)
	if !ok {
		d.mismatch(path, `a duration such as "1s" or "500ms"`, from)
		return
	}
	var err error
	if *into, err = parseDuration(text); err != nil {
		d.fail(path, "%s: %v", label(path), err)
	}
}

// text decodes a string or a whole number with the UnmarshalText method of into.
func (d *decoder) text(path string, from any, into encoding.TextUnmarshaler) {
	text, ok := from.(string)
	if n, whole := from.(int64); whole {
		text, ok = strconv.FormatInt(n, 10), true
	}
	if !ok {
		d.mismatch(path, "a string", from)
		return
	}
	if err := into.UnmarshalText([]byte(text)); err != nil {
		d.fail(path, "%s: %v", label(path), err)
	}
}

func (d *decoder) sprt(path string, from any, into *match.SPRT) {
	list, ok := from.([]any)
	if !ok {
		d.text(path, from, into)
		return
	}
	words := make([]string, len(list))
	for i, v := range list {
		words[i] = fmt.Sprint(v)
	}
	d.text(path, strings.Join(words, ","), into)
}

// options decodes a table of engine options. It keeps the order of the file, because gogi sends the options
// in this order.
func (d *decoder) options(path string, from any, into *Options) {
	table, ok := from.(map[string]any)
	if !ok {
		d.mismatch(path, "a table of options", from)
		return
	}
	d.scalars(path, table, func(name, value string) { *into = append(*into, match.Option{Name: name, Value: value}) })
}

// scalars passes the values of a table to add, in the order of the file.
func (d *decoder) scalars(path string, table map[string]any, add func(name, value string)) {
	for _, name := range d.inOrder(path, table) {
		value, ok := scalar(table[name])
		if !ok {
			d.mismatch(position.Join(path, name), "true, false, a number or a string", table[name])
			continue
		}
		add(name, value)
	}
}

func (d *decoder) environ(path string, from any, into *Environ) {
	table, ok := from.(map[string]any)
	if !ok {
		var list []string
		d.value(path, from, reflect.ValueOf(&list).Elem())
		*into = list
		return
	}
	d.scalars(path, table, func(name, value string) { *into = append(*into, name+"="+value) })
}

func (d *decoder) inOrder(path string, table map[string]any) []string {
	return slices.SortedFunc(maps.Keys(table), func(a, b string) int {
		return cmp.Or(d.file.places[position.Join(path, a)].Order-d.file.places[position.Join(path, b)].Order,
			strings.Compare(a, b))
	})
}

func scalar(from any) (text string, ok bool) {
	switch v := from.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64), !math.IsNaN(v) && !math.IsInf(v, 0)
	}
	return "", false
}

func (d *decoder) mismatch(path, expected string, from any) {
	d.fail(path, "%s: expected %s, found %s", label(path), expected, describe(from))
}

// label returns the path of a key for messages, without list indices. The line number of the message
// identifies the element.
func label(path string) string {
	var b strings.Builder
	for part := range strings.SplitSeq(path, "[") {
		if _, rest, ok := strings.Cut(part, "]"); ok {
			part = rest
		}
		b.WriteString(part)
	}
	return b.String()
}

func describe(from any) string {
	switch v := from.(type) {
	case string:
		return "the string " + strconv.Quote(v)
	case bool:
		return strconv.FormatBool(v)
	case int64:
		return "the number " + strconv.FormatInt(v, 10)
	case float64:
		return "the number " + strconv.FormatFloat(v, 'g', -1, 64)
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	}
	return "a date or time"
}
