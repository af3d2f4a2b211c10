package coordinator

import (
	"context"
	"errors"
	"fmt"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/match/trust"
)

// newClaims returns the claimed speeds of workers in a run that scales clocks. The plan's second player is
// the base engine, which may also be the engine that measures the speed of machines.
func newClaims(plan *match.Plan) *trust.Claims {
	if len(plan.Players) > 1 && plan.Players[1].Identity.Reference() == plan.Scaling.Engine {
		return trust.NewClaims(plan.Scaling.NPS)
	}
	return trust.NewClaims(0)
}

// unfit returns an error with the reason if the speed of a worker's machine excludes the worker from a run.
// Otherwise it returns nil.
func (c *Coordinator) unfit(r *run, s *roster.Session) error {
	if !r.plan.Scales() {
		return nil
	}
	if w := c.roster.Workers[s.Name]; w != nil && w.Probation != "" {
		return errors.New("it is on probation: " + w.Probation)
	}
	_, err := r.plan.FactorOn(s.NPS, s.Hello.Reference)
	return err
}

// unfitFor returns the running tests that a worker does not play, with the reasons: its speed does not fit, or the worker
// refuses the test. A reason of the worker is there if who may read it.
func (c *Coordinator) unfitFor(s *roster.Session, who roster.Key) (list []string) {
	for _, r := range c.inOrder() {
		if r.State != farm.Running || !c.roster.Meets(r.Needs, s.Name, s.Hello.Labels) {
			continue
		}
		if err := c.unfit(r, s); err != nil {
			list = append(list, fmt.Sprintf("%s: %v", r.Name, err))
		} else if why, refuses := s.Refusal(r.digest); refuses {
			list = append(list, r.Name+": "+who.Text(why, s.Owner, r.Owner))
		}
	}
	return list
}

// setClaim records nps, the speed that a worker claims for its machine. A changed claim comes from a new
// measurement, so setClaim deletes the evidence against the old claim.
func (c *Coordinator) setClaim(ctx context.Context, name string, nps float64) {
	w := c.roster.Worker(name, "")
	if nps == 0 || nps == w.Claim {
		return
	}
	w.Claim, w.Probation, w.Rebench = nps, "", ""
	for _, r := range c.runs {
		if r.claims != nil {
			r.claims.Forget(name)
		}
	}
	c.roster.KeepOrWarn(ctx, name, w)
}

// checkClaim compares the speed of the base engine in a worker's pair with the claimed speed, by which the worker
// scaled the clocks. If they differ too often, the worker is measured again or put on probation.
func (c *Coordinator) checkClaim(ctx context.Context, r *run, name string, p *match.PairResult) {
	if r.claims == nil || !r.claims.Add(name, trust.BaseSpeed(p), p.Played.Scale) {
		return
	}
	w := c.roster.Worker(name, "")
	switch act, why := r.claims.Action(name); {
	case act == trust.Probation && w.Probation == "":
		w.Probation = fmt.Sprintf("in %s, %s", r.Name, why)
		c.config.Log.Warn("a worker is on probation", "worker", name, "why", w.Probation)
		c.roster.KeepOrWarn(ctx, name, w)
	case act == trust.Rebench && w.Rebench == "":
		w.Rebench = fmt.Sprintf("in %s, %s", r.Name, why)
		c.config.Log.Warn("a worker must be measured again", "worker", name, "why", w.Rebench)
	}
}
