package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/foreign"
)

// print writes the ratings as a person reads them.
func (r *rateReport) print(w io.Writer) {
	title := numberOf(len(r.Players), "player") + " · " + numberOf(r.Games, "game")
	if r.Handicapped > 0 {
		title += " · " + count(r.Handicapped) + " with a handicap"
	}
	if r.Drawn > 0 {
		title += " · " + count(r.Drawn) + " drawn"
	}
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
	r.printPlayers(w)
	r.printHandicaps(w)
	r.printEffects(w)
	r.printModels(w)
	r.printRemarks(w)
}

// shown is a player's name as a table can show it.
func shown(name string) string { return foreign.Printable(name, 40) }

func (r *rateReport) printPlayers(w io.Writer) {
	header := []any{"", "player", "Elo", "points", "games"}
	if r.Intervals != "" {
		header = append(header, percentShort(r.Confidence)+" interval")
	}
	t := newTable(header...)
	t.SetColumnConfigs(append(rightFrom(3, 6), table.ColumnConfig{Number: 1, Align: text.AlignRight}))
	for i, p := range r.Players {
		row := table.Row{i + 1, shown(p.Name), "–", "–", count(p.Games), ""}
		if p.Points == nil {
			row[0] = "" // there is no place without a rating
		} else {
			row[3] = points(*p.Points)
		}
		if p.Elo != nil {
			row[2] = elo(p.Elo, 0)
		}
		if p.Lo != nil || p.Hi != nil {
			row[5] = fmt.Sprintf("[%s, %s]", elo(p.Lo, -1), elo(p.Hi, 1))
		}
		t.AppendRow(row[:len(header)])
	}
	render(w, t)
	r.printWhyNot(w)
}

// rightFrom aligns columns to the right.
func rightFrom(first, last int) []table.ColumnConfig {
	var columns []table.ColumnConfig
	for i := first; i <= last; i++ {
		columns = append(columns, table.ColumnConfig{Number: i, Align: text.AlignRight, AlignHeader: text.AlignRight})
	}
	return columns
}

// points of games: whole, or with a half.
func points(v float64) string {
	if v == float64(int(v)) {
		return count(int(v))
	}
	return count(int(v)) + "½"
}

// printWhyNot says what the table does not show.
func (r *rateReport) printWhyNot(w io.Writer) {
	missing := false
	for _, p := range r.Players {
		if p.Elo == nil {
			missing = true
			fmt.Fprintf(w, "%s has no rating: %s\n", shown(p.Name), p.Why)
		}
	}
	if missing {
		fmt.Fprintln(w)
	}
}

func (r *rateReport) printHandicaps(w io.Writer) {
	if len(r.Handicaps) == 0 {
		return
	}
	t := newTable("handicap", "games", "receiver's points", "worth in Elo")
	for _, h := range r.Handicaps {
		name, worth := strconv.Itoa(h.Handicap), "depends"
		if h.Handicap == 0 {
			name = "none (Black's points)"
		}
		switch {
		case h.Elo != nil && *h.Elo == 0:
			worth = "0"
		case h.Elo != nil:
			worth = elo(h.Elo, 0)
		}
		t.AppendRow(table.Row{name, count(h.Games), fmt.Sprintf("%s (%s)", points(h.Points), share(h.Points, h.Games)), worth})
	}
	render(w, t)
	r.printParams(w)
}

// printParams shows what the selected model estimates beside the strengths.
func (r *rateReport) printParams(w io.Writer) {
	t := newTable("number", "estimate", "standard error", percentShort(r.Confidence)+" interval", "")
	for _, m := range r.Models {
		if m.Name != r.Selected {
			continue
		}
		for _, p := range m.Params {
			interval := fmt.Sprintf("[%s, %s]", end(p.Lo, "−∞"), end(p.Hi, "+∞"))
			t.AppendRow(table.Row{p.Name, end(p.Value, "–"), end(p.SE, "–"), interval, p.Why})
		}
	}
	if t.Length() > 0 {
		render(w, t)
	}
}

// end is a number of a model, or what stands for a missing one.
func end(v *float64, missing string) string {
	if v == nil {
		return missing
	}
	return signed(*v)
}

// share is a part in percent.
func share(points float64, games int) string {
	if games == 0 {
		return "–"
	}
	return percent(points / float64(games))
}

func (r *rateReport) printEffects(w io.Writer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-16s %s\n", label, fmt.Sprintf(format, args...))
	}
	line("first move", "%s", r.OrderEffect.text(r.Confidence))
	line("draws", "%s", r.DrawParam.text())
	line("ratings by", "%s: %s", r.Selected, modelWords(r.Selected))
	if r.Goodness.P != nil || r.Goodness.PAgain != nil {
		line("fit", "%s", r.Goodness.text())
	}
	fmt.Fprintln(w)
}

func (e orderEffect) text(confidence float64) string {
	if e.Elo == nil {
		return "not estimated: " + e.Why
	}
	words := fmt.Sprintf("worth %s Elo to Black   [%s, %s]  %s", elo(e.Elo, 0), elo(e.Lo, -1), elo(e.Hi, 1), percentShort(confidence))
	if e.P != nil {
		words += fmt.Sprintf(", p = %s against no effect", pValue(*e.P))
	}
	return words
}

func (d drawParam) text() string {
	switch {
	case d.Value == nil:
		return d.Why
	case d.Model == "davidson":
		return fmt.Sprintf("Davidson's model: between equals %s are drawn", percent(*d.Value/(2+*d.Value)))
	}
	return fmt.Sprintf("Rao and Kupper's model: between equals %s are drawn", percent((*d.Value-1)/(*d.Value+1)))
}

func (g goodnessOfRating) text() string {
	if g.PAgain != nil {
		return fmt.Sprintf("results differ from the expected ones this much by chance with p = %s (played again)", pValue(*g.PAgain))
	}
	return fmt.Sprintf("results differ from the expected ones this much by chance with p = %s (approximate)", pValue(*g.P))
}

// modelWords say what a model takes a game to depend on.
func modelWords(name string) string {
	switch name {
	case "bt":
		return "strength alone"
	case "order":
		return "strength and the first move"
	case "add1":
		return "a handicap adds strength, a heavier one no less"
	case "add2":
		return "a handicap adds strength, on a straight line"
	case "add3":
		return "a handicap adds strength, the same for each step"
	case "mul1":
		return "a handicap multiplies strength, a heavier one no less"
	case "mul2":
		return "a handicap multiplies strength, on a straight line"
	case "mul3":
		return "a handicap multiplies strength, the same for each step"
	case "linear":
		return "a handicap gives the same Elo for each step"
	case "free":
		return "each handicap gives Elo of its own"
	case "free+order":
		return "each handicap and the first move give Elo of their own"
	}
	return name
}

func (r *rateReport) printModels(w io.Writer) {
	t := newTable("model", "log-likelihood", "numbers", "AIC", "AICc", "BIC", "weight", "what decides a game")
	t.SetColumnConfigs(rightFrom(2, 7))
	for _, m := range r.Models {
		weight := "–"
		if m.Weight != nil {
			weight = percent(*m.Weight)
		}
		t.AppendRow(table.Row{
			m.Name, decimal(m.LogLik, 2), m.K, decimal(m.AIC, 2), decimal(m.AICc, 2), decimal(m.BIC, 2), weight, modelWords(m.Name),
		})
	}
	render(w, t)
}

func (r *rateReport) printRemarks(w io.Writer) {
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "! %s\n", foreign.Printable(warning, 1000))
	}
}
