package main

import (
	"fmt"
	"io"
	"time"

	"gogi/internal/format"
	"gogi/match"
	"gogi/reckon"
)

// expectation prints how long a sequential test will take, before its first game, and
// what would be cheaper, where a game takes that long.
func expectation(w io.Writer, plan *match.Plan, game time.Duration) {
	fmt.Fprintf(w, "%s, at most %s games\n", plan.Gate, format.Count(plan.Games()))
	reckon.GateQuestion{
		Gate: plan.Gate, Pairs: plan.Pairs, Unpaired: !plan.Design.Swap, Timed: timed(plan),
		PerHour: reckon.PerHour(max(game, time.Millisecond), plan.Concurrency), Conditions: reckon.Typical(),
	}.Answer().Print(w)
}

// timed reports whether a player has a clock: those do not repeat their games.
func timed(plan *match.Plan) bool {
	for _, p := range plan.Players {
		if p.Limits.Timed() {
			return true
		}
	}
	return false
}
