package match

import (
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// PlayedOpening returns the opening of a stored game, read from its record. It writes the usual start position as
// "startpos", even if the book writes it as a SFEN. Equal openings of two books therefore have equal texts
// (Opening.String).
func PlayedOpening(r Row, record kifu.Record) Opening {
	o := Opening{ID: r.OpeningID, Start: record.Start}
	if p, err := o.Position(); err == nil {
		if start := shogi.StartPos(); p.SFEN() == start.SFEN() {
			o.Start = "startpos"
		}
	}
	for _, m := range record.Moves[:min(r.OpeningPlies, len(record.Moves))] {
		o.Moves = append(o.Moves, m.Move)
	}
	return o
}
