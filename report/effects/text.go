package effects

import (
	_ "embed" // the section's template
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/lists"
)

// Print writes the table as text for a terminal, in the given language. Warnings come first.
func (t *Table) Print(w io.Writer, in i18n.Language) {
	say := func(phrase string, args ...any) string { return i18n.Say(in, phrase, args...) }
	fmt.Fprintf(w, "%s\n\n", say("%s · where the points of %s against %s come from · %s in %s", t.Run, format.Name(t.A),
		format.Name(t.B),
		i18n.Number{N: t.Games, Noun: "game"}, i18n.Number{N: t.Pairs, Noun: "pair"}))
	for _, line := range i18n.Each(in, t.Warnings) {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "\n%s\n\n", t.Claim().In(in))
	if t.Games == 0 {
		return
	}
	list := format.Table(append([]any{""},
		i18n.Heads(in, "games", "units", "score", "Elo", "95% from", "to", "less rest", "p", "adjusted")...)...)
	for _, g := range t.Groupings {
		if len(g.Rows) == 0 {
			continue
		}
		list.AppendRow(table.Row{strings.ToUpper(g.Title.In(in))})
		for i := range g.Rows {
			list.AppendRow(g.Rows[i].cells(in))
		}
	}
	format.Render(w, list)
	fmt.Fprintln(w, say("A is %s, B %s; each row is held against the rest of its group of rows.", format.Name(t.A),
		format.Name(t.B)))
	for _, g := range t.Groupings {
		fmt.Fprintln(w, i18n.Of("%s.", i18n.Of("%s: %s", g.Title, g.Note())).In(in))
	}
}

// Note returns text about how the games are sorted and which observations are independent. If there are no
// rows, the text has the reason.
func (g Grouping) Note() i18n.Message {
	if len(g.Rows) == 0 {
		return i18n.Of("not shown, %s", g.Why)
	}
	return i18n.Of("%s; the unit: %s", g.About, g.unit())
}

// unit returns the name of the independent observation, such as "opening", as text.
func (g Grouping) unit() i18n.Message {
	return map[string]i18n.Message{
		"distinct_pair": i18n.Of("a pair that repeats no other"), "pair": i18n.Of("a pair"), "opening": i18n.Of("an opening"),
		"game":         i18n.Of("a game"),
		"pair_part":    i18n.Of("a game, or both of a pair where they are in one row"),
		"opening_part": i18n.Of("the games of an opening in one row"),
	}[g.Unit]
}

// cells returns the columns of the printed table.
func (r *Row) cells(in i18n.Language) table.Row {
	row := table.Row{"  " + r.Label().In(in), format.Count(r.Games), format.Count(r.Units), format.Percent(r.Score),
		eloOf(r.Elo, r.Score), "", "", "", "", ""}
	if r.Lo != nil {
		row[5], row[6] = format.Elo(r.EloLo, -1), format.Elo(r.EloHi, 1)
	}
	if r.Effect != nil {
		row[7] = fmt.Sprintf("%+.1f%%", 100**r.Effect)
	}
	if r.P != nil {
		row[8], row[9] = format.PValue(*r.P), format.PValue(*r.Adjusted)
	} else {
		row[8] = "–"
	}
	return row
}

// Label returns the name of the row's group. gogi translates the name unless it is the name of an opening.
func (r *Row) Label() i18n.Message {
	words := format.Words(format.Name(r.Name))
	if r.class {
		return i18n.Of(words)
	}
	return i18n.Verbatim(words)
}

// eloOf returns the text of an Elo value. The value is infinite if the score is 0 or 1.
func eloOf(elo *float64, score float64) string {
	if score < 0.5 {
		return format.Elo(elo, -1)
	}
	return format.Elo(elo, 1)
}

// Claim returns the findings of the table as one sentence.
func (t *Table) Claim() i18n.Message {
	if t.Games == 0 {
		return i18n.Of("No game of the two players is finished yet.")
	}
	if !t.Finished {
		return i18n.Of("Nothing is tested before the end of the run.")
	}
	var found i18n.Clauses
	for _, g := range t.Groupings {
		for _, r := range g.Rows {
			if r.Stands() {
				found = append(found, i18n.Of("%s, %s (%s, %+.1f points in a hundred against the rest, adjusted p = %s)",
					i18n.Small(g.Title), r.Label(), format.Percent(r.Score), 100**r.Effect, format.PValue(*r.Adjusted)))
			}
		}
	}
	switch {
	case len(found) == 0 && t.Tested == 0:
		return i18n.Of("Nothing is tested: no group and its rest have enough units.")
	case len(found) == 0:
		return i18n.Of("No group differs from the rest at the 5%% level, corrected for %s.",
			i18n.Number{N: t.Tested, Noun: "test"})
	}
	return i18n.Of("Stands out at 5%%, as a hypothesis for a new run: %s.", found)
}

//go:embed section.gohtml
var section string

// HTML returns the table as a section of a report's HTML page, in the given language. It uses the CSS classes
// of that page.
func (t *Table) HTML(in i18n.Language) (template.HTML, error) {
	parsed, err := template.New("section").Funcs(template.FuncMap{
		"t":     func(phrase string, args ...any) string { return i18n.Say(in, phrase, args...) },
		"said":  func(s i18n.Message) string { return s.In(in) },
		"cells": func(r Row) []string { return columns(r, in) },
	}).Parse(section)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	err = parsed.Execute(&b, t)
	return template.HTML(b.String()), err // the template has escaped every text
}

// columns returns the cells of a row except its name.
func columns(r Row, in i18n.Language) []string {
	cells := r.cells(in)
	span := "–"
	if r.Lo != nil {
		span = i18n.Say(in, "%s to %s", format.Elo(r.EloLo, -1), format.Elo(r.EloHi, 1))
	}
	all := lists.Map([]int{1, 2, 3, 4}, func(i int) string { return fmt.Sprint(cells[i]) })
	all = append(all, span)
	for _, i := range []int{7, 8, 9} {
		all = append(all, fmt.Sprint(cells[i]))
	}
	return all
}
