package builtin

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
	"gogi/usi"
)

// byKing returns the tables of an engine with noise by king square.
func byKing(seed, deviation int) *tables {
	s := settings{seed: seed, noise: deviation, model: noiseByKing}
	return s.tables()
}

func TestKingNoiseIsTheSameForBothColours(t *testing.T) {
	s := search{tables: byKing(7, 100)}
	playout(t, 10, func(p *shogi.Position, _ shogi.Move) {
		q := turned(t, p)
		a, b := s.static(&frame{pos: *p, sum: s.tables.whole(p)}), s.static(&frame{pos: q, sum: s.tables.whole(&q)})
		if a != b {
			t.Fatalf("%s is worth %d, seen from the other side %d", p.SFEN(), a, b)
		}
	})
}

func TestKingNoiseByMoveAgreesWithTheWhole(t *testing.T) {
	tab := byKing(3, 50)
	playout(t, 30, func(p *shogi.Position, m shogi.Move) {
		next := *p
		next.Apply(m)
		if got, want := tab.after(p, tab.whole(p), m, &next), tab.whole(&next); got != want {
			t.Fatalf("%s %v: by move %d, whole %d", p.SFEN(), m, got, want)
		}
	})
}

func TestKingNoiseWithoutKings(t *testing.T) {
	p := parse(t, "9/9/4P4/9/9/9/9/9/9 b G 1")
	testutil.Equal(t, byKing(3, 50).whole(&p), newTables(handMade()).whole(&p), "without kings a position is worth")
}

func TestKingNoiseFollowsItsSeed(t *testing.T) {
	first, again := newKingNoise(5, 15), newKingNoise(5, 15)
	testutil.Check(t, *first == *again, "the same seed gave two noises")
	testutil.Check(t, *newKingNoise(5, 15) != *newKingNoise(6, 15), "two seeds gave the same noise")
	p := shogi.StartPos()
	testutil.Check(t, newKingNoise(5, 0) == nil && byKing(5, 0).whole(&p) == newTables(handMade()).whole(&p),
		"EvalNoise 0 changed something")
}

// moments returns the mean and the standard deviation of a list.
func moments(list []float64) (mean, deviation float64) {
	for _, x := range list {
		mean += x / float64(len(list))
	}
	for _, x := range list {
		deviation += (x - mean) * (x - mean) / float64(len(list))
	}
	return mean, math.Sqrt(deviation)
}

// TestKingNoiseEntries: every entry that a position can use has its own noise with the requested deviation. Other
// entries have no noise.
func TestKingNoiseEntries(t *testing.T) {
	n := newKingNoise(10, 15)
	var board, hand []float64
	for whose := range n.board {
		for king := range squares {
			for kind := range n.board[whose][king] {
				piece := shogi.PieceType(kind)
				for _, v := range n.board[whose][king][kind] {
					if piece >= shogi.Pawn && piece <= shogi.Dragon && piece != shogi.King {
						board = append(board, float64(v))
					} else if v != 0 {
						t.Fatalf("piece type %d has noise", kind)
					}
				}
			}
			for kind, numbers := range n.hand[whose][king] {
				testutil.Require(t, numbers[0] == 0, "no piece of type %d in hand has noise", kind)
				if kind >= int(shogi.Pawn) && kind <= int(shogi.Gold) {
					for _, v := range numbers[1:] {
						hand = append(hand, float64(v))
					}
				}
			}
		}
	}
	testutil.Equal(t, 2*81*13*81, len(board), "entries of pieces on squares")
	for name, list := range map[string][]float64{"board": board, "hand": hand} {
		mean, deviation := moments(list)
		margin := 4 * 15 / math.Sqrt(float64(len(list))) // four standard errors of the mean, six of the deviation
		testutil.Check(t, math.Abs(mean) <= margin && math.Abs(deviation-15) <= margin,
			"%s: mean %.3f, deviation %.3f of %d numbers", name, mean, deviation, len(list))
	}
}

// TestKingNoiseOfPositions: the mean noise of a position over many seeds is 0. A moved piece changes four numbers:
// those for either king, before and after the move. A moved king changes two numbers for each of the 38 other pieces.
// Pieces of one kind in hand have two numbers.
func TestKingNoiseOfPositions(t *testing.T) {
	start := shogi.StartPos()
	pawn := parse(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1")
	king := parse(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B2K2R1/LNSG1GSNL b - 1")
	hand := parse(t, "4k4/9/9/9/9/9/9/9/4K4 b 2P 1")
	here, there := parse(t, "4k4/9/9/9/9/4P4/9/9/4K4 b - 1"), parse(t, "3k5/9/9/9/9/4P4/9/9/4K4 b - 1")
	clean := newTables(handMade())
	var worth, moved, kings, held, enemy []float64
	seeds := testutil.ByLength(150, 400)
	for seed := range seeds {
		tab := byKing(seed+1, 20)
		noise := func(p *shogi.Position) float64 { return float64(tab.whole(p) - clean.whole(p)) }
		worth = append(worth, noise(&start))
		moved = append(moved, noise(&pawn)-noise(&start))
		kings = append(kings, noise(&king)-noise(&start))
		held = append(held, noise(&hand))
		enemy = append(enemy, noise(&there)-noise(&here))
	}
	for name, x := range map[string]struct {
		list    []float64
		numbers float64
	}{
		// The start is symmetric: each number occurs with both signs, and the noise is 0.
		"start": {worth, 0}, "a pawn moved": {moved, 4}, "a king moved": {kings, 76}, "two pawns in hand": {held, 2},
		"the enemy king moved": {enemy, 2},
	} {
		mean, deviation := moments(x.list)
		want := 20 * math.Sqrt(x.numbers)
		testutil.Check(t, math.Abs(mean) <= 4*want/math.Sqrt(float64(seeds)) &&
			math.Abs(deviation-want) <= 4*want/math.Sqrt(2*float64(seeds)),
			"%s: mean %.1f, deviation %.1f, want 0 and %.1f", name, mean, deviation, want)
	}
}

// TestNoiseModelIsAnOption: NoiseModel changes the evaluation from the next search on. The engine rejects an unknown
// model.
func TestNoiseModelIsAnOption(t *testing.T) {
	p := parse(t, "lnsgkgsnl/1r5b1/ppppppppp/9/9/2P6/PP1PPPPPP/1B5R1/LNSGKGSNL b - 1")
	e := engine(t, "EvalNoise=50 Seed=3")
	worth := func(model string) int32 {
		if model != "" {
			e = engine(t, "EvalNoise=50 Seed=3")
			e.build()
			testutil.OK(t, e.SetOption(usi.Setting{Name: "NoiseModel", Value: model}))
		}
		e.build()
		return e.search.tables.whole(&p)
	}
	if worth("tables") != worth("") || worth("king_square") == worth("tables") ||
		worth("king_square") != byKing(3, 50).whole(&p) {
		t.Errorf("%d, %d, %d", worth(""), worth("tables"), worth("king_square"))
	}
	testutil.Fails(t, e.SetOption(usi.Setting{Name: "NoiseModel", Value: "x"}), "", "NoiseModel x was taken")
}
