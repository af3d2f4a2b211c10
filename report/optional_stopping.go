package report

import (
	"slices"
	"strings"
	"time"

	"gogi/internal/i18n"
	"gogi/match"
	"gogi/results"
	"gogi/stats"
)

// OptionalStopping shows whether a user or a test could see results before the length of the run was fixed.
// If a user looks often at the results, the user finds a difference even between equal players. Tests and
// intervals for a fixed length are therefore not valid if a test stopped the run, or could have stopped it.
type OptionalStopping struct {
	TargetChanges int  `json:"target_changes"` // changes of the number of pairs, after the first game
	Sequential    bool `json:"sequential"`     // a test checked after every pair whether to stop the run
	Stopped       bool `json:"stopped"`        // the test stopped the run.
	LateDesign    bool `json:"late_design"`    // the test was added or changed after the first game
	// figures for a fixed length are valid, unless a user changed the target because of the results.
	FixedLength bool           `json:"fixed_length"`
	Remarks     []i18n.Message `json:"remarks"` // the facts above as text, one message for each
	Changes     []Change       `json:"changes"` // changes of settings between the run's starts, with their time

	warnings []i18n.Message // the Remarks without those that describe the normal course of an SPRT
}

// Warnings returns remarks on facts that make the figures less reliable. The normal stop of an SPRT is not a warning.
func (l *OptionalStopping) Warnings() []i18n.Message { return slices.Clone(l.warnings) }

// warn adds a remark that is also a warning.
func (l *OptionalStopping) warn(remark i18n.Message) {
	l.Remarks, l.warnings = append(l.Remarks, remark), append(l.warnings, remark)
}

// newLooks returns the facts from the run's log of settings and from the gate. gate is nil if the run has no
// sequential test.
func newLooks(run Run, gate *Gate) OptionalStopping {
	l := OptionalStopping{TargetChanges: retargeted(run.Starts), Sequential: gate != nil, FixedLength: gate == nil &&
		run.Tournament == nil, Remarks: []i18n.Message{}, Changes: changes(run.Starts)}
	times := i18n.Number{N: l.TargetChanges, Noun: "time"}
	switch {
	case l.TargetChanges == 0:
	case gate == nil:
		l.warn(i18n.Of("target changed %s after the first game: figures hold only without an earlier look", times))
	default:
		l.Remarks = append(l.Remarks,
			i18n.Of("target changed %s after the first game: the bounds of the SPRT do not depend on it", times))
	}
	for i := range run.Voided {
		for _, remark := range run.Voided[i].Remarks() {
			l.warn(remark)
		}
	}
	if run.Reused > 0 {
		l.warn(i18n.Of("%s taken from earlier runs: gogi did not play them for this run",
			i18n.Number{N: run.Reused, Noun: "pair"}))
	}
	if gate == nil {
		return l
	}
	l.Stopped = gate.Decision == stats.Pass || gate.Decision == stats.Fail
	l.LateDesign = !run.Gate.Registered || len(run.Gate.Changes) > 0
	if l.Stopped {
		l.Remarks = append(l.Remarks,
			i18n.Of("stopped by the SPRT: the raw score is biased, the LLR and the corrected Elo are not"))
	} else {
		l.Remarks = append(l.Remarks, i18n.Of("a test looked after every pair: figures for a fixed length do not hold"))
	}
	if l.LateDesign {
		l.warn(i18n.Of("the gate was written down or changed after the first game: it decides nothing"))
	}
	return l
}

// retargeted counts the changes of the number of pairs after the first game.
func retargeted(starts []Start) int {
	n := 0
	for _, s := range starts {
		for _, c := range s.Changes {
			if s.Late && slices.Equal(c.Path, []string{"pairs"}) {
				n++
			}
		}
	}
	return n
}

// changes returns the differences between the starts of a run.
func changes(starts []Start) []Change {
	list := []Change{}
	for _, s := range starts {
		for _, c := range s.Changes {
			list = append(list, Change{s.At, c})
		}
	}
	return list
}

// Change is a setting that a user changed between two starts of the run. A run has several starts if a user
// resumed it.
type Change struct {
	At time.Time
	match.Difference
}

// Message returns the change as text, with the time of the later start.
func (c Change) Message() i18n.Message {
	return i18n.Of("%s – %s: %s before, %s now%s", c.At.Format("2006-01-02 15:04 MST"), c.place(), value(c.Before),
		value(c.Now), c.note())
}

// String returns the change in English.
func (c Change) String() string { return c.Message().String() }

// MarshalText returns the English text, for JSON.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// place returns the name of the changed setting: its path in the plan.
func (c Change) place() i18n.Message {
	path := strings.Join(c.Path, ".")
	if c.Order {
		return i18n.Of("%s (order)", path)
	}
	return i18n.Verbatim(path)
}

func (c Change) note() string {
	if c.Note == "" {
		return ""
	}
	return " (" + c.Note + ")"
}

// value returns the text of a setting's value before or after a change. nil means that the setting was
// absent.
func value(v *string) i18n.Message {
	switch {
	case v == nil:
		return i18n.Of("absent")
	case *v == "":
		return i18n.Verbatim(`""`)
	}
	return i18n.Verbatim(*v)
}

// noFixedLength returns why figures for a fixed length are not valid. It returns the zero Message if they are
// valid.
func (r *Report) noFixedLength() i18n.Message {
	switch {
	case r.Tournament != nil:
		return i18n.Of("results decided the pairings and so the number of pairs of these two: only the anytime interval holds")
	case !r.Finished:
		return i18n.Of("the run is not finished: only the anytime interval holds before its end")
	case !r.Looks.FixedLength:
		return i18n.Of("a sequential test looked after every pair: the gate's figures and the anytime interval hold")
	}
	return i18n.Message{}
}

// About has the facts about a run that do not depend on its games. All forms of a report use it to print the
// plan and how the run was played.
type About struct {
	*results.RunInfo                      // the limits of its engines include the clocks of the plan
	Plan             *match.CanonicalPlan // the parsed RunInfo.Plan
}

// Start describes one occasion on which a user started or resumed the run, with the settings that had changed
// since the previous one.
type Start struct {
	At      time.Time
	Changes []match.Difference
	Late    bool // a pair was stored before it
}
