package match

import (
	"maps"
	"time"
)

// The kinds of a tune's pairs in pair events.
const (
	TuneDuel    = "duel"    // the plus point against the minus point
	TuneProbe   = "probe"   // the plus point against the centre
	TuneForfeit = "forfeit" // not played, because an engine does not start with its point
)

// TuneSetup has the settings of a tune as tune events and snapshots show them.
type TuneSetup struct {
	Method string `json:"method"`
	Pairs  int    `json:"pairs"`  // the planned number of pairs
	Blocks int    `json:"blocks"` // the planned number of blocks
	Block  int    `json:"block"`  // number of pairs in a block
	// number of pairs that gogi may select before it has learnt the oldest of them
	Inflight int `json:"inflight"`
	// Elo that a perturbed point should lose to the centre; 0: gogi does not control the perturbations
	Target float64     `json:"target,omitempty"`
	Params []TuneParam `json:"params"`
	// Track has the states of the tune in earlier sessions, for a graph.
	Track TuneTrack `json:"track"`
}

// TuneParam is a parameter of a tune as events and snapshots show it.
type TuneParam struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // int, float, choice
	Start  float64  `json:"start"`
	Min    float64  `json:"min"`              // least value
	Max    float64  `json:"max"`              // largest value
	C      float64  `json:"c"`                // the perturbation at the end of the schedule, without the common factor
	Levels []string `json:"levels,omitempty"` // the values of a choice; Start, Min and Max are indices into it
	Unused bool     `json:"unused,omitempty"` // the tune does not change it
}

// TunePoint is the state of a tune after a block of pairs. Its counts cover the tune from its beginning to this
// block. The fields have the same meaning as those of an Event of the type EventBlock.
type TunePoint struct {
	Pairs   int       `json:"pairs"`
	Theta   []float64 `json:"theta"`              // the centre, by parameter
	Spread  float64   `json:"spread"`             // factor of all perturbations
	LostElo *float64  `json:"lost_elo,omitempty"` // loss of a perturbed point to the centre so far, in Elo
	Equal   int       `json:"equal,omitempty"`    // number of pairs with two equal points so far
}

// MaxTrack is the largest number of points that a TuneTrack keeps for a graph.
const MaxTrack = 400

// TuneTrack has the states of a tune after some of its blocks: after the latest block, and after earlier
// blocks at equal distances. It has at most MaxTrack points.
type TuneTrack struct {
	Every  int               `json:"every"`  // number of blocks from one stored point to the next
	Latest int               `json:"latest"` // number of blocks of the latest point
	Points map[int]TunePoint `json:"points,omitempty"`
}

// Add adds the point of the tune after this number of blocks. The number must be larger than in the previous
// call.
func (t *TuneTrack) Add(blocks int, p TunePoint) {
	t.Every = max(t.Every, 1)
	if t.Points == nil {
		t.Points = map[int]TunePoint{}
	}
	if t.Latest%t.Every != 0 {
		delete(t.Points, t.Latest)
	}
	t.Points[blocks], t.Latest = p, blocks
	for len(t.Points) > MaxTrack {
		t.Every *= 2
		maps.DeleteFunc(t.Points, func(at int, _ TunePoint) bool { return at%t.Every != 0 && at != t.Latest })
	}
}

// Clone returns a copy that shares only immutable data.
func (t TuneTrack) Clone() TuneTrack {
	t.Points = maps.Clone(t.Points)
	return t
}

// TuneLive is the state of a running tune at one moment.
type TuneLive struct {
	TuneSetup

	Forfeits    int               `json:"forfeits,omitempty"`    // in this session
	Candidate   map[string]string `json:"candidate,omitempty"`   // the final values; nil until they are known
	Validations []string          `json:"validations,omitempty"` // names of the runs that validate the final values
}

// Clone returns a copy that shares only immutable data. It returns nil for nil.
func (l *TuneLive) Clone() *TuneLive {
	if l == nil {
		return nil
	}
	c := *l
	c.Track = l.Track.Clone()
	c.Validations = append([]string(nil), l.Validations...)
	return &c
}

// Now returns the latest point of the tune, and false if the tune has not completed a block yet.
func (l *TuneLive) Now() (TunePoint, bool) {
	p, ok := l.Track.Points[l.Track.Latest]
	return p, ok && l.Track.Latest > 0
}

// TuneState is the stored state of a tune after a number of complete blocks. It is only a part of the state;
// package tune calculates the other part from the results.
type TuneState struct {
	Blocks int
	Pairs  int       // number of learnt pairs: all pairs with a lower number are learnt
	Centre []float64 // by parameter
	Factor float64   // factor of all perturbations
}

// TuneCandidate has final option values of a tune. A validation run tests them against the start values.
type TuneCandidate struct {
	Number int // from 1
	Blocks int // number of blocks after which the tune had these values
	Point  []Option
	Run    string    // the name of the run that validates it
	At     time.Time // time at which it was stored; the zero time: not stored yet
}
