package ratings

import (
	"slices"
	"strconv"
	"strings"

	"gogi/shogi"
)

// HandicapNumber converts a handicap to the number that the models use. Text with a number is that number.
// For a name that shogi.FindHandicap knows, the number is the handicap's place in shogi.Handicaps, from 1
// (the smallest) to 15. "2" is the number 2, not the handicap with the code 2.
func HandicapNumber(text string) (number int, known bool) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, n >= 0 && n <= mostHandicap
	}
	h, known := shogi.FindHandicap(text)
	if !known {
		return 0, false
	}
	return 1 + slices.IndexFunc(shogi.Handicaps(), func(o shogi.Handicap) bool { return o == h }), true
}

type startKind int

const (
	evenStart startKind = iota
	handicapStart
	oddStart // pieces are missing, but the position is not a customary handicap
)

// start is a game's start position, as the rating models distinguish it.
type start struct {
	kind     startKind
	handicap int          // 0 for an even game
	receiver shogi.Colour // the receiver of the handicap
}

// startOf classifies a start position, "startpos" or a SFEN. A position with all 40 pieces, on the board or in hand, is
// an opening of an even game. In a customary handicap position White gives the handicap and moves first. If the
// position is turned by 180 degrees, Black gives it.
func startOf(text string) start {
	if text == "" || text == "startpos" {
		return start{}
	}
	board := placement(text)
	for i, h := range shogi.Handicaps() {
		switch board {
		case placement(h.SFEN):
			return start{handicapStart, i + 1, shogi.Black}
		case turned(placement(h.SFEN)):
			return start{handicapStart, i + 1, shogi.White}
		}
	}
	if pieces(text) == 40 {
		return start{}
	}
	return start{kind: oddStart}
}

// placement returns a SFEN without the move number.
func placement(sfen string) string {
	fields := strings.Fields(sfen)
	return strings.Join(fields[:min(3, len(fields))], " ")
}

// turned returns a placement turned by 180 degrees, with the colours exchanged. The placement must have no
// promoted pieces.
func turned(placement string) string {
	fields := strings.Fields(placement)
	runes := []rune(fields[0])
	slices.Reverse(runes)
	board := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z':
			return r - 'a' + 'A'
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return r
	}, string(runes))
	side := "w"
	if fields[1] == "w" {
		side = "b"
	}
	return board + " " + side + " " + fields[2]
}

// pieces returns the number of pieces of a position, on the board and in hand. It returns 0 if the text is
// not a position.
func pieces(sfen string) int {
	p, err := shogi.ParseSFEN(sfen)
	if err != nil {
		return 0
	}
	n := 0
	for s := range shogi.Square(81) {
		if p.PieceAt(s) != shogi.NoPiece {
			n++
		}
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		for t := shogi.Pawn; t <= shogi.Gold; t++ {
			n += p.Hand(c, t)
		}
	}
	return n
}
