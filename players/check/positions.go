package check

import (
	"strings"

	"gogi/internal/i18n"
	"gogi/shogi"
	"gogi/usi"
)

// middlegame returns the position in which the examination starts most of its searches. It is quiet, has no forced
// move, and is not in most books. It comes from a self-play game of Fairy-Stockfish from a built-in opening (60,000
// nodes per move).
func middlegame() usi.Position {
	const line = "7g7f 8c8d 7i6h 3c3d 6h7g 7a6b 2g2f 3a4b 2f2e 4b3c 2h2f 5a4b 5i6h " +
		"7c7d 6h7i 4b3b 6i5h 4c4d 3i4h 5c5d 9g9f 4a5a 7g6h 2b3a 2f5f 8d8e"
	p := usi.Position{Start: "startpos"}
	for _, word := range strings.Fields(line) {
		m, err := shogi.ParseMove(word)
		if err != nil {
			break // a test checks that this never happens
		}
		p.Moves = append(p.Moves, m)
	}
	return p
}

// A trickyPosition is a position in which an engine with a wrong rule makes an illegal move or misses a legal
// one.
type trickyPosition struct {
	why  i18n.Message
	sfen string
}

// trickyPositions returns all tricky positions. They are hand-made, unless their text names a source.
func trickyPositions() []trickyPosition {
	return []trickyPosition{
		{i18n.Of("a pawn drop would be mate, which is illegal (uchifuzume)"), "7nk/9/6G2/7N1/9/9/9/9/4K4 b P 1"},
		{i18n.Of("check by two pieces: only the king can move"), "4r3k/9/9/9/8b/9/9/9/4K4 b G 1"},
		{i18n.Of("the gold is pinned, and something hangs"), "4r3k/9/9/9/9/9/5p3/4G4/4K4 b P 1"},
		{i18n.Of("in check by a knight: nothing can be put between"), "4k4/9/9/9/9/9/3n5/9/4K4 b 2G2P 1"},
		{i18n.Of("a pawn between would be the second on its file (nifu)"), "4k4/9/9/8P/8r/9/7S1/6g2/8K b P 1"},
		{i18n.Of("pawn, lance and knight must promote"), "4k4/1L5P1/8N/9/9/9/9/9/4K4 b - 1"},
		{i18n.Of("White moves first, as in a handicap game"), "lnsgkgsnl/9/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL w - 1"},
		{i18n.Of("the king has entered, in check"), "4n4/3+PK4/3+P5/9/9/9/9/9/4r3k b 2G 1"},
		{i18n.Of("many pieces in hand, mates everywhere (the position of perft tables called Matsuri)"),
			"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1"},
		{i18n.Of("593 legal moves, the most there can be (a known record)"),
			"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1"},
	}
}

// These positions test declarations by the 27-point rule. Black's king has entered in both. Black has 28 points in
// declarable, and 27, one too few, in undeclarable.
const (
	declarable   = "+R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4GN 1"
	undeclarable = "+R+B1K+P+P+P2/+P+P+P+P+P4/9/9/9/9/9/4k4/9 b R4G 1"
)

// mateInOne has only one mate in one: the gold drop at 5b.
const mateInOne = "4k4/9/4P4/9/9/9/9/9/4K4 b G 1"

// onlyDrops is a check in which every legal move is a drop: G*8i, G*7i and G*6i.
const onlyDrops = "4k4/9/9/9/9/9/1g7/9/K3r4 b G 1"

// mateInThree has a mate in three plies and none in one.
const mateInThree = "6k2/9/5P2S/9/9/9/9/9/4K4 b GS 1"

// matedPosition is the position after the mate G*5b: White, to move, has no legal move.
const matedPosition = "4k4/4G4/4P4/9/9/9/9/9/4K4 w - 2"

// uneven is a middlegame in which Black is a rook ahead, so that an evaluation is not 0.
const uneven = "lnsgkgsnl/7b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

func fromSFEN(sfen string) usi.Position { return usi.Position{Start: "sfen " + sfen} }
