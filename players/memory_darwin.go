package players

import "golang.org/x/sys/unix"

// physicalMemory returns the machine's memory in MiB; 0 if it cannot be read.
func physicalMemory() int64 {
	size, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(size >> 20)
}
