package builtin

import (
	"math"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi"
)

func noisy(seed, deviation int) *weights {
	w := handMade()
	w.perturb(seed, deviation)
	return w
}

func TestEvaluationIsTheSameForBothColours(t *testing.T) {
	for _, tab := range []*tables{newTables(handMade()), newTables(noisy(7, 100))} {
		s := search{tables: tab}
		playout(t, 10, func(p *shogi.Position, _ shogi.Move) {
			q := turned(t, p)
			a, b := s.static(&frame{pos: *p, sum: tab.whole(p)}), s.static(&frame{pos: q, sum: tab.whole(&q)})
			if a != b {
				t.Fatalf("%s is worth %d, seen from the other side %d", p.SFEN(), a, b)
			}
		})
	}
}

func TestEvaluationByMoveAgreesWithTheWhole(t *testing.T) {
	tab := newTables(noisy(3, 50))
	playout(t, 30, func(p *shogi.Position, m shogi.Move) {
		next := *p
		next.Apply(m)
		if got, want := tab.after(p, tab.whole(p), m, &next), tab.whole(&next); got != want {
			t.Fatalf("%s %v: by move %d, whole %d", p.SFEN(), m, got, want)
		}
	})
}

func TestEvaluationWithoutKings(t *testing.T) {
	p := parse(t, "4k4/9/4P4/9/9/9/9/9/9 b G 1")
	tab := newTables(handMade())
	m, next := shogi.NewDrop(shogi.Gold, shogi.NewSquare(5, 2)), p
	next.Apply(m)
	got, want := tab.after(&p, tab.whole(&p), m, &next), tab.whole(&next)
	testutil.Check(t, got == want, "by move %d, whole %d", got, want)
}

// differences returns the differences between w and the hand-made weights, for all weights that can have noise.
func differences(w *weights) (material, hand, square []float64) {
	clean := handMade()
	for kind := shogi.Pawn; kind <= shogi.Dragon; kind++ {
		if kind != shogi.King {
			material = append(material, float64(w.material[kind]-clean.material[kind]))
		}
		for s := range w.square[kind] {
			square = append(square, float64(w.square[kind][s]-clean.square[kind][s]))
		}
		if kind <= shogi.Gold {
			for n := 1; n <= fullHand; n++ {
				hand = append(hand, float64(w.hand[kind][n]-clean.hand[kind][n]))
			}
		}
	}
	return material, hand, square
}

func TestNoiseHasTheDeviationAskedFor(t *testing.T) {
	for _, deviation := range []int{2, 15, 1000} {
		material, hand, square := differences(noisy(10, deviation))
		for _, seed := range []int{20, 30, 40, 50, 60, 70} { // one seed has few entries
			m, h, _ := differences(noisy(seed, deviation))
			material, hand = append(material, m...), append(hand, h...)
		}
		for name, list := range map[string][]float64{"material": material, "hand": hand, "square": square} {
			var sum, squared float64
			for _, x := range list {
				sum += x
				squared += x * x
			}
			n, want := float64(len(list)), float64(deviation)
			mean, sd := sum/n, math.Sqrt(squared/n)
			// Material has 91 entries, so the standard error of its deviation is 7%.
			tolerance := math.Max(0.1, 3/math.Sqrt(2*n))
			testutil.Check(t, math.Abs(sd-want) <= tolerance*want+0.05,
				"EvalNoise %d, %s: deviation %.2f of %d entries", deviation, name, sd, len(list))
			testutil.Check(t, math.Abs(mean) <= 4*want/math.Sqrt(n), "EvalNoise %d, %s: mean %.2f", deviation, name, mean)
		}
	}
}

func TestNoiseFollowsItsSeed(t *testing.T) {
	first, second := *noisy(5, 15), *noisy(5, 15)
	testutil.Equal(t, first, second, "the same seed gave two evaluations")
	testutil.Check(t, *noisy(5, 15) != *noisy(6, 15), "two seeds gave the same evaluation")
	testutil.Equal(t, *noisy(5, 0), *handMade(), "EvalNoise 0 changed something")
}

func TestSeedBreaksTies(t *testing.T) {
	p := shogi.StartPos()
	f, seen := frame{pos: p}, map[int]bool{}
	for seed := range uint64(200) {
		s := search{seed: seed}
		score := s.static(&f)
		testutil.Check(t, seed != 0 || score == 0, "without a seed the start is worth %d", score)
		testutil.Check(t, score >= -jitter && score <= jitter, "seed %d moved the start to %d", seed, score)
		seen[score] = true
	}
	testutil.Equal(t, len(seen), 2*jitter+1, "200 seeds gave only the values %v", seen)
}
