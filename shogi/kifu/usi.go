package kifu

import (
	"strings"

	"gogi/shogi"
)

// USI returns the record as one line of the "position" command without that word: "startpos moves …" or "sfen
// … moves …".
func (r *Record) USI() string {
	var b strings.Builder
	if start := shogi.StartPos(); r.Start == start.SFEN() {
		b.WriteString("startpos")
	} else {
		b.WriteString("sfen " + r.Start)
	}
	if len(r.Moves) > 0 {
		b.WriteString(" moves")
	}
	for _, m := range r.Moves {
		b.WriteString(" " + m.Move.String())
	}
	return b.String()
}

// USIMoves returns the record's moves in USI notation, including the opening's.
func (r *Record) USIMoves() []string {
	moves := make([]string, len(r.Moves))
	for i, m := range r.Moves {
		moves[i] = m.Move.String()
	}
	return moves
}
