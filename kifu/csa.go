package kifu

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"gogi/shogi"
)

// CSA is the record in the standard format of the Computer Shogi Association,
// version 3.0, in UTF-8: times with milliseconds, and for each move with a score
// a comment "'** score nodes" from Black's view, as that version defines it.
// It fails when a move of the record is illegal, saying which.
// Source: http://www2.computer-shogi.org/protocol/record_v3.html
func (r *Record) CSA() (string, error) {
	position, err := shogi.ParseSFEN(r.Start)
	if err != nil {
		return "", fmt.Errorf("kifu: start position: %w", err)
	}
	var b strings.Builder
	b.WriteString("'CSA encoding=UTF-8\nV3.0\n")
	header(&b, "N+", r.Black)
	header(&b, "N-", r.White)
	header(&b, "$EVENT:", r.Event)
	header(&b, "$SITE:", r.Site)
	if !r.Started.IsZero() {
		header(&b, "$START_TIME:", r.Started.Format("2006/01/02 15:04:05"))
	}
	b.WriteString(CSAPosition(&position))
	for i, m := range r.Moves {
		if err := position.CheckLegal(m.Move); err != nil {
			return "", fmt.Errorf("kifu: move %d (%s): %w", i+1, m.Move, err)
		}
		writeCSAMove(&b, &position, m)
		position.Apply(m.Move)
	}
	r.writeCSAEnd(&b, position.Side())
	return b.String(), nil
}

func header(b *strings.Builder, key, value string) {
	if value != "" {
		b.WriteString(key + oneLine(value) + "\n")
	}
}

// oneLine makes spaces of what some reader takes for a line break, which would
// start another header, move or end.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, s)
}

// CSAPosition is a position in the lines of the CSA format, each with its end:
// P1 to P9, the hands that are not empty, and the side to move.
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

// CSAPiece is the two letters of a piece type in the CSA format, such as "FU"
// for a pawn; "" for none. They are in the order of shogi's constants.
func CSAPiece(t shogi.PieceType) string {
	return [...]string{"", "FU", "KY", "KE", "GI", "KA", "HI", "KI", "OU", "TO", "NY", "NK", "NG", "UM", "RY", ""}[t&15]
}

// CSAMove is a move that is legal in p in the CSA format, such as "+7776FU": the
// side, the square it leaves ("00" for a drop), the square it goes to, and the
// piece as it is after the move.
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

// writeCSAMove writes the move, the time and the score.
func writeCSAMove(b *strings.Builder, p *shogi.Position, m Move) {
	b.WriteString(CSAMove(p, m.Move) + "\n")
	if !m.Opening {
		b.WriteString("T" + csaTime(m.Time) + "\n")
	}
	if m.HasScore {
		score := m.Score
		if p.Side() == shogi.White {
			score = -score
		}
		fmt.Fprintf(b, "'** %d #%d\n", max(-csaMate, min(csaMate, score)), m.Nodes)
	}
}

// csaMate is the score of a mate in CSA comments.
const csaMate = 30000

func csaPlace(s shogi.Square) string { return fmt.Sprintf("%d%d", s.File(), s.Rank()) }

func csaTime(d time.Duration) string {
	return fmt.Sprintf("%d.%03d", d/time.Second, d%time.Second/time.Millisecond)
}

// writeCSAEnd writes the special move. Where CSA has no word that says exactly
// what happened, a comment does, as it asks for with %ILLEGAL_MOVE.
func (r *Record) writeCSAEnd(b *strings.Builder, side shogi.Colour) {
	word, exact := r.csaEnd(side)
	if !exact && r.Result != "" {
		b.WriteString("'*" + oneLine(r.Result+", winner: "+r.Winner) + "\n")
	}
	b.WriteString(word + "\n")
}

// csaEnd is the special move for the result; side is the side to move.
func (r *Record) csaEnd(side shogi.Colour) (word string, exact bool) {
	switch r.Result {
	case "checkmate":
		return "%TSUMI", true
	case "resignation":
		return "%TORYO", true
	case "time_forfeit":
		return "%TIME_UP", true
	case "stall":
		return "%TIME_UP", false
	case "illegal_move", "false_declaration":
		return "%ILLEGAL_MOVE", false
	case "perpetual_check":
		if r.Winner == shogi.White.String() {
			return "%+ILLEGAL_ACTION", false
		}
		return "%-ILLEGAL_ACTION", false
	case "repetition":
		return "%SENNICHITE", true
	case "max_plies":
		return "%MAX_MOVES", true
	case "impasse": // by a declaration; %JISHOGI is one that was agreed
		return "%HIKIWAKE", true
	case "declaration":
		if r.Winner == side.String() {
			return "%KACHI", true
		}
		// The winner by the try rule has just moved.
	}
	return "%CHUDAN", false
}
