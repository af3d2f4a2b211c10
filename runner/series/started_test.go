package series_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/runner/series"
)

// TestStarted: each start of a player is reported once, with its result. A start is not reported if gogi cancels it
// because the opponent failed.
func TestStarted(t *testing.T) {
	var mu sync.Mutex
	ready, failed := map[string]int{}, map[string]int{}
	broken := errors.New("broken")
	opened := map[string]int{}
	waits := make(chan struct{}) // closed while the strong player starts
	config := series.Config{
		Open: func(ctx context.Context, p match.Player, cpus []int) (runner.Player, error) {
			mu.Lock()
			opened[p.Name]++
			first := opened[p.Name] == 1
			mu.Unlock()
			switch {
			case first && p.Name == "weak":
				<-waits
				return nil, broken
			case first: // the start ends only because the other start failed
				close(waits)
				<-ctx.Done()
				return nil, ctx.Err()
			}
			return open(ctx, p, cpus)
		},
		Started: func(player string, took time.Duration, why error) {
			mu.Lock()
			defer mu.Unlock()
			testutil.Check(t, (why == nil || errors.Is(why, broken)) && took >= 0, "%s after %v: %v", player, took, why)
			if why == nil {
				ready[player]++
			} else {
				failed[player]++
			}
		},
	}
	store := newMemory(plan(3, 1))
	s := testutil.Must(series.New(t.Context(), store.plan, store, store.stored))(t)
	ending, err := s.Play(t.Context(), config)
	testutil.Require(t, err == nil && ending.Left == 0, "%+v, %v", ending, err)
	testutil.Check(t, len(ready) == 2 && ready["strong"] == 1 && ready["weak"] == 1 && len(failed) == 1 &&
		failed["weak"] == 1,
		"ready %v, failed %v", ready, failed)
	if s.Gate() != nil || s.Dropped() != 0 {
		t.Errorf("gate %v, dropped %d", s.Gate(), s.Dropped())
	}
}
