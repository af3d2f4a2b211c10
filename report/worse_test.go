package report

import (
	"testing"

	"gogi/match"
	"gogi/shogi"
)

// TestDoubt: which lost games a finding is held against.
func TestDoubt(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		finding Finding
		loser   string
		how     match.Termination
		moves   int // after the opening, by both
		turned  bool
	}{
		{"A mated", Weaker, "a", match.Checkmate, 60, false},
		{"A crashed at its first move as Black", Weaker, "a", match.Crash, 0, true},
		{"A crashed at its first move as White", Weaker, "a", match.Crash, 1, true},
		{"A crashed at its second move", Weaker, "a", match.Crash, 2, false},
		{"A was late at once", Weaker, "a", match.TimeForfeit, 0, false},
		{"B crashed, and A is weaker all the same", Weaker, "b", match.Crash, 0, false},
		{"B crashed late", NotWeaker, "b", match.Crash, 60, true},
		{"B was late", NotWeaker, "b", match.TimeForfeit, 30, true},
		{"B mated", NotWeaker, "b", match.Checkmate, 60, false},
		{"A crashed, and is not weaker all the same", NotWeaker, "a", match.Crash, 0, false},
	} {
		row := match.Row{
			PairA: "a", PairB: "b", Black: "a", White: "b", Termination: c.how, Plies: 8 + c.moves, OpeningPlies: 8,
			Outcome: match.WinFor(shogi.White), Points: [2]float64{0, 1},
		}
		if c.loser == "b" {
			row.Outcome, row.Points = match.WinFor(shogi.Black), [2]float64{1, 0}
		}
		before := row
		rows := []match.Row{row}
		c.finding.Doubt(rows)
		if turned := rows[0] != before; turned != c.turned {
			t.Errorf("%s: turned %v, want %v", c.name, turned, c.turned)
		} else if turned && (LoserOf(rows[0]) == c.loser || rows[0].Points != [2]float64{before.Points[1], before.Points[0]}) {
			t.Errorf("%s: %s lost with points %v", c.name, LoserOf(rows[0]), rows[0].Points)
		}
	}
	drawn := []match.Row{{PairA: "a", PairB: "b", Black: "a", White: "b", Outcome: match.Draw, Points: [2]float64{0.5, 0.5}}}
	if NotWeaker.Doubt(drawn); drawn[0].Outcome != match.Draw {
		t.Error("a draw was turned")
	}
}

// TestLeastPairs: 2 to the power of -n is within the level for the first time.
func TestLeastPairs(t *testing.T) {
	t.Parallel()
	for alpha, want := range map[float64]int{0.05: 5, 0.5: 1, 0.25: 2, 0.01: 7, 0.05 / 8: 8} {
		if n := LeastPairs(alpha); n != want {
			t.Errorf("at %g: %d pairs, want %d", alpha, n, want)
		}
	}
}
