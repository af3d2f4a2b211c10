package examine

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/text"

	"gogi/internal/foreign"
	"gogi/internal/format"
)

// Verdict is the judgement on one item, worse ones being greater.
type Verdict int

const (
	Pass Verdict = iota
	Warn
	Fail
)

// String is the word that is printed.
func (v Verdict) String() string { return [...]string{"pass", "warn", "fail"}[v] }

// MarshalText is the word of the JSON.
func (v Verdict) MarshalText() ([]byte, error) { //nolint:unparam // the signature is encoding.TextMarshaler's
	return []byte(v.String()), nil
}

// Finding is what was found out about one item.
type Finding struct {
	Check   string  `json:"check"`
	Verdict Verdict `json:"verdict"` // the worst of the notes
	Detail  string  `json:"detail"`

	notes []checkNote
}

type checkNote struct {
	verdict Verdict
	text    string
}

// add notes something; an engine's text may be part of it. The worst comes
// first in the detail, as it is the reason for the verdict.
func (f *Finding) add(v Verdict, format string, args ...any) {
	f.notes = append(f.notes, checkNote{v, foreign.Printable(fmt.Sprintf(format, args...), 300)})
	f.Verdict = max(f.Verdict, v)
	slices.SortStableFunc(f.notes, func(a, b checkNote) int { return int(b.verdict) - int(a.verdict) })
	texts := make([]string, len(f.notes))
	for i, n := range f.notes {
		texts[i] = n.text
	}
	f.Detail = strings.Join(texts, "; ")
}

// Sheet is the whole result.
type Sheet struct {
	Version int        `json:"version"`
	Engine  string     `json:"engine"` // the command
	Name    string     `json:"name"`   // as the engine gives it
	Checks  []*Finding `json:"checks"`

	stuck string    // the item without which the others could not be looked at
	Out   io.Writer // gets each finding as it is added, or nil
	width int       // of the column of names
}

// print writes to the terminal; should that be gone there is nobody to tell.
func (s *Sheet) print(format string, args ...any) {
	_, _ = fmt.Fprintf(s.Out, format, args...)
}

// detailWidth is where details are broken.
const detailWidth = 96

func (s *Sheet) begin(items []item) {
	for _, item := range items {
		s.width = max(s.width, len(item.name))
	}
	if s.Out != nil {
		title := foreign.Printable(s.Engine, 100)
		s.print("%s\n%s\n\n", title, strings.Repeat("═", text.StringWidthWithoutEscSequences(title)))
	}
}

// add prints a finding at once: the whole takes a while.
func (s *Sheet) add(f *Finding) {
	s.Checks = append(s.Checks, f)
	if s.Out == nil {
		return
	}
	head := fmt.Sprintf("%s   %-*s   ", f.Verdict, s.width, strings.ReplaceAll(f.Check, "_", " "))
	for line := range strings.Lines(text.WrapSoft(f.Detail, detailWidth)) {
		s.print("%s%s\n", head, strings.TrimSpace(line))
		head = strings.Repeat(" ", len(head))
	}
}

func (s *Sheet) PrintSummary(took time.Duration) {
	s.print("\n%d passed, %d with warnings, %d failed, in %s\n",
		s.Count(Pass), s.Count(Warn), s.Count(Fail), format.Span(took))
	if s.stuck != "" {
		s.print("Without %s nothing else can be checked.\n", s.stuck)
	}
}

func (s *Sheet) Count(v Verdict) int {
	n := 0
	for _, f := range s.Checks {
		if f.Verdict == v {
			n++
		}
	}
	return n
}
