package process

import (
	"fmt"
	"regexp"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/encoding/japanese"
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
	if text := oneLine(p.said.last()); text != "" {
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

// oneLine makes one printable line of raw stderr. cut: its beginning is lost,
// perhaps in the middle of a character.
func oneLine(raw []byte, cut bool) string {
	// Neither encoding has a line end inside a character.
	lines := strings.FieldsFunc(string(raw), func(r rune) bool { return r == '\n' || r == '\r' })
	var out []string
	for i, line := range lines {
		if text := printable(decode(line, cut && i == 0)); text != "" {
			out = append(out, text)
		}
	}
	return lastRunes(strings.Join(out, " | "), diagnosisRunes)
}

// decode reads a line as UTF-8, else as Shift_JIS, else with U+FFFD for what is
// neither.
func decode(line string, cut bool) string {
	start := line
	for i := 0; cut && i < utf8.UTFMax-1 && start != "" && !utf8.RuneStart(start[0]); i++ {
		start = start[1:]
	}
	if utf8.ValidString(start) {
		return start
	}
	sjis := line
	for range 2 { // a cut line may begin with a character's second byte
		// The decoder gives no error for what it cannot read, but U+FFFD.
		s, err := japanese.ShiftJIS.NewDecoder().String(sjis)
		if err == nil && !strings.ContainsRune(s, utf8.RuneError) {
			return s
		}
		if !cut {
			break
		}
		sjis = sjis[1:]
	}
	return strings.ToValidUTF8(start, string(utf8.RuneError))
}

// printable removes terminal escapes and control characters. Compiled here, as
// a diagnosis is rare: CSI sequences, OSC strings, and the other escapes.
func printable(s string) string {
	escapes := regexp.MustCompile("\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[ -/]*[0-~]")
	s = escapes.ReplaceAllString(s, "")
	s = strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsGraphic(r): // control, formatting, unassigned
			return -1
		}
		return r
	}, s)
	return strings.TrimSpace(s)
}

// lastRunes keeps the last n characters of s, and says so if there were more.
func lastRunes(s string, n int) string {
	r := []rune(s)
	if len(r) <= n {
		return s
	}
	return "…" + string(r[len(r)-n:])
}
