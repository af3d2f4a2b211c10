package ratings

import (
	"fmt"
	"slices"
	"strings"

	"gogi/internal/fail"
	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/results/evidence"
)

// players lists the players of all runs, each once.
type players []evidence.Player

// named returns the players with this name.
func (l players) named(name string) players {
	var list players
	for i := range l {
		if l[i].Name == name {
			list = append(list, l[i])
		}
	}
	return list
}

// traitText returns the text of a trait to print after a player's name, such as "options=…". Limits and identity
// have no label.
func traitText(p *evidence.Player, trait string) string {
	at := slices.IndexFunc(p.Traits, func(t evidence.Trait) bool { return t.Name == trait })
	switch {
	case at < 0:
		return "no " + trait
	case trait == "limits" || trait == "identity":
		return p.Traits[at].Value
	}
	return trait + "=" + p.Traits[at].Value
}

// described returns each player's label with the smallest set of traits that distinguishes it from the others, such
// as "a@1f0c37aa (nodes 60)". It prefers earlier traits, and leaves out traits that do not differ.
func (l players) described() (texts []string) {
	traits := l.traits()
	for i := range l {
		var parts []string
		left := slices.Delete(slices.Clone(l), i, i+1)
		for _, trait := range traits {
			if len(left) == 0 {
				break
			}
			mine := traitText(&l[i], trait)
			if !slices.ContainsFunc(l, func(o evidence.Player) bool { return traitText(&o, trait) != mine }) {
				continue
			}
			parts = append(parts, mine)
			left = slices.DeleteFunc(left, func(o evidence.Player) bool { return traitText(&o, trait) != mine })
		}
		texts = append(texts, fmt.Sprintf("%s (%s)", l[i].Label, strings.Join(parts, ", ")))
	}
	return texts
}

// traits returns the names of all traits that at least one player has, in the order of the traits.
func (l players) traits() []string {
	var names []string
	for i := range l {
		for _, t := range l[i].Traits {
			if !slices.Contains(names, t.Name) {
				names = append(names, t.Name)
			}
		}
	}
	return names
}

// ofFile returns the label of the player that a file calls name. If one player of the runs has this name or none has
// it, name is the label. If several players of the runs have the name, ofFile returns an error that lists their
// labels. file is the name of the file for this error.
func (l players) ofFile(name, file string) (label string, err error) {
	alike := l.named(name)
	if len(alike) < 2 {
		return name, nil
	}
	var quoted []string
	for i := range alike {
		quoted = append(quoted, format.Quoted(alike[i].Label))
	}
	return "", fail.Usage(fmt.Errorf("%s: %s is not one player in these runs; write which in the file: %s", file,
		format.Quoted(name), strings.Join(quoted, " or ")))
}

// warnNames adds a warning for each name that several players have, and for each player that has several names.
func (r *Report) warnNames(l players) {
	warned := map[string]bool{}
	for i := range l {
		p := &l[i]
		if alike := l.named(p.Name); len(alike) > 1 && !warned[p.Name] {
			warned[p.Name] = true
			r.warn(NamesApart, i18n.Of("%s is %d different players in these runs; they are rated apart: %s", p.Name, len(alike),
				strings.Join(alike.described(), ", ")))
		}
		if older := p.Names[:max(0, len(p.Names)-1)]; len(older) > 0 {
			r.warn(NamesMerged,
				i18n.Of("%s was called %s in older runs: files, options and limits are equal, so it is one player", p.Label,
					i18n.List(older)))
		}
	}
}
