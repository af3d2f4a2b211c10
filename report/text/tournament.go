package text

import (
	"fmt"
	"io"
	"strconv"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/tournament"
	"gogi/report"
)

// printTournament writes the standings and rounds of a run with a design that chooses pairings by results.
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

// Points returns points as text with one decimal, because some rules give tenths of a point.
func Points(points float64) string { return strconv.FormatFloat(points, 'f', 1, 64) }

func (r view) printRound(w io.Writer, round tournament.Round) {
	fmt.Fprintln(w, round.Name.In(r.in))
	for _, m := range round.Matches {
		fmt.Fprintf(w, "  %s\n", Match(m).In(r.in))
	}
	fmt.Fprintln(w)
}

// Match returns one line of text with the players and the result of a tournament match.
func Match(m tournament.Meeting) i18n.Message {
	a, b := orUnknown(m.A), orUnknown(m.B)
	switch {
	case m.Bye:
		return i18n.Of("%s has a bye", a)
	case m.Pairs == 0:
		return i18n.Of("%s against %s", a, b)
	}
	message := i18n.Verbatim(fmt.Sprintf("%s %s–%s %s", a, Points(m.Points[0]), Points(m.Points[1]), b))
	if m.Pairs > 1 {
		message = i18n.Of("%s  (%s)", message, i18n.Number{N: m.Pairs, Noun: "pair"})
	}
	switch m.How {
	case tournament.ByTiebreak:
		return i18n.Of("%s  %s by a tie-break", message, m.Winner)
	case tournament.BySeed:
		return i18n.Of("%s  %s as the better seed: no pair decided it", message, m.Winner)
	case tournament.ByPoints, tournament.Undecided:
	}
	return message
}

func orUnknown(name string) string {
	if name == "" {
		return "?"
	}
	return name
}

// printRatings writes the ranking of an adaptive design.
func (r view) printRatings(w io.Writer) {
	t := r.Tournament
	out := r.table("rank", "player", "pairs", "Elo", "±", "above the next")
	for i, p := range t.Ratings {
		out.AppendRow(table.Row{i + 1, p.Player, format.Count(p.Pairs), fmt.Sprintf("%+.1f", p.Elo),
			fmt.Sprintf("%.1f", p.Within), format.Or(p.Above, format.Percent)})
	}
	format.Render(w, out)
	for _, line := range format.Lines(RatingNote(t).In(r.in), noteWidth) {
		fmt.Fprintf(w, "  %s\n", line)
	}
	fmt.Fprintln(w)
}

// noteWidth is the largest width of a note's lines, in terminal columns.
const noteWidth = 78

// RatingNote returns a note that explains the ratings of an adaptive design, which chooses pairings by
// earlier results.
func RatingNote(t *report.Tournament) i18n.Message {
	if len(t.Ratings) == 0 {
		return i18n.Of("no ratings: %s", t.Why)
	}
	from := i18n.Of("the mean")
	if t.Anchor != "" {
		from = i18n.Verbatim(t.Anchor)
	}
	return i18n.Of("Elo from %s, by Bradley–Terry with a prior of %s Elo; ± and the last column are posterior. They are no 95%% intervals: after adaptive pairing they contained the true value in 82%% to 99%% of simulations (docs/matches.md).",
		from, fmt.Sprintf("%g", t.Spread))
}

// printRanking writes the ranking of more than two players by points, with their ratings.
func (r view) printRanking(w io.Writer) {
	t := r.table("place", "player", "limits", "games", "W–D–L", "points", "score", "Elo", "95%")
	of := map[string]*report.Player{}
	for i := range r.Players {
		of[r.Players[i].Name] = &r.Players[i]
	}
	for _, p := range r.Ranking.Players {
		player := of[p.Player]
		score := "–"
		if p.Games > 0 {
			score = format.Percent(p.Points / float64(p.Games))
		}
		t.AppendRow(table.Row{
			p.Place, p.Player, player.Limits, format.Count(p.Games),
			fmt.Sprintf("%d–%d–%d", player.Wins, player.Draws, player.Losses),
			format.Points(p.Points), score, RankedElo(p), RankedBounds(p),
		})
	}
	format.Render(w, t)
	for _, note := range i18n.Each(r.in, RankingNotes(r.Ranking)) {
		fmt.Fprintf(w, "  %s\n", note)
	}
	fmt.Fprintln(w)
}

// RankedElo returns the text of a player's rating, or "–" if the player has no rating.
func RankedElo(p report.Ranked) string {
	if p.Elo == nil {
		return "–"
	}
	return format.Elo(p.Elo, 0)
}

// RankedBounds returns the interval of a player's rating as text. A missing bound is printed as infinite.
func RankedBounds(p report.Ranked) string {
	if p.Lo == nil && p.Hi == nil {
		return "–"
	}
	return p.EloText()
}

// RankingNotes returns notes on the ranking: the anchor of the ratings, and the reasons for missing figures.
func RankingNotes(k *report.Ranking) (notes []i18n.Message) {
	switch {
	case !k.Why.IsZero():
		return []i18n.Message{k.Why}
	case k.Confidence == 0:
		return nil
	case k.Anchor != "":
		notes = append(notes, i18n.Of("Elo: difference from %s, with its interval, as in gogi rate", k.Anchor))
	default:
		notes = append(notes, i18n.Of("Elo: difference from the mean of all, with its interval, as in gogi rate"))
	}
	if k.Selected {
		notes = append(notes,
			i18n.Of("The interval of the first place is not valid: its results chose that player (docs/matches.md)"))
	}
	for _, p := range k.Players {
		if !p.Why.IsZero() {
			notes = append(notes, i18n.Of("%s: %s", p.Player, p.Why))
		}
	}
	return notes
}
