package runner_test

import (
	"context"
	"sync/atomic"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/usitest"
)

// exits plays two pairs with an engine that runs this script, and counts the starts of both players.
func exits(t *testing.T, script string) (pairs map[int]match.PairResult, starts int64, err error) {
	t.Helper()
	plan := testPlan(2, 1, fixedNodes)
	plan.Rules.MaxPlies, plan.Ponder = 4, match.PonderOff
	sink := &memorySink{pairs: map[int]match.PairResult{}}
	var started atomic.Int64
	err = runner.Run(t.Context(), runner.Config{
		Plan: plan, Sink: sink, Source: runner.NewPlanSource(plan, func(int) bool { return false }),
		Open: func(ctx context.Context, p match.Player, _ []int) (runner.Player, error) {
			started.Add(1)
			command := usitest.Command()
			if p.Name == plan.Players[0].Name {
				command = usitest.Command("-script", script)
			}
			proc, err := process.Start(process.Spec{Command: command}, nil)
			if err != nil {
				return nil, err
			}
			return usi.Greet(ctx, proc, usi.Config{Name: p.Name})
		},
	})
	return sink.pairs, started.Load(), err
}

// TestAnEngineThatExitsAfterItsGame: if an engine exits after each game, the runner restarts it for the next game. No
// pair needs another attempt.
func TestAnEngineThatExitsAfterItsGame(t *testing.T) {
	pairs, starts, err := exits(t, "exit@gameover")
	testutil.OK(t, err)
	for id := range 2 {
		p := pairs[id]
		testutil.Check(t, len(p.Games) == 2 && len(p.Attempts) == 0, "pair %d: %d games, attempts %v", id, len(p.Games),
			p.Attempts)
	}
	if starts != 5 { // 4 for the engine that exits (one per game) and 1 for its opponent
		t.Errorf("%d starts", starts)
	}
}

// TestAnEngineThatCrashesAfterItsGame: if a signal ends the engine between two games, the run fails.
func TestAnEngineThatCrashesAfterItsGame(t *testing.T) {
	_, _, err := exits(t, "abort@gameover")
	testutil.Check(t, err != nil, "a crash at each gameover is no failure")
}
