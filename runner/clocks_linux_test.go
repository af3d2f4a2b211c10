package runner

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestOffsetsAreOfTheKernelsClocks: the offsets are between the kernel's readings before and after.
func TestOffsetsAreOfTheKernelsClocks(t *testing.T) {
	boot, wall := readClock(unix.CLOCK_BOOTTIME), readClock(unix.CLOCK_REALTIME)
	first := readOffsets()
	least, most := wall-readClock(unix.CLOCK_BOOTTIME), readClock(unix.CLOCK_REALTIME)-boot
	if d := first.wall - first.asleep; d < least || d > most {
		t.Errorf("the wall clock is %v ahead of the one since boot, by the kernel %v to %v", d, least, most)
	}
	// The offsets do not move while time passes. A clock that is being corrected is off by a thousandth.
	began := time.Now()
	for time.Since(began) < 10*time.Millisecond { // a wait on the clock that is tested
	}
	if d := readOffsets().wall - first.wall; d.Abs() > time.Since(began)/10 {
		t.Errorf("the wall clock's offset has moved by %v", d)
	}
}
