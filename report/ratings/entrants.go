package ratings

import (
	"fmt"
	"slices"
	"strings"

	"gogi/internal/fail"
	"gogi/internal/format"
)

// Entrant is a player of a run. Two Entrants are the same player if their names and all their traits are equal.
type Entrant struct {
	Name   string
	Traits []Trait // settings that decide how the player plays. The most useful ones for a reader come first.
}

// Trait is one setting of a player: its limits, an option, its identity.
type Trait struct{ Name, Value string }

func (e Entrant) same(o Entrant) bool { return e.Name == o.Name && slices.Equal(e.Traits, o.Traits) }

func (e Entrant) value(trait string) (string, bool) {
	for _, t := range e.Traits {
		if t.Name == trait {
			return t.Value, true
		}
	}
	return "", false
}

// traitText returns the text of a trait to print after a player's name, such as "options=…". Limits and identity
// have no label.
func (e Entrant) traitText(trait string) string {
	value, has := e.value(trait)
	switch {
	case !has:
		return "no " + trait
	case trait == "limits" || trait == "identity":
		return value
	}
	return trait + "=" + value
}

// entrants lists the players of all runs. Each player occurs once, in the order in which the runs were added.
type entrants []Entrant

// number returns the index of a player in the list. It adds a player that is not in the list.
func (l *entrants) number(e Entrant) int {
	at := slices.IndexFunc(*l, e.same)
	if at < 0 {
		at = len(*l)
		*l = append(*l, e)
	}
	return at
}

// labels returns a distinct name for each player: "a" if only one player has the name a, else for example "a
// (nodes 60)".
func (l entrants) labels() []string {
	labels := make([]string, len(l))
	for i, e := range l {
		labels[i] = e.Name
		if alike := l.named(e.Name); len(alike) > 1 {
			labels[i] = fmt.Sprintf("%s (%s)", e.Name, strings.Join(e.differences(alike), ", "))
		}
	}
	return labels
}

func (l entrants) named(name string) entrants {
	var list entrants
	for _, e := range l {
		if e.Name == name {
			list = append(list, e)
		}
	}
	return list
}

// differences returns the smallest set of traits that distinguishes the player from the other players with
// the same name. It prefers earlier traits, and leaves out traits that do not differ.
func (e Entrant) differences(alike entrants) []string {
	var parts []string
	left := slices.DeleteFunc(slices.Clone(alike), e.same)
	for _, trait := range alike.traits() {
		if len(left) == 0 {
			break
		}
		mine := e.traitText(trait)
		if !slices.ContainsFunc(alike, func(o Entrant) bool { return o.traitText(trait) != mine }) {
			continue
		}
		parts = append(parts, mine)
		left = slices.DeleteFunc(left, func(o Entrant) bool { return o.traitText(trait) != mine })
	}
	return parts
}

// traits returns the names of all traits that at least one player has, in the order of the traits.
func (l entrants) traits() []string {
	var names []string
	for _, e := range l {
		for _, t := range e.Traits {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// ofFile returns the label of the player that a file calls name. If a player of the runs has this label, it is the same
// player; otherwise the player occurs only in the file. If several players of the runs have the name, their labels are
// longer, and ofFile returns an error.
func (l entrants) ofFile(name, file string) (label string, err error) {
	labels := l.labels()
	if slices.Contains(labels, name) {
		return name, nil
	}
	if alike := l.named(name); len(alike) > 1 {
		var quoted []string
		for i, e := range l {
			if e.Name == name {
				quoted = append(quoted, format.Quoted(labels[i]))
			}
		}
		return "", fail.Usage(fmt.Errorf("%s: %s is not one player in these runs; write which in the file: %s", file, format.Quoted(name), strings.Join(quoted, " or ")))
	}
	return name, nil
}
