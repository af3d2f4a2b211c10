package selfplay

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestMatesAsCentipawns: the player writes its mates as 16000 less the plies, as sjaakii does. Four games that end by
// checkmate show it, so these scores count as mates: no_mate leaves them out, and the statistics name the scale. Games
// with another end show nothing.
func TestMatesAsCentipawns(t *testing.T) {
	for result, want := range map[string]struct{ base, written, mates int }{
		"checkmate":   {16000, 4, 8},
		"resignation": {0, 12, 0},
	} {
		from := Source{Read: func(_ context.Context, n int) (*Block, string, error) {
			if n > 0 {
				return nil, "", fs.ErrNotExist
			}
			b := &Block{}
			for i := range 4 {
				b.Games = append(b.Games, mated(t, i, result))
			}
			return b, "hash", nil
		}}
		data := testData(t, "psv")
		data.NoMate = true
		m := testutil.Must(Make(t.Context(), t.TempDir(), from, 9, data))(t)
		s := m.Statistics
		testutil.Check(t, s.MateBase == want.base && s.Positions == want.written && s.Mates == want.mates,
			"%s: base %d, %d written, %d mates", result, s.MateBase, s.Positions, s.Mates)
		var text bytes.Buffer
		s.Print(&text)
		testutil.Equal(t, strings.Contains(text.String(), "written as centipawns, 16000 less the plies"), want.base > 0, "%s",
			text.String())
		testutil.Equal(t, s.Scores[len(s.Scores)-1].Count, want.mates, "winning mates of %s", result)
	}
}

// mated returns a game that Black won, with the score 15999 at the mating move.
func mated(t *testing.T, number int, result string) Game {
	t.Helper()
	g := Game{Start: fmt.Sprintf("4k4/9/8p/4P4/9/9/9/9/%dK%d b G 1", number+1, 7-number), Result: result, Winner: "black"}
	for k, move := range []string{"5d5c", "1c1d", "G*5b"} {
		score := []int{15997, 40, 15999}[k]
		g.Moves = append(g.Moves, kifu.Move{Move: testutil.Must(shogi.ParseMove(move))(t), Score: score, HasScore: true})
	}
	return g
}
