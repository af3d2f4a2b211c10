package report

import (
	"fmt"

	"gogi/gate"
	"gogi/internal/format"
	"gogi/match"
	"gogi/stats"
)

// GateVerdict is what "gogi gate --json" prints.
type GateVerdict struct {
	Version    int               `json:"version"`
	Run        string            `json:"run"`
	Verdict    string            `json:"verdict"` // pass, fail, inconclusive
	Why        []string          `json:"why"`
	Registered bool              `json:"registered"` // the design was written into the run before its first game
	MaxPairs   int               `json:"max_pairs"`
	Looks      int               `json:"looks"` // one after each pair of the prefix
	Unit       string            `json:"unit"`
	Draws      string            `json:"draws"`
	Gate       *Gate             `json:"gate"`
	Counts     stats.WDL         `json:"counts"`      // of A, up to the stop
	Penta      stats.Pentanomial `json:"pentanomial"` // up to the stop
	Primary    Test              `json:"primary"`     // exact, up to the stop
	Anytime    Interval          `json:"anytime"`
	Slots      *homogeneity      `json:"homogeneity"`
	Report     *Report           `json:"report"` // of all games, those beyond the stop included
}

// homogeneity says whether all slots gave the same results.
type homogeneity struct {
	P        *float64 `json:"p"`
	Outliers []int    `json:"outliers"`
	Why      string   `json:"why,omitempty"`
}

// Registration is the design of a gate as the run's log of settings has it.
type Registration struct {
	Design     match.Gate // that is judged
	Registered bool       // it was written into the run before its first game
	Pairs      int        // the maximum that was written down with it
	Changes    []string   // of the design or the maximum after the first game
}

// judge gathers a run for the verdict of its gate: the report, and what would make
// the verdict worthless.
type judge struct {
	*Gatherer
	clean *gate.Gate // as if a pair in which B lost a game by a fault had been even
	slots map[int]*stats.Tally
}

// NewJudge judges a run by its gate.
func NewJudge(run Run) (*judge, error) {
	g, err := New(run)
	if err != nil {
		return nil, err
	}
	clean, err := gate.New(run.Gate, run.Pairs)
	return &judge{Gatherer: g, clean: clean, slots: map[int]*stats.Tally{}}, err
}

// Add takes the next whole pair, in the order of the plan.
func (w *judge) Add(rows []match.Row) error {
	if err := w.Gatherer.Add(rows); err != nil || len(rows) == 0 {
		return err
	}
	pair, slot := gate.OfRows(rows), rows[0].Slot
	if w.slots[slot] == nil {
		w.slots[slot] = &stats.Tally{}
	}
	if err := w.slots[slot].Add(pair); err != nil {
		return err
	}
	for i, r := range rows {
		if r.Termination.IsFault() && LoserOf(r) == r.PairB {
			pair[i].Outcome, pair[i].Points = stats.Draw, 0.5
		}
	}
	return w.clean.Add(rows[0].Pair, pair)
}

// Verdict is what the gate says of the pairs so far, withheld where it is not to be
// trusted.
func (w *judge) Verdict(reg Registration) *GateVerdict {
	r := w.Report()
	v := &GateVerdict{
		Version: 1, Run: r.Run, Registered: reg.Registered, MaxPairs: reg.Pairs, Unit: "pair", Draws: "half", Gate: r.Gate,
		Looks: r.Gate.Pairs, Counts: r.Gate.tally.Total(), Penta: r.Gate.tally.Penta, Report: r, Slots: w.homogeneity(),
	}
	v.Primary = signFlipOf(r.Gate.tally)
	v.Anytime = anytimeOf(r.Gate.tally)
	v.decide(reg, w)
	return v
}

// decide turns the state of the test into the verdict, and withholds a pass
// that is not to be trusted.
func (v *GateVerdict) decide(r Registration, seen *judge) {
	v.Verdict = "inconclusive"
	switch v.Gate.Decision {
	case stats.Pass:
		v.Verdict = "pass"
	case stats.Fail:
		v.Verdict = "fail"
	case stats.Inconclusive:
		v.Why = append(v.Why, "the maximum of games was reached between the bounds")
	case stats.Continue:
		v.Why = append(v.Why, "the series is not finished")
	}
	if len(r.Changes) > 0 {
		v.Verdict = "inconclusive"
		v.Why = append(v.Why, r.Changes...)
	}
	if !v.Registered {
		v.Why = append(v.Why, "the design was given after the games, so it may have been chosen to fit them")
	}
	if v.Verdict == "pass" && seen.clean.State().Judgement.Decision != stats.Pass {
		v.Verdict = "inconclusive"
		v.Why = append(v.Why, fmt.Sprintf("games that %s lost by faults alone decide it", v.Report.B))
	}
	if h := v.Slots; h != nil && h.P != nil && *h.P < slotsAlpha {
		v.Why = append(v.Why, fmt.Sprintf("slots differ more than chance explains (p = %s)", format.PValue(*h.P)))
	}
	if v.Why == nil {
		v.Why = []string{}
	}
}

// slotsAlpha is the level at which slots are said to differ: low, as it is
// looked at in every run.
const slotsAlpha = 0.001

func (w *judge) homogeneity() *homogeneity {
	var rows []stats.Outcomes
	for slot := range len(w.slots) {
		if t := w.slots[slot]; t != nil {
			rows = append(rows, t.Outcomes())
		}
	}
	h, err := stats.SameEverywhere(rows, slotsAlpha)
	if err != nil {
		return &homogeneity{Outliers: []int{}, Why: err.Error()}
	}
	return &homogeneity{P: format.Finite(h.P), Outliers: append([]int{}, h.Outliers...)}
}
