package runner

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// readOffsets compares with QueryUnbiasedInterruptTime, which stops while the machine sleeps. GetTickCount64 does not
// stop (Microsoft, "GetTickCount64 function"); its steps are at most 16 ms. Wine has it, but not the finer
// QueryInterruptTime.
func readOffsets() offsets {
	awake := unbiased()
	return offsets{asleep: windows.DurationSinceBoot() - awake, wall: time.Duration(time.Now().UnixNano()) - awake}
}

var queryUnbiasedInterruptTime = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// unbiased returns the interrupt time. It cannot fail: all Windows since 7 has this clock, in units of 100 ns.
func unbiased() time.Duration {
	var t uint64
	_, _, _ = queryUnbiasedInterruptTime.Call(uintptr(unsafe.Pointer(&t))) //nolint:gosec // the system call wants a pointer
	return time.Duration(t) * 100                                          //nolint:gosec // 29,000 years fit
}
