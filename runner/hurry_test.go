package runner_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/hurry"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
)

// unready is a player that never answers isready.
type unready struct{ fake }

func (*unready) NewGame(ctx context.Context, _ usi.Game) error { return untilTold(ctx) }

// TestAnEndingRunWaitsForNoStart: a run that must end returns the pairs whose players are still starting. It finishes
// the games in play, and their players may restart between games.
func TestAnEndingRunWaitsForNoStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const told = 10 * time.Second
		ending, began := make(chan struct{}), time.Now()
		time.AfterFunc(told, func() { close(ending) })
		sink := &hookSink{}
		long := planNamed("long")
		long.Players[0].Restart = match.RestartGame
		plans := []*match.Plan{long, planNamed("hangs"), planNamed("unready"), planNamed("cut")}
		source := &queue{}
		returned := map[string]time.Duration{} // by run; written once for each run, read after the end
		for _, p := range plans {
			l := lease(p, 0, &sink.journal)
			note := l.Return
			l.Return = func(why error) {
				note(why)
				sink.mu.Lock()
				defer sink.mu.Unlock()
				returned[p.Run] = time.Since(began)
			}
			source.leases = append(source.leases, l)
		}
		err := runner.Run(within(t, time.Hour), runner.Config{
			Source: source, Sink: sink, Concurrency: len(plans), StartParallel: 2 * len(plans), Ending: ending,
			Open: openAll(func(ctx context.Context, name string) (runner.Player, error) {
				switch {
				case strings.HasPrefix(name, "long"):
					time.Sleep(hurry.Grace / 2) // in synctest's time
					return &fake{delay: everySecond}, nil
				case strings.HasPrefix(name, "unready"):
					return &unready{}, nil
				case strings.HasPrefix(name, "cut"):
					return &fake{newGame: func() error { return &usi.Fault{Kind: usi.FaultConnection} }}, nil
				}
				return nil, untilTold(ctx)
			}),
		})
		testutil.Check(t, err == nil, "error %v", err)
		testutil.Check(t, sink.has("put long 0: 2 games, added true"), "the pair in play is lost: %q", sink.lines)
		for run, latest := range map[string]time.Duration{"hangs": told + hurry.Grace, "unready": told + hurry.Grace,
			"cut": told} {
			if at := returned[run]; at < told || at > latest || sink.count("return "+run+" 0: "+hurry.ErrEnding.Error()) != 1 {
				t.Errorf("%s was given back after %v: %q", run, at, sink.lines)
			}
		}
	})
}
