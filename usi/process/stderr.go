package process

import (
	"bytes"
	"io"
	"sync"
	"time"
)

// tailSize is how much of stderr is kept, in bytes.
const tailSize = 4096

// tail is a Writer that keeps the last tailSize bytes. The zero value is ready.
type tail struct {
	mu  sync.Mutex
	buf []byte
	cut bool // something before buf was dropped
}

// Write never fails.
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

// last returns a copy of what is kept, and whether it lacks its beginning.
func (t *tail) last() (b []byte, cut bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return bytes.Clone(t.buf), t.cut
}

// Stderr is a copy of the end of what came from stderr so far, at most 4096 bytes.
func (p *Process) Stderr() []byte {
	b, _ := p.said.last()
	return b
}

// drain reads stderr until nobody can write to it any more, whether or not
// anybody cares for it: an unread pipe would block the engine.
func (p *Process) drain() {
	defer close(p.drained)
	defer func() { _ = p.stderr.Close() }()
	// Every way this can end (EOF, deadline) means the same: no more text. The
	// plain Reader keeps io.CopyBuffer to our small buffer.
	_, _ = io.CopyBuffer(&p.said, struct{ io.Reader }{p.stderr}, make([]byte, tailSize))
}

// awaitStderr waits for the end of drain. The killed group has closed its
// stderr; should somebody have left the group with it, it is given up.
func (p *Process) awaitStderr() {
	_ = p.stderr.SetReadDeadline(time.Now().Add(lingerWait)) // fails only if drain has ended
	<-p.drained
}
