package report

import (
	"slices"
	"strings"
	"time"

	"gogi/internal/phrases"
	"gogi/match"
	"gogi/stats"
)

// Looks is whether anybody could see results before the length of the run was settled.
// Who looks often enough finds a difference between equals; so tests and intervals for a
// length that was fixed beforehand do not hold where a test stopped the run, or might
// have.
type Looks struct {
	TargetChanges int            `json:"target_changes"` // of the number of pairs, after the first game
	Sequential    bool           `json:"sequential"`     // a test looked after every pair, to stop the run
	Stopped       bool           `json:"stopped"`        // and it did
	LateDesign    bool           `json:"late_design"`    // that test is younger than the first game, or was changed after it
	FixedLength   bool           `json:"fixed_length"`   // figures for a fixed length hold as far as the target was not moved by results
	Remarks       []phrases.Said `json:"remarks"`        // all of that in words, a line each
	Changes       []Change       `json:"changes"`        // of settings between the run's starts, with their time, a line each
}

// newLooks is what the log of settings and the gate tell; gate is nil where there is none.
func newLooks(run Run, gate *Gate) Looks {
	l := Looks{TargetChanges: retargeted(run.Starts), Sequential: gate != nil, FixedLength: gate == nil && run.Tournament == nil, Remarks: []phrases.Said{}, Changes: changes(run.Starts)}
	if l.TargetChanges > 0 {
		l.Remarks = append(l.Remarks, phrases.Of("target changed %s after the first game: figures hold only if nobody had looked", phrases.Number{N: l.TargetChanges, Noun: "time"}))
	}
	for i := range run.Voided {
		l.Remarks = append(l.Remarks, run.Voided[i].Remarks()...)
	}
	if gate == nil {
		return l
	}
	l.Stopped = gate.Decision == stats.Pass || gate.Decision == stats.Fail
	l.LateDesign = !run.Gate.Registered || len(run.Gate.Changes) > 0
	if l.Stopped {
		l.Remarks = append(l.Remarks, phrases.Of("stopped by a test after every pair: the raw score is biased, the gate's figures are not"))
	} else {
		l.Remarks = append(l.Remarks, phrases.Of("a test looked after every pair: figures for a fixed length do not hold"))
	}
	if l.LateDesign {
		l.Remarks = append(l.Remarks, phrases.Of("the gate was written down or changed after the first game: it decides nothing"))
	}
	return l
}

// retargeted is how often the number of pairs was changed after the first game.
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

// changes are the differences between the starts of a run.
func changes(starts []Start) []Change {
	list := []Change{}
	for _, s := range starts {
		for _, c := range s.Changes {
			list = append(list, Change{s.At, c})
		}
	}
	return list
}

// Change is what a start of the run found otherwise than the one before.
type Change struct {
	At time.Time
	match.Difference
}

// Said is the change in words, with its time.
func (c Change) Said() phrases.Said {
	return phrases.Of("%s – %s: %s before, %s now%s", c.At.Format("2006-01-02 15:04 MST"), c.place(), value(c.Before), value(c.Now), c.note())
}

// String says it in English.
func (c Change) String() string { return c.Said().String() }

// MarshalText is what JSON has of it.
func (c Change) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// place is which value it is.
func (c Change) place() phrases.Said {
	path := strings.Join(c.Path, ".")
	if c.Order {
		return phrases.Of("%s (order)", path)
	}
	return phrases.Verbatim(path)
}

func (c Change) note() string {
	if c.Note == "" {
		return ""
	}
	return " (" + c.Note + ")"
}

// value is one of a difference's two.
func value(v *string) phrases.Said {
	switch {
	case v == nil:
		return phrases.Of("absent")
	case *v == "":
		return phrases.Verbatim(`""`)
	}
	return phrases.Verbatim(*v)
}

// noFixedLength says why figures for a length that was fixed beforehand do not stand, nothing
// where they do.
func (r *Report) noFixedLength() phrases.Said {
	switch {
	case r.Tournament != nil:
		return phrases.Of("results decided who plays whom, and so how many pairs these two have: only the anytime interval holds")
	case !r.Finished:
		return phrases.Of("the run is not finished: only the anytime interval holds before its end")
	case !r.Looks.FixedLength:
		return phrases.Of("a sequential test looked after every pair: the gate's figures and the anytime interval hold")
	}
	return phrases.Said{}
}
