package process

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// pipeEnd is this program's end of a pipe to or from a child. It does the same as the os.File in it, at less cost: it
// uses rawIO, and a Write needs a timer only if the pipe is full. One goroutine at a time may call Read or Write; other
// methods are safe for concurrent use.
type pipeEnd struct {
	*os.File
	conn                syscall.RawConn       // nil: Go's poller did not take the pipe, so it blocks
	readOnce, writeOnce func(fd uintptr) bool // the methods readNow and writeNow; a method value allocates

	// The bytes of the current Read or Write, how many of them it has moved, and its error.
	bytes []byte
	n     int
	err   error

	mu    sync.Mutex
	by    time.Time // of the latest SetWriteDeadline
	timed bool      // the file has this deadline, because a Write waits
}

func newPipeEnd(file *os.File) *pipeEnd {
	e := &pipeEnd{File: file}
	// os.Pipe leaves a pipe blocking if the system's epoll takes no more files (fs.epoll.max_user_watches). A raw call
	// that waits would stop the garbage collector, and with it the whole program.
	if file.SetDeadline(time.Time{}) != nil {
		return e
	}
	e.conn, _ = file.SyscallConn() // fails only for a nil file
	e.readOnce, e.writeOnce = e.readNow, e.writeNow
	return e
}

// Read implements io.Reader.
func (e *pipeEnd) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	if e.conn == nil {
		return e.File.Read(b)
	}
	e.bytes, e.n, e.err = b, 0, nil
	err := e.conn.Read(e.readOnce)
	e.bytes = nil
	switch {
	case err != nil:
		return 0, ofFile(err)
	case e.err == nil && e.n == 0:
		return 0, io.EOF
	}
	return e.n, e.err
}

// readNow reads the bytes that are in the pipe. It returns false if there are none, so that Read waits.
func (e *pipeEnd) readNow(fd uintptr) bool {
	e.n, e.err = rawIO(unix.SYS_READ, fd, e.bytes)
	return !errors.Is(e.err, unix.EAGAIN)
}

// Write implements io.Writer.
func (e *pipeEnd) Write(b []byte) (int, error) {
	if e.conn == nil {
		return e.File.Write(b)
	}
	e.bytes, e.n, e.err = b, 0, nil
	err := e.conn.Write(e.writeOnce)
	e.bytes = nil
	e.stopTimer()
	if err != nil {
		return e.n, ofFile(err)
	}
	return e.n, e.err
}

// writeNow writes until all bytes are in the pipe. It returns false if the pipe is full, so that Write waits.
func (e *pipeEnd) writeNow(fd uintptr) bool {
	for e.n < len(e.bytes) {
		n, err := rawIO(unix.SYS_WRITE, fd, e.bytes[e.n:])
		if errors.Is(err, unix.EAGAIN) {
			e.startTimer()
			return false
		}
		if e.err = err; err != nil {
			return true
		}
		e.n += n
	}
	return true
}

// SetWriteDeadline sets the time at which a Write gives up that waits for space in the pipe.
func (e *pipeEnd) SetWriteDeadline(t time.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.by = t
	if e.timed {
		return e.File.SetWriteDeadline(t)
	}
	return nil
}

// startTimer gives the file the deadline, because Write is about to wait.
func (e *pipeEnd) startTimer() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.timed = true
	_ = e.File.SetWriteDeadline(e.by) // fails only if the file is closed; then the wait ends
}

// stopTimer removes the deadline from the file after a Write that has waited.
func (e *pipeEnd) stopTimer() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timed {
		e.timed = false
		_ = e.File.SetWriteDeadline(time.Time{}) // fails only if the file is closed
	}
}

// ofFile returns the error that an os.File has for an error of its RawConn: a Close ended the wait, or a deadline.
func ofFile(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return err
	}
	return os.ErrClosed
}
