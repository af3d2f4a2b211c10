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

// expectation prints how many games the plan's SPRT is expected to take and which tests take fewer games.
// game is the duration of one game.
func expectation(w io.Writer, in i18n.Language, plan *match.Plan, game time.Duration) error {
	question, err := expected(plan, game)
	if err != nil {
		return err
	}
	fmt.Fprintln(w, i18n.Say(in, "%s, at most %s games", plan.Gate, format.Count(plan.Games())))
	question.Answer().Print(w, in)
	return nil
}

func expectationLine(w io.Writer, in i18n.Language, plan *match.Plan, game time.Duration) error {
	question, err := expected(plan, game)
	if err != nil {
		return err
	}
	var numbers i18n.Row
	for _, row := range question.Answer().Plans {
		if row.Kind == "sequential" && row.Elo != nil && row.Games != nil {
			numbers = append(numbers, i18n.Of("%s at %+.4g Elo", format.Count(int(*row.Games)), *row.Elo))
		}
	}
	fmt.Fprintln(w, i18n.Say(in, "%s, at most %s games; expected: %s (details: --dry-run)", plan.Gate, format.Count(plan.Games()), numbers))
	return nil
}

// expected returns the input for the calculation of the expected length of the plan's SPRT.
func expected(plan *match.Plan, game time.Duration) (calculator.GateQuestion, error) {
	prospect, err := gate.NewProspect(plan)
	if err != nil {
		return calculator.GateQuestion{}, err
	}
	return calculator.GateQuestion{
		Gate: plan.Gate, Pairs: prospect.Distinct(), Unpaired: !plan.Design.Swap, Repeatable: prospect.Repeats,
		PerHour: calculator.PerHour(max(game, time.Millisecond), plan.Concurrency), Conditions: calculator.Typical(),
	}, nil
}
