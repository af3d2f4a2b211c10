package match

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// Difference is one value that differs between two JSON texts, or that only one of them has.
type Difference struct {
	// Path has the keys from the top of the JSON text down to the value. The key of a list element is its "name",
	// if it has one, else its index.
	Path []string
	// Order means that the elements of the list at Path changed their order. Before and Now are then the
	// names of the elements in the old and in the new order.
	Order  bool
	Before *string // nil: absent
	Now    *string // nil: absent
	Note   string  // a remark that the caller may add, such as the path of a file; Differences leaves it empty
}

// String returns the difference as a line: "players.A.options.Threads: 1 before, 2 now", followed by the note
// in brackets.
func (d Difference) String() string {
	place, note := strings.Join(d.Path, "."), ""
	if d.Order {
		place += " (order)"
	}
	if d.Note != "" {
		note = " (" + d.Note + ")"
	}
	return fmt.Sprintf("%s: %s before, %s now%s", place, orAbsent(d.Before), orAbsent(d.Now), note)
}

func orAbsent(value *string) string {
	switch {
	case value == nil:
		return "absent"
	case *value == "":
		return `""`
	}
	return *value
}

// Differences compares two JSON texts, such as two results of Canonical. It returns the values that differ, sorted by
// path. A text that is not valid JSON counts as one value at the path "plan".
func Differences(before, now []byte) []Difference {
	a, b := flatten(before), flatten(now)
	var list []Difference
	for _, key := range keysOf(a, b) {
		was, is := a[key], b[key]
		if equalValues(was, is) || key.order && !reordered(was, is) {
			continue
		}
		list = append(list, Difference{Path: key.path(), Order: key.order, Before: was, Now: is})
	}
	return list
}

// place is a key in the result of flatten. It identifies the value at a path, or the order of the list at
// that path.
type place struct {
	joined string // the elements of the path, joined by zero bytes
	order  bool
}

func placeOf(path []string, order bool) place {
	return place{strings.Join(path, "\x00"), order}
}

func (p place) path() []string { return strings.Split(p.joined, "\x00") }

// keysOf returns the keys of both maps, each once. They are sorted by path, in the notation of Difference.String.
func keysOf(a, b map[place]*string) []place {
	both := maps.Clone(a)
	maps.Copy(both, b)
	line := func(p place) string { return Difference{Path: p.path(), Order: p.order}.String() }
	return slices.SortedFunc(maps.Keys(both), func(x, y place) int { return strings.Compare(line(x), line(y)) })
}

func equalValues(a, b *string) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// reordered reports whether two comma-separated lists have the same names. If a name was added or removed,
// Differences reports that name instead of a new order.
func reordered(was, is *string) bool {
	if was == nil || is == nil {
		return false
	}
	a, b := strings.Split(*was, ", "), strings.Split(*is, ", ")
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// flatten reads a JSON text and returns its values. The key of a value is its place in the text. A list element with
// a name has this name in its place instead of its index, so that a new order of options does not look like changed
// options.
func flatten(text []byte) map[place]*string {
	var value any
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&value); err != nil {
		whole := string(text)
		return map[place]*string{placeOf([]string{"plan"}, false): &whole}
	}
	out := map[place]*string{}
	flattenInto(out, nil, value)
	return out
}

func flattenInto(out map[place]*string, path []string, value any) {
	switch v := value.(type) {
	case map[string]any:
		for k, child := range v {
			flattenInto(out, append(slices.Clone(path), k), child)
		}
	case []any:
		var names []string
		for i, child := range v {
			key, named := elementKey(i, child)
			if named {
				names = append(names, key)
			}
			flattenInto(out, append(slices.Clone(path), key), child)
		}
		if names != nil {
			order := strings.Join(names, ", ")
			out[placeOf(path, true)] = &order
		}
	default:
		if len(path) > 1 && path[len(path)-1] == "value" {
			path = path[:len(path)-1]
		}
		text := fmt.Sprint(v)
		out[placeOf(path, false)] = &text
	}
}

// elementKey returns the name of a list element and removes the name from the element. It returns the index
// if the element has no name.
func elementKey(i int, child any) (key string, named bool) {
	if m, ok := child.(map[string]any); ok {
		if name, ok := m["name"].(string); ok {
			delete(m, "name")
			return name, true
		}
	}
	return strconv.Itoa(i), false
}
