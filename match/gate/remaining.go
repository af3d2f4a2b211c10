package gate

import (
	"gogi/stats"
	"gogi/stats/binomial"
)

// priorGames are drawn games of equals that the estimate of [Gate.Remaining] begins with,
// so that the first pairs do not throw it about.
const priorGames = 40

// Remaining returns the expected number of pairs that the test still needs, in plan order. It is the
// expected total at the present estimate minus the judged pairs, and at least a tenth of that total.
// Without a formula for it, it is the rest of the plan. It decides nothing.
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
