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

// Difference is one value that two texts of JSON do not share.
type Difference struct {
	// Path leads to the value by the keys of objects, from the outside in. An element of a list is named
	// by its "name", if it has one, else by its index.
	Path []string
	// Order means that Before and Now are the names of the elements of the list at Path, which changed
	// places.
	Order  bool
	Before *string // nil: absent
	Now    *string // nil: absent
	Note   string  // the caller's remark, such as a file's path; Differences leaves it empty
}

// String returns the difference as a line: "players.A.options.Threads: 1 before, 2 now",
// with the note in brackets behind it.
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

// Differences compares two texts of JSON, such as those of Canonical, value by value, in the order of
// their paths. One that is no JSON counts as one value, at "plan".
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

// place is the place of a value in flatten: the path, or the order of the list there.
type place struct {
	joined string // the path's elements, each with a 0 behind it
	order  bool
}

func placeOf(path []string, order bool) place {
	return place{strings.Join(path, "\x00"), order}
}

func (p place) path() []string { return strings.Split(p.joined, "\x00") }

// keysOf returns the places of both in the order of the lines that name them.
func keysOf(a, b map[place]*string) []place {
	both := maps.Clone(a)
	maps.Copy(both, b)
	line := func(p place) string { return Difference{Path: p.path(), Order: p.order}.String() }
	return slices.SortedFunc(maps.Keys(both), func(x, y place) int { return strings.Compare(line(x), line(y)) })
}

func equalValues(a, b *string) bool {
	return a == nil && b == nil || a != nil && b != nil && *a == *b
}

// reordered reports whether two lists of names have the same names in another
// order; names that came or went have differences of their own.
func reordered(was, is *string) bool {
	if was == nil || is == nil {
		return false
	}
	a, b := strings.Split(*was, ", "), strings.Split(*is, ", ")
	slices.Sort(a)
	slices.Sort(b)
	return slices.Equal(a, b)
}

// flatten turns JSON into values by their places. It uses the names of list elements, so that a changed
// order of options does not look like changed options.
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

// elementKey returns the name of a list's element, which it takes out of the element, or its index.
func elementKey(i int, child any) (key string, named bool) {
	if m, ok := child.(map[string]any); ok {
		if name, ok := m["name"].(string); ok {
			delete(m, "name")
			return name, true
		}
	}
	return strconv.Itoa(i), false
}
