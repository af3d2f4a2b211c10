package openings

import (
	"context"
	"slices"
	"testing"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/usi"
)

// TestAllLines: the numbers of lines are those of perft from the start position: 30 and 900. No two lines of two moves
// lead to the same position. Two lines of three moves do (7g7f 3c3d 2g2f and 2g2f 3c3d 7g7f), so AllLines returns one
// of them.
func TestAllLines(t *testing.T) {
	t.Parallel()
	for plies, want := range map[int]int{0: 1, 1: 30, 2: 900} {
		lines, err := AllLines("startpos", plies)
		testutil.Check(t, err == nil && len(lines) == want, "%d plies: %d lines, %v, expected %d", plies, len(lines), err,
			want)
	}
	three, err := AllLines("startpos", 3)
	texts := lists.Map(three, Text)
	a, b := "startpos moves 7g7f 3c3d 2g2f", "startpos moves 2g2f 3c3d 7g7f"
	testutil.Check(t, err == nil && slices.Contains(texts, a) != slices.Contains(texts, b) && len(three) < 25470,
		"%d lines of three moves, %v: expected fewer than perft's 25470, and one of %q and %q", len(three), err, a, b)
	testutil.Fails(t, testutil.Err(AllLines("startpos", 4)), "", "719731 lines were made")
}

// given returns the lines that these texts describe.
func given(t *testing.T, texts ...string) (lines []usi.Position) {
	t.Helper()
	for _, text := range texts {
		line := testutil.Must(usi.ParsePosition(text))(t)
		lines = append(lines, line)
	}
	return lines
}

// TestGiven: the engine scores the start 30 for Black, and the position after n moves n·50 for White. For Black, the
// ends of the lines thus score −50, −100 and −150. With a centre of −60 and a window of 50, the Maker keeps the second
// line. Its scores are −100 with Black to move and −50 with White to move.
func TestGiven(t *testing.T) {
	t.Parallel()
	asked := 0
	answer := func(p usi.Position) (usi.Reply, error) {
		asked++
		score := 50 * len(p.Moves) // for the side to move, which is White after an odd number of moves
		if len(p.Moves)%2 == 0 {
			score = -score
		}
		if len(p.Moves) == 0 {
			score = 30
		}
		return usi.Reply{Answer: usi.AnswerMove, Lines: []usi.Info{info("7g7f", score)}}, nil
	}
	m := Maker{
		Design: Design{Window: 50, Centre: -60, Nodes: 1}, Wanted: 10, Slots: 1,
		Given: given(t, "startpos moves 7g7f", "startpos moves 7g7f 3c3d", "startpos moves 7g7f 3c3d 2g2f", "startpos"),
		Open:  func(context.Context) (Thinker, error) { return scripted{answer: answer}, nil },
	}
	var found []string
	m.Found = func(o Opening) error { found = append(found, o.String()); return nil }
	tried := 0
	m.Tried = func(n, _ int) { tried = n }
	testutil.OK(t, m.Run(t.Context(), nil))
	testutil.Slices(t, []string{"startpos moves 7g7f 3c3d # 1 -100 -50"}, found)
	testutil.Check(t, asked == 7 && tried == 4 && m.Refused == (Refused{Unequal: 3}),
		"%d searches, %d lines tried, %+v", asked, tried, m.Refused)
}
