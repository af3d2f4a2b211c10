package match

import "time"

// Row is a stored game without its moves. Tables, reports and sequential tests are calculated from rows. The JSON
// has only the fields that do not change when deterministic engines play the same game again.
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
	OpeningPlies int         `json:"opening_plies"` // number of plies of the opening
	OpeningHash  uint64      `json:"-"`             // Opening.Hash; two books may use the same ID for different openings
	Plies        int         `json:"-"`             // plies of the game, including the opening's
	Sides        [2]Side     `json:"-"`             // by colour: the engines' own moves
	// questions to the plan's mate solver; the zero value: none, or stored by a gogi that did not count them
	Questions Questions `json:"-"`
	Start     string    `json:"-"` // position before the opening's moves: "startpos" or a SFEN
	Marked    bool      `json:"-"` // the machine delayed a move
	MovesHash uint64    `json:"-"` // Result.MovesHash
	LastSFEN  string    `json:"-"` // the final position
	Slot      int       `json:"-"`
	Worker    string    `json:"-"` // the worker that played the game; "": the process that stored it
	Started   time.Time `json:"-"`
	Ended     time.Time `json:"-"`
}

// BySlowness reports whether the machine delayed a move and the game was lost on time. Such a loss measures
// the machine, not the engine.
func (r Row) BySlowness() bool { return r.Marked && r.Termination.IsLate() }

// GameView has the players and the result of a finished game, as the words of the JSON output.
type GameView struct {
	Black       string `json:"black"`
	White       string `json:"white"`
	Outcome     string `json:"outcome"`
	Termination string `json:"termination"`
}

// View returns the players and the result of the game as words.
func (r Row) View() GameView {
	return GameView{Black: r.Black, White: r.White, Outcome: r.Outcome.String(), Termination: r.Termination.String()}
}
