package sparring

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gogi/shogi"
	"gogi/usi"
)

// engine makes an engine with options written as "Name=value …".
func engine(t testing.TB, options string) *Engine {
	t.Helper()
	e := New()
	for _, o := range strings.Fields(options) {
		name, value, _ := strings.Cut(o, "=")
		if err := e.SetOption(usi.Setting{Name: name, Value: value}); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

func think(t testing.TB, e *Engine, position string, g usi.Go) usi.Reply {
	t.Helper()
	p, err := usi.ParsePosition(position)
	if err != nil {
		t.Fatal(err)
	}
	reply, err := e.Think(t.Context(), usi.Request{Position: p, Go: g})
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

func parse(t testing.TB, sfen string) shogi.Position {
	t.Helper()
	p, err := shogi.ParseSFEN(sfen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// playout calls visit with the positions of random games.
func playout(t testing.TB, games int, visit func(p *shogi.Position, next shogi.Move)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	for range games {
		p := shogi.StartPos()
		for range 150 {
			moves := p.LegalMoves(nil)
			if len(moves) == 0 {
				break
			}
			m := moves[r.IntN(len(moves))]
			visit(&p, m)
			p.Apply(m)
		}
	}
}

// turned is the position seen from the other side of the board, colours
// exchanged.
func turned(t testing.TB, p *shogi.Position) shogi.Position {
	t.Helper()
	s := shogi.Setup{Side: p.Side().Opponent(), Ply: p.Ply()}
	for sq := range shogi.NoSquare {
		if piece := p.PieceAt(sq); piece != shogi.NoPiece {
			s.Board[squares-1-sq] = shogi.NewPiece(piece.Colour().Opponent(), piece.Type())
		}
	}
	for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
		for kind := shogi.Pawn; kind <= shogi.Gold; kind++ {
			s.Hands[c.Opponent()][kind] = p.Hand(c, kind)
		}
	}
	q, err := s.Position()
	if err != nil {
		t.Fatal(err)
	}
	return q
}
