package main

import (
	"fmt"
	"io"
	"time"

	"gogi/gate"
	"gogi/internal/format"
	"gogi/match"
	"gogi/reckon"
)

// expectation prints how long a sequential test will take, before its first game, and
// what would be cheaper, where a game takes that long.
func expectation(w io.Writer, plan *match.Plan, game time.Duration) error {
	prospect, err := gate.NewProspect(plan)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, at most %s games\n", plan.Gate, format.Count(plan.Games()))
	reckon.GateQuestion{
		Gate: plan.Gate, Pairs: prospect.Distinct(), Unpaired: !plan.Design.Swap, Repeatable: prospect.Repeats,
		PerHour: reckon.PerHour(max(game, time.Millisecond), plan.Concurrency), Conditions: reckon.Typical(),
	}.Answer().Print(w)
	return nil
}
