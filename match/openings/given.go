package openings

import (
	"context"
	"fmt"

	"gogi/usi"
)

// value scores the line Given[number]: the engine searches the end position and the position before the last move.
// For a line without moves, the engine searches only the start position. Its score then counts as the score of both
// sides.
func (m *Maker) value(ctx context.Context, engine Thinker, number int) (attempt, error) {
	line := m.Given[number]
	a := attempt{number: number, opening: Opening{Attempt: number, Line: line}}
	if err := engine.NewGame(ctx, usi.Game{Seed: m.Design.Seed}); err != nil {
		return a, err
	}
	var values [2]int
	for plies := max(0, len(line.Moves)-1); plies <= len(line.Moves); plies++ {
		prefix := usi.Position{Start: line.Start, Moves: line.Moves[:plies:plies]}
		h, err := prefix.History()
		if err != nil {
			return a, err
		}
		lines, err := m.ask(ctx, engine, prefix)
		if err != nil {
			return a, err
		}
		if len(lines) == 0 {
			a.why = func(r *Refused) { r.Ended++ }
			return a, nil
		}
		p := h.Position()
		values[p.Side()] = forBlack(p, lines)
		if len(line.Moves) == 0 {
			values[p.Side().Opponent()] = values[p.Side()]
		}
	}
	a.judge(&m.Design, values)
	return a, nil
}

// maxLines is the largest number of lines that AllLines returns.
const maxLines = 100_000

// AllLines returns all sequences of legal moves with the given number of plies from a start position. If several
// sequences lead to the same position, it returns only the first in the order of the move generator. AllLines
// returns an error if there are more than 100,000 sequences.
func AllLines(start string, plies int) ([]usi.Position, error) {
	begin, err := usi.ParsePosition(start)
	if err != nil {
		return nil, err
	}
	lines := []usi.Position{begin}
	for range plies {
		var longer []usi.Position
		seen := map[string]bool{}
		for _, line := range lines {
			h, err := line.History()
			if err != nil {
				return nil, err
			}
			for _, move := range h.Position().LegalMoves(nil) {
				next := usi.Position{Start: line.Start, Moves: append(line.Moves[:len(line.Moves):len(line.Moves)], move)}
				end, err := endOf(next)
				if err != nil {
					return nil, err
				}
				if !seen[end] {
					seen[end] = true
					longer = append(longer, next)
				}
			}
			if len(longer) > maxLines {
				return nil, fmt.Errorf("there are more than %d lines of %d moves: expected fewer plies", maxLines, plies)
			}
		}
		lines = longer
	}
	return lines, nil
}
