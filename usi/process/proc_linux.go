package process

import (
	"io/fs"
	"slices"

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

// uninterrupted repeats a system call as long as a signal interrupts it, and returns the results of the last call.
func uninterrupted(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if err != unix.EINTR { //nolint:errorlint // the error comes directly from a system call
			return n, err
		}
	}
}
