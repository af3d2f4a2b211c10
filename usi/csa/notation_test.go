package csa

import (
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

func position(t *testing.T, sfen string) shogi.Position {
	t.Helper()
	return testutil.Must(shogi.ParseSFEN(sfen))(t)
}

// TestMovesThereAndBack writes and reads every legal move of positions with drops, promotions and promoted pieces.
func TestMovesThereAndBack(t *testing.T) {
	for _, sfen := range []string{
		"lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1",
		"l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
		"R8/2K1S1SSk/4B4/9/9/9/9/9/1L1L1L3 b RBGSNLP3g3n17p 1",
		"4k4/4+P4/9/9/9/9/4+p4/9/4K4 w 2r2b4g4s4n4l16p 1",
	} {
		p := position(t, sfen)
		for _, m := range p.LegalMoves(nil) {
			text := kifu.CSAMove(&p, m)
			got, err := ParseMove(&p, text)
			testutil.Check(t, err == nil && got == m, "%s: %s is %s: read as %s, %v", sfen, m, text, got, err)
		}
	}
}

func TestBadMoves(t *testing.T) {
	p := shogi.StartPos()
	for text, want := range map[string]string{
		"":         "7",
		"+7776F":   "7",
		"-3334FU":  "side to move",
		"?7776FU":  "side to move",
		"+7776XX":  "target square and a piece",
		"+7770FU":  "target square and a piece",
		"+7a76FU":  "no square",
		"+7776KI":  "cannot come",
		"+5554FU":  "nothing",
		"+0055TO":  "cannot be dropped",
		"+0055FU":  "",
		"+7775FU":  "",
		"+2868TO":  "cannot come",
		"+8822KA":  "",
		"+3334FU":  "",
		"+77762FU": "7",
	} {
		m, err := ParseMove(&p, text)
		testutil.Check(t, err != nil && strings.Contains(err.Error(), want), "%q: %s, %v; want an error with %q", text, m,
			err, want)
	}
}

// FuzzParseMove parses moves in positions that a path of legal moves leads to. An accepted move is legal, and is the
// only move with that text.
func FuzzParseMove(f *testing.F) {
	for _, text := range []string{"+7776FU", "-3334FU", "+0055KA", "+8822UM", "+8822KA", "+5948OU", "%TORYO", "+7776",
		"+00", "", "+7776\xff\xff", "+9999FU", "-0000OU"} {
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
