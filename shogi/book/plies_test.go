package book

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
)

// pliesDB has one position under the move numbers 10, 2 and 4, in the order of YaneuraOu's texts. At number 2 YaneuraOu
// plays 3c3d in 12 of 12 games; with IgnoreBookPly it plays all three moves.
const pliesDB = dbHeader + "\nsfen " + after7g7f + " 10\n4a3b none 20 20 7\n8c8d none 5 20 1\n" +
	"sfen " + after7g7f + " 2\n3c3d 2g2f 10 20 5\nsfen " + after7g7f + " 4\n8c8d none -5 22 2\n"

// movesAt returns the moves with counts that the book has for the position of pliesDB at a move number.
func movesAt(t *testing.T, b *Book, ply string) (text string) {
	t.Helper()
	p := position(t, after7g7f+" "+ply)
	e := b.Find(&p)
	if e == nil {
		return "none"
	}
	for _, m := range e.Moves {
		text += " " + m.Move.String() + strings.Repeat("+", m.Count)
	}
	return strings.TrimSpace(text)
}

// TestPlies: the entry with the exact move number answers first, else all entries together. A conversion from db to db
// changes neither the answers nor the moves that a seed draws. The other formats keep one entry, and Renumbered counts
// the positions that change.
func TestPlies(t *testing.T) {
	t.Parallel()
	b := parsed(t, "db", pliesDB)
	want := map[string]string{"2": "3c3d+++++", "4": "8c8d++", "10": "4a3b+++++++ 8c8d+",
		"6": "3c3d+++++ 8c8d+++ 4a3b+++++++"}
	again := written(t, "db", b)
	for name, book := range map[string]*Book{"read": b, "converted": parsed(t, "db", again)} {
		for ply, moves := range want {
			testutil.Equal(t, movesAt(t, book, ply), moves, "%s at %s", name, ply)
		}
		testutil.Equal(t, book.Renumbered(), 1, name)
	}
	testutil.Equal(t, again, pliesDB, "the same file")
	for _, f := range []string{"ybb", "apery"} {
		back := parsed(t, f, written(t, f, parsed(t, "db", pliesDB+"sfen "+usual+" 1\n7g7f none 0 20 1\n")))
		testutil.Equal(t, back.Renumbered(), 0, f)
		testutil.Equal(t, len(strings.Fields(movesAt(t, back, "4"))), 3, "%s has all moves", f)
	}
}

// TestPliesOrder: the order of the entries in the file and repeated entries do not change the drawn moves.
func TestPliesOrder(t *testing.T) {
	t.Parallel()
	mixed := dbHeader + "\nsfen " + after7g7f + " 4\n8c8d none -5 22 1\nsfen " + after7g7f + " 2\n3c3d 2g2f 10 20 5\n" +
		"sfen " + after7g7f + " 4\n8c8d none -5 22 1\nsfen " + after7g7f +
		" 10\n4a3b none 20 20 3\n8c8d none 5 20 1\n4a3b none 20 20 4\n"
	draws := func(text, ply string) (drawn []shogi.Move) {
		b, p := parsed(t, "db", text), position(t, after7g7f+" "+ply)
		for seed := range uint64(40) {
			drawn = append(drawn, b.Choose(&p, rand.New(rand.NewPCG(seed, 1))))
		}
		return drawn
	}
	for _, ply := range []string{"2", "4", "6", "10"} {
		a, b := draws(pliesDB, ply), draws(mixed, ply)
		testutil.Check(t, slices.Equal(a, b), "number %s: %v and %v", ply, a, b)
	}
}

// TestUnknownPly: the number 0, or none, means that the number is unknown. The book is read and writes the 0 again.
// Such an entry answers only if the exact number has no entry.
func TestUnknownPly(t *testing.T) {
	t.Parallel()
	const first = dbHeader + "\nsfen " + after7g7f + " 0\n3c3d none 10 20 5\n"
	b := parsed(t, "db", first)
	testutil.Equal(t, b.Unnumbered(), 1)
	testutil.Equal(t, written(t, "db", b), first)
	testutil.Equal(t, written(t, "db", parsed(t, "db", strings.Replace(first, " 0\n", "\n", 1))), first,
		"without a number")
	ybb := parsed(t, "ybb", written(t, "ybb", b))
	testutil.Equal(t, ybb.Unnumbered(), 1, "ybb")
	b = parsed(t, "db", first+"sfen "+after7g7f+" 1\n8c8d none -5 22 2\n")
	testutil.Equal(t, movesAt(t, b, "1"), "8c8d++")
	testutil.Equal(t, movesAt(t, b, "2"), "8c8d++ 3c3d+++++", "the unknown number is last")
	lines := parsed(t, usiName, "sfen "+after7g7f+" 0 moves 3c3d\nsfen "+usual+" 00\n")
	testutil.Equal(t, movesAt(t, lines, "2"), "3c3d+")
	p := position(t, "")
	testutil.Equal(t, b.Plies(&p) == nil && lines.Find(&p) != nil, true, "the start position")
}

// TestShallow: YaneuraOu at its defaults ignores the moves of a book made from lines, because they have no depths.
// Its text: BookDepthLimit is the least depth, by default 16.
func TestShallow(t *testing.T) {
	t.Parallel()
	testutil.Equal(t, parsed(t, usiName, "startpos moves 7g7f 3c3d\n").Shallow(), 2)
	testutil.Equal(t, parsed(t, "db", "sfen "+usual+" 1\n7g7f none 0 16\n").Shallow(), 0)
	testutil.Equal(t, parsed(t, "db", "sfen "+usual+" 1\n7g7f none 0 16\n2g2f none 0 15\n").Shallow(), 1)
}
