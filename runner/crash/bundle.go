// Package crash writes crash dumps. A [Bundle] is one file next to the database for one failure of an engine. It has
// the dialogue before the failure, the exit of the process, the requests, and the engine's identity. [Begin] starts the
// [Records] of a run, and [Open] reads a Bundle. docs/faults.md describes the format.
package crash

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"gogi/internal/disk"
	"gogi/usi/transcript"
)

// Version is the version number of the file format of a Bundle. New fields do not change the number.
const Version = 1

// Bundle is the crash dump of one failure of an engine. In the file, its fields are the first line, and the
// dialogue with the engine follows.
type Bundle struct {
	Version int       `json:"gogi_bundle"` // version of the format
	Time    time.Time `json:"time"`        // of the failure
	Run     string    `json:"run"`
	Player  string    `json:"player"`
	Council string    `json:"council,omitempty"` // the council of which the player is a member
	Kind    string    `json:"kind"`              // a usi.FaultKind or a termination
	Note    string    `json:"note"`              // printable; its words may change

	// Pair, Leg and Slot are nil if the engine failed outside a game.
	Pair *int `json:"pair,omitempty"`
	Leg  *int `json:"leg,omitempty"`
	Slot *int `json:"slot,omitempty"`

	Position   string  `json:"position,omitempty"` // the last command of that name, escaped
	Go         string  `json:"go,omitempty"`       // the last command of that name, escaped
	Searching  bool    `json:"searching"`          // the search had no answer
	ElapsedMS  float64 `json:"elapsed_ms"`         // from go or ponderhit to the answer or the failure
	DeadlineMS float64 `json:"deadline_ms"`        // the maximum of that time with margins; 0 means no limit
	Limits     string  `json:"limits,omitempty"`   // as text

	Exit   Exit   `json:"exit"`
	Stderr string `json:"stderr"` // the end of the output, escaped, with \x0a for line ends

	Command  []string `json:"command"`         // program of the engine and its arguments
	Dir      string   `json:"dir,omitempty"`   // working directory of the engine
	Env      []string `json:"env,omitempty"`   // additions to the environment
	Identity string   `json:"identity"`        // identity of the engine, as in the plan
	Files    []File   `json:"files,omitempty"` // files of the engine
	Options  []string `json:"options"`         // the setoption commands, escaped

	Waits    Waits    `json:"waits"`
	Versions Versions `json:"versions"` // versions of the software

	Dialogue transcript.Excerpt `json:"-"`
}

// Exit is the state of the engine process at the failure: running or ended, with its exit status or signal.
type Exit struct {
	Running bool   `json:"running"` // the process still ran
	Status  *int   `json:"status"`  // null while the process runs and after a signal
	Signal  int    `json:"signal"`  // the signal that ended it, or 0
	Text    string `json:"text"`    // a description of the exit
}

// File identifies a file that belongs to an engine, such as its program or its network. Role is the kind of the file.
type File struct {
	Role   string `json:"role"`
	Path   string `json:"path,omitempty"`
	SHA256 string `json:"sha256"`
}

// Waits has the time limits for an engine's answers outside a search. GreetingMS is the limit for usiok, and
// ReadyMS the limit for readyok.
type Waits struct {
	GreetingMS float64 `json:"greeting_ms"` // longest time until usiok, in milliseconds
	ReadyMS    float64 `json:"ready_ms"`    // longest time until readyok, in milliseconds
}

// Versions are the versions of the software that wrote the bundle.
type Versions struct {
	Gogi   string `json:"gogi"`   // version of gogi
	Go     string `json:"go"`     // version of Go that built gogi
	Kernel string `json:"kernel"` // version of the operating system's kernel
}

// Line is one line of the dialogue in the file.
type Line struct {
	At   time.Time `json:"at,omitzero"`    // when gogi sent or read the line
	To   *string   `json:"to,omitempty"`   // line that gogi sent to the engine, escaped
	From *string   `json:"from,omitempty"` // line that the engine sent, escaped
	Cut  int       `json:"cut,omitempty"`  // the number of dropped bytes at the end
	Lost int       `json:"lost,omitempty"` // the number of lines that are missing here; such a line has no other field
}

// Write writes the bundle as JSON, one object in each line.
func (b *Bundle) Write(w io.Writer) error {
	out := bufio.NewWriterSize(w, 64<<10)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(b)
	put := func(lines []transcript.Line) {
		for _, l := range lines {
			if err == nil {
				err = encoder.Encode(newLine(l))
			}
		}
	}
	put(b.Dialogue.Head)
	if b.Dialogue.Lost > 0 && err == nil {
		err = encoder.Encode(Line{Lost: b.Dialogue.Lost})
	}
	put(b.Dialogue.Tail)
	if err != nil {
		return err
	}
	return out.Flush()
}

func newLine(l transcript.Line) Line {
	text := string(transcript.Escape(nil, l.Text))
	made := Line{At: l.At.UTC(), Cut: l.Cut}
	if l.Sent {
		made.To = &text
	} else {
		made.From = &text
	}
	return made
}

// These are the maximum length of a line in bytes and the maximum number of lines. Read rejects larger files.
const (
	maxFileLine  = 4 << 20
	maxFileLines = 10 * transcript.KeptLines
)

// Read reads a bundle that [Bundle.Write] wrote.
func Read(r io.Reader) (*Bundle, error) {
	scanner := bufio.NewScanner(r)
	scanner.Buffer(make([]byte, 64<<10), maxFileLine)
	if !scanner.Scan() {
		return nil, errors.Join(errors.New("it is empty: expected the JSON object of a bundle"), scanner.Err())
	}
	b := &Bundle{}
	if err := json.Unmarshal(scanner.Bytes(), b); err != nil {
		return nil, fmt.Errorf("line 1: expected the JSON object of a bundle: %w", err)
	}
	if b.Version < 1 || b.Version > Version {
		return nil, fmt.Errorf("line 1: gogi_bundle is %d: this program reads 1 to %d", b.Version, Version)
	}
	for n := 2; scanner.Scan(); n++ {
		if n > maxFileLines {
			return nil, fmt.Errorf("line %d: a bundle has at most %d lines", n, maxFileLines)
		}
		if err := b.read(scanner.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	return b, scanner.Err()
}

// read parses one line of the dialogue and adds it to b.Dialogue.
func (b *Bundle) read(text []byte) error {
	var l Line
	if err := json.Unmarshal(text, &l); err != nil {
		return err
	}
	d := &b.Dialogue
	if l.Lost > 0 && d.Lost == 0 {
		d.Lost = l.Lost
		return nil
	}
	escaped, sent := l.From, false
	if l.To != nil {
		escaped, sent = l.To, true
	}
	if escaped == nil || l.To != nil && l.From != nil {
		return errors.New(`expected either "to" or "from"`)
	}
	raw, err := transcript.Unescape(*escaped)
	if err != nil {
		return err
	}
	into := &d.Head
	if d.Lost > 0 {
		into = &d.Tail
	}
	*into = append(*into, transcript.Line{At: l.At, Sent: sent, Text: raw, Cut: l.Cut})
	return nil
}

// Open reads a bundle from a file.
func Open(path string) (*Bundle, error) {
	f, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	b, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return b, nil
}
