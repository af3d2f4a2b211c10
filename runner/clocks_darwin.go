package runner

import (
	"time"

	"golang.org/x/sys/unix"
)

// readOffsets returns the offsets of other clocks from CLOCK_UPTIME_RAW, which stops while the machine
// sleeps. CLOCK_MONOTONIC_RAW does not stop (clock_gettime(3) of macOS).
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
