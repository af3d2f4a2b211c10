//go:build linux

package process

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gogi/internal/testutil"
)

func TestWorstWaitSinceTheLastCall(t *testing.T) {
	var s Self
	for i, step := range []struct {
		now  map[string]time.Duration
		want time.Duration
	}{
		{map[string]time.Duration{"1": 500 * ms, "2": 7 * ms}, 0},
		{map[string]time.Duration{"1": 510 * ms, "2": 37 * ms}, 30 * ms},
		{map[string]time.Duration{"1": 510 * ms, "2": 37 * ms}, 0},
		{map[string]time.Duration{"1": 511 * ms, "3": 4 * ms}, 4 * ms},
	} {
		testutil.Equal(t, s.since(step.now), step.want, "call %d", i+1)
	}
}

// TestWorstWaitOfOurOwnThreads has more busy threads than CPUs, so the threads wait for each other.
func TestWorstWaitOfOurOwnThreads(t *testing.T) {
	var s Self
	s.MaxSchedDelay()
	var end atomic.Bool
	defer end.Store(true)
	for range 4 * runtime.NumCPU() {
		go func() {
			runtime.LockOSThread()
			for !end.Load() {
				continue // busy, so it waits only for a CPU
			}
		}()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	testutil.Eventually(t, "one of them waits", func() bool { return s.MaxSchedDelay() > 0 })
}
