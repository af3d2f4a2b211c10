package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
)

// optioned is a player that starts only with some options.
type optioned struct {
	fake

	starts func(options []usi.Setting) error
	closed *int
}

func (o *optioned) NewGame(_ context.Context, g usi.Game) error { return o.starts(g.Options) }

func (o *optioned) Close() error {
	*o.closed++
	return nil
}

// TestTryOut: if a player does not start with the pair's options but starts with the known ones, it forfeits. A player
// that starts at a later try does not forfeit. Every opened player is closed.
func TestTryOut(t *testing.T) {
	t.Parallel()
	plan := testPlan(10, 1, fixedNodes)
	known := []match.Option{{Name: "A", Value: "0"}}
	pair := plan.Pair(3)
	pair.Options = [2][]match.Option{{{Name: "A", Value: "1"}}, {{Name: "A", Value: "2"}}}
	first, second := plan.Players[pair.Players[0]].Name, plan.Players[pair.Players[1]].Name
	for what, c := range map[string]struct {
		fails   map[string]int // failed tries, by player and value
		failed  [2]bool
		known   string // the player in the error, if the known options do not start
		nothing bool   // no player forfeits
	}{
		"all start": {nil, [2]bool{}, "", true},
		"at the third try": {map[string]int{first + "1": 2, second + "0": 2, second + "2": 2}, [2]bool{}, "",
			true},
		"the first one's points do not": {map[string]int{first + "1": 3}, [2]bool{true, false}, "", false},
		"the second one's do not":       {map[string]int{second + "2": 3}, [2]bool{false, true}, "", false},
		"neither's do":                  {map[string]int{first + "1": 3, second + "2": 3}, [2]bool{true, true}, "", false},
		"nor do the known ones":         {map[string]int{first + "1": 3, first + "0": 3}, [2]bool{}, first, false},
		"nor the other one's known":     {map[string]int{second + "0": 3}, [2]bool{}, second, false},
	} {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			tries, opened, closed := map[string]int{}, 0, 0
			open := func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
				opened++
				return &optioned{closed: &closed, starts: func(options []usi.Setting) error {
					testutil.Check(t, len(options) == 1 && options[0].Name == "A", "%s is sent %v", p.Name, options)
					key := p.Name + options[0].Value
					if tries[key]++; tries[key] <= c.fails[key] {
						return fmt.Errorf("%s does not start", key)
					}
					return nil
				}}, nil
			}
			got, err := runner.TryOut(t.Context(), open, plan, pair, known)
			testutil.Require(t, (err != nil) == (c.known != "") &&
				(err == nil || strings.Contains(err.Error(), c.known+"0 does not start")),
				"%v", err)
			testutil.Check(t, opened != 0 && closed == opened, "%d players were opened, and %d closed", opened, closed)
			testutil.Require(t, (got == nil) == (c.nothing || c.known != ""), "%+v", got)
			if got == nil {
				return
			}
			if want := match.Forfeited(plan, pair, c.failed, "", 0); got.Pair.ID != 3 || len(got.Games) != len(want.Games) {
				t.Fatalf("%+v", got)
			} else {
				for i := range want.Games {
					testutil.Check(t, got.Games[i].Outcome == want.Games[i].Outcome && got.Games[i].Termination == match.NotStarted,
						"game %d: %v by %v, expected %v", i, got.Games[i].Outcome, got.Games[i].Termination, want.Games[i].Outcome)
				}
			}
			testutil.Check(t, slices.ContainsFunc(got.Games, func(g match.Result) bool {
				return strings.Contains(g.Note, "does not start")
			}),
				"it does not say why: %+v", got.Games)
		})
	}
}

// TestTryOutIsCutShort: if ctx ends, TryOut returns its cause, and no player forfeits.
func TestTryOutIsCutShort(t *testing.T) {
	t.Parallel()
	plan := testPlan(10, 1, fixedNodes)
	pair := plan.Pair(0)
	pair.Options = [2][]match.Option{{{Name: "A", Value: "1"}}, {{Name: "A", Value: "2"}}}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("the machine is wanted")
	open := func(context.Context, match.Player, []int) (runner.Player, error) {
		closed := 0
		return &optioned{closed: &closed, starts: func(options []usi.Setting) error {
			if options[0].Value == "1" {
				cancel(why)
				return context.Cause(ctx)
			}
			return nil
		}}, nil
	}
	got, err := runner.TryOut(ctx, open, plan, pair, []match.Option{{Name: "A", Value: "0"}})
	testutil.Check(t, got == nil && errors.Is(err, why), "%+v, %v", got, err)
}
