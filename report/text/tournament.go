package text

import (
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/report"
)

// printTournament is the competition of a run whose design pairs by results.
func (r view) printTournament(w io.Writer) {
	t := r.Tournament
	if t.Design == match.DesignAdaptive {
		r.printRatings(w)
	} else {
		r.printStandings(w)
	}
	for _, round := range t.Rounds {
		r.printRound(w, round)
	}
	lines{w, r.in}.add(i18n.Of("Black's advantage"), Advantage(r.BlackAdvantage))
	fmt.Fprintln(w)
}

func (r view) printStandings(w io.Writer) {
	t := r.Tournament
	swiss := t.Swiss()
	out := r.table("place", "player", "start", "pairs", "points", "came to")
	if swiss {
		out = r.table("place", "player", "start", "pairs", "byes", "points", "Buchholz", "Sonneborn–Berger")
	}
	for i, s := range t.Standings {
		row := table.Row{t.PlaceOf(i), s.Player, s.Start, format.Count(s.Pairs)}
		if swiss {
			row = append(row, s.Byes, Points(s.Points), format.Decimal(s.Buchholz, 1), format.Decimal(s.Berger, 2))
		} else {
			row = append(row, Points(s.Points), s.Reached.In(r.in))
		}
		out.AppendRow(row)
	}
	format.Render(w, out)
}

// Points are points as tables have them: halves, and the tenths that some rules give.
func Points(points float64) string { return strconv.FormatFloat(points, 'f', 1, 64) }

func (r view) printRound(w io.Writer, round report.Round) {
	fmt.Fprintln(w, round.Name.In(r.in))
	for _, m := range round.Matches {
		fmt.Fprintf(w, "  %s\n", Match(m).In(r.in))
	}
	fmt.Fprintln(w)
}

// Match is one match of a tournament in a line.
func Match(m report.Meeting) i18n.Message {
	a, b := orUnknown(m.A), orUnknown(m.B)
	switch {
	case m.Bye:
		return i18n.Of("%s has a bye", a)
	case m.Pairs == 0:
		return i18n.Of("%s against %s", a, b)
	}
	said := i18n.Verbatim(fmt.Sprintf("%s %s–%s %s", a, Points(m.Points[0]), Points(m.Points[1]), b))
	if m.Pairs > 1 {
		said = i18n.Of("%s  (%s)", said, i18n.Number{N: m.Pairs, Noun: "pair"})
	}
	switch m.How {
	case tournament.ByTiebreak:
		return i18n.Of("%s  %s by a tie-break", said, m.Winner)
	case tournament.BySeed:
		return i18n.Of("%s  %s as the better seed: no pair decided it", said, m.Winner)
	case tournament.ByPoints, tournament.Undecided:
	}
	return said
}

func orUnknown(name string) string {
	if name == "" {
		return "?"
	}
	return name
}

// printRatings is the ranking of an adaptive design.
func (r view) printRatings(w io.Writer) {
	t := r.Tournament
	out := r.table("rank", "player", "pairs", "Elo", "±", "above the next")
	for i, p := range t.Ratings {
		above := "–"
		if p.Above != nil {
			above = format.Percent(*p.Above)
		}
		out.AppendRow(table.Row{i + 1, p.Player, format.Count(p.Pairs), fmt.Sprintf("%+.1f", p.Elo), fmt.Sprintf("%.1f", p.Within), above})
	}
	format.Render(w, out)
	for _, line := range format.Lines(RatingNote(t).In(r.in), noteWidth) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	fmt.Fprintln(w)
}

// noteWidth is how wide a line of a note is at most, in columns of the terminal.
const noteWidth = 78

// RatingNote explains the figures of an adaptive design.
func RatingNote(t *report.Tournament) i18n.Message {
	if len(t.Ratings) == 0 {
		return i18n.Of("no ratings: %s", t.Why)
	}
	from := i18n.Of("the mean")
	if t.Anchor != "" {
		from = i18n.Verbatim(t.Anchor)
	}
	return i18n.Of("Elo from %s, by Bradley–Terry with a prior of %s Elo; ± and the last column are of its posterior. They are no 95%% intervals: where pairs go by results, these were seen to hold the truth in 82%% to 99%% of cases (docs/matches.md).",
		from, fmt.Sprintf("%g", t.Spread))
}

// outline is a tournament's standings in short lines, for a block of text.
func (r view) outline() []string {
	t := r.Tournament
	var list []string
	for i, s := range t.Standings {
		words := []string{t.PlaceOf(i), s.Player, r.say("%s points", Points(s.Points)), i18n.Number{N: s.Pairs, Noun: "pair"}.In(r.in)}
		if !s.Reached.IsZero() {
			words = append(words, s.Reached.In(r.in))
		}
		list = append(list, r.block("place", i18n.Verbatim(strings.Join(words, " | "))))
	}
	return list
}
