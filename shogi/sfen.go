package shogi

import (
	"fmt"
	"strconv"
	"strings"
)

// startSFEN is the SFEN of the start of an even game (hirate, 平手).
const startSFEN = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"

// startPosition is the position of startSFEN. It is parsed once, because games and tests use it often.
var startPosition = func() Position {
	p, _ := ParseSFEN(startSFEN) // a constant that tests also parse
	return p
}()

// StartPos returns the start of an even game (hirate, 平手), Black to move.
func StartPos() Position { return startPosition }

// ParseSFEN parses the SFEN fields "board side hands number", such as "4k4/9/9/9/9/9/9/9/4K4 b RG2p 1".
// Without the number, the next move has number 1. Hands may have any order and repeated letters.
// [Setup.Position] lists the rejected positions. The words "startpos" and "sfen" of the USI position command
// are not part of an SFEN.
func ParseSFEN(s string) (Position, error) {
	setup, err := parseFields(strings.Fields(s))
	if err != nil {
		return Position{}, fmt.Errorf("SFEN %.200q: %w", s, err)
	}
	p, err := setup.Position()
	if err != nil {
		return Position{}, fmt.Errorf("SFEN %.200q: %w", s, err)
	}
	return p, nil
}

// parseFields reads the fields of an SFEN. It does not check whether the position is valid.
func parseFields(fields []string) (setup Setup, err error) {
	if len(fields) != 3 && len(fields) != 4 {
		return setup, fmt.Errorf("%d fields: expected board, side to move, hands and perhaps a move number", len(fields))
	}
	if setup.Board, err = parseBoard(fields[0]); err != nil {
		return setup, err
	}
	switch fields[1] {
	case "b":
		setup.Side = Black
	case "w":
		setup.Side = White
	default:
		return setup, fmt.Errorf("side to move is %q: expected \"b\" or \"w\"", fields[1])
	}
	if setup.Hands, err = parseHands(fields[2]); err != nil {
		return setup, err
	}
	setup.Ply = 1
	if len(fields) == 4 {
		n, err := strconv.ParseUint(fields[3], 10, 31)
		if err != nil {
			return setup, fmt.Errorf("move number is %q: expected a whole number from 1 to %d", fields[3], maxPly)
		}
		setup.Ply = int(n)
	}
	return setup, nil
}

// parseBoard reads the nine ranks a to i, each from file 9 to file 1.
func parseBoard(s string) (board [81]Piece, err error) {
	rows := strings.Split(s, "/")
	if len(rows) != ranks {
		return board, fmt.Errorf("board has %d ranks: expected 9, separated by '/'", len(rows))
	}
	for i, row := range rows {
		if err := parseRank(&board, i+1, row); err != nil {
			return board, fmt.Errorf("rank %c, %w", 'a'+i, err)
		}
	}
	return board, nil
}

func parseRank(board *[81]Piece, rank int, row string) error {
	file, promoted := 9, false
	for i := range len(row) {
		piece := pieceOfLetter(row[i])
		switch {
		case row[i] == '+' && !promoted:
			promoted = true
			continue
		case promoted && !piece.Type().CanPromote():
			return fmt.Errorf("character %d: expected a piece that can promote after '+' (PLNSBR or plnsbr), not %s", i+1,
				quoteAt(row, i))
		case row[i] >= '1' && row[i] <= '9':
			file -= int(row[i] - '0')
			continue
		case piece == NoPiece:
			return fmt.Errorf("character %d: expected a piece (PLNSGBRK or plnsgbrk), '+' or a digit from 1 to 9, not %s", i+1,
				quoteAt(row, i))
		}
		if promoted {
			piece |= promotedBit
		}
		if file > 0 {
			board[NewSquare(file, rank)] = piece
		}
		file, promoted = file-1, false
	}
	switch {
	case promoted:
		return fmt.Errorf("character %d: expected a piece after '+', not the end of the rank", len(row)+1)
	case file != 0:
		return fmt.Errorf("which is %q: expected 9 squares, not %d", row, 9-file)
	}
	return nil
}

// pieceOfLetter returns the unpromoted piece of an SFEN letter, or NoPiece for another letter.
func pieceOfLetter(letter byte) Piece {
	if t := typeOfLetter(letter); t != NoPieceType {
		return NewPiece(Black, t)
	}
	if letter < 'a' || letter > 'z' {
		return NoPiece
	}
	if t := typeOfLetter(letter - 'a' + 'A'); t != NoPieceType {
		return NewPiece(White, t)
	}
	return NoPiece
}

// parseHands reads both hands. Counts of the same piece add up.
func parseHands(s string) (hands [2][8]int, err error) {
	if s == "-" {
		return hands, nil
	}
	for i := 0; i < len(s); i++ {
		start := i
		for i < len(s) && s[i] >= '0' && s[i] <= '9' {
			i++
		}
		digits := s[start:i]
		count := 1
		if digits != "" {
			if count, err = strconv.Atoi(digits); err != nil || digits[0] == '0' || count > setSize[Pawn] {
				return hands, fmt.Errorf("hands, character %d: expected a count from 1 to %d, not %q", start+1, setSize[Pawn],
					digits)
			}
		}
		if i == len(s) {
			return hands, fmt.Errorf("hands, character %d: expected a piece after the count %q, not the end", i+1, digits)
		}
		piece := pieceOfLetter(s[i])
		if piece == NoPiece || piece.Type() == King {
			return hands,
				fmt.Errorf("hands, character %d: expected a piece (RBGSNLP or rbgsnlp) or a count, or '-' alone for two empty hands, not %s", i+1, quoteAt(s, i))
		}
		hands[piece.Colour()][piece.Type()] += count
	}
	return hands, nil
}

// SFEN returns the position in canonical SFEN: all four fields, hands in the order RBGSNLP, Black's first.
func (p *Position) SFEN() string {
	var room [128]byte // larger than the text of a full set
	b := room[:0]
	for rank := 1; rank <= ranks; rank++ {
		if rank > 1 {
			b = append(b, '/')
		}
		b = appendRank(p, b, rank)
	}
	b = append(b, ' ', "bw"[p.side&1], ' ')
	b = append(appendHands(p, b), ' ')
	return string(strconv.AppendInt(b, int64(p.ply), 10))
}

// appendRank appends one rank from file 9 to file 1.
func appendRank(p *Position, b []byte, rank int) []byte {
	gap := byte(0)
	for file := 9; file >= 1; file-- {
		piece := p.board[NewSquare(file, rank)]
		if piece == NoPiece {
			gap++
			continue
		}
		if gap > 0 {
			b = append(b, '0'+gap)
			gap = 0
		}
		b = piece.append(b)
	}
	if gap > 0 {
		b = append(b, '0'+gap)
	}
	return b
}

// appendHands appends both hands, or "-" if both are empty.
func appendHands(p *Position, b []byte) []byte {
	empty := len(b)
	for _, c := range [...]Colour{Black, White} {
		for _, t := range [...]PieceType{Rook, Bishop, Gold, Silver, Knight, Lance, Pawn} {
			n := p.Hand(c, t)
			if n > 1 {
				b = strconv.AppendInt(b, int64(n), 10)
			}
			if n > 0 {
				b = NewPiece(c, t).append(b)
			}
		}
	}
	if len(b) == empty {
		b = append(b, '-')
	}
	return b
}
