package ratings

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/foreign"
	"gogi/internal/format"
)

// Print writes the ratings as a person reads them.
func (r *Report) Print(w io.Writer) {
	title := format.NumberOf(len(r.Players), "player") + " · " + format.NumberOf(r.Games, "game")
	if r.Handicapped > 0 {
		title += " · " + format.Count(r.Handicapped) + " with a handicap"
	}
	if r.Drawn > 0 {
		title += " · " + format.Count(r.Drawn) + " drawn"
	}
	fmt.Fprintf(w, "%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
	r.printPlayers(w)
	r.printHandicaps(w)
	r.printPredictions(w)
	r.printComparisons(w)
	r.printIterates(w)
	r.printEffects(w)
	r.printModels(w)
	r.printRemarks(w)
}

func (r *Report) printPlayers(w io.Writer) {
	header := []any{"", "player", "Elo", "points", "games"}
	bounded := slices.ContainsFunc(r.Players, func(p Player) bool { return p.OneSided })
	if r.Intervals != "" || bounded {
		header = append(header, format.PercentShort(r.Confidence)+" interval")
	}
	t := format.Table(header...)
	t.SetColumnConfigs(append(format.RightAligned(3, 6), table.ColumnConfig{Number: 1, Align: text.AlignRight}))
	for i, p := range r.Players {
		row := table.Row{i + 1, format.Name(p.Name), "–", "–", format.Count(p.Games), ""}
		if p.Points == nil {
			row[0] = "" // there is no place without a rating
		} else {
			row[3] = format.Points(*p.Points)
		}
		if p.Elo != nil {
			row[2] = format.Elo(p.Elo, 0)
		}
		switch {
		case p.OneSided && p.Lo != nil:
			row[5] = "above " + format.Elo(p.Lo, 0)
		case p.OneSided:
			row[5] = "below " + format.Elo(p.Hi, 0)
		case p.Lo != nil || p.Hi != nil:
			row[5] = fmt.Sprintf("[%s, %s]", format.Elo(p.Lo, -1), format.Elo(p.Hi, 1))
		}
		t.AppendRow(row[:len(header)])
	}
	format.Render(w, t)
	r.printWhyNot(w)
}

// printWhyNot says what the table does not show.
func (r *Report) printWhyNot(w io.Writer) {
	missing := false
	for _, p := range r.Players {
		if p.Elo == nil {
			missing = true
			fmt.Fprintf(w, "%s has no rating: %s%s\n", format.Name(p.Name), p.Why, p.boundWords(r.Confidence))
		}
	}
	if missing {
		fmt.Fprintln(w)
	}
}

// boundWords say what is known of a player without a rating.
func (p Player) boundWords(confidence float64) string {
	switch {
	case p.OneSided && p.Lo != nil:
		return fmt.Sprintf("; at least %s Elo (%s, one-sided)", format.Elo(p.Lo, 0), format.PercentShort(confidence))
	case p.OneSided:
		return fmt.Sprintf("; at most %s Elo (%s, one-sided)", format.Elo(p.Hi, 0), format.PercentShort(confidence))
	}
	return ""
}

func (r *Report) printPredictions(w io.Writer) {
	if len(r.Predictions) == 0 {
		return
	}
	t := format.Table("prediction", "handicap", "expected points", format.PercentShort(r.Confidence)+" interval", "wins", "draws", "loses")
	for _, p := range r.Predictions {
		handicap := "even"
		if p.Handicap > 0 {
			handicap = strconv.Itoa(p.Handicap)
		}
		row := table.Row{format.Name(p.A) + " against " + format.Name(p.B), handicap, "–", p.Why, "–", "–", "–"}
		if p.Score != nil {
			row[2], row[3] = format.Percent(*p.Score), fmt.Sprintf("[%s, %s]", format.Percent(*p.Lo), format.Percent(*p.Hi))
			row[4], row[5], row[6] = format.Percent(*p.Win), format.Percent(*p.Draw), format.Percent(*p.Loss)
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

func (r *Report) printComparisons(w io.Writer) {
	if len(r.Comparisons) == 0 {
		return
	}
	t := format.Table("comparison", "Elo", "standard error", "p", "p by Holm", "superiority", format.PercentShort(r.Confidence)+" for all at once")
	for _, c := range r.Comparisons {
		t.AppendRow(table.Row{
			format.Name(c.A) + " – " + format.Name(c.B), format.Elo(c.Elo, 0), format.Decimal(c.SE, 1), optionalP(c.P), optionalP(c.PHolm),
			format.Decimal(c.Superiority, 4), fmt.Sprintf("[%s, %s]", format.Elo(c.Lo, -1), format.Elo(c.Hi, 1)),
		})
	}
	format.Render(w, t)
}

func optionalP(p *float64) string {
	if p == nil {
		return "–"
	}
	return format.PValue(*p)
}

func (r *Report) printIterates(w io.Writer) {
	if len(r.Iterates) == 0 {
		return
	}
	names := slices.Sorted(maps.Keys(r.Iterates[0].Strengths))
	header := []any{"step"}
	for _, n := range names {
		header = append(header, format.Name(n))
	}
	t := format.Table(header...)
	for _, step := range r.Iterates {
		row := table.Row{step.Step}
		for _, n := range names {
			row = append(row, strconv.FormatFloat(step.Strengths[n], 'f', 6, 64))
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

func (r *Report) printHandicaps(w io.Writer) {
	if len(r.Handicaps) == 0 {
		return
	}
	t := format.Table("handicap", "games", "receiver's points", "worth in Elo")
	for _, h := range r.Handicaps {
		name, worth := strconv.Itoa(h.Handicap), "depends"
		switch {
		case h.Handicap == 0:
			name = "none (Black's points)"
		case h.Name != "":
			name += " " + h.Name
		}
		switch {
		case h.Elo != nil && *h.Elo == 0:
			worth = "0"
		case h.Elo != nil:
			worth = format.Elo(h.Elo, 0)
		}
		t.AppendRow(table.Row{name, format.Count(h.Games), fmt.Sprintf("%s (%s)", format.Points(h.Points), format.Share(h.Points, h.Games)), worth})
	}
	format.Render(w, t)
	r.printParams(w)
}

// printParams shows what the selected model estimates beside the strengths.
func (r *Report) printParams(w io.Writer) {
	t := format.Table("number", "estimate", "standard error", format.PercentShort(r.Confidence)+" interval", "")
	for _, m := range r.Models {
		if m.Name != r.Selected {
			continue
		}
		for _, p := range m.Params {
			interval := fmt.Sprintf("[%s, %s]", format.SignedOr(p.Lo, "−∞"), format.SignedOr(p.Hi, "+∞"))
			t.AppendRow(table.Row{p.Name, format.SignedOr(p.Value, "–"), format.SignedOr(p.SE, "–"), interval, p.Why})
		}
	}
	if t.Length() > 0 {
		format.Render(w, t)
	}
}

func (r *Report) printEffects(w io.Writer) {
	line := func(label, format string, args ...any) {
		fmt.Fprintf(w, "%-16s %s\n", label, fmt.Sprintf(format, args...))
	}
	if r.Anchor != nil {
		line("anchor", "%s, fixed at %s Elo; intervals are of differences from it", format.Name(r.Anchor.Player), format.SignedOr(&r.Anchor.Elo, ""))
	}
	line("first move", "%s", r.OrderEffect.text(r.Confidence))
	line("draws", "%s", r.DrawParam.text())
	line("games", "%s", r.Evidence.text())
	line("ratings by", "%s: %s", r.Selected, modelWords(r.Selected))
	if r.Goodness.P != nil || r.Goodness.PAgain != nil {
		line("fit", "%s", r.Goodness.text())
	}
	fmt.Fprintln(w)
}

// text says which games depend on each other.
func (e Evidence) text() string {
	independent := format.NumberOf(e.Independent, "game") + " taken as independent of each other (no column pair)"
	if e.Clusters == 0 {
		return independent
	}
	words := "dependent in " + format.NumberOf(e.Clusters, "pair")
	if e.Openings > 0 {
		words = fmt.Sprintf("%s from %s; the games of an opening depend on each other", format.NumberOf(e.Pairs, "pair"), format.NumberOf(e.Openings, "opening"))
	}
	if e.Independent > 0 {
		words += "; " + independent
	}
	return words
}

func (e orderEffect) text(confidence float64) string {
	if e.Elo == nil {
		return "not estimated: " + e.Why
	}
	words := fmt.Sprintf("worth %s Elo to Black   [%s, %s]  %s", format.Elo(e.Elo, 0), format.Elo(e.Lo, -1), format.Elo(e.Hi, 1), format.PercentShort(confidence))
	if e.P != nil {
		words += fmt.Sprintf(", p = %s against no effect", format.PValue(*e.P))
	}
	return words
}

func (d drawParam) text() string {
	switch {
	case d.Value == nil:
		return d.Why
	case d.Model == "davidson":
		return fmt.Sprintf("Davidson's model: between equals %s are drawn", format.Percent(*d.Value/(2+*d.Value)))
	}
	return fmt.Sprintf("Rao and Kupper's model: between equals %s are drawn", format.Percent((*d.Value-1)/(*d.Value+1)))
}

func (g goodnessOfRating) text() string {
	if g.PAgain != nil {
		return fmt.Sprintf("results differ from the expected ones this much by chance with p = %s (%s played again)", format.PValue(*g.PAgain), format.NumberOf(g.Samples, "time"))
	}
	return fmt.Sprintf("results differ from the expected ones this much by chance with p = %s (approximate)", format.PValue(*g.P))
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

func (r *Report) printModels(w io.Writer) {
	t := format.Table("model", "log-likelihood", "numbers", "AIC", "AICc", "BIC", "weight", "what decides a game")
	t.SetColumnConfigs(format.RightAligned(2, 7))
	for _, m := range r.Models {
		weight := "–"
		if m.Weight != nil {
			weight = format.Percent(*m.Weight)
		}
		t.AppendRow(table.Row{
			m.Name, format.Decimal(m.LogLik, 2), m.K, format.Decimal(m.AIC, 2), format.Decimal(m.AICc, 2), format.Decimal(m.BIC, 2), weight, modelWords(m.Name),
		})
	}
	format.Render(w, t)
}

func (r *Report) printRemarks(w io.Writer) {
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "! %s\n", foreign.Printable(warning.Text.String(), 1000))
	}
}
