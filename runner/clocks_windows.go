package runner

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// readOffsets compares with QueryUnbiasedInterruptTime, which does not go on while the
// machine sleeps. GetTickCount64 does (Microsoft, "GetTickCount64 function"), in steps of
// at most 16 ms; it is there where QueryInterruptTime, which is finer, is not: in Wine.
func readOffsets() offsets {
	awake := unbiased()
	return offsets{asleep: windows.DurationSinceBoot() - awake, wall: time.Duration(time.Now().UnixNano()) - awake}
}

var queryUnbiasedInterruptTime = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// unbiased cannot fail: all Windows since 7 has this clock, in units of 100 ns.
func unbiased() time.Duration {
	var t uint64
	_, _, _ = queryUnbiasedInterruptTime.Call(uintptr(unsafe.Pointer(&t))) //nolint:gosec // that is how it is called
	return time.Duration(t) * 100                                          //nolint:gosec // 29,000 years fit
}
