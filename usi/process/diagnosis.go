package process

import (
	"fmt"
	"syscall"
	"time"

	"gogi/internal/sanitize"
)

// diagnosisRunes is how much of stderr an Exit quotes, in characters.
const diagnosisRunes = 1000

// Exit is how a process ended, as far as it has, and what it said last.
type Exit struct {
	Running bool // it has not ended
	// Deaf and Mute: a Write, a Read has found its stdin, its stdout closed.
	Deaf, Mute bool
	// Status is the exit status, 0 to 255, on Windows any number of 32 bits; -1 while
	// it runs, where a signal ended it, and where somebody else has reaped it.
	Status int
	// Signal ended it; 0: none did.
	Signal syscall.Signal
	// Stderr is the end of stderr, at most 1000 characters of UTF-8 or Shift_JIS
	// as one line of valid UTF-8 without control characters; "": it was silent.
	Stderr string
}

// Ending is how it ended: "exit status 1", "killed by signal 6 (aborted)", or
// "ended, exit status unknown"; of one that has not, "still running", and which
// of its ends it has closed nevertheless.
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

// ntStatus is what the statuses mean with which Windows ends a program: ntstatus.h.
var ntStatus = map[int]string{
	0xC0000005: "access violation", 0xC000001D: "illegal instruction", 0xC0000094: "division by zero",
	0xC00000FD: "stack overflow", 0xC0000135: "a DLL is missing", 0xC0000139: "a DLL lacks what it needs",
	0xC000013A: "killed, or ended by Ctrl-C", 0xC0000142: "a DLL could not begin", 0xC0000374: "its heap is damaged",
	0xC0000409: "it found its stack damaged, or gave up",
}

// exitStatus is an exit status in words.
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

// String is the ending and, if there are any, the last words, for the note of a
// fault: "exit status 1; stderr: no eval file | giving up".
func (e Exit) String() string {
	if e.Stderr == "" {
		return e.Ending()
	}
	return e.Ending() + "; stderr: " + e.Stderr
}

// Exit is how the process ended. After a Read or Write that showed that the
// child is ending it waits for the exit status, at most three seconds, and the end of
// stderr, at most 200 ms more. Ask before Kill or Close, which may well be the signal that ended it.
func (p *Process) Exit() Exit {
	if p.deaf.Load() || p.mute.Load() || p.hasEnded() {
		p.awaitLastWords(diagnosisWait)
	}
	e := p.ending()
	raw, cut := p.said.last()
	e.Stderr = sanitize.LastLine(raw, cut, diagnosisRunes)
	return e
}

// Diagnosis is Exit as text.
func (p *Process) Diagnosis() string { return p.Exit().String() }

// LastWords is what the note of a fault that did not end the process can add:
// "stderr: …" or "" while it runs, else its Diagnosis.
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

// awaitLastWords waits for the exit status, and then for the rest of stderr.
func (p *Process) awaitLastWords(patience time.Duration) {
	if !p.ends(patience) {
		return
	}
	limit := time.NewTimer(statusWait)
	defer limit.Stop()
	select {
	case <-p.drained:
	case <-limit.C:
	}
}

func (p *Process) hasEnded() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// ending is the Exit without its last words.
func (p *Process) ending() Exit {
	e := Exit{Running: !p.hasEnded(), Deaf: p.deaf.Load(), Mute: p.mute.Load(), Status: -1}
	if e.Running || p.cmd.ProcessState == nil { // nil: somebody else reaped our child
		return e
	}
	e.Status = p.cmd.ProcessState.ExitCode()
	if ws, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		e.Signal = ws.Signal()
	}
	return e
}

// ExitStatus is the leader's exit status, after waiting for it up to 200 ms; ok
// is false while it runs and where a signal ended it.
func (p *Process) ExitStatus() (status int, ok bool) {
	p.awaitLastWords(statusWait)
	e := p.ending()
	return max(0, e.Status), e.Status >= 0
}
