package csa

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// FuzzParseMove parses moves in positions that a path of legal moves leads to. An accepted move is legal, and is the
// only move with that text.
func FuzzParseMove(f *testing.F) {
	for _, text := range []string{"+7776FU", "-3334FU", "+0055KA", "+8822UM", "+8822KA", "+5948OU", "%TORYO", "+7776", "+00", "", "+7776\xff\xff", "+9999FU", "-0000OU"} {
		f.Add([]byte{}, text)
		f.Add([]byte{3, 7, 200, 31, 90, 4, 4, 17}, text)
	}
	f.Fuzz(func(t *testing.T, path []byte, text string) {
		p := shogi.StartPos()
		for _, n := range path[:min(len(path), 60)] {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			p.Apply(moves[int(n)%len(moves)])
		}
		m, err := ParseMove(&p, text)
		testutil.Require(t, (m == shogi.NoMove) != (err == nil), "%q is %v, %v", text, m, err)
		if err != nil {
			return
		}
		wrong := p.CheckLegal(m)
		testutil.Check(t, wrong == nil, "%q is %v: %v", text, m, wrong)
		back := kifu.CSAMove(&p, m)
		testutil.Check(t, back == text, "%q is %v, which is written %q", text, m, back)
	})
}
