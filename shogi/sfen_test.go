package shogi

import (
	"testing"

	"gogi/internal/testutil"
)

func TestSFENRoundTrip(t *testing.T) {
	for _, p := range samplePositions(t, 1) {
		q := mustParse(t, p.SFEN())
		testutil.Equal(t, q, p, "%s comes back as %s", p.SFEN(), q.SFEN())
	}
	p := StartPos()
	testutil.Equal(t, p.SFEN(), startSFEN, "start")
}

func TestCanonicalSFEN(t *testing.T) {
	for in, want := range map[string]string{
		matsuriSFEN:                           "l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w RGgsn5p 1",
		"4k4/9/9/9/9/9/9/9/4K4 b SSPPpb2p":    "4k4/9/9/9/9/9/9/9/4K4 b 2S2Pb3p 1",
		"4k4/9/9/9/9/9/9/9/4K4 w 10p1R 7":     "4k4/9/9/9/9/9/9/9/4K4 w R10p 7",
		"  4k4/11111121/9/9/9/9/9/9/9 b  - 3": "4k4/9/9/9/9/9/9/9/9 b - 3",
	} {
		p := mustParse(t, in)
		testutil.Equal(t, p.SFEN(), want, "%q", in)
	}
}

func TestParseSFENErrors(t *testing.T) {
	const rest = " b - 1"
	for in, want := range map[string]string{
		"":                             `SFEN "": 0 fields: expected board, side to move, hands and perhaps a move number`,
		"startpos":                     "1 fields: expected board",
		"9/9/9/9/9/9/9/9/9 b - 1 x":    "5 fields",
		"9/9/9/9/9/9/9/9" + rest:       "board has 8 ranks: expected 9, separated by '/'",
		"9/9/9/9/9/9/9/9/9/9" + rest:   "board has 10 ranks",
		"9/9/8/9/9/9/9/9/9" + rest:     `rank c, which is "8": expected 9 squares, not 8`,
		"9/9/9p/9/9/9/9/9/9" + rest:    `rank c, which is "9p": expected 9 squares, not 10`,
		"9/9/99999/9/9/9/9/9/9" + rest: `expected 9 squares, not 45`,
		"9/9/9/9//9/9/9/9" + rest:      `rank e, which is "": expected 9 squares, not 0`,
		"9/9/4x4/9/9/9/9/9/9" +
			rest: "rank c, character 2: expected a piece (PLNSGBRK or plnsgbrk), '+' or a digit from 1 to 9, not 'x'",
		"9/9/4歩4/9/9/9/9/9/9" +
			rest: "rank c, character 2: expected a piece (PLNSGBRK or plnsgbrk), '+' or a digit from 1 to 9, not '歩'",
		"9/9/0p8/9/9/9/9/9/9" + rest: "rank c, character 1: expected a piece",
		"9/9/4+G4/9/9/9/9/9/9" +
			rest: "rank c, character 3: expected a piece that can promote after '+' (PLNSBR or plnsbr), not 'G'",
		"9/9/4+k4/9/9/9/9/9/9" + rest:  "not 'k'",
		"9/9/4++p4/9/9/9/9/9/9" + rest: "not '+'",
		"9/9/4+5/9/9/9/9/9/9" + rest:   "not '5'",
		"9/9/9+/9/9/9/9/9/9" +
			rest: "rank c, character 3: expected a piece after '+', not the end of the rank",
		"9/9/9/9/9/9/9/9/9 B - 1":                     `side to move is "B": expected "b" or "w"`,
		"9/9/9/9/9/9/9/9/9 b 0P 1":                    `hands, character 1: expected a count from 1 to 18, not "0"`,
		"9/9/9/9/9/9/9/9/9 b R19P 1":                  `hands, character 2: expected a count from 1 to 18, not "19"`,
		"9/9/9/9/9/9/9/9/9 b 99999999999999999999P 1": "expected a count from 1 to 18",
		"9/9/9/9/9/9/9/9/9 b R2 1":                    `hands, character 3: expected a piece after the count "2", not the end`,
		"9/9/9/9/9/9/9/9/9 b K 1":                     "hands, character 1: expected a piece (RBGSNLP or rbgsnlp) or a count, or '-' alone for two empty hands, not 'K'",
		"9/9/9/9/9/9/9/9/9 b P- 1":                    "hands, character 2",
		"9/9/9/9/9/9/9/9/9 b 10P9p 1":                 "board and hands hold 19 of the type pawn: expected at most 18",
		"RRR6/9/9/9/9/9/9/9/9" + rest:                 "board and hands hold 3 of the type rook: expected at most 2",
		"9/+P+P+P+P+P+P+P+P+P/9/9/9/9/9/9/9 b 10P 1":  "board and hands hold 19 of the type pawn",
		"4k4/4k4/9/9/9/9/9/9/9" + rest:                "white has kings on 5a and 5b: expected at most one",
		"9/9/9/9/P8/9/P8/9/9" +
			rest: "black has pawns on 9e and 9g: expected at most one unpromoted pawn on file 9 (nifu)",
		"8P/9/9/9/9/9/9/9/9" + rest: "black pawn on 1a could never move",
		"9/9/9/9/9/9/9/9/8l" + rest: "white lance on 1i could never move",
		"8N/9/9/9/9/9/9/9/9" + rest: "black knight on 1a could never move",
		"4k4/4P4/9/9/9/9/9/9/9" +
			rest: "black is to move but already attacks the white king on 5a: expected the side not to move to be out of check",
		"9/9/9/9/9/9/9/9/9 b - 0":          "move number is 0: expected a whole number from 1 to 1000000000",
		"9/9/9/9/9/9/9/9/9 b - x":          `move number is "x": expected a whole number from 1`,
		"9/9/9/9/9/9/9/9/9 b - +5":         `move number is "+5": expected`,
		"9/9/9/9/9/9/9/9/9 b - -1":         `move number is "-1": expected`,
		"9/9/9/9/9/9/9/9/9 b - 2000000000": "move number is 2000000000: expected",
	} {
		testutil.Fails(t, testutil.Err(ParseSFEN(in)), want, "%q", in)
	}
}

func TestSetupErrors(t *testing.T) {
	const huge = int(^uint(0) >> 1)
	for want, change := range map[string]func(*Setup){
		"side to move is number 2": func(s *Setup) { s.Side = 2 },
		"move number is 0":         func(s *Setup) { s.Ply = 0 },
		"square 1b holds piece number 15, which does not exist": func(s *Setup) { s.Board[1] = 15 },
		"square 1b holds piece number 16, which":                func(s *Setup) { s.Board[1] = 16 },
		"square 1b holds piece number 255":                      func(s *Setup) { s.Board[1] = 255 },
		"black's hand holds -1 of the type pawn":                func(s *Setup) { s.Hands[Black][Pawn] = -1 },
		"white's hand holds 1 of the type none":                 func(s *Setup) { s.Hands[White][0] = 1 },
		"expected 0 to 18": func(s *Setup) {
			s.Hands = [2][8]int{{Pawn: huge}, {Pawn: huge}}
		},
	} {
		s := Setup{Ply: 1}
		change(&s)
		testutil.Fails(t, testutil.Err(s.Position()), want)
	}
}

func FuzzParseSFEN(f *testing.F) {
	for _, s := range []string{
		startSFEN, matsuriSFEN, maxMovesSFEN, "", "9/9/9/9/9/9/9/9/9 w 18p4l2r2b4G4S4N",
		"8k/9/9/9/9/9/s8/9/KL7 w p 1", "+R8/9/9/9/9/9/9/9/9 b -",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		p, err := ParseSFEN(s)
		if err != nil {
			return
		}
		if q := mustParse(t, p.SFEN()); q != p {
			t.Errorf("%q: %s comes back as %s", s, p.SFEN(), q.SFEN())
		}
		if got, want := p.CountLegal(), len(moves(&p)); got != want {
			t.Errorf("%s: CountLegal %d, list %d", p.SFEN(), got, want)
		}
		checkConsistent(t, &p)
	})
}

func TestPly(t *testing.T) {
	p := mustParse(t, "4k4/9/9/9/9/9/9/9/4K4 b - 9")
	p.Apply(NewMove(NewSquare(5, 9), NewSquare(5, 8)))
	if p.Ply() != 10 || p.Side() != White {
		t.Errorf("move %d, %v to move", p.Ply(), p.Side())
	}
}

func TestPromotedTypes(t *testing.T) {
	for from, to := range map[PieceType]PieceType{Pawn: ProPawn, Rook: Dragon, Bishop: Horse, Gold: Gold, King: King,
		ProLance: ProLance} {
		testutil.Equal(t, from.Promoted(), to, "%v promotes", from)
		testutil.Equal(t, to.Base(), from.Base(), "%v is based on", to)
	}
}
