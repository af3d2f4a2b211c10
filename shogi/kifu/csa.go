package kifu

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"gogi/shogi"
)

// OneLine replaces control characters and Unicode line breaks by spaces. Otherwise a line break in a value
// would start another header, move or result in a record file.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// CSAPosition returns a position in the CSA format: P1 to P9, the hands that are not empty, and the side to
// move. Each line has its line end.
func CSAPosition(p *shogi.Position) string {
	var b strings.Builder
	for rank := 1; rank <= 9; rank++ {
		fmt.Fprintf(&b, "P%d", rank)
		for file := 9; file >= 1; file-- {
			b.WriteString(csaSquare(p.PieceAt(shogi.NewSquare(file, rank))))
		}
		b.WriteByte('\n')
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		writeCSAHand(&b, p, c)
	}
	b.WriteString(csaSign(p.Side()) + "\n")
	return b.String()
}

func csaSquare(p shogi.Piece) string {
	if p == shogi.NoPiece {
		return " * "
	}
	return csaSign(p.Colour()) + CSAPiece(p.Type())
}

func writeCSAHand(b *strings.Builder, p *shogi.Position, c shogi.Colour) {
	var hand strings.Builder
	for t := shogi.Pawn; t <= shogi.Gold; t++ {
		for range p.Hand(c, t) {
			hand.WriteString("00" + CSAPiece(t))
		}
	}
	if hand.Len() > 0 {
		b.WriteString("P" + csaSign(c) + hand.String() + "\n")
	}
}

func csaSign(c shogi.Colour) string {
	if c == shogi.Black {
		return "+"
	}
	return "-"
}

// CSAPiece returns the two letters of a piece type in the CSA format, such as "FU" for a pawn, or "" for
// NoPieceType.
func CSAPiece(t shogi.PieceType) string {
	return [...]string{"", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY", ""}[t&15]
}

// CSAMove returns a move in the CSA format, such as "+7776FU": the side, the origin square ("00" for a drop),
// the target square, and the piece after the move. The move must be legal in p.
func CSAMove(p *shogi.Position, m shogi.Move) string {
	from, piece := "00", m.Dropped()
	if !m.IsDrop() {
		from, piece = csaPlace(m.From()), p.PieceAt(m.From()).Type()
	}
	if m.Promotes() {
		piece = piece.Promoted()
	}
	return csaSign(p.Side()) + from + csaPlace(m.To()) + CSAPiece(piece)
}

// Reply returns the principal variation from the opponent's reply on: without its first move, which is the
// played move. CSA files contain the variation in this form. Reply returns nil if the variation does not
// begin with the played move.
func (m *Move) Reply() []shogi.Move {
	if len(m.PV) > 1 && m.PV[0] == m.Move {
		return m.PV[1:]
	}
	return nil
}

// AppendCSALine appends a sequence of moves from the position p in the CSA format, each with a blank before
// it. It stops before the first illegal move.
func AppendCSALine(dst []byte, p shogi.Position, moves []shogi.Move) []byte {
	for _, m := range moves {
		if p.CheckLegal(m) != nil {
			break
		}
		dst = append(append(dst, ' '), CSAMove(&p, m)...)
		p.Apply(m)
	}
	return dst
}

// BlackScore converts a score in centipawns from the mover's view to Black's view. It limits the result to
// the range from -CSAMate to CSAMate.
func BlackScore(mover shogi.Colour, score int) int {
	if mover == shogi.White {
		score = -score
	}
	return max(-CSAMate, min(CSAMate, score))
}

// CSAMate is the score, in centipawns, that means a mate in comments of record files.
const CSAMate = 30000

func csaPlace(s shogi.Square) string {
	return string([]byte{'0' + byte(s.File()), '0' + byte(s.Rank())})
}

// EscapedComment returns a text as one line without commas, because some programs split even comments of CSA
// files at commas. It writes \n for a line break, \c for a comma and \\ for a backslash.
func EscapedComment(text string) string {
	return OneLine(strings.ReplaceAll(Escaped(text), ",", `\c`))
}

// OpeningEnd is gogi's comment behind the last move of the opening in formats that have no mark for it.
const OpeningEnd = "end of the opening"

// Remark returns the text of a comment line in a form that programs do not mistake for engine output. Comment
// lines of record files begin with "*", and a second "*" marks an engine's comment. So Remark puts a space
// before a line that begins with "*" or that is gogi's own mark, and returns other lines unchanged.
func Remark(line string) string {
	if strings.HasPrefix(line, "*") || line == OpeningEnd {
		return " " + line
	}
	return line
}

// Escaped returns a text as one line: it writes \n for a line break and \\ for a backslash, as the notes of
// CSA 3.0 do.
func Escaped(text string) string {
	return strings.ReplaceAll(strings.ReplaceAll(text, `\`, `\\`), "\n", `\n`)
}

// LocalTime formats a time for CSA and KIF files. It uses the time zone of this machine, because these
// formats have no time zones. It returns "" for the zero time.
func LocalTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Local().Format(Moment)
}

// Moment is the layout, for time.Format, of a date with a time in CSA and KIF files.
const Moment = "2006/01/02 15:04:05"
