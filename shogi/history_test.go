package shogi

import (
	"fmt"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// play plays a line of moves and checks that each is legal.
func play(t *testing.T, h *History, line string) {
	t.Helper()
	for text := range strings.FieldsSeq(line) {
		m := testutil.Must(ParseMove(text))(t)
		testutil.OK(t, h.Position().CheckLegal(m))
		h.Push(m)
	}
}

// firstVerdict plays a line and returns the first verdict with its ply.
func firstVerdict(t *testing.T, h *History, line string) string {
	t.Helper()
	for text := range strings.FieldsSeq(line) {
		play(t, h, text)
		if v := h.Repetition(); v != RepetitionNone {
			return fmt.Sprintf("%v at ply %d", v, h.MoveCount())
		}
	}
	return "none"
}

func TestRepetition(t *testing.T) {
	for _, row := range testutil.CSV(t, "repetition.csv") {
		t.Run(row["name"], func(t *testing.T) {
			start := StartPos()
			if sfen, ok := strings.CutPrefix(row["position"], "sfen "); ok {
				start = mustParse(t, sfen)
			}
			testutil.Equal(t, firstVerdict(t, NewHistory(start), row["moves"]), row["expected"])
		})
	}
}

func TestOccurrences(t *testing.T) {
	h := NewHistory(StartPos())
	testutil.Equal(t, h.Repetition().String(), "none", "the start is a repetition: %v", h.Repetition())
	if n, _ := h.occurrences(); n != 1 {
		t.Errorf("the start occurs %d times", n)
	}
	for want := 2; want <= 6; want++ {
		play(t, h, "2h1h 8b9b 1h2h")
		if n, _ := h.occurrences(); n != want-1 {
			t.Errorf("before the last move: %d occurrences, want %d", n, want-1)
		}
		play(t, h, "9b8b")
		n, _ := h.occurrences()
		testutil.Equal(t, n, want, "occurrences")
	}
	if h.MoveCount() != 20 || len(h.Moves()) != 20 || h.Start().SFEN() != startSFEN {
		t.Errorf("%d moves from %s", h.MoveCount(), h.Start().SFEN())
	}
}

// TestPerpetualCheckBySide: the result of a repetition depends on which sides gave check. The test sets the checks,
// because no short game has all three cases.
func TestPerpetualCheckBySide(t *testing.T) {
	for want, checks := range map[Repetition][2]bool{
		RepetitionDraw:       {true, true},
		RepetitionBlackLoses: {true, false},
		RepetitionWhiteLoses: {false, true},
	} {
		h := NewHistory(StartPos())
		play(t, h, strings.Repeat("2h1h 8b9b 1h2h 9b8b ", 3))
		for i := range h.checks[1:] {
			h.checks[i+1] = checks[i%2]
		}
		testutil.Equal(t, h.Repetition(), want, "checks by black %v, by white %v", checks[0], checks[1])
	}
}

// TestRepetitionComparesPositions: positions with equal keys are no repetition unless the positions are equal.
func TestRepetitionComparesPositions(t *testing.T) {
	h := NewHistory(StartPos())
	play(t, h, "7g7f 3c3d 2g2f 8c8d")
	for i := range h.positions {
		h.positions[i].key = 1
	}
	n, _ := h.occurrences()
	testutil.Equal(t, n, 1, "occurrences of positions with colliding keys")
}

// TestPopTakesAMoveBack: after a Pop the history is as before the Push, so that a later perpetual check is found in the
// same way. EndsWith changes nothing.
func TestPopTakesAMoveBack(t *testing.T) {
	start := testutil.Must(ParseSFEN("4k4/9/9/9/9/9/9/5R3/3K5 b - 1"))(t)
	plain, tried := NewHistory(start), NewHistory(start)
	for _, text := range strings.Fields(strings.Repeat("4h5h 5a4a 5h4h 4a5a ", 3)) {
		m := testutil.Must(ParseMove(text))(t)
		for _, other := range tried.Position().LegalMoves(nil) {
			ends := tried.EndsWith(other)
			tried.Push(other)
			testutil.Equal(t, ends, !tried.Position().HasLegalMove() || tried.Repetition() != RepetitionNone, "%s", other)
			tried.Pop()
		}
		plain.Push(m)
		tried.Push(m)
		testutil.Check(t, *plain.Position() == *tried.Position() && plain.Repetition() == tried.Repetition() &&
			plain.MoveCount() == tried.MoveCount(),
			"after %s: %v, want %v", text, tried.Repetition(), plain.Repetition())
	}
	testutil.Check(t, plain.Repetition() == RepetitionBlackLoses, "%v", plain.Repetition())
}
