package kifu

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"gogi/shogi"
)

// MoveJSON is the JSON form of a Move in all records that gogi writes. JSON omits unknown values.
type MoveJSON struct {
	USI     shogi.Move `json:"move"`
	Opening bool       `json:"opening,omitempty"` // the opening set the move
	MS      *float64   `json:"ms,omitempty"`      // the time for the move, exact to the microsecond
	// exact, from the mover's view: centipawns, or near ±1,000,000 for a mate
	Score    *int         `json:"score,omitempty"`
	AtLeast  *int         `json:"score_at_least,omitempty"` // a lower bound of the score, if the search had no exact one
	AtMost   *int         `json:"score_at_most,omitempty"`  // an upper bound of the score, if the search had no exact one
	Depth    int          `json:"depth,omitempty"`          // plies
	SelDepth int          `json:"seldepth,omitempty"`
	Nodes    uint64       `json:"nodes,omitempty"`
	PV       []shogi.Move `json:"pv,omitempty"`
	Votes    Detail       `json:"votes,omitempty"` // a council's vote record
	Comment  string       `json:"comment,omitempty"`
}

// JSON returns the JSON form of the move.
func (m *Move) JSON() MoveJSON {
	out := MoveJSON{
		USI: m.Move, Opening: m.Opening, Depth: m.Depth, SelDepth: m.SelDepth, Nodes: m.Nodes, PV: m.PV,
		Votes: m.Detail, Comment: m.Comment,
	}
	switch {
	case m.HasScore:
		out.Score = new(m.Score)
	case m.Bound == AtLeast:
		out.AtLeast = new(m.Score)
	case m.Bound == AtMost:
		out.AtMost = new(m.Score)
	}
	if !m.NoTime && (!m.Opening || m.Time != 0) {
		out.MS = new(Millis(m.Time))
	}
	return out
}

// Move converts the JSON form back to a Move. It returns an error for a time that is negative or longer than
// 292 years.
func (j *MoveJSON) Move() (Move, error) {
	m := Move{
		Move: j.USI, Opening: j.Opening, NoTime: j.MS == nil && !j.Opening, Depth: j.Depth, SelDepth: j.SelDepth,
		Nodes: j.Nodes, PV: j.PV, Detail: j.Votes, Comment: j.Comment,
	}
	switch {
	case j.Score != nil:
		m.Score, m.HasScore = *j.Score, true
	case j.AtLeast != nil:
		m.Score, m.Bound = *j.AtLeast, AtLeast
	case j.AtMost != nil:
		m.Score, m.Bound = *j.AtMost, AtMost
	}
	var err error
	if j.MS != nil {
		m.Time, err = OfMillis(*j.MS)
	}
	return m, err
}

// Detail is the text of a move's details, usually the JSON of a council's vote record. In JSON output, valid
// JSON stays unchanged and any other text becomes a JSON string.
type Detail []byte

// MarshalJSON returns valid JSON unchanged, and any other text as a JSON string.
func (d Detail) MarshalJSON() ([]byte, error) {
	if json.Valid(d) && d[0] != '"' {
		return d, nil
	}
	return json.Marshal(string(d))
}

// UnmarshalJSON parses the text that MarshalJSON writes.
func (d *Detail) UnmarshalJSON(text []byte) error {
	if len(text) == 0 || text[0] != '"' {
		*d = bytes.Clone(text)
		return nil
	}
	var s string
	err := json.Unmarshal(text, &s)
	*d = []byte(s)
	return err
}

// Millis converts a duration to milliseconds, with microseconds as the fraction, as the database stores
// times.
func Millis(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// OfMillis converts milliseconds to a duration, rounded to microseconds. It returns an error for a time that
// is negative or longer than 292 years.
func OfMillis(ms float64) (time.Duration, error) {
	if us := math.Round(ms * 1000); us >= 0 && us < math.MaxInt64/float64(time.Microsecond) {
		return time.Duration(us) * time.Microsecond, nil
	}
	return 0, fmt.Errorf("%g ms cannot be a time", ms)
}
