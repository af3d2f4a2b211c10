package process

import (
	"io/fs"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"
)

// readProc reads a file of /proc. It is cheaper than os.ReadFile, which also asks for the size and the
// poller. Those calls are half of the cost of a sample, and there are many samples.
func readProc(name string) ([]byte, error) {
	fd, err := rawOpen(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	defer rawClose(fd)
	text := make([]byte, 0, 512)
	for {
		n, err := rawIO(unix.SYS_READ, uintptr(fd), text[len(text):cap(text)])
		switch {
		case err != nil:
			return nil, &fs.PathError{Op: "read", Path: name, Err: err}
		case n == 0:
			return text, nil
		}
		if text = text[:len(text)+n]; len(text) == cap(text) {
			text = slices.Grow(text, len(text))
		}
	}
}

// listProc returns the numbers that are names in a folder of /proc: processes or threads. In an idle program it is
// cheaper than os.ReadDir, whose system calls wake the runtime's monitor thread.
func listProc(folder string) (numbers []int, err error) {
	fd, err := rawOpen(folder)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: folder, Err: err}
	}
	defer rawClose(fd)
	var entries [2048]byte
	for {
		n, err := rawIO(unix.SYS_GETDENTS64, uintptr(fd), entries[:])
		switch {
		case err != nil:
			return nil, &fs.PathError{Op: "readdirent", Path: folder, Err: err}
		case n == 0:
			return numbers, nil
		}
		_, _, names := unix.ParseDirent(entries[:n], -1, nil)
		for _, name := range names {
			if number, err := strconv.Atoi(name); err == nil {
				numbers = append(numbers, number)
			}
		}
	}
}

// uninterrupted repeats a system call as long as a signal interrupts it, and returns the results of the last call.
func uninterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR { //nolint:errorlint // the error comes directly from a system call
			return n, err
		}
	}
}
