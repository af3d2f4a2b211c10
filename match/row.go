package match

import "time"

// Row is a finished game without its moves. Tables, reports and tests count rows, from any store.
type Row struct {
	Pair, Leg    int
	Black, White string // engine names
	PairA, PairB string // engine names; A has Black in leg 0
	Outcome      Outcome
	Termination  Termination
	Note         string
	Points       [2]float64 // by colour, by the run's rules
	Plies        int        // all of them, the opening's included
	Sides        [2]Side    // by colour: the engines' own moves
	Questions    Questions  // to the plan's mate solver; the zero value: none, or of a time before this was kept
	OpeningID    string
	OpeningPlies int
	OpeningHash  uint64 // Opening.Hash: two books may use one ID
	Start        string // the start of the opening's moves: "startpos" or a SFEN
	Marked       bool   // a move was slowed by the machine
	MovesHash    uint64 // Result.MovesHash
	LastSFEN     string // the final position
	Slot         int
	Worker       string // the machine that played it; "" is the process that stored it
	Started      time.Time
	Ended        time.Time
}

// BySlowness reports whether the game was lost on time while the machine slowed it. Such a loss measures
// the machine and not the engine.
func (r Row) BySlowness() bool { return r.Marked && r.Termination.IsLate() }
