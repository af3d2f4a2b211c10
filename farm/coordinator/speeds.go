package coordinator

import (
	"context"
	"errors"
	"fmt"

	"gogi/farm"
	"gogi/match"
	"gogi/match/trust"
)

// newClaims holds the workers of a run that scales clocks to their word. The base engine,
// the plan's second player, may be the one that machines are measured with.
func newClaims(plan *match.Plan) *trust.Claims {
	if len(plan.Players) > 1 && plan.Players[1].Identity.String() == plan.Scaling.Engine {
		return trust.NewClaims(plan.Scaling.NPS)
	}
	return trust.NewClaims(0)
}

// unfit says why a worker plays nothing of a run because of its speed; nil: it may.
func (c *Coordinator) unfit(r *run, s *session) error {
	if !r.plan.Scales() {
		return nil
	}
	if w := c.workers[s.name]; w != nil && w.Probation != "" {
		return errors.New("it is on probation: " + w.Probation)
	}
	_, err := r.plan.FactorOn(s.nps, s.hello.Reference)
	return err
}

// unfitFor are the running tests that a worker's speed keeps it from.
func (c *Coordinator) unfitFor(s *session) (list []string) {
	for _, r := range c.inOrder() {
		if r.State != farm.Running || !c.fits(r, s.name, s.hello.Labels) {
			continue
		}
		if err := c.unfit(r, s); err != nil {
			list = append(list, fmt.Sprintf("%s: %v", r.Name, err))
		}
	}
	return list
}

// claimed hears how fast a worker says its machine is. Another figure than before has been
// measured: what was held against the old one is forgotten.
func (c *Coordinator) claimed(ctx context.Context, name string, nps float64) {
	w := c.worker(name, "")
	if nps == 0 || nps == w.Claim {
		return
	}
	w.Claim, w.Probation, w.rebench = nps, "", ""
	for _, r := range c.runs {
		if r.claims != nil {
			r.claims.Forget(name)
		}
	}
	c.keepOrTell(ctx, name, w)
}

// clocked holds a worker's pair against what its clocks were multiplied by.
func (c *Coordinator) clocked(ctx context.Context, r *run, name string, p *match.PairResult) {
	if r.claims == nil || !r.claims.Add(name, trust.BaseSpeed(p), p.Played.Scale) {
		return
	}
	w := c.worker(name, "")
	switch act, why := r.claims.Action(name); {
	case act == trust.Probation && w.Probation == "":
		w.Probation = fmt.Sprintf("in %s, %s", r.Name, why)
		c.config.Log.Warn("a worker is on probation", "worker", name, "why", w.Probation)
		c.keepOrTell(ctx, name, w)
	case act == trust.Rebench && w.rebench == "":
		w.rebench = fmt.Sprintf("in %s, %s", r.Name, why)
		c.config.Log.Warn("a worker is to be measured anew", "worker", name, "why", w.rebench)
	}
}
