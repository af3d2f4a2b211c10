package process

import (
	"fmt"
	"syscall"
	"time"

	"gogi/internal/foreign"
)

// diagnosisRunes is how much of stderr a Diagnosis quotes, in characters.
const diagnosisRunes = 1000

// Diagnosis says, for the note of a fault, how the process ended and what it
// said last on stderr: "exit status 1; stderr: no eval file | giving up". It is
// one line of valid UTF-8 without control characters; stderr, which may be
// UTF-8 or Shift_JIS, is cut to its last 1000 characters. Without stderr it is
// "still running", "exit status 1" or "killed by signal 6 (aborted)" alone.
// After a Read or Write that showed that the child is ending it waits for the
// exit status and the end of stderr, at most 200 ms. Ask before Kill or Close,
// which may well be the signal that ended it.
func (p *Process) Diagnosis() string {
	if p.hungUp.Load() || p.ended() {
		p.awaitLastWords()
	}
	note := p.status()
	if text := p.lastWords(); text != "" {
		note += "; stderr: " + text
	}
	return note
}

// awaitLastWords waits for the exit status and the rest of stderr.
func (p *Process) awaitLastWords() {
	limit := time.NewTimer(diagnosisWait)
	defer limit.Stop()
	select {
	case <-p.done:
	case <-limit.C:
		return
	}
	select {
	case <-p.drained:
	case <-limit.C:
	}
}

func (p *Process) ended() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}

// status says how the process ended.
func (p *Process) status() string {
	if !p.ended() {
		return "still running"
	}
	state := p.cmd.ProcessState
	if state == nil { // somebody else reaped our child
		return "ended, exit status unknown"
	}
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return fmt.Sprintf("killed by signal %d (%v)", ws.Signal(), ws.Signal())
	}
	return fmt.Sprintf("exit status %d", state.ExitCode())
}

// ExitStatus is the leader's exit status, waiting for it as Diagnosis does; ok is
// false while it runs and where a signal ended it.
func (p *Process) ExitStatus() (status int, ok bool) {
	p.awaitLastWords()
	if !p.ended() || p.cmd.ProcessState == nil || !p.cmd.ProcessState.Exited() {
		return 0, false
	}
	return p.cmd.ProcessState.ExitCode(), true
}

// lastWords is the end of stderr as one printable line.
func (p *Process) lastWords() string {
	raw, cut := p.said.last()
	return foreign.LastLine(raw, cut, diagnosisRunes)
}
