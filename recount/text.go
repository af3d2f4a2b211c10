package recount

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/results"
)

// printed is how many differences the text names; JSON has them all.
const printed = 20

// Text prints what was found, for a terminal.
func Text(w io.Writer, f *Found) {
	fmt.Fprintf(w, "%s · %s in %s, %s\n\n", foreign.Printable(f.Run, 40), format.NumberOf(f.Games, "game"), format.NumberOf(f.Pairs, "pair"), f.replayed())
	t := format.Table("player", "games", "wins", "draws", "losses", "points")
	for _, p := range f.Sums.Players {
		all := p.all()
		t.AppendRow(table.Row{
			format.Name(p.Name), format.Count(all.Games()), format.Count(all.Wins), format.Count(all.Draws), format.Count(all.Losses), format.Points(p.Points),
		})
	}
	format.Render(w, t)
	fmt.Fprintln(w, f.openings())
	if f.Same() {
		fmt.Fprintln(w, "Counted from the moves, the run is as its report says.")
		return
	}
	fmt.Fprintln(w, "\nnot as it should be:")
	for _, d := range f.Differences[:min(len(f.Differences), printed)] {
		fmt.Fprintf(w, "  %s\n", foreign.Printable(say(d), 500))
	}
	if more := f.More + max(0, len(f.Differences)-printed); more > 0 {
		fmt.Fprintf(w, "  and %s more\n", format.Count(more))
	}
}

// say is a difference without the run, which is one.
func say(d results.Problem) string {
	if d.Pair >= 0 {
		return fmt.Sprintf("pair %d: %s", d.Pair, d.What)
	}
	return d.What
}

func (f *Found) replayed() string {
	if f.Replayed == f.Pairs {
		return "every move replayed"
	}
	return fmt.Sprintf("%s of them sound", format.Count(f.Replayed))
}

// openings says what is known of the book.
func (f *Found) openings() string {
	if f.Book == 0 {
		return "The games were played elsewhere: there is no book to hold them against."
	}
	if f.Openings < f.Book {
		return fmt.Sprintf("%s of the book's %s openings were played; only all of them would prove that they\nare the plan's.", format.Count(f.Openings), format.Count(f.Book))
	}
	return fmt.Sprintf("All of the book's %s were played.", format.NumberOf(f.Book, "opening"))
}

// all are a player's games with either colour.
func (p *Player) all() Count {
	return Count{p.Black.Wins + p.White.Wins, p.Black.Draws + p.White.Draws, p.Black.Losses + p.White.Losses}
}

// JSON writes what was found as one JSON object.
func JSON(w io.Writer, f *Found) error {
	type difference struct {
		Pair *int   `json:"pair,omitempty"`
		What string `json:"what"`
	}
	list := []difference{}
	for _, d := range f.Differences {
		out := difference{What: d.What}
		if d.Pair >= 0 {
			out.Pair = &d.Pair
		}
		list = append(list, out)
	}
	return format.JSON(w, map[string]any{
		"version": 1, "run": f.Run, "digest": f.Digest, "same": f.Same(), "pairs": f.Pairs, "games": f.Games, "replayed_pairs": f.Replayed,
		"openings_played": f.Openings, "openings": f.Book, "plies": f.Sums.Plies, "players": f.players(), "pairings": f.pairings(), "terminations": f.ends(),
		"differences": list, "more_differences": f.More,
	})
}

func (f *Found) players() []any {
	list := []any{}
	for _, p := range f.Sums.Players {
		list = append(list, map[string]any{"name": p.Name, "points": p.Points, "black": p.Black.json(), "white": p.White.json()})
	}
	return list
}

func (n Count) json() map[string]int {
	return map[string]int{"wins": n.Wins, "draws": n.Draws, "losses": n.Losses}
}

func (f *Found) pairings() []any {
	list := []any{}
	for _, p := range f.Sums.Pairings {
		list = append(list, map[string]any{
			"a": p.A, "b": p.B, "pairs": p.Pairs, "points": p.Points, "wins": p.Wins, "draws": p.Draws, "losses": p.Losses,
			"pentanomial": map[string]int{"ll": p.Two.LL, "ld": p.Two.LD, "wl": p.Two.WL, "dd": p.Two.DD, "wd": p.Two.WD, "ww": p.Two.WW},
		})
	}
	return list
}

func (f *Found) ends() []any {
	list := []any{}
	for _, e := range f.Sums.Ends {
		list = append(list, map[string]any{"termination": e.Termination, "loser": e.Loser, "count": e.Games})
	}
	return list
}
