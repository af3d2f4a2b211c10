package mate_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/mate"
)

func at(t *testing.T, sfen string) *shogi.History {
	t.Helper()
	p := testutil.Must(shogi.ParseSFEN(sfen))(t)
	return shogi.NewHistory(p)
}

func moves(t *testing.T, text string) (list []shogi.Move) {
	t.Helper()
	for word := range strings.FieldsSeq(text) {
		m := testutil.Must(shogi.ParseMove(word))(t)
		list = append(list, m)
	}
	return list
}

// mates answers by the definition: does the attacker have a mate by checks within this number of plies?
func mates(p shogi.Position, plies int, attacks bool) bool {
	if !attacks && !p.HasLegalMove() {
		return true
	}
	if plies == 0 {
		return false
	}
	for _, m := range p.LegalMoves(nil) {
		if attacks && !p.GivesCheck(m) {
			continue
		}
		next := p
		next.Apply(m)
		if mates(next, plies-1, !attacks) == attacks {
			return attacks
		}
	}
	return !attacks
}

// TestSolveIsTheDefinition: for positions of random games, the answers of Solve agree with the definition of a mate.
func TestSolveIsTheDefinition(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := map[mate.Verdict]int{}
	for range 5 {
		h := at(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1")
		for range 200 {
			list := h.Position().LegalMoves(nil)
			if len(list) == 0 {
				break
			}
			h.Push(list[random.IntN(len(list))])
			got := mate.Solve(h, mate.Limits{Nodes: 300})
			found[got.Verdict]++
			short := mates(*h.Position(), 3, true)
			switch {
			case short && got.Verdict == mate.Escape, short && got.Verdict == mate.Mate && len(got.Line) == 0:
				t.Fatalf("%s: %v, and there is a mate in 3", h.Position().SFEN(), got)
			case got.Verdict == mate.Mate && !h.Position().EndsInMate(got.Line):
				t.Fatalf("%s: %v is no mate", h.Position().SFEN(), got.Line)
			case got.Verdict == mate.Mate && len(got.Line) <= 5 && !mates(*h.Position(), len(got.Line), true):
				t.Fatalf("%s: %v can be escaped from", h.Position().SFEN(), got.Line)
			}
			if got.Verdict == mate.Mate {
				if again := mate.Verify(h, got.Line, mate.Limits{Nodes: 2000}); again.Verdict != mate.Mate {
					t.Fatalf("%s: %v is not verified: %s", h.Position().SFEN(), got.Line, again.Why)
				}
			}
		}
	}
	testutil.Check(t, found[mate.Mate] >= 3 && found[mate.Escape] >= 300, "too little to learn from: %v", found)
}

// TestSolve has mates of known length from other tests of gogi.
func TestSolve(t *testing.T) {
	for _, test := range []struct {
		sfen    string
		verdict mate.Verdict
		plies   int
	}{
		{"4k4/9/4P4/9/9/9/9/9/9 b G 1", mate.Mate, 1},
		{"6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1", mate.Mate, 3},
		{"9/8k/4s3g/4l1SG1/9/9/9/9/9 b BG 1", mate.Mate, 5},
		{"4k4/4G4/4P4/9/9/9/9/9/9 w - 1", mate.Escape, 0}, // a mated side has no mate
		{"4k4/9/9/9/9/9/9/9/4K4 b P 1", mate.Escape, 0},
	} {
		got := mate.Solve(at(t, test.sfen), mate.Limits{Nodes: 10_000})
		testutil.Check(t, got.Verdict == test.verdict && len(got.Line) == test.plies, "%s: %v, %v", test.sfen, got.Verdict,
			got.Line)
	}
}

// TestVerify: Verify accepts a claimed mate only if it is a mate.
func TestVerify(t *testing.T) {
	const three, one = "6spk/5N3/9/4l4/7n1/9/9/9/9 b 2R 1", "4k4/9/4P4/9/9/9/9/9/9 b G 1"
	const escape = "4k4/9/3PP4/9/9/9/9/9/9 b 2G 1" // G*5b mates, G*4b does not
	line := mate.Solve(at(t, three), mate.Limits{}).Line
	text := func(list []shogi.Move) (s string) {
		for _, m := range list {
			s += m.String() + " "
		}
		return s
	}
	for name, test := range map[string]struct {
		sfen, line string
		limits     mate.Limits
		want       mate.Verdict
		why        string
	}{
		"a mate":           {three, text(line), mate.Limits{Nodes: 100}, mate.Mate, ""},
		"within the plies": {three, text(line), mate.Limits{Plies: 3}, mate.Mate, ""},
		"too long": {three, text(line), mate.Limits{Plies: 2}, mate.Unproven,
			"it may take 3 plies, and 2 are left"},
		"too many positions": {three, text(line), mate.Limits{Nodes: 1}, mate.Unproven, "not proven"},
		"illegal":            {one, "G*5c", mate.Limits{}, mate.Escape, "its move 1 (G*5c): "},
		"no check":           {one, "G*1a", mate.Limits{}, mate.Escape, "gives no check"},
		"no mate":            {one, "G*4b", mate.Limits{}, mate.Escape, "does not end in checkmate"},
		"nothing":            {one, "", mate.Limits{}, mate.Escape, "does not end in checkmate"},
		"the defender's own": {escape, "G*4b 5a6a", mate.Limits{}, mate.Escape, "does not end in checkmate"},
		// After G*4b the king may take the gold. The claimed line wrongly assumes that the king moves aside.
		"a helpful defender": {escape, "G*4b 5a6a G*6b", mate.Limits{}, mate.Escape, "after G*4b there is a way out"},
	} {
		got := mate.Verify(at(t, test.sfen), moves(t, test.line), test.limits)
		testutil.Check(t, got.Verdict == test.want && strings.Contains(got.Why, test.why), "%s: %v, %q", name, got.Verdict,
			got.Why)
	}
}

// TestTry: under the try rule a king that reaches its goal wins, also in the middle of a mate. The mates of these
// positions drive it over its goal 5i.
func TestTry(t *testing.T) {
	for _, sfen := range []string{"9/1K7/9/9/9/9/9/6RG1/4Sk3 b G 1", "6K2/9/9/9/9/9/9/3G2R2/S4k3 b G 1"} {
		h := at(t, sfen)
		testutil.Require(t, mates(*h.Position(), 3, true), "%s has no mate in 3", sfen)
		if got := mate.Solve(h, mate.Limits{}); got.Verdict != mate.Mate {
			t.Errorf("%s: %v", sfen, got.Verdict)
		}
		if got := mate.Solve(h, mate.Limits{Nodes: 10_000, Try: true}); got.Verdict == mate.Mate {
			t.Errorf("%s, try rule: %v", sfen, got.Line)
		}
	}
}

// TestAFourthOccurrenceIsNoWay: a check after which the position occurs for the fourth time ends the game and is no
// mate. The game of this test has this check three times.
func TestAFourthOccurrenceIsNoWay(t *testing.T) {
	h, cycle := at(t, "9/4K4/9/9/1R7/2G6/9/1k2S4/9 w G 2"), moves(t, "8h7h 8e2e 7h8h 2e8e")
	for times := 1; times <= 3; times++ {
		for _, m := range cycle[:3] {
			h.Push(m)
		}
		got := mate.Solve(h, mate.Limits{Nodes: 5000})
		testutil.Equal(t, got.Verdict == mate.Mate && got.Line[0] == cycle[3], (times < 3), "after %d times: %v %v", times,
			got.Verdict, got.Line)
		h.Push(cycle[3])
	}
}
