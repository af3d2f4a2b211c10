package usi

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gogi/internal/lists"
)

// OptionType is the type of an option that an engine declares.
type OptionType string

// These are the option types of USI.
const (
	Check    OptionType = "check"
	Spin     OptionType = "spin"
	Combo    OptionType = "combo"
	Button   OptionType = "button"
	String   OptionType = "string"
	Filename OptionType = "filename"
)

// Option is an option that an engine declares after "usi".
type Option struct {
	Name    string
	Type    OptionType
	Default string   // "" if absent or "<empty>"
	Min     int64    // for a spin; the smallest int64 if not declared
	Max     int64    // for a spin; the largest int64 if not declared
	Vars    []string // the values of a combo
}

// Setting is a value for an option. Name is the name that the engine declared. A button has no value.
type Setting struct {
	Name  string
	Value string
}

// String returns the setoption line.
func (s Setting) String() string {
	if s.Value == "" {
		return "setoption name " + s.Name
	}
	return "setoption name " + s.Name + " value " + s.Value
}

// ParseOption parses a line "option name … type …". Names and values may contain spaces: only the keywords
// type, default, min, max and var end them.
func ParseOption(line string) (Option, error) {
	rest, ok := strings.CutPrefix(line, "option name ")
	if !ok {
		return Option{}, fmt.Errorf("usi: option line %q: expected it to start with %q", line, "option name ")
	}
	name, rest, ok := strings.Cut(rest, " type ")
	if !ok || strings.TrimSpace(name) == "" {
		return Option{}, fmt.Errorf("usi: option line %q: expected \"option name NAME type TYPE\"", line)
	}
	o := Option{Name: strings.TrimSpace(name), Min: math.MinInt64, Max: math.MaxInt64}
	kind, rest, _ := strings.Cut(rest, " ")
	o.Type = OptionType(kind)
	if !o.Type.known() {
		return Option{},
			fmt.Errorf("usi: option %q: unknown type %q (expected check, spin, combo, button, string or filename)", o.Name, kind)
	}
	if err := o.readAttributes(rest); err != nil {
		return Option{}, fmt.Errorf("usi: option %q: %w", o.Name, err)
	}
	return o, nil
}

func (t OptionType) known() bool {
	return slices.Contains([]OptionType{Check, Spin, Combo, Button, String, Filename}, t)
}

// readAttributes parses "default … min … max … var …". The default of a string option is the whole rest of
// the line.
func (o *Option) readAttributes(rest string) error {
	if o.Type == String || o.Type == Filename {
		value := strings.TrimSpace(strings.TrimPrefix(strings.TrimSpace(rest)+" ", "default "))
		o.Default = emptyText(value)
		return nil
	}
	return lists.Each(splitAttributes(rest), func(a attribute) error { return o.set(a.key, a.value) })
}

func (o *Option) set(key, value string) (err error) {
	switch key {
	case "default":
		o.Default = emptyText(value)
	case "min":
		o.Min, err = strconv.ParseInt(value, 10, 64)
	case "max":
		o.Max, err = strconv.ParseInt(value, 10, 64)
	case "var":
		o.Vars = append(o.Vars, value)
	}
	if err != nil {
		return fmt.Errorf("%s %q is not a whole number", key, value)
	}
	return nil
}

type attribute struct{ key, value string }

// splitAttributes splits a text at the keywords. The text between two keywords is one value, which may
// contain spaces.
func splitAttributes(text string) []attribute {
	var list []attribute
	for _, word := range strings.Fields(text) {
		switch word {
		case "default", "min", "max", "var":
			list = append(list, attribute{key: word})
			continue
		}
		if len(list) == 0 {
			continue
		}
		last := &list[len(list)-1]
		last.value = strings.TrimSpace(last.value + " " + word)
	}
	return list
}

func emptyText(s string) string {
	if s == "<empty>" {
		return ""
	}
	return s
}

// Resolve finds the declared option for each wanted setting; names match as in SameOption. It returns the
// settings to send, in the wanted order, under the declared names. It reports all errors together: an option
// that the engine does not declare (with the most similar names), and a value outside the declared range.
func Resolve(declared []Option, wanted []Setting) ([]Setting, error) {
	var out []Setting
	var errs []error
	for _, w := range wanted {
		o, ok := FindOption(declared, w.Name)
		if !ok {
			errs = append(errs, unknownOption(declared, w.Name))
			continue
		}
		value, err := o.Accept(w.Value)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, Setting{Name: o.Name, Value: value})
	}
	return out, errors.Join(errs...)
}

// Sendable returns the settings as Resolve does, and also accepts USI_Hash and USI_Ponder if the engine does not
// declare them. USI lets a GUI send both to every engine, and Shogidokoro does so.
func Sendable(declared []Option, wanted []Setting) ([]Setting, error) {
	for _, o := range []Option{
		{Name: "USI_Hash", Type: Spin, Min: 1, Max: math.MaxInt64},
		{Name: "USI_Ponder", Type: Check},
	} {
		_, known := FindOption(declared, o.Name)
		asked := slices.ContainsFunc(wanted, func(w Setting) bool { return strings.EqualFold(w.Name, o.Name) })
		if asked && !known {
			declared = append(slices.Clone(declared), o)
		}
	}
	return Resolve(declared, wanted)
}

// FindOption finds a declared option by name; names match as in SameOption. It returns false if there is no such
// option.
func FindOption(declared []Option, name string) (Option, bool) {
	i := slices.IndexFunc(declared, func(o Option) bool { return strings.EqualFold(o.Name, name) })
	if i < 0 {
		i = slices.IndexFunc(declared, func(o Option) bool { return SameOption(o.Name, name) })
	}
	if i < 0 {
		return Option{}, false
	}
	return declared[i], true
}

// SameOption reports whether two names mean the same option. It ignores upper and lower case. It also ignores
// the prefix USI_ of USI_Hash, USI_Ponder and USI_MultiPV.
func SameOption(a, b string) bool { return canonicalName(a) == canonicalName(b) }

func canonicalName(name string) string {
	name = strings.ToLower(name)
	switch bare := strings.TrimPrefix(name, "usi_"); bare {
	case "hash", "ponder", "multipv":
		return bare
	}
	return name
}

// Accept checks a value against the declaration of the option, and returns the text that gogi sends to the
// engine. It returns an error for a value that the option does not allow.
func (o Option) Accept(value string) (string, error) {
	if strings.ContainsAny(value, "\r\n") {
		return "", fmt.Errorf("option %s: a value cannot contain a line break", o.Name)
	}
	switch o.Type {
	case Check:
		switch v := strings.ToLower(value); v {
		case "true", "false":
			return v, nil
		case "1": // uci2wb sends this
			return "true", nil
		case "0":
			return "false", nil
		}
		return "", fmt.Errorf("option %s: %q is not true or false", o.Name, value)
	case Spin:
		return value, o.checkSpin(value)
	case Combo:
		return o.comboValue(value)
	case Button:
		if value != "" && !strings.EqualFold(value, "true") {
			return "", fmt.Errorf("option %s is a button and takes no value (got %q)", o.Name, value)
		}
		return "", nil
	case String, Filename:
		if value == "" {
			return "<empty>", nil
		}
	}
	return value, nil
}

func (o Option) checkSpin(value string) error {
	n, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return fmt.Errorf("option %s: %q is not a whole number", o.Name, value)
	}
	if n < o.Min || n > o.Max {
		return fmt.Errorf("option %s: %d is outside %d to %d", o.Name, n, o.Min, o.Max)
	}
	return nil
}

func (o Option) comboValue(value string) (string, error) {
	for _, v := range o.Vars {
		if strings.EqualFold(v, value) {
			return v, nil
		}
	}
	return "", fmt.Errorf("option %s: %q is not one of %s", o.Name, value, strings.Join(o.Vars, ", "))
}

func unknownOption(declared []Option, name string) error {
	names := lists.Map(declared, func(o Option) string { return o.Name })
	near := Nearest(name, names, 3)
	switch {
	case len(near) > 0:
		return fmt.Errorf("option %q is not offered; nearest: %s", name, strings.Join(near, ", "))
	case len(names) == 0:
		return fmt.Errorf("option %q is not offered; the engine has no options", name)
	}
	list := strings.Join(names[:min(len(names), 10)], ", ")
	if len(names) > 10 {
		list += " …"
	}
	return fmt.Errorf("option %q is not offered; the engine has %s", name, list)
}

// ThreadOptions returns the names that engines use for their number of threads.
func ThreadOptions() []string { return []string{"Threads", "Thread", "USI_Threads"} }

// Nearest returns up to limit candidates that are similar to name, the most similar first. It compares by
// edit distance and ignores upper and lower case. It omits a candidate if the distance is above half the
// length of the longer name.
func Nearest(name string, candidates []string, limit int) []string {
	type scored struct {
		text string
		cost int
	}
	var list []scored
	for _, c := range candidates {
		cost := editDistance(strings.ToLower(name), strings.ToLower(c))
		if strings.Contains(strings.ToLower(c), strings.ToLower(name)) {
			cost = min(cost, 1)
		}
		if 2*cost <= max(len(name), len(c)) {
			list = append(list, scored{c, cost})
		}
	}
	slices.SortStableFunc(list, func(a, b scored) int { return a.cost - b.cost })
	return lists.Map(list[:min(limit, len(list))], func(s scored) string { return s.text })
}

// editDistance returns Levenshtein's distance: the number of insertions, deletions and replacements.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}

// Line returns the declaration as the line "option name …" that engines print.
func (o Option) Line() string {
	var b strings.Builder
	fmt.Fprintf(&b, "option name %s type %s", o.Name, o.Type)
	if o.Type != Button {
		b.WriteString(" default " + cmp.Or(o.Default, "<empty>"))
	}
	if o.Type == Spin {
		fmt.Fprintf(&b, " min %d max %d", o.Min, o.Max)
	}
	for _, v := range o.Vars {
		b.WriteString(" var " + v)
	}
	return b.String()
}
