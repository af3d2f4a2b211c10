package report

import (
	"gogi/internal/i18n"
	"gogi/stats"
)

// GateVerdict is the result that "gogi gate --json" prints.
type GateVerdict struct {
	Version    int               `json:"version"`
	Run        string            `json:"run"`
	Verdict    string            `json:"verdict"` // pass, fail, inconclusive
	Why        []i18n.Message    `json:"why"`
	Registered bool              `json:"registered"` // the design was written into the run before its first game
	MaxPairs   int               `json:"max_pairs"`
	Looks      int               `json:"looks"` // one after each pair of the prefix
	Unit       string            `json:"unit"`  // the independent unit: opening, which is the pair if none recurs
	Draws      string            `json:"draws"`
	Gate       *Gate             `json:"gate"`
	Counts     stats.WDL         `json:"counts"`      // A's results, up to the stop
	Penta      stats.Pentanomial `json:"pentanomial"` // up to the stop
	Primary    Test              `json:"primary"`     // null: a test for a fixed length does not hold after looks
	Anytime    Interval          `json:"anytime"`     // over all games, also those after the stop
	Slots      *homogeneity      `json:"homogeneity"`
	Report     *Report           `json:"report"` // over all games, also those after the stop
}

// GateVerdict returns the gate's verdict on the pairs so far, or nil if the run has no gate.
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

// anytime returns the always-valid interval, nil if the report has a better one.
func (r *Report) anytime() *Interval {
	for i := range r.Intervals {
		if r.Intervals[i].Method == "anytime" {
			return &r.Intervals[i]
		}
	}
	return nil
}
