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

// expectation prints how many games the plan's SPRT takes on average, and alternatives to this SPRT that take fewer
// games. game is the duration of one game.
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
	fmt.Fprintln(w, i18n.Say(in, "%s, at most %s games; expected: %s (details: --dry-run)", plan.Gate,
		format.Count(plan.Games()), numbers))
	share, games := question.Undecided()
	if share <= undecidedOften || games == 0 {
		return nil
	}
	remedy := i18n.Of("raise --games")
	if 2*question.Pairs < plan.Games() {
		remedy = i18n.Of("use more openings (--openings)")
	}
	fmt.Fprintln(w,
		i18n.Say(in,
			"warning: %s of such tests end undecided after %s different games, and 90%% decide within %s: %s, or bounds that are further apart (--sprt)",
			format.Percent(share), format.Count(2*question.Pairs), format.Count(games), remedy))
	return nil
}

// undecidedOften is the share of undecided tests above which a run begins with a warning.
const undecidedOften = 0.2

// expected returns the input for the calculation of how many games the plan's SPRT takes. game is the duration of
// one game.
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
