package report

import (
	"gogi/internal/i18n"
	"gogi/stats"
)

// GateVerdict is what "gogi gate --json" prints.
type GateVerdict struct {
	Version    int               `json:"version"`
	Run        string            `json:"run"`
	Verdict    string            `json:"verdict"` // pass, fail, inconclusive
	Why        []i18n.Message    `json:"why"`
	Registered bool              `json:"registered"` // the design was written into the run before its first game
	MaxPairs   int               `json:"max_pairs"`
	Looks      int               `json:"looks"` // one after each pair of the prefix
	Unit       string            `json:"unit"`  // that is independent: opening, which is the pair where none recurs
	Draws      string            `json:"draws"`
	Gate       *Gate             `json:"gate"`
	Counts     stats.WDL         `json:"counts"`      // of A, up to the stop
	Penta      stats.Pentanomial `json:"pentanomial"` // up to the stop
	Primary    Test              `json:"primary"`     // null: a test for a fixed length does not hold after looks
	Anytime    Interval          `json:"anytime"`     // of all games, those beyond the stop included
	Slots      *homogeneity      `json:"homogeneity"`
	Report     *Report           `json:"report"` // of all games, those beyond the stop included
}

// GateVerdict is what the gate says of the pairs so far; nil where the run has none.
func (r *Report) GateVerdict(registration Registration) *GateVerdict {
	g := r.Gate
	if g == nil {
		return nil
	}
	v := &GateVerdict{
		Version: 1, Run: r.Run, Verdict: g.Verdict, Why: g.Because, Registered: registration.Registered, MaxPairs: registration.Pairs,
		Looks: g.Pairs, Unit: "opening", Draws: "half", Gate: g, Counts: g.tally.Total(), Penta: g.tally.Penta,
		Primary: r.Tests[0], Slots: g.slots, Report: r,
	}
	if i := r.anytime(); i != nil {
		v.Anytime = *i
	}
	return v
}

// anytime is the interval that may be read at any time, nil where the report has a
// better one.
func (r *Report) anytime() *Interval {
	for i := range r.Intervals {
		if r.Intervals[i].Method == "anytime" {
			return &r.Intervals[i]
		}
	}
	return nil
}
