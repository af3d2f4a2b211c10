package runner

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// readOffsets returns the offsets of other clocks from QueryUnbiasedInterruptTime, which stops while the
// machine sleeps. GetTickCount64 does not stop (Microsoft, "GetTickCount64 function"); its steps are at most
// 16 ms. Wine has GetTickCount64, but not the finer QueryInterruptTime.
func readOffsets() offsets {
	awake := unbiased()
	return offsets{asleep: windows.DurationSinceBoot() - awake, wall: time.Duration(time.Now().UnixNano()) - awake}
}

var queryUnbiasedInterruptTime = windows.NewLazySystemDLL("kernel32.dll").NewProc("QueryUnbiasedInterruptTime")

// unbiased returns the unbiased interrupt time. It cannot fail, because every Windows since 7 has this clock.
// Its unit is 100 ns.
func unbiased() time.Duration {
	var t uint64
	_, _, _ = queryUnbiasedInterruptTime.Call(uintptr(unsafe.Pointer(&t)))
	return time.Duration(t) * 100
}
