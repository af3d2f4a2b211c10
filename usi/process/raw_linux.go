package process

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// rawIO calls read, write or pread64 of the kernel and repeats the call if a signal interrupts it. Go's scheduler does
// not see the call, so the call must not wait: it is for pipes that do not block, and for files of /proc. Other calls
// wake the runtime's monitor thread if the program was idle. That costs more than the call (see
// docs/research/measurements.md).
func rawIO(call, fd uintptr, b []byte) (int, error) {
	for {
		// The fourth argument is the position for pread64. The other calls ignore it.
		n, _, errno := syscall.RawSyscall6(call, fd, uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)), 0, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// rawOpen opens a file of /proc for reading.
func rawOpen(name string) (fd int, err error) {
	path, err := unix.BytePtrFromString(name)
	if err != nil {
		return 0, err
	}
	for {
		n, _, errno := syscall.RawSyscall6(unix.SYS_OPENAT, atWorkingDir, uintptr(unsafe.Pointer(path)),
			unix.O_RDONLY|unix.O_CLOEXEC, 0, 0, 0)
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// atWorkingDir is AT_FDCWD as an argument of a system call.
const atWorkingDir = ^uintptr(-unix.AT_FDCWD - 1)

func rawClose(fd int) {
	_, _, _ = syscall.RawSyscall(unix.SYS_CLOSE, uintptr(fd), 0, 0) // nothing was written
}

// linksOf returns the number of links of an open file. It returns 0 if the file's state cannot be read.
func linksOf(fd uintptr) uint64 {
	var stat unix.Stat_t
	if _, _, errno := syscall.RawSyscall(unix.SYS_FSTAT, fd, uintptr(unsafe.Pointer(&stat)), 0); errno != 0 {
		return 0
	}
	return uint64(stat.Nlink) //nolint:unconvert // it has 32 bits on arm64
}
