package runner

import (
	"time"

	"golang.org/x/sys/unix"
)

// started is the start time of this program, by the clocks of time.Now.
var started = time.Now()

// readOffsets compares with CLOCK_MONOTONIC since the start. CLOCK_BOOTTIME also counts while the machine sleeps
// (clock_gettime(2)). Only this clock needs a system call, because time.Now reads the others without one.
// That matters because the runner calls readOffsets at every move with a clock.
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
