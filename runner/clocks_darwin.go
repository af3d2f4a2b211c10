package runner

import (
	"time"

	"golang.org/x/sys/unix"
)

// readOffsets compares clocks, so that gogi can detect that the machine slept or was suspended. It returns the
// differences between two other clocks and CLOCK_UPTIME_RAW, which stops while the machine sleeps. The other clocks
// do not stop: CLOCK_MONOTONIC_RAW and the wall clock (clock_gettime(3) of macOS).
func readOffsets() offsets {
	awake := readClock(unix.CLOCK_UPTIME_RAW)
	return offsets{asleep: readClock(unix.CLOCK_MONOTONIC_RAW) - awake, wall: readClock(unix.CLOCK_REALTIME) - awake}
}

// readClock returns the time of a clock. It cannot fail, because macOS has had all of these clocks since
// 10.12.
func readClock(id int32) time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(id, &t)
	return time.Duration(t.Nano())
}
