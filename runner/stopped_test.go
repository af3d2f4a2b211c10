//go:build linux

package runner_test

import (
	"context"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
	"gogi/usi/process"
	"gogi/usi/usitest"
)

// interrupted is an engine that a signal stops in its first search of each game. The engine continues after it has lost
// on time.
type interrupted struct {
	*usi.Engine
	pid   int
	fresh bool
	stops *atomic.Int64 // stops that the kernel confirmed
}

func (i *interrupted) NewGame(ctx context.Context, g usi.Game) error {
	i.fresh = true
	return i.Engine.NewGame(ctx, g)
}

func (i *interrupted) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	if i.fresh {
		i.fresh = false
		time.AfterFunc(50*time.Millisecond, func() {
			if syscall.Kill(i.pid, syscall.SIGSTOP) != nil {
				return
			}
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(i.pid, &status, syscall.WUNTRACED, nil) // returns when the engine has stopped
			if err == nil && pid == i.pid && status.Stopped() {
				i.stops.Add(1)
			}
			time.Sleep(600 * time.Millisecond)
			_ = syscall.Kill(i.pid, syscall.SIGCONT)
		})
	}
	return i.Engine.Think(ctx, r)
}

// TestAStoppedEngineIsNotBlamed: an engine that is stopped by a signal loses on time. The note has the duration of the
// stop, and the game is marked, so that --slowed void plays its pair again.
func TestAStoppedEngineIsNotBlamed(t *testing.T) {
	plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Byoyomi: 300 * time.Millisecond},
		Margin: 100 * time.Millisecond})
	plan.Rules.MaxPlies, plan.Ponder = 4, match.PonderOff
	sink := &memorySink{pairs: map[int]match.PairResult{}}
	var stops atomic.Int64
	testutil.OK(t, runner.Run(t.Context(), runner.Config{
		Plan: plan, Sink: sink, Waits: new(process.Self).MaxSchedDelay,
		Source: runner.NewPlanSource(plan, func(int) bool { return false }),
		Open: func(ctx context.Context, p match.Player, _ []int) (runner.Player, error) {
			proc, err := process.Start(process.Spec{Command: usitest.Command("-think", "200ms")}, nil)
			if err != nil {
				return nil, err
			}
			engine, err := usi.Greet(ctx, proc, usi.Config{Name: p.Name})
			if err != nil || p.Name != plan.Players[0].Name {
				return engine, err
			}
			return &interrupted{Engine: engine, pid: proc.PID(), stops: &stops}, nil
		},
	}))
	testutil.Require(t, stops.Load() >= 2, "the engine was stopped %d times in 2 games", stops.Load())
	for _, g := range sink.pairs[0].Games {
		if g.Termination != match.TimeForfeit || !g.Marked || !strings.HasPrefix(g.Note, "slowed by ") ||
			!strings.Contains(g.Note, "it was stopped for ") {
			t.Errorf("%s, marked %t: %s", g.Termination, g.Marked, g.Note)
		}
	}
}
