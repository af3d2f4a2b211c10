package stats

import (
	"math"
	"testing"
)

// FuzzCounts: for any counts, a figure is a number or an error.
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
		if i, err := w.GameScores().AnytimeInterval(level); err == nil && (math.IsNaN(i.Lo) || math.IsNaN(i.Hi)) {
			t.Errorf("anytime of %+v at %v: %+v", w, level, i)
		}
		test := SPRT{Elo0: 0, Elo1: 5, Alpha: 0.05, Beta: 0.1, Model: ModelLogistic}
		if llr, err := test.LLR(w); err == nil && math.IsNaN(llr) {
			t.Errorf("LLR of %+v is not a number", w)
		}
	})
}
