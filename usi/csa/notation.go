package csa

import (
	"fmt"
	"strconv"
	"strings"

	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

const (
	commentPlies  = 30 // maximum length of a principal variation, to keep the line short
	commentPrefix = "'* "
)

// Comment returns a move's comment in floodgate's format, such as "'* 123 -3334FU +2726FU": the score from
// Black's view and the expected moves after it. p is the position before the move. It returns "" for a reply
// without a score.
func Comment(p *shogi.Position, r usi.Reply) string {
	best := r.Best()
	if !best.HasScore {
		return ""
	}
	var b strings.Builder
	b.WriteString(commentPrefix + strconv.Itoa(kifu.BlackScore(p.Side(), best.Score.Number())))
	next := *p
	for i, m := range best.PV {
		if i > commentPlies || next.CheckLegal(m) != nil || i == 0 && m != r.Move {
			break // a variation of another move would look like a variation of this move
		}
		if i > 0 {
			b.WriteString(" " + kifu.CSAMove(&next, m))
		}
		next.Apply(m)
	}
	return b.String()
}

// ParseMove parses a move in CSA notation, such as "+7776FU", which must be legal in p. The error describes
// the problem.
func ParseMove(p *shogi.Position, text string) (shogi.Move, error) {
	m, err := kifu.ParseCSAMove(p, text)
	if err != nil {
		return shogi.NoMove, fmt.Errorf("csa: move %q: %w", text, err)
	}
	return m, nil
}
