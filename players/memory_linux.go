package players

import (
	"bufio"
	"fmt"
	"os"
)

// physicalMemory returns the machine's memory in MiB; 0 if it cannot be read.
func physicalMemory() int64 {
	file, err := os.Open("/proc/meminfo")
	if err != nil {
		return 0
	}
	defer file.Close() //nolint:errcheck // the file was only read
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var kib int64
		if n, err := fmt.Sscanf(lines.Text(), "MemTotal: %d kB", &kib); err == nil && n == 1 {
			return kib >> 10
		}
	}
	return 0
}
