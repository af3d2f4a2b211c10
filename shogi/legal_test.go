package shogi

import (
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

func moves(p *Position) []Move { return p.LegalMoves(nil) }

// TestEveryMoveIsLegalIffListed: of all 65536 values of a Move, CheckLegal allows exactly those that LegalMoves lists,
// and LegalMoves lists none twice.
func TestEveryMoveIsLegalIffListed(t *testing.T) {
	step := 40
	if testing.Short() {
		step = 100
	}
	for _, p := range samplePositions(t, step) {
		list := moves(&p)
		listed := map[Move]bool{}
		for _, m := range list {
			if listed[m] {
				t.Errorf("%s: %v is listed twice", p.SFEN(), m)
			}
			listed[m] = true
		}
		for m := range 1 << 16 {
			if err := p.CheckLegal(Move(m)); (err == nil) != listed[Move(m)] {
				t.Errorf("%s: %v listed: %v, but CheckLegal: %v", p.SFEN(), Move(m), listed[Move(m)], err)
			}
		}
	}
}

func TestGeneratorsAgree(t *testing.T) {
	for _, p := range samplePositions(t, 1) {
		list := moves(&p)
		if got := p.CountLegal(); got != len(list) {
			t.Errorf("%s: CountLegal %d, list %d", p.SFEN(), got, len(list))
		}
		if got := p.HasLegalMove(); got != (len(list) > 0) {
			t.Errorf("%s: HasLegalMove %v, list %d", p.SFEN(), got, len(list))
		}
		var captures []Move
		for _, m := range list {
			if err := p.CheckLegal(m); err != nil {
				t.Errorf("%s: %v", p.SFEN(), err)
			}
			after := p
			after.Apply(m)
			if got, want := p.GivesCheck(m), after.InCheck(); got != want {
				t.Errorf("%s: %v GivesCheck %v, want %v", p.SFEN(), m, got, want)
			}
			takes := !m.IsDrop() && p.PieceAt(m.To()) != NoPiece
			promotesPawn := m.Promotes() && p.PieceAt(m.From()).Type() == Pawn
			if takes || promotesPawn {
				captures = append(captures, m)
			}
		}
		got := p.Captures(nil)
		slices.Sort(got)
		slices.Sort(captures)
		testutil.Slices(t, got, captures, "%s: captures", p.SFEN())
	}
}

func TestAppendsToDst(t *testing.T) {
	p := StartPos()
	head := []Move{NoMove}
	got := p.LegalMoves(head)
	testutil.Check(t, len(got) == 31 && got[0] == NoMove, "LegalMoves replaced the start of dst: %v", got)
}

func TestMaxLegalMoves(t *testing.T) {
	p := mustParse(t, maxMovesSFEN)
	testutil.Equal(t, p.CountLegal(), MaxLegalMoves, "moves")
}

// TestUchifuzume tests one pawn drop in positions with and without a pawn-drop mate.
func TestUchifuzume(t *testing.T) {
	for name, c := range map[string]struct {
		sfen, move string
		mate       bool
	}{
		"silver guards the corner":          {"7lk/9/8S/9/9/9/9/7L1/8K b P 1", "P*1b", true},
		"pinned gold cannot take":           {"R6gk/9/8S/9/9/9/9/9/K8 b P 1", "P*1b", true},
		"free gold takes":                   {"6rgk/9/8S/9/9/9/9/9/K8 b P 1", "P*1b", false},
		"white mates":                       {"8k/9/9/9/9/9/s8/9/KL7 w p 1", "P*9h", true},
		"drop blocks its own bishop":        {"3lk4/9/4G4/2B6/9/9/9/9/4K4 b P 1", "P*5b", false},
		"pinned piece still guards":         {"3lkl3/9/K3G3r/9/9/9/9/9/9 b P 1", "P*5b", true},
		"king takes the unguarded pawn":     {"7lk/9/9/9/9/9/9/7L1/8K b P 1", "P*1b", false},
		"no king, no mate":                  {"9/9/9/9/9/9/9/9/8K b P 1", "P*1b", false},
		"evading a check by a mating drop":  {"7lk/9/8S/9/8r/9/9/7L1/8K b P 1", "P*1b", true},
		"evading a check by a drop between": {"7lk/9/8S/9/8r/9/9/7L1/8K b P 1", "P*1h", false},
	} {
		t.Run(name, func(t *testing.T) {
			p := mustParse(t, c.sfen)
			m, err := ParseMove(c.move)
			testutil.OK(t, err)
			err = p.CheckLegal(m)
			testutil.Check(t, c.mate == (err != nil &&
				(strings.Contains(err.Error(), "uchifuzume") || strings.Contains(err.Error(), "in check"))),
				"CheckLegal: %v", err)
			got := slices.Contains(moves(&p), m)
			testutil.Check(t, got != c.mate, "listed: %v", got)
		})
	}
}

func TestWhyIllegal(t *testing.T) {
	const board = "lnsgk1snl/6gb1/pppppp1pp/6p2/4r4/2P6/PP1P1PPPP/1B2G2R1/LNSGK1SNL b P 1"
	for _, c := range []struct{ sfen, move, want string }{
		{board, "5e5d", "5e5d is illegal: the rook on 5e belongs to white, but black is to move"},
		{board, "5f5e", "5f5e is illegal: there is no piece on 5f"},
		{board, "7f7d", "7f7d is illegal: a pawn cannot move from 7f to 7d"},
		{board, "8h4d+", "8h4d+ is illegal: the way of the bishop from 8h to 4d is blocked on 5e"},
		{board, "8h9g", "8h9g is illegal: 9g is occupied by black's own pawn"},
		{board, "2h2e", "2h2e is illegal: the way of the rook from 2h to 2e is blocked on 2g"},
		{board, "5i4h+", "5i4h+ is illegal: a king cannot promote"},
		{board, "7f7e+", "7f7e+ is illegal: neither 7f nor 7e lies in the three ranks where black promotes"},
		{board, "5h4h", "5h4h is illegal: it leaves the black king on 5i in check from the rook on 5e"},
		{board, "P*5f", ""},
		{board, "P*5d", ""},
		{board, "P*7e", "P*7e is illegal: black already has an unpromoted pawn on 7f (nifu)"},
		{board, "P*5e", "P*5e is illegal: 5e is occupied by a white rook"},
		{board, "G*5f", "G*5f is illegal: black has no gold in hand"},
		{"4k4/9/9/9/9/9/9/9/4K4 b PLN 1", "P*1a", "P*1a is illegal: a black pawn on 1a could never move"},
		{"4k4/9/9/9/9/9/9/9/4K4 b PLN 1", "N*1b", "N*1b is illegal: a black knight on 1b could never move"},
		{"4k4/P8/9/9/9/9/9/9/4K4 b - 1", "9b9a", "9b9a is illegal: the pawn must promote on 9a"},
		{"7lk/9/8S/9/9/9/9/7L1/8K b P 1", "P*1b", "P*1b is illegal: a dropped pawn may not mate (uchifuzume)"},
		{"4r4/9/9/9/9/9/9/9/b3K4 b - 1", "5i5h", "it leaves the black king on 5h in check from the rook on 5a"},
	} {
		p := mustParse(t, c.sfen)
		m, err := ParseMove(c.move)
		testutil.OK(t, err)
		err = p.CheckLegal(m)
		if c.want == "" && err == nil {
			continue
		}
		testutil.Check(t, err != nil && c.want != "" && strings.Contains(err.Error(), c.want),
			"%s in %s: %v, want %q", c.move, c.sfen, err, c.want)
	}
}

// TestWhyIllegalForeignMoves has moves that no text can express, but a training file can.
func TestWhyIllegalForeignMoves(t *testing.T) {
	p := mustParse(t, "4k4/9/9/9/9/9/9/9/4K4 b P 1")
	for m, want := range map[Move]string{
		NoMove:                            "none is illegal: it is not a move",
		NewMove(0, 100):                   "its target is square number 100, but the last one is 80",
		NewMove(100, 0):                   "its origin is square number 100, but the last one is 80",
		NewDrop(King, 40):                 "piece type number 8 cannot be in hand",
		NewDrop(Pawn, 40) | promoteFlag:   "a dropped piece cannot promote",
		NewDrop(NoPieceType, 40):          "piece type number 0 cannot be in hand",
		NewMove(NewSquare(5, 9), 44) | 1:  "cannot move",
		NewMove(NewSquare(5, 9), 44) ^ 44: "cannot move",
	} {
		testutil.Fails(t, p.CheckLegal(m), want, "%d", m)
	}
}

func TestKeepsOutOfRangeQuestionsHarmless(t *testing.T) {
	p := StartPos()
	testutil.Check(t, p.PieceAt(NoSquare) == NoPiece && p.PieceAt(255) == NoPiece, "a piece off the board")
	testutil.Check(t, p.Hand(Black, King) == 0 && p.Hand(White, 200) == 0, "a piece in hand that cannot be")
	testutil.Equal(t, Piece(15).String()+Square(200).String()+PieceType(99).String(), ".noneunknown piece",
		"names of nothing")
}

func TestNoKingIsNeverChecked(t *testing.T) {
	p := mustParse(t, "9/9/9/9/9/9/9/9/R8 b - 1")
	for _, m := range moves(&p) {
		testutil.Check(t, !p.GivesCheck(m), "%v gives check to nobody", m)
	}
	testutil.Check(t, !p.InCheck() && p.KingSquare(White) == NoSquare, "a king that is not there")
}
