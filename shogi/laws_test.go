package shogi

import (
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
)

// checkConsistent compares the bitboards and the kings of a position with its board.
func checkConsistent(t interface{ Errorf(string, ...any) }, p *Position) {
	var want Position
	want.kings = [2]Square{NoSquare, NoSquare}
	for s := range NoSquare {
		piece := p.board[s]
		if piece == NoPiece {
			continue
		}
		pt := piece.Type()
		sets := []*bitboard{&want.byType[occupied], &want.byType[pt], &want.byColour[piece.Colour()]}
		switch pt {
		case Gold, ProPawn, ProLance, ProKnight, ProSilver:
			sets = append(sets, &want.byType[goldLike])
		case King:
			want.kings[piece.Colour()] = s
		}
		for _, set := range sets {
			*set = set.or(bit(s))
		}
	}
	if p.byType != want.byType || p.byColour != want.byColour || p.kings != want.kings {
		t.Errorf("%s: bitboards or kings differ from the board", p.SFEN())
	}
}

// playout draws a start and plays random legal moves. It calls visit with every position and its move, and with NoMove
// at the end.
func playout(t *rapid.T, visit func(*Position, Move)) {
	starts := []string{startSFEN, matsuriSFEN, maxMovesSFEN, "4k4/9/9/9/9/9/9/9/4K4 b RBGSNL9Prbgsnl9p 1"}
	for _, h := range Handicaps() {
		starts = append(starts, h.SFEN)
	}
	p := testutil.Must(ParseSFEN(rapid.SampledFrom(starts).Draw(t, "start")))(t)
	for range rapid.IntRange(20, 150).Draw(t, "plies") {
		list := moves(&p)
		if len(list) == 0 {
			break
		}
		m := rapid.SampledFrom(list).Draw(t, "move")
		visit(&p, m)
		p.Apply(m)
	}
	visit(&p, NoMove)
}

// TestLawIncrementalEqualsFromScratch: after any moves, a position equals the position parsed from its SFEN. So Apply
// keeps the same key and bitboards as a parser builds.
func TestLawIncrementalEqualsFromScratch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		playout(t, func(p *Position, _ Move) {
			q := testutil.Must(ParseSFEN(p.SFEN()))(t)
			if q != *p {
				t.Fatalf("%s differs from its parsed self", p.SFEN())
			}
			checkConsistent(t, p)
		})
	})
}

// TestLawMoveKeepsPieces: a move keeps the number of pieces and gives the turn to the other side. It never leaves the
// mover in check.
func TestLawMoveKeepsPieces(t *testing.T) {
	total := func(p *Position) int {
		n := p.byType[occupied].count()
		for _, hand := range p.hands {
			for _, k := range hand {
				n += int(k)
			}
		}
		return n
	}
	rapid.Check(t, func(t *rapid.T) {
		playout(t, func(p *Position, m Move) {
			if m == NoMove {
				return
			}
			next := *p
			next.Apply(m)
			if total(&next) != total(p) || next.side == p.side || next.ply != p.ply+1 {
				t.Fatalf("%s: %v changes pieces, side or number wrongly: %s", p.SFEN(), m, next.SFEN())
			}
			if next.kingAttacked(p.side) {
				t.Fatalf("%s: %v leaves the mover in check", p.SFEN(), m)
			}
			if next.Key() == p.Key() {
				t.Fatalf("%s: %v does not change the key", p.SFEN(), m)
			}
		})
	})
}

// flip rotates the board by half a turn and swaps the colours.
func flip(t *rapid.T, p *Position) Position {
	s := Setup{Side: p.side.Opponent(), Ply: int(p.ply)}
	for sq, piece := range p.board {
		if piece != NoPiece {
			s.Board[80-sq] = NewPiece(piece.Colour().Opponent(), piece.Type())
		}
	}
	for c, hand := range p.hands {
		for pt, n := range hand {
			s.Hands[1-c][pt] = int(n)
		}
	}
	return testutil.Must(s.Position())(t)
}

// TestLawColoursAreSymmetric: the rules are the same for both colours.
func TestLawColoursAreSymmetric(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		playout(t, func(p *Position, m Move) {
			if m != NoMove {
				return
			}
			q := flip(t, p)
			if a, b := Perft(*p, 2), Perft(q, 2); a != b {
				t.Fatalf("%s: Perft(2) = %d, turned round %d", p.SFEN(), a, b)
			}
			a, b := p.Declaration(CSARule24), q.Declaration(CSARule24)
			if b.Side = a.Side; a != b {
				t.Fatalf("%s: declaration %+v, turned round %+v", p.SFEN(), a, b)
			}
		})
	})
}
