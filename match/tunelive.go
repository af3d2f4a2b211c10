package match

import "maps"

// The kinds of a tune's pairs in pair events.
const (
	TuneDuel    = "duel"    // plus against minus
	TuneProbe   = "probe"   // plus against the centre
	TuneForfeit = "forfeit" // not played: a point does not start
)

// TuneTold has a tune's settings for observers.
type TuneTold struct {
	Method   string      `json:"method"`
	Pairs    int         `json:"pairs"`            // the budget
	Blocks   int         `json:"blocks"`           // that they are
	Block    int         `json:"block"`            // pairs of one
	Inflight int         `json:"inflight"`         // pairs
	Target   float64     `json:"target,omitempty"` // Elo that a perturbed point shall lose to the centre; 0: no controller
	Params   []TuneParam `json:"params"`
	// Track is the path of earlier sessions.
	Track TuneTrack `json:"track"`
}

// TuneParam is a parameter for observers.
type TuneParam struct {
	Name   string   `json:"name"`
	Kind   string   `json:"kind"` // int, float, choice
	Start  float64  `json:"start"`
	Min    float64  `json:"min"`
	Max    float64  `json:"max"`
	C      float64  `json:"c"`                // the perturbation at the schedule's end, before the factor
	Levels []string `json:"levels,omitempty"` // for a choice; its numbers are their indices
	Unused bool     `json:"unused,omitempty"` // it stays at its start
}

// TunePoint is the state of a tune after a block, with its counts until then.
type TunePoint struct {
	Pairs   int       `json:"pairs"`
	Theta   []float64 `json:"theta"`
	Spread  float64   `json:"spread"`
	LostElo *float64  `json:"lost_elo,omitempty"`
	Equal   int       `json:"equal,omitempty"`
}

// MaxTrack is how many points a line of a tune is drawn through at most.
const MaxTrack = 400

// TuneTrack is the path of a tune by learnt blocks: the latest block, and at most MaxTrack earlier ones
// at even distances.
type TuneTrack struct {
	Every  int               `json:"every"` // blocks between those that are kept
	Latest int               `json:"latest"`
	Points map[int]TunePoint `json:"points,omitempty"`
}

// Add takes the point after so many blocks, which are more than those before.
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

// TuneLive is a tune at one moment.
type TuneLive struct {
	TuneTold

	Forfeits    int               `json:"forfeits,omitempty"`    // in this session
	Candidate   map[string]string `json:"candidate,omitempty"`   // the answer, once there is one
	Validations []string          `json:"validations,omitempty"` // runs that judge it
}

// Clone returns a copy that shares only immutable data; nil for nil.
func (l *TuneLive) Clone() *TuneLive {
	if l == nil {
		return nil
	}
	c := *l
	c.Track = l.Track.Clone()
	c.Validations = append([]string(nil), l.Validations...)
	return &c
}

// Now returns the latest point; false: no block is learnt yet.
func (l *TuneLive) Now() (TunePoint, bool) {
	p, ok := l.Track.Points[l.Track.Latest]
	return p, ok && l.Track.Latest > 0
}
