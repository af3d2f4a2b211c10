//go:build unix

package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"gogi/internal/disk"
)

// tree is the number of a process group, which is also the number of its leader.
type tree int

// signal sends sig to all members. It cannot fail while the leader, dead or alive, is our child. At worst no
// member is left to receive the signal.
func (t tree) signal(sig unix.Signal) { _ = unix.Kill(-int(t), sig) }

func (t tree) kill() { t.signal(unix.SIGKILL) }

// askToEnd asks the group to end with SIGTERM. It reports whether the system has such a request.
func (t tree) askToEnd() bool {
	t.signal(unix.SIGTERM)
	return true
}

// lives reports whether the group has members. Signal 0 only checks this, so it is harmless if the number was
// reused.
func (t tree) lives() bool { return unix.Kill(-int(t), 0) == nil }

// forget would release system resources of the tree; on Unix there are none.
func (t tree) forget() {}

// nobodyReads reports whether a write failed because the other end is closed.
func nobodyReads(err error) bool { return errors.Is(err, syscall.EPIPE) }

// readNow reads the bytes that are in a pipe now. It does not wait; if the pipe is empty, it returns io.EOF.
func readNow(pipe *os.File, b []byte) (n int, err error) {
	raw, err := pipe.SyscallConn()
	if err != nil {
		return 0, err
	}
	closed := raw.Control(func(fd uintptr) {
		n, err = unix.Read(int(fd), b)
		for errors.Is(err, unix.EINTR) {
			n, err = unix.Read(int(fd), b)
		}
	})
	switch {
	case closed != nil:
		return 0, closed
	case errors.Is(err, unix.EAGAIN) || err == nil && n == 0:
		return 0, io.EOF
	}
	return n, err
}

// makePipes makes pipes for the child's stdin, stdout and stderr. It returns both ends of each, in this
// order. os.Pipe makes them close-on-exec; exec gives the child its ends as descriptors 0, 1 and 2.
func makePipes() (ours, theirs [3]*os.File, err error) {
	for i := range ours {
		r, w, err := os.Pipe()
		if err != nil {
			closeAll(ours)
			closeAll(theirs)
			return ours, theirs, fmt.Errorf("making a pipe: %w", err)
		}
		ours[i], theirs[i] = r, w
	}
	ours[0], theirs[0] = theirs[0], ours[0] // we write the stdin that the child reads
	return ours, theirs, nil
}

// mayEnter returns an error if this process may not enter dir.
func mayEnter(dir string) error { return unix.Access(dir, unix.X_OK) }

// explainFile returns the reason why the kernel did not execute file; err is the kernel's error.
func explainFile(file string, err error) error {
	info, serr := os.Stat(file)
	switch {
	case serr != nil:
		return cause(serr)
	case info.IsDir():
		return syscall.EISDIR
	case !disk.IsProgram(info):
		return fmt.Errorf("not executable (chmod +x): %w", err)
	case errors.Is(err, syscall.ENOENT):
		return fmt.Errorf("the file exists, but the interpreter of its #! line, or its loader, does not: %w", err)
	case errors.Is(err, syscall.ENOEXEC):
		return fmt.Errorf("neither a program for this machine nor a script with a #! line: %w", err)
	}
	return err
}

func isBusy(err error) bool { return errors.Is(err, syscall.ETXTBSY) }

func isScarce(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}
