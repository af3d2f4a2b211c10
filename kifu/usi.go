package kifu

import (
	"strings"

	"gogi/shogi"
)

// USI is the record as one line of the "position" command without that word:
// "startpos moves …" or "sfen … moves …".
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
