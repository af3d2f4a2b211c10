package ratings

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/internal/sanitize"
	"gogi/stats/rating"
)

// Print writes the ratings as text for a terminal, in the given language.
func (r *Report) Print(w io.Writer, in i18n.Language) {
	title := i18n.Of("%s · %s", i18n.Number{N: len(r.Players), Noun: "player"}, i18n.Number{N: r.Games, Noun: "game"})
	if r.Rated < r.Games {
		title = i18n.Of("%s · %s of them between players rated", title, format.Count(r.Rated))
	}
	if r.Handicapped > 0 {
		title = i18n.Of("%s · %s with a handicap", title, format.Count(r.Handicapped))
	}
	if r.Drawn > 0 {
		title = i18n.Of("%s · %s drawn", title, format.Count(r.Drawn))
	}
	head := title.In(in)
	fmt.Fprintf(w, "%s\n%s\n\n", head, strings.Repeat("═", format.Width(head)))
	r.printPlayers(w, in)
	r.printHandicaps(w, in)
	r.printPredictions(w, in)
	r.printComparisons(w, in)
	if r.More != nil {
		r.More(w, in)
	}
	r.printEffects(w, in)
	r.printModels(w, in)
	r.printRemarks(w, in)
}

func (r *Report) printPlayers(w io.Writer, in i18n.Language) {
	header := append([]any{""}, i18n.Heads(in, "player", r.ScaleName(), "points", "games")...)
	if r.Intervals != "" {
		header = append(header, i18n.Say(in, "%s interval", format.PercentShort(r.Confidence)))
	}
	t := format.Table(header...)
	t.SetColumnConfigs(append(format.RightAligned(3, 6), table.ColumnConfig{Number: 1, Align: text.AlignRight}))
	for i, p := range r.Players {
		row := table.Row{i + 1, format.Name(p.Name), "–", "–", format.Count(p.Games), ""}
		if p.Points == nil {
			row[0] = "" // a player without a rating has no place
		} else {
			row[3] = format.Points(*p.Points)
		}
		if p.Rating != nil {
			row[2] = format.Elo(p.Rating, 0)
		}
		if p.Lo != nil || p.Hi != nil {
			row[5] = p.EloText()
		}
		t.AppendRow(row[:len(header)])
	}
	format.Render(w, t)
	r.printWhyNot(w, in)
}

// ScaleName returns the heading of the ratings, in English.
func (r *Report) ScaleName() string {
	switch r.Scale {
	case rating.ScaleOrder:
		return i18n.Phrase("order")
	case rating.ScaleDavidson:
		return "Davidson"
	case rating.ScaleElo:
	}
	return "Elo"
}

// AboutScale explains ratings that are not Elo. For Elo it is the zero Message.
func (r *Report) AboutScale() i18n.Message {
	switch r.Scale {
	case rating.ScaleOrder:
		return i18n.Of("400 points of \"order\" are a score of 10/11 in games in which the first move is worth nothing; for Elo use --model bt, or --pairwise for two players")
	case rating.ScaleDavidson:
		return i18n.Of("400 points of \"Davidson\" are 10 wins for each loss, without the draws; for Elo use --draws half, or --pairwise for two players")
	case rating.ScaleElo:
	}
	return i18n.Message{}
}

// printWhyNot writes the reasons for figures that are missing from the table.
func (r *Report) printWhyNot(w io.Writer, in i18n.Language) {
	missing := false
	for _, p := range r.Players {
		if p.Rating == nil {
			missing = true
			fmt.Fprintln(w, i18n.Say(in, "%s has no rating: %s", format.Name(p.Name), p.Why))
		}
	}
	if missing {
		fmt.Fprintln(w)
	}
}

func (r *Report) printPredictions(w io.Writer, in i18n.Language) {
	if len(r.Predictions) == 0 {
		return
	}
	t := format.Table(append(append(i18n.Heads(in, "prediction", "handicap", "expected points"),
		i18n.Say(in, "%s interval", format.PercentShort(r.Confidence))), i18n.Heads(in, "wins", "draws", "loses")...)...)
	for _, p := range r.Predictions {
		handicap := i18n.Say(in, "even")
		if p.Handicap > 0 {
			handicap = strconv.Itoa(p.Handicap)
		}
		row := table.Row{i18n.Say(in, "%s against %s", format.Name(p.A), format.Name(p.B)), handicap, "–", p.Why.In(in), "–",
			"–", "–"}
		if p.Score != nil {
			row[2] = format.Percent(*p.Score)
			row[4], row[5], row[6] = format.Percent(*p.Win), format.Percent(*p.Draw), format.Percent(*p.Loss)
		}
		if p.Lo != nil && p.Hi != nil {
			row[3] = fmt.Sprintf("[%s, %s]", format.Percent(*p.Lo), format.Percent(*p.Hi))
		}
		t.AppendRow(row)
	}
	format.Render(w, t)
}

func (r *Report) printComparisons(w io.Writer, in i18n.Language) {
	if len(r.Comparisons) == 0 {
		return
	}
	t := format.Table(append(i18n.Heads(in, "comparison", "Elo", "standard error", "p", "p by Holm"),
		i18n.Say(in, "%s for all at once", format.PercentShort(r.Confidence)))...)
	for _, c := range r.Comparisons {
		t.AppendRow(table.Row{
			format.Name(c.A) + " – " + format.Name(c.B), format.Elo(c.Elo, 0), format.Decimal(c.SE, 1),
			format.Or(c.P, format.PValue), format.Or(c.PHolm, format.PValue),
			c.EloText(),
		})
	}
	format.Render(w, t)
}

func (r *Report) printHandicaps(w io.Writer, in i18n.Language) {
	if len(r.Handicaps) == 0 {
		return
	}
	t := format.Table(i18n.Heads(in, "handicap", "games", "receiver's points", "worth in Elo")...)
	for _, h := range r.Handicaps {
		name, worth := strconv.Itoa(h.Handicap), i18n.Say(in, "depends")
		switch {
		case h.Handicap == 0:
			name = i18n.Say(in, "none (Black's points)")
		case h.Name != "":
			name += " " + h.Name
		}
		switch {
		case h.Elo != nil && *h.Elo == 0:
			worth = "0"
		case h.Elo != nil:
			worth = format.Elo(h.Elo, 0)
		}
		t.AppendRow(table.Row{name, format.Count(h.Games),
			fmt.Sprintf("%s (%s)", format.Points(h.Points), format.Share(h.Points, h.Games)), worth})
	}
	format.Render(w, t)
	r.printParams(w, in)
}

// printParams writes the selected model's estimates that are not strengths.
func (r *Report) printParams(w io.Writer, in i18n.Language) {
	t := format.Table(append(i18n.Heads(in, "number", "estimate", "standard error"),
		i18n.Say(in, "%s interval", format.PercentShort(r.Confidence)), "")...)
	for _, m := range r.Models {
		if m.Name != r.Selected {
			continue
		}
		for _, p := range m.Params {
			interval := fmt.Sprintf("[%s, %s]", format.SignedOr(p.Lo, "−∞"), format.SignedOr(p.Hi, "+∞"))
			t.AppendRow(table.Row{p.Name, format.SignedOr(p.Value, "–"), format.SignedOr(p.SE, "–"), interval, p.Why.In(in)})
		}
	}
	if t.Length() > 0 {
		format.Render(w, t)
	}
}

// effectWidth is the width of an effect's name, in terminal columns.
const effectWidth = 16

func (r *Report) printEffects(w io.Writer, in i18n.Language) {
	line := func(label, message i18n.Message) {
		fmt.Fprintf(w, "%s %s\n", format.Pad(label.In(in), effectWidth), message.In(in))
	}
	if r.Anchor != nil {
		line(i18n.Of("anchor"), i18n.Of("%s, fixed at %s; intervals are of differences from it", format.Name(r.Anchor.Player),
			format.SignedOr(&r.Anchor.Elo, "")))
	}
	if about := r.AboutScale(); !about.IsZero() {
		line(i18n.Of("scale"), about)
	}
	line(i18n.Of("first move"), r.OrderEffect.text(r.Confidence))
	line(i18n.Of("draws"), r.DrawParam.text())
	line(i18n.Of("games"), r.Evidence.text())
	if r.Sessions.inModel() != nil {
		line(i18n.Of("sessions"), r.Sessions.text())
	}
	line(i18n.Of("ratings by"), i18n.Of("%s: %s", r.Selected, i18n.Of(ModelWords(r.Selected))))
	if r.Goodness.PAgain != nil {
		line(i18n.Of("fit"), r.Goodness.text(r.Selected))
	}
	fmt.Fprintln(w)
}

// text returns text about the numbers of independent and dependent games.
func (e Evidence) text() i18n.Message {
	independent := i18n.Of("%s taken as independent of each other (no column pair)",
		i18n.Number{N: e.Independent, Noun: "game"})
	if e.Clusters == 0 {
		return independent
	}
	message := i18n.Of("dependent in %s", i18n.Number{N: e.Clusters, Noun: "pair"})
	if e.Openings > 0 {
		message = i18n.Of("%s from %s; the games of an opening depend on each other", i18n.Number{N: e.Pairs, Noun: "pair"},
			i18n.Number{N: e.Openings, Noun: "opening"})
	}
	if e.Independent > 0 {
		message = i18n.Of("%s; %s", message, independent)
	}
	return message
}

func (e orderEffect) text(confidence float64) i18n.Message {
	if e.Elo == nil {
		return i18n.Of("not estimated: %s", e.Why)
	}
	message := i18n.Of("worth %s Elo to Black   [%s, %s]  %s", format.Elo(e.Elo, 0), format.Elo(e.Lo, -1),
		format.Elo(e.Hi, 1), format.PercentShort(confidence))
	if e.P != nil {
		message = i18n.Of("%s, p = %s against no effect", message, format.PValue(*e.P))
	}
	return message
}

func (d drawParam) text() i18n.Message {
	if d.Value == nil {
		return d.Why
	}
	return i18n.Of("Davidson's model: between equals %s are drawn", format.Percent(*d.Value/(2+*d.Value)))
}

// text returns text about the test of a model. It has the name of the model if this is not the selected one.
func (g goodnessOfRating) text(selected string) i18n.Message {
	message := i18n.Of("results differ from the expected ones this much by chance with p = %s (%s played again)",
		format.PValue(*g.PAgain), i18n.Number{N: g.Samples, Noun: "time"})
	if g.Model != selected {
		return i18n.Of("of model %s: %s", g.Model, message)
	}
	return message
}

func (r *Report) printModels(w io.Writer, in i18n.Language) {
	t := format.Table(i18n.Heads(in, "model", "log-likelihood", "parameters", "AIC", "AICc", "BIC", "weight",
		"model of a game")...)
	t.SetColumnConfigs(format.RightAligned(2, 7))
	for _, m := range r.Models {
		t.AppendRow(table.Row{
			m.Name, format.Decimal(m.LogLik, 2), m.K, format.Decimal(m.AIC, 2), format.Decimal(m.AICc, 2),
			format.Decimal(m.BIC, 2), format.Or(m.Weight, format.Percent), i18n.Say(in, ModelWords(m.Name)),
		})
	}
	format.Render(w, t)
}

func (r *Report) printRemarks(w io.Writer, in i18n.Language) {
	for _, warning := range r.Warnings {
		fmt.Fprintf(w, "! %s\n", sanitize.Printable(warning.Text.In(in), 1000))
	}
}
