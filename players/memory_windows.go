package players

import (
	"unsafe"

	"golang.org/x/sys/windows"
)

var globalMemoryStatusEx = windows.NewLazySystemDLL("kernel32.dll").NewProc("GlobalMemoryStatusEx")

// physicalMemory returns the machine's memory in MiB; 0 if it cannot be read.
func physicalMemory() int64 {
	status := struct { // MEMORYSTATUSEX of sysinfoapi.h
		length, load         uint32
		physical, available  uint64
		pageFile, pageFree   uint64
		virtual, virtualFree uint64
		extended             uint64
	}{}
	status.length = uint32(unsafe.Sizeof(status))
	if ok, _, _ := globalMemoryStatusEx.Call(uintptr(unsafe.Pointer(&status))); ok == 0 {
		return 0
	}
	return int64(status.physical >> 20)
}
