package match

import "time"

// Row is a finished game without its moves. Tables, reports and tests count rows, from any store. Its JSON has
// the fields that are equal for every play of a game of deterministic engines.
type Row struct {
	Pair         int         `json:"pair"`
	Leg          int         `json:"leg"`
	PairA        string      `json:"a"` // engine name; A has Black in leg 0
	PairB        string      `json:"b"`
	Black        string      `json:"black"` // engine name
	White        string      `json:"white"`
	Outcome      Outcome     `json:"outcome"`
	Termination  Termination `json:"termination"`
	Note         string      `json:"note,omitempty"`
	Points       [2]float64  `json:"points"` // by colour, by the run's rules
	OpeningID    string      `json:"opening"`
	OpeningPlies int         `json:"opening_plies"`
	OpeningHash  uint64      `json:"-"` // Opening.Hash: two books may use one ID
	Plies        int         `json:"-"` // all of them, the opening's included
	Sides        [2]Side     `json:"-"` // by colour: the engines' own moves
	Questions    Questions   `json:"-"` // to the plan's mate solver; the zero value: none, or of a time before this was kept
	Start        string      `json:"-"` // the start of the opening's moves: "startpos" or a SFEN
	Marked       bool        `json:"-"` // a move was slowed by the machine
	MovesHash    uint64      `json:"-"` // Result.MovesHash
	LastSFEN     string      `json:"-"` // the final position
	Slot         int         `json:"-"`
	Worker       string      `json:"-"` // the machine that played it; "" is the process that stored it
	Started      time.Time   `json:"-"`
	Ended        time.Time   `json:"-"`
}

// BySlowness reports whether the game was lost on time while the machine slowed it. Such a loss measures
// the machine and not the engine.
func (r Row) BySlowness() bool { return r.Marked && r.Termination.IsLate() }
