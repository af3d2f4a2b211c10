package builtin

import (
	"math/rand/v2"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// engine returns an engine with options written as "Name=value …".
func engine(tb testing.TB, options string) *Engine {
	tb.Helper()
	e := New()
	for _, o := range strings.Fields(options) {
		name, value, _ := strings.Cut(o, "=")
		testutil.OK(tb, e.SetOption(usi.Setting{Name: name, Value: value}))
	}
	return e
}

func think(tb testing.TB, e *Engine, position string, g usi.Go) usi.Reply {
	tb.Helper()
	p := testutil.Must(usi.ParsePosition(position))(tb)
	return testutil.Must(e.Think(tb.Context(), usi.Request{Position: p, Go: g}))(tb)
}

func parse(tb testing.TB, sfen string) shogi.Position {
	tb.Helper()
	return testutil.Must(shogi.ParseSFEN(sfen))(tb)
}

// playout calls visit with the positions of random games.
func playout(tb testing.TB, games int, visit func(p *shogi.Position, next shogi.Move)) {
	tb.Helper()
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

// turned returns the position seen from the other side of the board, with exchanged colours.
func turned(tb testing.TB, p *shogi.Position) shogi.Position {
	tb.Helper()
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
	return testutil.Must(s.Position())(tb)
}

func handMade() *weights {
	return new(knobValues).of()
}

func BenchmarkNodes(b *testing.B) {
	for name, start := range map[string]string{
		"start":  "startpos",
		"middle": "sfen l6nl/5+P1gk/2np1S3/p1p4Pp/3P2Sp1/1PPb2P1P/P5GS1/R8/LN4bKL w GR5pnsg 1",
	} {
		b.Run(name, func(b *testing.B) {
			e, nodes := New(), uint64(0)
			for b.Loop() {
				r := testutil.Must(e.Think(b.Context(), usi.Request{
					Position: usi.Position{Start: start}, Go: usi.Go{Nodes: 300_000},
				}))(b)
				nodes += r.Nodes
			}
			b.ReportMetric(float64(nodes)/b.Elapsed().Seconds(), "nodes/s")
		})
	}
}
