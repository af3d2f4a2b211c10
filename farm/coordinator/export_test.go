package coordinator

import (
	"gogi/match"

	"gogi/farm/coordinator/verify"
)

// WhileVerifying has a test look on while a pair that was brought is verified: whether nobody waits for that.
func (c *Coordinator) WhileVerifying(look func(free bool)) {
	c.verifies = func(plan *match.Plan, p *match.PairResult) error {
		mu, judging := c.mu.TryLock(), c.judging.TryLock()
		if mu {
			c.mu.Unlock()
		}
		if judging {
			c.judging.Unlock()
		}
		look(mu && judging)
		return verify.Brought(plan, p)
	}
}
