package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// pipe returns both ends of a pipe, each as a pipeEnd.
func pipe(t *testing.T) (r, w *pipeEnd) {
	t.Helper()
	reads, writes, err := os.Pipe()
	testutil.OK(t, err)
	t.Cleanup(func() { closeAll([3]*os.File{reads, writes}) })
	return newPipeEnd(reads), newPipeEnd(writes)
}

// TestAPipeEndMovesEachByteOnce requires that a Write that has to wait for the reader writes everything, that reads of
// any size get the same bytes, and that the end of the output is io.EOF.
func TestAPipeEndMovesEachByteOnce(t *testing.T) {
	r, w := pipe(t)
	sent := make([]byte, 5*defaultPipeSize+1)
	for i := range sent {
		sent[i] = byte(i % 251)
	}
	written := make(chan error, 1) // the writer sends once
	go func() {
		n, err := w.Write(sent)
		if err == nil && n != len(sent) {
			err = io.ErrShortWrite
		}
		written <- errors.Join(err, w.Close())
	}()
	var got []byte
	for size := 0; ; size = (size*7 + 1) % 10_000 {
		b := make([]byte, size)
		n, err := r.Read(b)
		got = append(got, b[:n]...)
		if err != nil {
			testutil.Equal(t, err, io.EOF, "the end")
			break
		}
	}
	testutil.OK(t, <-written)
	testutil.Check(t, bytes.Equal(got, sent), "%d bytes came, %d were sent", len(got), len(sent))
}

// TestADeadlineIsOnlyForAWriteThatWaits requires that a Write with a passed deadline writes if there is space, that a
// Write to a full pipe ends at its deadline with the number of its bytes, and that this deadline is over for the next
// Write.
func TestADeadlineIsOnlyForAWriteThatWaits(t *testing.T) {
	r, w := pipe(t)
	testutil.OK(t, w.SetWriteDeadline(time.Unix(1, 0)))
	n, err := w.Write([]byte("space"))
	testutil.Check(t, n == 5 && err == nil, "with space: %d, %v", n, err)
	n, err = w.Write(make([]byte, 2*defaultPipeSize))
	testutil.Check(t, n > 0 && n < 2*defaultPipeSize && errors.Is(err, os.ErrDeadlineExceeded), "full: %d, %v", n, err)
	testutil.OK(t, w.SetWriteDeadline(time.Time{}))
	total := 5 + n + defaultPipeSize
	read := make(chan int, 1) // the reader sends once
	go func() {
		n, _ := io.ReadFull(r, make([]byte, total))
		read <- n
	}()
	n, err = w.Write(make([]byte, defaultPipeSize))
	testutil.Require(t, n == defaultPipeSize && err == nil, "without a deadline: %d, %v", n, err)
	testutil.Equal(t, <-read, total, "read")
	testutil.OK(t, w.SetWriteDeadline(time.Unix(1, 0)))
	n, err = w.Write([]byte("space"))
	testutil.Check(t, n == 5 && err == nil, "with space again: %d, %v", n, err)
}

// TestADeadlineEndsAWriteThatAlreadyWaits requires that a deadline set during a Write counts.
func TestADeadlineEndsAWriteThatAlreadyWaits(t *testing.T) {
	_, w := pipe(t)
	ended := make(chan error, 1) // the writer sends once
	go func() {
		_, err := w.Write(make([]byte, 2*defaultPipeSize))
		ended <- err
	}()
	testutil.Eventually(t, "the Write waits", func() bool {
		w.mu.Lock()
		defer w.mu.Unlock()
		return w.timed
	})
	testutil.OK(t, w.SetWriteDeadline(time.Unix(1, 0)))
	err := <-ended
	testutil.Check(t, errors.Is(err, os.ErrDeadlineExceeded), "%v", err)
}

// TestAPipeThatBlocks: a pipe that Go's poller has not taken is read and written by its file. A raw call that waits
// would stop the garbage collector.
func TestAPipeThatBlocks(t *testing.T) {
	var fds [2]int
	testutil.OK(t, unix.Pipe2(fds[:], unix.O_CLOEXEC))
	r, w := newPipeEnd(os.NewFile(uintptr(fds[0]), "read end")), newPipeEnd(os.NewFile(uintptr(fds[1]), "write end"))
	defer r.Close()
	testutil.Require(t, r.conn == nil && w.conn == nil, "raw calls would read and write the pipe")
	n, err := w.Write([]byte("text"))
	testutil.Check(t, n == 4 && err == nil, "written: %d, %v", n, err)
	b := make([]byte, 9)
	n, err = r.Read(b)
	testutil.Check(t, n == 4 && err == nil, "read: %d, %v", n, err)
	testutil.OK(t, w.Close())
	_, err = r.Read(b)
	testutil.Is(t, err, io.EOF)
}
