package main

import (
	"fmt"
	"io"
	"math"
	"slices"

	"gogi/internal/fail"
	"gogi/match"
	"gogi/match/gate"
	"gogi/report"
	"gogi/report/calculator"
	"gogi/stats"
	"gogi/stats/binomial"
	"gogi/usi"
)

// A bisectStep has the error rates and the engines of one step of a bisection.
type bisectStep struct {
	// rates are the error probabilities of this step: that a good commit counts as bad (Alpha), or a bad one as good (Beta).
	// Commits is 0 if their number is unknown.
	rates        binomial.Bisection
	commits      *int     // value of --bisect-commits; nil: not given
	ours, theirs []string // names of the commit's engines, and of the other player's engines
}

// bisectError is the value of both error rates, Alpha and Beta, without an SPRT. They are the rates of the
// whole bisection, or of each step if the number of commits is unknown.
const bisectError = 0.05

// design returns the plan of this step of the bisection. With an SPRT, H0 means a bad commit. So the SPRT's alpha is
// the rate of bad commits that count as good. design divides these error rates among the steps. It returns an error for
// a plan that cannot decide.
func (s *bisectStep) design(plan *match.Plan) (*match.Plan, error) {
	if n := len(plan.Players); n != 2 {
		return nil, fmt.Errorf("--exit bisect: %d players: expected the commit's engine and the one that it is compared with", n)
	}
	for i, names := range []*[]string{&s.ours, &s.theirs} {
		for _, e := range (&match.Plan{Players: plan.Players[i : i+1]}).Engines() {
			*names = append(*names, e.Name)
		}
	}
	s.rates = binomial.Bisection{Alpha: bisectError, Beta: bisectError}
	if !plan.Gate.IsZero() {
		s.rates.Alpha, s.rates.Beta = plan.Gate.Beta, plan.Gate.Alpha
	}
	if s.commits != nil {
		var err error
		if s.rates, err = binomial.NewBisection(*s.commits, s.rates.Alpha, s.rates.Beta); err != nil {
			return nil, fmt.Errorf("--bisect-commits: %w", err)
		}
	}
	divided := *plan
	if !plan.Gate.IsZero() {
		divided.Gate.Alpha, divided.Gate.Beta = s.rates.Beta, s.rates.Alpha
	}
	return &divided, s.enough(&divided)
}

// enough returns an error if the run has too few games for a verdict "good" or for a verdict "bad".
func (s *bisectStep) enough(plan *match.Plan) error {
	least, by := report.LeastPairs(s.rates.Alpha), fmt.Sprintf("the level %.3g", s.rates.Alpha)
	if !plan.Gate.IsZero() {
		pass, fail, err := gate.Test(plan.Gate).Openings()
		if err != nil {
			return fmt.Errorf("--exit bisect: %w", err)
		}
		least, by = max(pass, fail), plan.Gate.String()
	}
	if plan.Pairs < least {
		return fmt.Errorf("--exit bisect: %d pairs cannot decide by %s: expected at least %d", plan.Pairs, by, least)
	}
	return nil
}

// isOurs reports whether every cause of an error is a failure of this commit's engine. It returns false for
// an engine that both players use.
func (s *bisectStep) isOurs(err error) bool {
	ours := func(engine string) bool {
		return slices.Contains(s.ours, engine) && !slices.Contains(s.theirs, engine)
	}
	switch e := err.(type) { //nolint:errorlint // the function walks the whole tree of errors
	case *usi.Fault:
		return e.Kind != usi.FaultConnection && ours(e.Engine)
	case *fail.EngineError:
		return ours(e.Engine)
	case interface{ Unwrap() []error }:
		causes := e.Unwrap()
		return len(causes) > 0 && !slices.ContainsFunc(causes, func(cause error) bool { return !s.isOurs(cause) })
	case interface{ Unwrap() error }:
		return s.isOurs(e.Unwrap())
	}
	return false
}

// printErrors prints the error probabilities of this step and of the bisection.
func (s *bisectStep) printErrors(w io.Writer, plan *match.Plan) {
	a, b, reference := s.rates.Alpha, s.rates.Beta, plan.Players[1].Name
	if g := plan.Gate; !g.IsZero() {
		fmt.Fprintf(w, "bisect: a good commit (%+g %s or more against %s, %s) is called bad with probability at most %.3g, a bad one (%+g %s or less) good with at most %.3g\n",
			g.Elo1, g.Model.Unit(), reference, g.Model, a, g.Elo0, g.Model.Unit(), b)
		if g.Elo1 > 0 {
			fmt.Fprintf(w, "bisect: a commit that is as strong as %s is not a good one by these hypotheses\n", reference)
		}
	} else {
		fmt.Fprintf(w, "bisect: a good commit (no weaker than %s) is called bad with probability at most %.3g, %s\n", reference, a, missed(plan, s.rates))
	}
	if s.rates.Commits > 0 {
		fmt.Fprintf(w, "bisect: in %d steps, the right one of %d commits is named with probability %.3f or more, if every step decides\n",
			s.rates.Steps, s.rates.Commits, math.Floor(1000*s.rates.Right)/1000)
		return
	}
	fmt.Fprintf(w, "bisect: these are the errors of each step, and they add up: the right one of 16 commits is named with probability %.2f, of 256 with %.2f; --bisect-commits N divides them among the steps\n",
		binomial.NamesCulprit(16, a, b), binomial.NamesCulprit(256, a, b))
}

// missed returns a text for runs without an SPRT: how much weaker a bad commit must be, and how often gogi then
// still calls it good.
func missed(plan *match.Plan, rates binomial.Bisection) string {
	power, few := 1-rates.Beta, stats.Conditions{DrawRate: calculator.TypicalDraws}
	find := stats.PairDesign{Alpha: rates.Alpha, Power: power, Alternative: binomial.Less, Conditions: few}.Detectable
	if !plan.Design.Swap {
		find = binomial.Design{Alpha: rates.Alpha, Power: power, DrawRate: few.DrawRate, Alternative: binomial.Less}.Detectable
	}
	elo, err := find(plan.Pairs)
	if err != nil {
		return fmt.Sprintf("and it is unknown which bad ones are called good (%v)", err)
	}
	return fmt.Sprintf("a bad one of %+.0f Elo good with about %.3g (in %d pairs, %g%% of games drawn)", elo, rates.Beta, plan.Pairs, 100*calculator.TypicalDraws)
}
