package arbiter_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/shogi/kifu"
)

// TestTemperature: during TemperaturePlies, Choose draws moves with probabilities proportional to
// exp(score/temperature), each with its own score. After that it returns the engine's move.
func TestTemperature(t *testing.T) {
	t.Parallel()
	plan := &match.Plan{
		Seed: 7, Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Design: match.Design{Kind: match.DesignSelfplay,
			Selfplay: match.Selfplay{Games: 1, TemperaturePlies: 1, Temperature: 100, Lines: 3}},
	}
	chance := arbiter.NewChance(plan, 1, 0)
	start := shogi.StartPos()
	scores := map[string]int{"7g7f": 100, "2g2f": 0, "9g9f": -100}
	var lines []kifu.Move
	for _, text := range []string{"7g7f", "2g2f", "9g9f", "1a1b"} { // the last is illegal
		lines = append(lines, kifu.Move{Move: testutil.Must(shogi.ParseMove(text))(t), Score: scores[text], HasScore: true})
	}
	count := map[string]int{}
	const n = 20000
	for range n {
		m := chance.Choose(&start, 0, lines[0], lines)
		testutil.Require(t, m.Score == scores[m.Move.String()] && m.HasScore && !m.Opening, "%v", m)
		count[m.Move.String()]++
	}
	// The probabilities are 1, e^-1 and e^-2 divided by their sum, 1.50321. Four standard deviations are below 0.015.
	for text, want := range map[string]float64{"7g7f": 0.66524, "2g2f": 0.24473, "9g9f": 0.09003, "1a1b": 0} {
		got := float64(count[text]) / n
		testutil.Check(t, got >= want-0.015 && got <= want+0.015, "%s: %.4f, expected %.4f", text, got, want)
	}
	for range 100 {
		if m := chance.Choose(&start, 1, lines[0], lines); m.Move != lines[0].Move {
			t.Fatal(m)
		}
	}
}
