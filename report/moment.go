package report

import "gogi/internal/format"

// Moment holds the figures that may be read while a run is played, at one moment.
type Moment struct {
	Bounds          // the anytime interval of A's score, by openings
	Judged int      // pairs that the gate has judged, in plan order
	LLR    *float64 // the gate's log likelihood ratio; nil without a gate
}

// Moment is as of the pairs that were added so far.
func (g *Gatherer) Moment() Moment {
	m := Moment{Bounds: anytimeOf(g.headToHead()).Bounds}
	if g.judge != nil {
		now := g.judge.test.State().Judgement
		m.Judged, m.LLR = now.Units, format.Finite(now.LLR)
	}
	return m
}
