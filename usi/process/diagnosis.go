package process

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"syscall"
	"time"

	"gogi/internal/sanitize"
	"gogi/usi/affinity"
)

// diagnosisRunes is the maximum length, in characters, of the stderr output in an Exit.
const diagnosisRunes = 1000

// Exit describes how a process ended, if it has ended, and its last stderr output.
type Exit struct {
	Running bool // the process has not ended
	// Deaf is true if a Write found that the process had closed stdin. Mute is true if a Read found that it
	// had closed stdout.
	Deaf, Mute bool
	// Status is the exit status, 0 to 255, on Windows any 32-bit number. It is -1 while the process runs, if
	// a signal ended the process, or if something other than this package reaped it.
	Status int
	// Signal is the signal that ended the process; 0 if no signal did.
	Signal syscall.Signal
	// Stderr is the end of stderr, at most 1000 characters of UTF-8 or Shift_JIS. It is one line of valid
	// UTF-8 without control characters. It is "" without output.
	Stderr string
}

// Ending describes how the process ended: "exit status 1", "killed by signal 6 (aborted)", or "ended, exit
// status unknown". For a running process it returns "still running", and which of its streams the process has
// closed.
func (e Exit) Ending() string {
	switch {
	case e.Running && e.Deaf:
		return "it closed its input, and is still running"
	case e.Running && e.Mute:
		return "it closed its output, and is still running"
	case e.Running:
		return "still running"
	case e.Signal != 0:
		return fmt.Sprintf("killed by signal %d (%v)", e.Signal, e.Signal)
	case e.Status < 0:
		return "ended, exit status unknown"
	}
	return exitStatus(e.Status)
}

// ntStatus has the meanings of the exit statuses that Windows itself sets: ntstatus.h.
var ntStatus = map[int]string{
	0xC0000005: "access violation", 0xC000001D: "illegal instruction", 0xC0000094: "division by zero",
	0xC00000FD: "stack overflow", 0xC0000135: "a DLL is missing", 0xC0000139: "a DLL lacks what it needs",
	0xC000013A: "killed, or ended by Ctrl-C", 0xC0000142: "a DLL could not begin", 0xC0000374: "its heap is damaged",
	0xC0000409: "it found its stack damaged, or gave up",
}

func exitStatus(status int) string {
	meaning, known := ntStatus[status]
	switch {
	case known:
		return fmt.Sprintf("exit status 0x%X (%s)", status, meaning)
	case status>>30 != 0: // warnings and errors of the system
		return fmt.Sprintf("exit status 0x%X", status)
	}
	return fmt.Sprintf("exit status %d", status)
}

// String returns Ending and any stderr output, for the note of a fault: "exit status 1; stderr: no eval file
// | giving up".
func (e Exit) String() string {
	if e.Stderr == "" {
		return e.Ending()
	}
	return e.Ending() + "; stderr: " + e.Stderr
}

// Exit describes how the process ended. If a Read or Write found that the process is ending, Exit waits for the exit
// status, at most three seconds. Then it waits up to 200 ms more for the end of stderr. Call Exit before Kill or
// Close, because these may send the signal that ends the process.
func (p *Process) Exit() Exit {
	if p.deaf.Load() || p.mute.Load() || isClosed(p.done) {
		p.awaitLastWords(diagnosisWait)
	}
	e := p.ending()
	raw, cut := p.errors.last()
	e.Stderr = sanitize.LastLine(raw, cut, diagnosisRunes)
	return e
}

// Diagnosis returns Exit as text, such as "exit status 1; stderr: no eval file".
func (p *Process) Diagnosis() string { return p.Exit().String() }

// LastWords returns the last stderr output as text, for the note of a fault that did not end the process.
// While the process runs, the text is "stderr: …", or "" without output. If the process has ended, LastWords
// returns the Diagnosis.
func (p *Process) LastWords() string {
	e := p.Exit()
	switch {
	case !e.Running:
		return e.String()
	case e.Stderr == "":
		return ""
	}
	return "stderr: " + e.Stderr
}

// awaitLastWords waits for the exit status, at most for the duration limit, and then for the rest of stderr.
func (p *Process) awaitLastWords(limit time.Duration) {
	if within(limit, p.done) {
		within(statusWait, p.drained)
	}
}

// ending returns how the process ended, without its stderr output.
func (p *Process) ending() Exit {
	e := Exit{Running: !isClosed(p.done), Deaf: p.deaf.Load(), Mute: p.mute.Load(), Status: -1}
	if e.Running || p.cmd.ProcessState == nil { // nil: another process reaped our child
		return e
	}
	e.Status = p.cmd.ProcessState.ExitCode()
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal()
	}
	return e
}

// ExitStatus returns the exit status of the started program (the leader of its process group). It waits up to
// 200 ms for the end of the program. ok is false if the program still runs, or if a signal ended it.
func (p *Process) ExitStatus() (status int, ok bool) {
	p.awaitLastWords(statusWait)
	e := p.ending()
	return max(0, e.Status), e.Status >= 0
}

// AffinityChanged returns a sentence if a thread of the engine may run on other or fewer CPUs than Spec.CPUs.
// It returns "" if the CPUs are the same or unknown, or if Spec.CPUs is empty. Engines bind threads when they
// create them, so the result does not change any more after the first game.
func (p *Process) AffinityChanged() string {
	p.mu.Lock() // the lock keeps pid valid
	defer p.mu.Unlock()
	given := affinity.Set{}.Union(p.cpus)
	if p.reaped || len(given) == 0 {
		return ""
	}
	now := p.mayRunOn()
	if len(now) == 0 || now.String() == given.String() {
		return ""
	}
	return fmt.Sprintf("it was started on CPUs %s, and has bound itself to %s", given, now)
}

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
