package runner_test

import (
	"context"
	"io"
	"sync"
	"testing"
	"testing/synctest"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/usi"
)

// gated is a player whose games wait for permission to begin.
type gated struct {
	fake
	playing chan<- struct{} // one value for each game that begins; never closed
	going   <-chan struct{} // each value allows one game; after close, all games
}

func (g *gated) NewGame(ctx context.Context, _ usi.Game) error {
	select {
	case g.playing <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	select {
	case <-g.going:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// widthRun is a run of one-game pairs between a gated player and an ordinary one.
type widthRun struct {
	width   *runner.Width
	playing chan struct{} // see gated
	going   chan struct{}
	ended   chan error // one value: the error of the run
	sink    *memorySink
}

func beginWidthRun(t *testing.T, pairs, slots int, source func(*match.Plan) runner.Source) *widthRun {
	t.Helper()
	w := &widthRun{
		width: runner.NewWidth(slots), playing: make(chan struct{}, 100), going: make(chan struct{}),
		ended: make(chan error, 1), sink: &memorySink{pairs: map[int]match.PairResult{}},
	}
	plan := testPlan(pairs, 1, fixedNodes)
	plan.Design.Swap = false
	go func() {
		w.ended <- runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: source(plan), Sink: w.sink, Width: w.width, StartParallel: 100,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				if name != plan.Players[0].Name {
					return &fake{}, nil
				}
				return &gated{playing: w.playing, going: w.going}, nil
			}),
		})
	}()
	return w
}

func planSource(p *match.Plan) runner.Source {
	return runner.NewPlanSource(p, func(int) bool { return false })
}

// seated returns the number of games that began since the last call.
func (w *widthRun) seated() (n int) {
	synctest.Wait()
	for {
		select {
		case <-w.playing:
			n++
		default:
			return n
		}
	}
}

// TestWidthChangesWhileARunPlays: added slots begin at once. Removed slots end after their pairs, which are stored like
// all others. If the width grows again before that, no slot ends.
func TestWidthChangesWhileARunPlays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := beginWidthRun(t, 20, 2, planSource)
		for i, step := range []struct{ slots, goOn, begin int }{
			{2, 0, 2}, {5, 0, 3}, {5, 5, 5}, {1, 0, 0}, {1, 5, 1}, {1, 1, 1}, {3, 0, 2}, {1, 0, 0}, {3, 0, 0}, {3, 3, 3},
		} {
			w.width.Set(step.slots)
			for range step.goOn {
				w.going <- struct{}{}
			}
			n := w.seated()
			testutil.Require(t, n == step.begin, "step %d, %+v: %d games began", i, step, n)
		}
		close(w.going)
		err := <-w.ended
		testutil.Check(t, err == nil && len(w.sink.pairs) == 20, "%v, %d pairs", err, len(w.sink.pairs))
		w.width.Set(7) // the run is over, so no game begins
		testutil.Equal(t, w.width.Slots(), 7, "slots")
	})
}

// never is a source without pairs that ends when over is closed.
type never struct{ over chan struct{} } // closed at the end

func (n never) Next(ctx context.Context) (runner.Lease, error) {
	select {
	case <-n.over:
		return runner.Lease{}, io.EOF
	case <-ctx.Done():
		return runner.Lease{}, context.Cause(ctx)
	}
}

// counted counts the slots that wait in Next of a source.
type counted struct {
	runner.Source
	mu      sync.Mutex
	waiting int
}

func (c *counted) Next(ctx context.Context) (runner.Lease, error) {
	c.add(1)
	defer c.add(-1)
	return c.Source.Next(ctx)
}

func (c *counted) add(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting += n
}

func (c *counted) now() int {
	synctest.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waiting
}

// TestWaitingSlotsRetire: a removed slot that waits for a pair ends at once, and the run does not fail.
func TestWaitingSlotsRetire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		end := never{make(chan struct{})}
		source := &counted{Source: end}
		w := beginWidthRun(t, 1, 4, func(*match.Plan) runner.Source { return source })
		for _, slots := range []int{4, 1, 6} {
			w.width.Set(slots)
			testutil.Equal(t, source.now(), slots, "slots wait")
		}
		close(end.over)
		testutil.OK(t, <-w.ended)
	})
}
