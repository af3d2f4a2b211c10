package goban

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// position is a board from a picture whose lines begin with the one of the upper left corner.
func position(t *testing.T, picture string) *Board {
	t.Helper()
	b := &Board{}
	for i, row := range strings.Fields(picture) {
		for column, stone := range row {
			p, ok := At(column, Size-1-i)
			colour, stands := map[rune]Colour{'X': Black, 'O': White}[stone]
			if !ok || !stands {
				continue
			}
			testutil.OK(t, b.Put(Move{colour, p}))
		}
	}
	return b
}

func point(t *testing.T, name string) Point {
	t.Helper()
	p := testutil.Must(ParsePoint(name))(t)
	return p
}

// The captures are those of any book for beginners.
func TestPlay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		picture, move string
		taken         int
		err           error
	}{
		"corner":          {"OX .", "A18", 1, nil},
		"two groups":      {"XOX OXO .", "", 0, ErrColour},
		"suicide":         {".X X.", "A19", 0, ErrSuicide},
		"capture at once": {".OX OX. X..", "A19", 2, nil},
		"occupied":        {"X", "A19", 0, ErrOccupied},
		"pass":            {"X", "pass", 0, nil},
	} {
		b := position(t, c.picture)
		before := *b
		m := Move{Colour: Black, Point: Pass}
		switch name {
		case "suicide", "occupied":
			m.Colour = White
		case "two groups":
			m.Colour = Empty
		}
		if c.move != "" {
			m.Point = point(t, c.move)
		}
		taken, err := b.Play(m)
		if taken != c.taken || !errors.Is(err, c.err) {
			t.Errorf("%s: %d taken, %v; expected %d, %v", name, taken, err, c.taken, c.err)
		}
		if err != nil && *b != before {
			t.Errorf("%s: a refused move has changed the board", name)
		}
	}
}

func TestKo(t *testing.T) {
	t.Parallel()
	b := position(t, ".XO. X.XO .XO.")
	if taken, err := b.Play(Move{White, point(t, "B18")}); taken != 1 || err != nil {
		t.Fatalf("%d taken, %v", taken, err)
	}
	if _, err := b.Play(Move{Black, point(t, "C18")}); !errors.Is(err, ErrKo) {
		t.Errorf("taking back at once: %v", err)
	}
	for _, m := range []Move{{Black, point(t, "K10")}, {White, point(t, "K11")}, {Black, point(t, "C18")}} {
		if _, err := b.Play(m); err != nil {
			t.Errorf("%s after a threat: %v", m, err)
		}
	}
}

// TestBoardLaw: whatever is played, every group on the board has a liberty, and a refused move changes nothing.
func TestBoardLaw(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var b Board
		side := Black
		for range 200 {
			before := b
			// A corner of the board, where stones are taken all the time.
			p, _ := At(rapid.IntRange(0, 3).Draw(t, "column"), rapid.IntRange(0, 3).Draw(t, "line"))
			count := stones(&b)
			taken, err := b.Play(Move{side, p})
			if err != nil {
				if b != before {
					t.Fatal("a refused move has changed the board")
				}
				continue
			}
			if stones(&b) != count+1-taken {
				t.Fatalf("%d stones, then %d with %d taken", count, stones(&b), taken)
			}
			for q := range Point(Size * Size) {
				if b.Stone(q) == Empty {
					continue
				}
				if _, liberties := b.group(q); liberties == 0 {
					t.Fatalf("%s has no liberty after %s", q, Move{side, p})
				}
			}
			side = side.Other()
		}
	})
}

func stones(b *Board) (n int) {
	for _, c := range b.stones {
		if c != Empty {
			n++
		}
	}
	return n
}

// TestPointLaw: each point reads as it is written, in any case, and nothing else is a point.
func TestPointLaw(t *testing.T) {
	t.Parallel()
	for p := Pass; p < Size*Size; p++ {
		for _, text := range []string{p.String(), strings.ToLower(p.String())} {
			if got, err := ParsePoint(text); got != p || err != nil {
				t.Errorf("%q: %v, %v", text, got, err)
			}
		}
	}
	for _, text := range []string{"", "I5", "i5", "A0", "A01", "A+1", "T20", "U1", "A", "5", "passe", "A1 ", "Ａ1"} {
		if p, err := ParsePoint(text); err == nil {
			t.Errorf("%q is %s", text, p)
		}
	}
}
