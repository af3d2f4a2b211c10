package runner

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// started is the start time of this program. It has a reading of the wall clock and one of the monotonic clock.
var started = time.Now()

// readOffsets returns the offsets of other clocks from CLOCK_MONOTONIC, which stops while the machine sleeps.
// CLOCK_BOOTTIME does not stop (clock_gettime(2)). Only CLOCK_BOOTTIME needs a system call, because time.Now
// reads the others without one. That matters because the runner calls readOffsets at every move with a clock.
func readOffsets() offsets {
	now := time.Now()
	mono := now.Sub(started)
	return offsets{asleep: readClock(unix.CLOCK_BOOTTIME) - mono, wall: time.Duration(now.UnixNano()) - mono}
}

// readClock returns the time of a clock. It cannot fail, because Linux has had all of these clocks since 2.6.39. Go's
// scheduler does not see the call: otherwise the call would wake the runtime's monitor thread if the program was idle.
func readClock(id uintptr) time.Duration {
	var t unix.Timespec
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOCK_GETTIME, id, uintptr(unsafe.Pointer(&t)), 0)
	return time.Duration(t.Nano())
}
