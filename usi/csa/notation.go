package csa

import (
	"fmt"

	"gogi/shogi"
	"gogi/shogi/kifu"
)

// ParseMove parses a move in CSA notation, such as "+7776FU", which must be legal in p. The error describes
// the problem.
func ParseMove(p *shogi.Position, text string) (shogi.Move, error) {
	m, err := kifu.ParseCSAMove(p, text)
	if err != nil {
		return shogi.NoMove, fmt.Errorf("csa: move %q: %w", text, err)
	}
	return m, nil
}

func parseSign(c byte) (shogi.Colour, bool) { return kifu.ParseCSASign(c) }
