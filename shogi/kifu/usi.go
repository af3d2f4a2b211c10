package kifu

import "gogi/shogi"

// USI returns the record as the arguments of USI's position command, in one line: "startpos moves …" or "sfen
// … moves …".
func (r *Record) USI() string {
	text := "sfen " + r.Start
	if start := shogi.StartPos(); r.Start == start.SFEN() {
		text = "startpos"
	}
	moves := make([]shogi.Move, len(r.Moves))
	for i := range r.Moves {
		moves[i] = r.Moves[i].Move
	}
	return shogi.LineText(text, moves)
}

// USIMoves returns the record's moves in USI notation, including the moves of the opening.
func (r *Record) USIMoves() []string {
	moves := make([]string, len(r.Moves))
	for i, m := range r.Moves {
		moves[i] = m.Move.String()
	}
	return moves
}
