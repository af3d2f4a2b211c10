package match

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestTuneTrack: a track of a tune of any length has at most MaxTrack points. The latest point is among them. The
// others have a constant distance, which doubles when the track is full.
func TestTuneTrack(t *testing.T) {
	var track TuneTrack
	for n := 1; n <= 5000; n++ {
		track.Add(n, TunePoint{Pairs: n})
		testutil.Require(t, len(track.Points) <= MaxTrack && track.Points[n].Pairs == n, "after %d: %d points", n,
			len(track.Points))
	}
	for at := range track.Points {
		testutil.Check(t, at%track.Every == 0 || at == 5000, "block %d is kept, every %d are", at, track.Every)
	}
	testutil.Check(t, len(track.Points) >= MaxTrack/2, "only %d points", len(track.Points))
	before := track.Clone()
	track.Add(5001, TunePoint{})
	_, shared := before.Points[5001]
	testutil.Check(t, !shared, "a clone changes with what it is of")
}

// TestPlayedOpening: equal openings have equal texts, for any spelling of the usual start.
func TestPlayedOpening(t *testing.T) {
	t.Parallel()
	var moves []kifu.Move
	for _, text := range []string{"7g7f", "3c3d", "2g2f"} {
		m := testutil.Must(shogi.ParseMove(text))(t)
		moves = append(moves, kifu.Move{Move: m})
	}
	const usual, rook = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
		"lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"
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
		testutil.Check(t, got.String() == c.want && got.ID == "book:1", "%s, %d plies: %s, want %s", c.start, c.plies, got,
			c.want)
	}
}
