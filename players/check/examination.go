package check

import (
	"slices"

	"gogi/internal/i18n"
	"gogi/internal/sanitize"
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

// Said is the word that people read.
func (v Verdict) Said() i18n.Message {
	return [...]i18n.Message{i18n.Of("pass"), i18n.Of("warn"), i18n.Of("fail")}[v]
}

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
	said    i18n.Message
}

// add notes something, a phrase and what fills it; an engine's text may be part of it. The
// worst comes first in the detail, as it is the reason for the verdict.
func (f *Finding) add(v Verdict, phrase string, args ...any) {
	f.notes = append(f.notes, checkNote{v, i18n.Of(phrase, args...)})
	f.Verdict = max(f.Verdict, v)
	slices.SortStableFunc(f.notes, func(a, b checkNote) int { return int(b.verdict) - int(a.verdict) })
	f.Detail = f.In(i18n.English)
}

// In is the detail in a language.
func (f *Finding) In(in i18n.Language) string {
	if len(f.notes) == 0 {
		return f.Detail
	}
	var all i18n.Clauses
	for _, n := range f.notes {
		all = append(all, i18n.Verbatim(sanitize.Printable(n.said.In(in), 300)))
	}
	return all.In(in)
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
