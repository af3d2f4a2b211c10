package main

import (
	"fmt"
	"io"
	"time"

	"gogi/internal/format"
	"gogi/internal/i18n"
	"gogi/match"
	"gogi/match/gate"
	"gogi/report/calculator"
)

// expectation prints how long a sequential test will take, before its first game, and
// what would be cheaper, where a game takes that long.
func expectation(w io.Writer, in i18n.Language, plan *match.Plan, game time.Duration) error {
	prospect, err := gate.NewProspect(plan)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, i18n.Say(in, "%s, at most %s games", plan.Gate, format.Count(plan.Games())))
	calculator.GateQuestion{
		Gate: plan.Gate, Pairs: prospect.Distinct(), Unpaired: !plan.Design.Swap, Repeatable: prospect.Repeats,
		PerHour: calculator.PerHour(max(game, time.Millisecond), plan.Concurrency), Conditions: calculator.Typical(),
	}.Answer().Print(w, in)
	return nil
}
