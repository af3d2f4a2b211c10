package shogi

import (
	"testing"

	"gogi/internal/testutil"
)

func TestMoveLayout(t *testing.T) {
	for text, want := range map[string]Move{
		"7g7f":  60<<7 | 59,
		"8h2b+": 1<<15 | 70<<7 | 10,
		"P*5e":  1<<14 | 1<<7 | 40,
		"G*1a":  1<<14 | 7<<7,
		"9i9a":  80<<7 | 72,
	} {
		m, err := ParseMove(text)
		if err != nil || m != want {
			t.Errorf("%s: %#x, %v, want %#x", text, uint16(m), err, uint16(want))
		}
		testutil.Check(t, m.String() == text, "%s comes back as %s", text, m)
	}
}

func TestParseMoveErrors(t *testing.T) {
	for in, want := range map[string]string{
		"":        `move "" has 0 characters: expected a move such as "7g7f", "4e3c+" or "P*3d"`,
		"resign":  "has 6 characters",
		"7六歩(77)": "has 7 characters",
		"0g7f":    "character 1: expected a file from 1 to 9, not '0'",
		"7j7f":    "character 2: expected a rank from a to i, not 'j'",
		"7G7f":    "character 2: expected a rank from a to i, not 'G'",
		"7gxf":    "character 3: expected a file from 1 to 9, not 'x'",
		"7g7":     "has 3 characters",
		"7g7z":    "character 4: expected a rank from a to i, not 'z'",
		"7g7g":    "ends where it starts",
		"7g7f=":   "character 5: expected '+' or nothing, not '='",
		"p*3d":    "character 1: expected a piece to drop, one of PLNSBRG in upper case, not 'p'",
		"K*3d":    "not 'K'",
		"P@3d":    "character 1: expected a file from 1 to 9, not 'P'",
		"P*3k":    "character 4: expected a rank from a to i, not 'k'",
		"P*3d+":   "character 5: expected nothing after a drop, not '+'",
		"none":    "character 1",
	} {
		testutil.Fails(t, testutil.Err(ParseMove(in)), want, "%q", in)
	}
}

func FuzzParseMove(f *testing.F) {
	for _, s := range []string{"7g7f", "4e3c+", "P*3d", "", "none", "P*3d+", "7g7g", "７六歩"} {
		f.Add(s)
	}
	p := StartPos()
	f.Fuzz(func(t *testing.T, s string) {
		m, err := ParseMove(s)
		if err != nil {
			return
		}
		testutil.Check(t, m.String() == s, "%q comes back as %q", s, m)
		_ = p.CheckLegal(m)
	})
}

// TestMoveMarshalText: every number of a Move either has a text that is parsed as the same move, or MarshalText returns
// an error.
func TestMoveMarshalText(t *testing.T) {
	written := 0
	for m := range Move(1<<16 - 1) {
		text, err := m.MarshalText()
		parsed, parseErr := ParseMove(m.String())
		if sound := parseErr == nil && parsed == m; sound != (err == nil) {
			t.Fatalf("%#x (%s): %v", uint16(m), m, err)
		}
		if err != nil {
			continue
		}
		written++
		var back Move
		if string(text) != m.String() || back.UnmarshalText(text) != nil || back != m {
			t.Fatalf("%#x: %s reads as %v", uint16(m), text, back)
		}
	}
	// Moves lead from 81 squares to 80 others, with and without promotion. Seven kinds of pieces can be dropped on 81
	// squares.
	testutil.Equal(t, 2*81*80+7*81, written, "moves have a text")
	var m Move
	testutil.Fails(t, m.UnmarshalText([]byte("none")), "", "none was read")
}
