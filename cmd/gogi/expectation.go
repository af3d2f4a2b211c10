package main

import (
	"fmt"
	"io"
	"time"

	"gogi/gate"
	"gogi/internal/format"
	"gogi/internal/phrases"
	"gogi/match"
	"gogi/reckon"
)

// expectation prints how long a sequential test will take, before its first game, and
// what would be cheaper, where a game takes that long.
func expectation(w io.Writer, in phrases.Tongue, plan *match.Plan, game time.Duration) error {
	prospect, err := gate.NewProspect(plan)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, phrases.Say(in, "%s, at most %s games", plan.Gate, format.Count(plan.Games())))
	reckon.GateQuestion{
		Gate: plan.Gate, Pairs: prospect.Distinct(), Unpaired: !plan.Design.Swap, Repeatable: prospect.Repeats,
		PerHour: reckon.PerHour(max(game, time.Millisecond), plan.Concurrency), Conditions: reckon.Typical(),
	}.Answer().Print(w, in)
	return nil
}
