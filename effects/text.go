package effects

import (
	"fmt"
	"io"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
)

// Print writes the table as a person reads it in a terminal: warnings first.
func (t *Table) Print(w io.Writer) {
	fmt.Fprintf(w, "%s · where the points of %s against %s come from · %s in %s\n\n", t.Run, format.Name(t.A), format.Name(t.B),
		format.NumberOf(t.Games, "game"), format.NumberOf(t.Pairs, "pair"))
	for _, line := range t.Warnings {
		fmt.Fprintln(w, line)
	}
	fmt.Fprintf(w, "\n%s\n\n", t.Claim())
	if t.Games == 0 {
		return
	}
	list := format.Table("", "games", "units", "score", "Elo", "95% from", "to", "less rest", "p", "adjusted")
	for _, g := range t.Groupings {
		if len(g.Rows) == 0 {
			continue
		}
		list.AppendRow(table.Row{strings.ToUpper(g.Title)})
		for i := range g.Rows {
			list.AppendRow(g.Rows[i].cells())
		}
	}
	format.Render(w, list)
	fmt.Fprintf(w, "A is %s, B %s; each row is held against the rest of its group of rows.\n", format.Name(t.A), format.Name(t.B))
	for _, g := range t.Groupings {
		fmt.Fprintf(w, "%s: %s.\n", g.Title, g.Note())
	}
}

// Note says how the games are sorted and what is independent, or why there are no rows.
func (g Grouping) Note() string {
	if len(g.Rows) == 0 {
		return "not shown, " + g.Why
	}
	return g.About + "; the unit: " + g.unit()
}

// unit is the unit in words.
func (g Grouping) unit() string {
	return map[string]string{
		"distinct_pair": "a pair that repeats no other", "pair": "a pair", "opening": "an opening", "game": "a game",
		"pair_part": "a game, or both of a pair where they are in one row", "opening_part": "the games of an opening in one row",
	}[g.Unit]
}

// cells are the columns of the printed table.
func (r *Row) cells() table.Row {
	row := table.Row{"  " + r.Label(), format.Count(r.Games), format.Count(r.Units), format.Percent(r.Score), eloOf(r.Elo, r.Score), "", "", "", "", ""}
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

// Label is the row's name with whom it is about.
func (r *Row) Label() string {
	name := format.Words(format.Name(r.Name))
	if r.OfA == nil {
		return name
	}
	return fmt.Sprintf("%s (A %d, B %d)", name, *r.OfA, *r.OfB)
}

// eloOf is the Elo of a score, infinite where that is 0 or 1.
func eloOf(elo *float64, score float64) string {
	if score < 0.5 {
		return format.Elo(elo, -1)
	}
	return format.Elo(elo, 1)
}

// Claim is what the table finds, in a sentence.
func (t *Table) Claim() string {
	if t.Games == 0 {
		return "No game of the two players is finished yet."
	}
	if !t.Finished {
		return "Nothing is tested before the end of the run."
	}
	var found []string
	for _, g := range t.Groupings {
		for _, r := range g.Rows {
			if r.Stands() {
				found = append(found, fmt.Sprintf("%s, %s (%s, %+.1f points in a hundred against the rest, adjusted p = %s)", strings.ToLower(g.Title), r.Label(), format.Percent(r.Score), 100**r.Effect, format.PValue(*r.Adjusted)))
			}
		}
	}
	switch {
	case len(found) == 0 && t.Tested == 0:
		return "Nothing is tested: no group, nor what it is held against, has enough units for that."
	case len(found) == 0:
		return fmt.Sprintf("Nothing stands out: no group differs from the rest at 5%%, allowing for %s.", format.NumberOf(t.Tested, "test"))
	}
	return "What stands out at 5%, to be tested in a new run: " + strings.Join(found, "; ") + "."
}
