package shogi_test

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
)

func TestEndsInMate(t *testing.T) {
	for _, test := range []struct {
		name, sfen, moves string
		want              bool
	}{
		{"a gold before the king", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5b", true},
		{"nobody holds the gold", "4k4/9/9/9/9/9/9/9/4K4 b G 1", "G*5b", false},
		{"no check", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "G*5h", false},
		{"nothing", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "", false},
		{"the other side's move is the last", "4k4/9/4P4/9/9/9/9/9/4K4 b 2G 1", "G*4b 5a6a", false},
		// the tests of sparring prove it by all replies
		{"three plies", "6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1", "R*1c 1a2b R*1b", true},
		{"its first ply alone", "6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1", "R*1c", false},
		{"an illegal move", "4k4/9/4P4/9/9/9/9/9/4K4 b G 1", "S*5b", false},
		// The king cannot move and is not in check: White has lost, but not by checkmate.
		{"no move left, but no check", "k8/1P7/1G7/9/9/9/9/9/8K b G 1", "G*2b", false},
	} {
		p := testutil.Must(shogi.ParseSFEN(test.sfen))(t)
		var moves []shogi.Move
		for _, word := range strings.Fields(test.moves) {
			m := testutil.Must(shogi.ParseMove(word))(t)
			moves = append(moves, m)
		}
		before := p
		if got := p.EndsInMate(moves); got != test.want || p != before {
			t.Errorf("%s: %t, want %t; position changed: %t", test.name, got, test.want, p != before)
		}
	}
}
