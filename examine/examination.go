package examine

import (
	"fmt"
	"slices"
	"strings"

	"gogi/internal/foreign"
)

// Verdict is the judgement on one item, worse ones being greater.
type Verdict int

// The verdicts.
const (
	Pass Verdict = iota // as it should be
	Warn                // some programs, or some games, will suffer from it
	Fail                // games will be lost by it
)

// String is the word that is printed.
func (v Verdict) String() string { return [...]string{"pass", "warn", "fail"}[v] }

// MarshalText is the word of the JSON.
func (v Verdict) MarshalText() ([]byte, error) {
	return []byte(v.String()), nil
}

// Finding is what was found out about one item.
type Finding struct {
	Check   string  `json:"check"`   // the item, one of Checks
	Verdict Verdict `json:"verdict"` // the worst of the notes
	Detail  string  `json:"detail"`  // the notes in one printable line, the worst ones first

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

// Examination is the whole result; its JSON is what "gogi check --json"
// prints.
type Examination struct {
	Version int       `json:"version"` // of this form: 1
	Engine  string    `json:"engine"`  // the command as its user wrote it; whoever asks for the examination fills it in
	Name    string    `json:"name"`    // as the engine gives it
	Checks  []Finding `json:"checks"`  // in the order in which they were made
	Stuck   string    `json:"-"`       // the item without which the others could not be looked at; "": all were
}

// Count is how many findings have a verdict.
func (s *Examination) Count(v Verdict) int {
	n := 0
	for _, f := range s.Checks {
		if f.Verdict == v {
			n++
		}
	}
	return n
}
