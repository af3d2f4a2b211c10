package report

import (
	"slices"

	"gogi/internal/format"
	"gogi/stats"
)

// Looks is whether anybody could see results before the length of the run was settled.
// Who looks often enough finds a difference between equals; so tests and intervals for a
// length that was fixed beforehand do not hold where a test stopped the run, or might
// have.
type Looks struct {
	TargetChanges int      `json:"target_changes"` // of the number of pairs, after the first game
	Sequential    bool     `json:"sequential"`     // a test looked after every pair, to stop the run
	Stopped       bool     `json:"stopped"`        // and it did
	LateDesign    bool     `json:"late_design"`    // that test is younger than the first game, or was changed after it
	FixedLength   bool     `json:"fixed_length"`   // figures for a fixed length hold as far as the target was not moved by results
	Remarks       []string `json:"remarks"`        // all of that in words, a line each
	Changes       []string `json:"changes"`        // of settings between the run's starts, with their time, a line each
}

// newLooks is what the log of settings and the gate tell; gate is nil where there is none.
func newLooks(run Run, gate *Gate) Looks {
	l := Looks{TargetChanges: retargeted(run.Starts), Sequential: gate != nil, FixedLength: gate == nil && run.Tournament == nil, Remarks: []string{}, Changes: changes(run.Starts)}
	if l.TargetChanges > 0 {
		l.Remarks = append(l.Remarks, "target changed "+format.NumberOf(l.TargetChanges, "time")+" after the first game: figures hold only if nobody had looked")
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
		l.Remarks = append(l.Remarks, "stopped by a test after every pair: the raw score is biased, the gate's figures are not")
	} else {
		l.Remarks = append(l.Remarks, "a test looked after every pair: figures for a fixed length do not hold")
	}
	if l.LateDesign {
		l.Remarks = append(l.Remarks, "the gate was written down or changed after the first game: it decides nothing")
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
func changes(starts []Start) []string {
	list := []string{}
	for _, s := range starts {
		for _, c := range s.Changes {
			list = append(list, s.At.Format("2006-01-02 15:04 MST")+" – "+c.String())
		}
	}
	return list
}

// noFixedLength says why figures for a length that was fixed beforehand do not stand, ""
// where they do.
func (r *Report) noFixedLength() string {
	switch {
	case r.Tournament != nil:
		return pairedByResults
	case !r.Finished:
		return "the run is not finished: only the anytime interval holds before its end"
	case !r.Looks.FixedLength:
		return "a sequential test looked after every pair: the gate's figures and the anytime interval hold"
	}
	return ""
}
