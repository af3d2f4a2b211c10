package process

import (
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestWorstWaitSinceTheLastCall writes the files of threads into a folder. "" means a thread that has ended.
func TestWorstWaitSinceTheLastCall(t *testing.T) {
	root := t.TempDir()
	s := Self{root: root}
	defer s.Close()
	for i, step := range []struct {
		waited map[string]string // in nanoseconds, by thread
		want   time.Duration
	}{
		{map[string]string{"1": "500000000", "2": "7000000"}, 0},
		{map[string]string{"1": "510000000", "2": "37000000"}, 30 * ms},
		{map[string]string{"1": "510000000", "2": "37000000"}, 0},
		{map[string]string{"1": "511000000", "2": "", "3": "4000000"}, 4 * ms},
		{map[string]string{"1": "511000000", "3": "9000000"}, 5 * ms},
	} {
		for tid, waited := range step.waited {
			testutil.OK(t, os.MkdirAll(root+"/task/"+tid, 0o755))
			if waited != "" {
				waited = "1 " + waited + " 1\n"
			}
			testutil.OK(t, os.WriteFile(root+"/task/"+tid+"/schedstat", []byte(waited), 0o600))
		}
		testutil.Equal(t, s.MaxSchedDelay(), step.want, "call %d", i+1)
	}
	testutil.Equal(t, len(s.threads), 2, "the thread that ended is still open")
	s.Close()
	testutil.Equal(t, s.MaxSchedDelay(), 0, "the first call after Close")
}

// TestOwnThreadsAreFound requires that a Self knows each thread of this program, and only those, after threads have
// begun and ended, and that its descriptors go with it.
func TestOwnThreadsAreFound(t *testing.T) {
	var s Self
	before := openFiles(t)
	s.MaxSchedDelay()
	for range 3 {
		end := make(chan struct{})
		var locked sync.WaitGroup
		for range 8 {
			locked.Add(1)
			go func() {
				runtime.LockOSThread() // never unlocked, so the thread ends with this goroutine
				locked.Done()
				<-end
			}()
		}
		locked.Wait()
		s.MaxSchedDelay()
		testutil.Check(t, len(s.threads) >= 9, "%d threads", len(s.threads))
		close(end)
	}
	testutil.Eventually(t, "the ended threads are gone", func() bool {
		s.MaxSchedDelay()
		return len(s.threads) == len(testutil.Must(os.ReadDir("/proc/self/task"))(t))
	})
	s.Close()
	testutil.Check(t, openFiles(t) <= before, "%d open files, before %d", openFiles(t), before)
}

// openFiles returns the number of open files of this program.
func openFiles(t *testing.T) int {
	t.Helper()
	return len(testutil.Must(os.ReadDir("/proc/self/fd"))(t))
}

// TestWorstWaitOfOurOwnThreads has more busy threads than CPUs, so the threads wait for each other.
func TestWorstWaitOfOurOwnThreads(t *testing.T) {
	var s Self
	defer s.Close()
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
