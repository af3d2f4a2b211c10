package tests

import (
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
