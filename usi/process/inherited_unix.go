//go:build unix

package process

import (
	"os"
	"strconv"
	"syscall"
)

// closeInherited makes the system close, in each process that this program starts from now on, all descriptors
// that this program inherited, such as a socket of a service manager or a file that a shell opened. Go opens its own
// descriptors so. Only the descriptors 0, 1 and 2 remain as they are.
func closeInherited() {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return // a system without /dev/fd, such as a chroot
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
}
