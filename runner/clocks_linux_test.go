package runner

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// TestOffsetsAreOfTheKernelsClocks: the offsets are between the kernel's readings before and after.
func TestOffsetsAreOfTheKernelsClocks(t *testing.T) {
	boot, wall := readClock(unix.CLOCK_BOOTTIME), readClock(unix.CLOCK_REALTIME)
	first := readOffsets(offsets{})
	least, most := wall-readClock(unix.CLOCK_BOOTTIME), readClock(unix.CLOCK_REALTIME)-boot
	if d := first.wall - first.asleep; d < least || d > most {
		t.Errorf("the wall clock is %v ahead of the one since boot, by the kernel %v to %v", d, least, most)
	}
	// The offsets do not move while time passes. A clock that is being corrected is off by a thousandth.
	began := time.Now()
	for time.Since(began) < 10*time.Millisecond { // a wait on the clock that is tested
	}
	if d := readOffsets(first).wall - first.wall; d.Abs() > time.Since(began)/10 {
		t.Errorf("the wall clock's offset has moved by %v", d)
	}
}

// TestSleepIsReadOnlyIfTheWallClockMoved: readOffsets takes the time of sleep from an earlier result if the offset of
// the wall clock is the same. Otherwise it asks the kernel. A single call may read its two clocks at different times
// because it lost the CPU in between, so the test calls it many times.
func TestSleepIsReadOnlyIfTheWallClockMoved(t *testing.T) {
	now := readOffsets(offsets{})
	for _, moved := range []time.Duration{0, sameWall / 2, -2 * sameWall, 2 * sameWall} {
		last := offsets{asleep: now.asleep + time.Hour, wall: now.wall + moved}
		seen := map[bool]bool{}
		for range 100 {
			seen[readOffsets(last).asleep == last.asleep] = true
		}
		testutil.Check(t, seen[moved.Abs() < sameWall], "the wall clock moved by %v: every result took the earlier time of sleep: %t",
			moved, seen[true])
	}
}
