package match

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// However a book spelled the usual start, equal openings have equal texts.
func TestPlayedOpening(t *testing.T) {
	t.Parallel()
	var moves []kifu.Move
	for _, text := range []string{"7g7f", "3c3d", "2g2f"} {
		m := testutil.Must(shogi.ParseMove(text))(t)
		moves = append(moves, kifu.Move{Move: m})
	}
	const usual, rook = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
	for _, c := range []struct {
		start string
		plies int
		want  string
	}{
		{"startpos", 2, "startpos moves 7g7f 3c3d"},
		{usual, 2, "startpos moves 7g7f 3c3d"},
		{usual, 0, "startpos"},
		{"startpos", 9, "startpos moves 7g7f 3c3d 2g2f"},
		{rook, 0, "sfen " + rook},
	} {
		got := PlayedOpening(Row{OpeningID: "book:1", OpeningPlies: c.plies}, kifu.Record{Start: c.start, Moves: moves})
		testutil.Check(t, got.String() == c.want && got.ID == "book:1", "%s, %d plies: %s, want %s", c.start, c.plies, got, c.want)
	}
}
