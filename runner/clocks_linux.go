package runner

import (
	"time"

	"golang.org/x/sys/unix"
)

// started is when this program began, by the clocks of time.Now.
var started = time.Now()

// readOffsets compares with CLOCK_MONOTONIC, as it went on since the start. CLOCK_BOOTTIME
// goes on while the machine sleeps, when that does not (clock_gettime(2)); it is the one
// that the kernel itself is asked for, since time.Now reads the others without a system
// call, and this is asked at every move on a clock.
func readOffsets() offsets {
	now := time.Now()
	mono := now.Sub(started)
	return offsets{asleep: readClock(unix.CLOCK_BOOTTIME) - mono, wall: time.Duration(now.UnixNano()) - mono}
}

// readClock cannot fail: Linux has had all of these clocks since 2.6.39.
func readClock(id int32) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(id, &t)
	return time.Duration(t.Nano())
}
