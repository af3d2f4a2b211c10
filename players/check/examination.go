package check

import (
	"slices"

	"gogi/internal/i18n"
	"gogi/internal/lists"
	"gogi/internal/sanitize"
)

// A Verdict is the result of one item; worse verdicts are greater.
type Verdict int

// These are the verdicts.
const (
	Pass Verdict = iota // correct
	Warn                // a problem with some programs or in some games
	Fail                // the engine loses games because of it
)

// String returns the English word for the verdict.
func (v Verdict) String() string { return [...]string{"pass", "warn", "fail"}[v] }

// Message returns the translatable word for the verdict.
func (v Verdict) Message() i18n.Message {
	return [...]i18n.Message{i18n.Of("pass"), i18n.Of("warn"), i18n.Of("fail")}[v]
}

// MarshalText returns the English word for JSON.
func (v Verdict) MarshalText() ([]byte, error) {
	return []byte(v.String()), nil
}

// A Finding is the result of one item.
type Finding struct {
	Check   string  `json:"check"`   // name of the item, one of Checks
	Verdict Verdict `json:"verdict"` // the worst verdict of the notes
	Detail  string  `json:"detail"`  // the notes in one printable line, the worst first

	// Consequence is one sentence on what a problem of the item means for a match; "" for a finding with Pass.
	Consequence string `json:"consequence,omitempty"`

	notes       []checkNote
	consequence i18n.Message
}

// ConsequenceIn returns Consequence in a language.
func (f *Finding) ConsequenceIn(in i18n.Language) string {
	if f.Consequence == "" {
		return ""
	}
	return f.consequence.In(in)
}

type checkNote struct {
	verdict Verdict
	text    i18n.Message
}

// add adds a note: a phrase and its arguments, which may contain text of an engine. The worst note comes
// first in Detail, because it explains the verdict.
func (f *Finding) add(v Verdict, phrase string, args ...any) {
	f.notes = append(f.notes, checkNote{v, i18n.Of(phrase, args...)})
	f.Verdict = max(f.Verdict, v)
	slices.SortStableFunc(f.notes, func(a, b checkNote) int { return int(b.verdict) - int(a.verdict) })
	f.Detail = f.In(i18n.English)
}

// In returns the detail in the given language.
func (f *Finding) In(in i18n.Language) string {
	if len(f.notes) == 0 {
		return f.Detail
	}
	var all i18n.Clauses
	for _, n := range f.notes {
		all = append(all, i18n.Verbatim(sanitize.Printable(n.text.In(in), 300)))
	}
	return all.In(in)
}

// An Examination is the result of all items; "gogi check --json" prints it as JSON.
type Examination struct {
	Version int       `json:"version"` // version of the JSON form: 1
	Engine  string    `json:"engine"`  // the command as the user wrote it; the caller of [Engine] sets it
	Name    string    `json:"name"`    // the engine's id name
	Checks  []Finding `json:"checks"`  // in the order of the items
	Stuck   string    `json:"-"`       // the failed item that ended the examination; "": no such item
}

// Count returns the number of findings with a verdict.
func (s *Examination) Count(v Verdict) int {
	return lists.Count(s.Checks, func(f Finding) bool { return f.Verdict == v })
}
