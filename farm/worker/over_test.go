package worker_test

import (
	"context"
	"errors"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestAnEndThatWasMissedIsTold: the hint that a run is over is lost, and no heartbeat names the run, because the worker
// holds no pair of it. The answer to the next request reports the end.
func TestAnEndThatWasMissedIsTold(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		released := 0
		f.config.Ready = func(_ context.Context, p *match.Plan) (*match.Plan, func(), error) {
			return p, func() { released++ }, nil
		}
		run := f.add(plan("a", 4))
		w, done := f.plays(t, time.Second)
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 4))
		f.until(t.Context(), "it asks on, and nothing is over", func() bool {
			return slices.Contains(f.asks[len(f.asks)-1].Known, run)
		})
		testutil.Check(t, released == 0, "what a run needs was let go of before its end")
		f.mu.Lock()
		f.over = []string{run}
		f.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		f.until(ctx, "the run is forgotten", func() bool { return len(f.asks[len(f.asks)-1].Known) == 0 })
		testutil.Check(t, released == 1, "what the run needs was let go of %d times", released)
		w.Drain()
		err := errors.Join(<-done, w.Close(t.Context()))
		testutil.Check(t, err == nil && released == 1, "%v; released %d times", err, released)
	})
}

// TestWhoForwardsEndsWithTheRun: for each watched run one goroutine forwards events. It ends with the run.
func TestWhoForwardsEndsWithTheRun(t *testing.T) {
	forwarders := func() int {
		var text strings.Builder
		synctest.Wait()
		testutil.OK(t, pprof.Lookup("goroutine").WriteTo(&text, 2))
		return strings.Count(text.String(), "worker.(*task).listen.func")
	}
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 4))
		f.told.Watched = []string{run}
		w := f.join(t)
		f.until(t.Context(), "it is told who watches", func() bool { return len(f.beats) > 0 })
		done := playing(t.Context(), w, time.Second)
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 4))
		told := func() (n int) {
			f.wire.set(func() { n = len(f.wire.told) })
			return n
		}
		if n := forwarders(); n != 1 || told() == 0 {
			t.Errorf("%d forward, and %d events were told", n, told())
		}
		f.mu.Lock()
		f.over = []string{run}
		f.mu.Unlock()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		f.until(ctx, "the run is forgotten", func() bool { return len(f.asks[len(f.asks)-1].Known) == 0 })
		testutil.Equal(t, forwarders(), 0, "forwarders of a run that is over")
		drained(t, w, done)
	})
}

// TestAQuestionNamesNoMoreRunsThanItMay: a worker that knows too many runs names only as many as a request may have.
func TestAQuestionNamesNoMoreRunsThanItMay(t *testing.T) {
	known, refused := worker.Standing(farm.MaxRuns + 1)
	ask := farm.Ask{Session: "s", Known: known, Refuse: refused}
	if err := ask.Check(); err != nil || len(known) != farm.MaxRuns || len(refused) != farm.MaxRuns {
		t.Errorf("%d known and %d refused runs: %v", len(known), len(refused), err)
	}
}
