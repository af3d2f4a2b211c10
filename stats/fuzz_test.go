package stats

import (
	"math"
	"testing"
)

// FuzzCounts: whatever the counts, a figure is a number or an error.
func FuzzCounts(f *testing.F) {
	f.Add(5, 0, 0, 0.95)
	f.Add(0, 3, 0, 0.5)
	f.Add(521, 10, 469, 0.99)
	f.Add(-1, 2, 3, 2.0)
	f.Fuzz(func(t *testing.T, wins, draws, losses int, level float64) {
		if max(wins, draws, losses) > 100_000 {
			t.Skip("slow, and no different")
		}
		w := WDL{Wins: wins, Draws: draws, Losses: losses}
		k, n := w.Decisive()
		for _, m := range IntervalMethods() {
			if i, err := m.Interval(k, n, level); err == nil && (math.IsNaN(i.Lo) || math.IsNaN(i.Hi) || i.Lo > i.Hi+1e-9) {
				t.Errorf("%s of %d/%d at %v: %+v", m, k, n, level, i)
			}
		}
		if test, err := BinomialTest(k, n, 0.5, TwoSided); err == nil && !(test.P >= 0 && test.P <= 1) {
			t.Errorf("p of %d/%d: %v", k, n, test.P)
		}
		if i, err := w.GameScores().AnytimeInterval(level); err == nil && (math.IsNaN(i.Lo) || math.IsNaN(i.Hi)) {
			t.Errorf("anytime of %+v at %v: %+v", w, level, i)
		}
		test := SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.1, Model: ModelLogistic}
		if llr, err := test.LLR(w); err == nil && math.IsNaN(llr) {
			t.Errorf("LLR of %+v is not a number", w)
		}
	})
}
