package recount

import (
	"fmt"
	"io"

	"github.com/jedib0t/go-pretty/v6/table"

	"gogi/internal/foreign"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/results/mending"
)

// printed is how many differences the text names; JSON has them all.
const printed = 20

// Text prints what was found, for a terminal.
func Text(w io.Writer, in phrases.Tongue, f *Found) {
	fmt.Fprintf(w, "%s\n\n", phrases.Say(in, "%s · %s in %s, %s", foreign.Printable(f.Run, 40), phrases.Number{N: f.Games, Noun: "game"}, phrases.Number{N: f.Pairs, Noun: "pair"}, f.replayed()))
	t := format.Table(phrases.Heads(in, "player", "games", "wins", "draws", "losses", "points")...)
	for _, p := range f.Sums.Players {
		all := p.all()
		t.AppendRow(table.Row{
			format.Name(p.Name), format.Count(all.Games()), format.Count(all.Wins), format.Count(all.Draws), format.Count(all.Losses), format.Points(p.Points),
		})
	}
	format.Render(w, t)
	fmt.Fprintln(w, f.openings().In(in))
	if f.Same() {
		fmt.Fprintln(w, phrases.Say(in, "Counted from the moves, the run is as its report says."))
		return
	}
	fmt.Fprintf(w, "\n%s\n", phrases.Say(in, "not as it should be:"))
	for _, d := range f.Differences[:min(len(f.Differences), printed)] {
		fmt.Fprintf(w, "  %s\n", foreign.Printable(told(d).In(in), 500))
	}
	if more := f.More + max(0, len(f.Differences)-printed); more > 0 {
		fmt.Fprintf(w, "  %s\n", phrases.Say(in, "and %s more", format.Count(more)))
	}
}

// told is a difference without the run, which is one.
func told(d mending.Problem) phrases.Said {
	if d.Pair >= 0 {
		return phrases.Of("pair %d: %s", d.Pair, d.What)
	}
	return phrases.Verbatim(d.What)
}

func (f *Found) replayed() phrases.Said {
	if f.Replayed == f.Pairs {
		return phrases.Of("every move replayed")
	}
	return phrases.Of("%s of them sound", format.Count(f.Replayed))
}

// openings says what is known of the book.
func (f *Found) openings() phrases.Said {
	if f.Book == 0 {
		return phrases.Of("The games were played elsewhere: there is no book to hold them against.")
	}
	if f.Openings < f.Book {
		return phrases.Of("%s of the book's %s openings were played; only all of them would prove that they\nare the plan's.", format.Count(f.Openings), format.Count(f.Book))
	}
	return phrases.Of("All of the book's %s were played.", phrases.Number{N: f.Book, Noun: "opening"})
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
