package text

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/report"
)

// printRanking prints more than two players by points, with their ratings.
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
			p.Place, p.Player, player.Limits, format.Count(p.Games), fmt.Sprintf("%d–%d–%d", player.Wins, player.Draws, player.Losses),
			format.Points(p.Points), score, RankedElo(p), RankedBounds(p),
		})
	}
	format.Render(w, t)
	for _, note := range i18n.Each(r.in, RankingNotes(r.Ranking)) {
		fmt.Fprintf(w, "  %s\n", note)
	}
	fmt.Fprintln(w)
}

// RankedElo is a player's rating, "–" if it has none.
func RankedElo(p report.Ranked) string {
	if p.Elo == nil {
		return "–"
	}
	return format.Elo(p.Elo, 0)
}

// RankedBounds is the interval of a player's rating; a bound that is missing is infinite.
func RankedBounds(p report.Ranked) string {
	if p.Lo == nil && p.Hi == nil {
		return "–"
	}
	return p.EloText()
}

// RankingNotes returns the player that ratings are measured from, and the missing figures.
func RankingNotes(k *report.Ranking) (notes []i18n.Message) {
	switch {
	case !k.Why.IsZero():
		return []i18n.Message{k.Why}
	case k.Confidence == 0:
		return nil
	case k.Anchor != "":
		notes = append(notes, i18n.Of("Elo: difference from %s, with its interval, as gogi rate has it", k.Anchor))
	default:
		notes = append(notes, i18n.Of("Elo: difference from the mean of all, with its interval, as gogi rate has it"))
	}
	if k.Selected {
		notes = append(notes, i18n.Of("The interval of the first place is not valid: its results chose that player (docs/matches.md)"))
	}
	for _, p := range k.Players {
		if !p.Why.IsZero() {
			notes = append(notes, i18n.Of("%s: %s", p.Player, p.Why))
		}
	}
	return notes
}
