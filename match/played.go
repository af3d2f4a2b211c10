package match

import (
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// PlayedOpening returns the opening that a stored game began with, by its record. A start
// that is the usual one is called startpos, however the book spelled it: equal
// openings of two books have equal texts (Opening.String).
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
