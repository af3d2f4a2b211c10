package process

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// tailSize is the maximum number of stored stderr bytes.
const tailSize = 4096

// tail is a Writer that stores the last tailSize bytes. The zero value is ready.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // bytes before buf were dropped
}

// Write implements io.Writer. It stores the last bytes of b, and never returns an error.
func (t *tail) Write(b []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(b)
	if n > tailSize {
		b, t.cut = b[n-tailSize:], true
	}
	if over := len(t.buf) + len(b) - tailSize; over > 0 {
		t.buf = t.buf[:copy(t.buf, t.buf[over:])]
		t.cut = true
	}
	t.buf = append(t.buf, b...)
	return n, nil
}

// last returns a copy of the stored bytes. cut reports whether earlier bytes were dropped.
func (t *tail) last() (b []byte, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.buf), t.cut
}

// Stderr returns a copy of the last bytes that the process has written to stderr so far, at most 4096.
func (p *Process) Stderr() []byte {
	b, _ := p.errors.last()
	return b
}

// drain reads stderr until no process can write to it any more, because a full pipe would block the engine.
func (p *Process) drain() {
	defer close(p.drained)
	defer func() { _ = p.stderr.Close() }()
	// Any error (EOF, deadline) means that there is no more text. The struct hides other methods, so that
	// io.CopyBuffer uses the small buffer.
	_, _ = io.CopyBuffer(&p.errors, struct{ io.Reader }{p.stderr}, make([]byte, tailSize))
}

// awaitStderr waits for the end of drain. The killed group has closed its stderr. If a process with stderr
// left the group, awaitStderr gives up after lingerWait.
func (p *Process) awaitStderr() {
	_ = p.stderr.SetReadDeadline(time.Now().Add(lingerWait)) // fails only if drain has ended
	<-p.drained
}
