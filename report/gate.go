package report

import (
	"gogi/gate"
	"gogi/internal/format"
	"gogi/match"
	"gogi/stats"
)

// Gate is the state of a run's sequential test.
type Gate struct {
	Design   match.Gate     `json:"design"`
	Decision stats.Decision `json:"decision"`
	LLR      *float64       `json:"llr"`
	Lower    float64        `json:"lower"`
	Upper    float64        `json:"upper"`
	Pairs    int            `json:"pairs"`  // that the decision rests on
	Beyond   int            `json:"beyond"` // finished after the stop, or behind a gap
	Elo      Elo            `json:"elo"`    // median-unbiased, after the stop
	Why      string         `json:"why,omitempty"`

	tally stats.Tally
}

// newGateReport is the state of the test as it is told.
func newGateReport(s gate.State) *Gate {
	j := s.Judgement
	r := &Gate{
		Design: s.Design, Decision: j.Decision, LLR: format.Finite(j.LLR), Lower: j.Lower, Upper: j.Upper,
		Pairs: j.Units, Beyond: j.Beyond, tally: s.Tally,
	}
	if j.Decision == stats.Continue {
		r.Elo.Why = "the test has not stopped"
		return r
	}
	stopped, err := gate.Test(s.Design).Elo(r.tally.Outcomes(), Level)
	if err != nil {
		r.Elo.Why = err.Error()
		return r
	}
	r.Elo = Elo{Estimate: format.Finite(stopped.Elo), Lo: format.Finite(stopped.Interval.Lo), Hi: format.Finite(stopped.Interval.Hi)}
	return r
}
