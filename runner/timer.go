package runner

import "time"

// timer wakes the goroutine that observes delays. set and close may be called while another goroutine waits.
type timer interface {
	set(d time.Duration) // makes wait return after d, which is positive, instead of at the time of the last call
	wait() bool          // waits for that time; false after close
	close()
}

// goTimer is a timer of package time.
type goTimer struct {
	timer *time.Timer
	end   chan struct{} // closed by close
}

func newGoTimer() timer { return &goTimer{timer: time.NewTimer(time.Hour), end: make(chan struct{})} }

func (t *goTimer) set(d time.Duration) { t.timer.Reset(d) }

func (t *goTimer) wait() bool {
	select {
	case <-t.timer.C:
	case <-t.end:
	}
	select {
	case <-t.end: // the timer may have fired at the same time
		return false
	default:
		return true
	}
}

func (t *goTimer) close() {
	t.timer.Stop()
	close(t.end)
}
