//go:build linux

package process

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"gogi/internal/await"
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
		if got := s.since(step.now); got != step.want {
			t.Errorf("call %d: %v, want %v", i+1, got, step.want)
		}
	}
}

// More busy threads of our own than there are CPUs wait for each other.
func TestWorstWaitOfOurOwnThreads(t *testing.T) {
	var s Self
	s.WorstWait()
	var end atomic.Bool
	defer end.Store(true)
	for range 4 * runtime.NumCPU() {
		go func() {
			runtime.LockOSThread()
			for !end.Load() {
				continue // busy: it is to wait for a CPU, and for nothing else
			}
		}()
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4 * runtime.NumCPU()))
	await.That(t, "one of them waits", func() bool { return s.WorstWait() > 0 })
}
