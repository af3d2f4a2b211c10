package runner

import (
	"time"

	"golang.org/x/sys/unix"
)

// readOffsets compares with CLOCK_MONOTONIC. CLOCK_BOOTTIME goes on while the machine
// sleeps, when that does not (clock_gettime(2)).
func readOffsets() offsets {
	mono := readClock(unix.CLOCK_MONOTONIC)
	return offsets{asleep: readClock(unix.CLOCK_BOOTTIME) - mono, wall: readClock(unix.CLOCK_REALTIME) - mono}
}

// readClock cannot fail: Linux has had all of these clocks since 2.6.39.
func readClock(id int32) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(id, &t)
	return time.Duration(t.Nano())
}
