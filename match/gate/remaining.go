package gate

import (
	"gogi/stats"
	"gogi/stats/binomial"
)

// priorGames is the number of imaginary draws that [Gate.Remaining] adds to the results, so that its estimate
// does not change much after each of the first pairs.
const priorGames = 40

// Remaining estimates how many further pairs the test needs, in plan order. It assumes that the true difference is
// the current estimate, and subtracts the evaluated pairs from the expected length of the test. The result is at
// least a tenth of that length, and at most the number of pairs left in the plan. If no formula gives the expected
// length, Remaining returns the number of pairs left. The number is only shown; it changes no decision.
func (g *Gate) Remaining() float64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	tally := g.prefix.Tally()
	left := float64(g.pairs - tally.Pairs())
	total := tally.Total()
	games := float64(total.Games())
	score := (tally.Points() + priorGames/2.0) / (games + priorGames)
	draws := (float64(total.Draws) + priorGames/2.0) / (games + priorGames)
	whole, err := Test(g.design).Expect(binomial.Elo(score), stats.Conditions{DrawRate: min(draws, 0.95)})
	if err != nil {
		return left
	}
	legs := 2.0
	if tally.Pairs() > 0 {
		legs = games / float64(tally.Pairs())
	}
	need := whole.Games / legs
	return min(left, max(need-float64(tally.Pairs()), need/10))
}
