package runner

import (
	"os"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// TestTimers: a timer never fires early, set replaces the earlier time, also while another goroutine waits, and close
// ends the wait. A closed timer of the kernel leaves no open file.
func TestTimers(t *testing.T) {
	for name, start := range map[string]func() timer{"Go": newGoTimer, "the kernel": newTimer} {
		t.Run(name, func(t *testing.T) {
			files := openFiles(t)
			timer := start()
			began := time.Now()
			timer.set(time.Hour)
			fired := waiting(timer)
			timer.set(20 * time.Millisecond)
			testutil.Check(t, <-fired && time.Since(began) >= 20*time.Millisecond, "after %v", time.Since(began))
			timer.set(time.Nanosecond)
			testutil.Check(t, timer.wait(), "the second wait")
			timer.set(time.Hour)
			fired = waiting(timer)
			timer.close()
			testutil.Check(t, !<-fired && !timer.wait(), "a closed timer fires")
			timer.set(1)
			testutil.Check(t, !timer.wait(), "a closed timer fires after set")
			other := newTimer() // gets the number of the closed file
			other.set(time.Hour)
			timer.set(1)
			select {
			case <-waiting(other):
				t.Error("a closed timer set the timer that has its descriptor now")
			case <-time.After(50 * time.Millisecond):
			}
			other.close()
			testutil.Check(t, openFiles(t) <= files, "%d open files, before %d", openFiles(t), files)
		})
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	return len(testutil.Must(os.ReadDir("/proc/self/fd"))(t))
}

// waiting waits in another goroutine and sends the result.
func waiting(t timer) <-chan bool {
	fired := make(chan bool, 1) // receives one value; never closed
	go func() { fired <- t.wait() }()
	return fired
}

// TestAPassedTimeWakesAtOnce: a time that has passed wakes the observer at once. A timer of the kernel that is set to 0
// or less would never fire.
func TestAPassedTimeWakesAtOnce(t *testing.T) {
	for name, start := range map[string]func() timer{"Go": newGoTimer, "the kernel": newTimer} {
		l := &lateness{timer: start()}
		l.wakeBy(time.Now().Add(-time.Second))
		select {
		case <-waiting(l.timer):
		case <-time.After(10 * time.Second):
			t.Errorf("the timer of %s does not fire", name)
		}
		l.timer.close()
	}
}
