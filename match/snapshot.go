package match

import "time"

// Snapshot is a running series at one moment, as a listener that comes late needs it: with it and the
// events that follow, it knows what one knows that was there from the beginning. Package live makes them.
type Snapshot struct {
	Began  time.Time `json:"began,omitzero"`  // the session: the stamp of its run event
	Latest time.Time `json:"latest,omitzero"` // the latest stamp
	// Numbers has the last Seq of each worker; "" is the run's own process.
	Numbers map[string]uint64 `json:"numbers,omitempty"`
	Over    bool              `json:"over,omitempty"`
	Phase   RunPhase          `json:"phase,omitempty"`  // "" before anything is known
	Wanted  int               `json:"wanted,omitempty"` // slots that the run's own process shall have; those beyond end with their pairs

	Players []string `json:"players,omitempty"` // in plan order
	Limits  []string `json:"limits,omitempty"`  // theirs, in words
	Digest  string   `json:"digest,omitempty"`
	Rules   string   `json:"rules,omitempty"`
	Pairs   int      `json:"pairs"` // planned
	Games   int      `json:"games"` // planned

	Finished  int            `json:"finished"`           // pairs that are stored, those of earlier sessions included
	Standings Standings      `json:"standings"`          // of these pairs, as far as their games were seen
	Unstored  []EndedGame    `json:"unstored,omitempty"` // games that ended and whose pairs are not stored yet, by pair, worker and leg
	Ended     int            `json:"ended"`              // games of this session that ended, whether or not they came to count
	Marked    int            `json:"marked,omitempty"`   // of these, with a move that the machine slowed
	Efforts   []Effort       `json:"efforts,omitempty"`  // in these, by player
	Mate      *Questions     `json:"mate,omitempty"`     // to the mate solver in these; nil: none
	Faults    []FaultSum     `json:"faults,omitempty"`   // of this session, by player and kind
	Warnings  []WarningGiven `json:"warnings,omitempty"` // of this session, the first hundred
	Recent    []RateSample   `json:"recent,omitempty"`   // of the last ten minutes, without those in which nothing ended
	Slots     []SlotState    `json:"slots,omitempty"`    // by worker and number
	Tune      *TuneLive      `json:"tune,omitempty"`     // nil: the run is no tune

	Dropped uint64 `json:"dropped,omitempty"` // move events that the sender dropped, known at the end
	Lost    uint64 `json:"lost,omitempty"`    // numbers that never came
	Missed  int    `json:"missed,omitempty"`  // moves that were made and did not come
	Unseen  int    `json:"unseen,omitempty"`  // games of stored pairs whose ends did not come
}

// RunPhase is how far a session has been told to go.
type RunPhase string

// The phases of a session, which begins with RunPlaying. It ends when the games in
// play have, from any of them but RunPaused: a paused one waits.
const (
	RunPlaying  RunPhase = "playing"
	RunPaused   RunPhase = "paused"   // the pairs in play are finished, and no other begins
	RunDraining RunPhase = "draining" // the pairs in play are the last
	RunStopping RunPhase = "stopping" // the games in play are given up
)

// FaultSum is how often one player failed in one way.
type FaultSum struct {
	Player   string `json:"player,omitempty"` // "" where the fault is nobody's
	Kind     string `json:"kind"`
	Times    int    `json:"times"`
	Forfeits int    `json:"forfeits,omitempty"` // how many of them lost a game
}

// WarningGiven is a warning of a session, as its event told it.
type WarningGiven struct {
	Worker string `json:"worker,omitempty"`
	Engine string `json:"engine,omitempty"` // "" where it is nobody's
	Slot   *int   `json:"slot,omitempty"`
	Kind   string `json:"kind"`
	Note   string `json:"note"`
}

// SlotPhase is what a slot does.
type SlotPhase string

// The phases of a slot.
const (
	SlotIdle     SlotPhase = "idle"
	SlotStarting SlotPhase = "starting" // it readies players
	SlotPlaying  SlotPhase = "playing"
)

// SlotState is one slot and the game that it plays or played last.
type SlotState struct {
	Worker string    `json:"worker,omitempty"`
	Slot   int       `json:"slot"`
	Phase  SlotPhase `json:"phase"`
	Since  time.Time `json:"since,omitzero"` // when the phase began
	Board  *Board    `json:"board,omitempty"`
}

// Board is a game as far as it is known. Its Position is Start with Moves made. Where moves did not come,
// Start is the first position that did after them, and StartPly is not 0.
type Board struct {
	Pair        int         `json:"pair"`
	Leg         int         `json:"leg"`
	Black       string      `json:"black,omitempty"`
	White       string      `json:"white,omitempty"`
	Limits      []string    `json:"limits,omitempty"` // Black's and White's, in words
	Opening     string      `json:"opening,omitempty"`
	Plies       int         `json:"plies,omitempty"`     // of the opening
	Start       string      `json:"start,omitempty"`     // SFEN
	StartPly    int         `json:"start_ply,omitempty"` // plies made before Start, 0 at the beginning of the game
	Moves       string      `json:"moves,omitempty"`     // from Start, the opening's included, in USI, separated by spaces
	Ply         int         `json:"ply"`                 // plies made
	Position    string      `json:"position,omitempty"`  // SFEN; "" until a move that did not fit is followed by a position
	Clocks      []*float64  `json:"clocks_ms,omitempty"` // Black's and White's, null without a clock
	Thoughts    [2]*Thought `json:"thoughts"`            // Black's and White's last
	Outcome     string      `json:"outcome,omitempty"`   // "" while it is played
	Termination string      `json:"termination,omitempty"`
}

// Thought is a move and what its player reported with it.
type Thought struct {
	Ply    int      `json:"ply,omitempty"` // from 1, the opening's moves counted
	Move   string   `json:"move,omitempty"`
	Score  *int     `json:"score,omitempty"` // from the mover's view, centipawns; a mate is near ±1000000
	Depth  int      `json:"depth,omitempty"`
	Nodes  uint64   `json:"nodes,omitempty"`
	PV     string   `json:"pv,omitempty"`      // in USI, the move itself first, at most ShownPV plies
	Hit    bool     `json:"hit,omitempty"`     // the mover had expected the move before, and thought on
	TimeMS *float64 `json:"time_ms,omitempty"` // never absent in a move event
	Vote   *Vote    `json:"vote,omitempty"`    // of a council, how it came to the move
}

// RateSample is what ended in ten seconds.
type RateSample struct {
	From  time.Time `json:"from"` // the multiple of ten seconds at which they begin
	Games int       `json:"games,omitempty"`
	Pairs int       `json:"pairs,omitempty"` // that were stored
}

// The window over which a Rate is taken, and its grain.
const (
	RateWindow = 10 * time.Minute
	TempoSpan  = 10 * time.Second
)

// Rate returns how many games ended, and how many pairs were stored, a minute: in the
// last ten minutes before the latest stamp, or since the session began where
// that is less. ok is false where no time has passed. No clock is asked.
func (s *Snapshot) Rate() (games, pairs float64, ok bool) {
	from := s.Latest.Truncate(TempoSpan).Add(TempoSpan - RateWindow)
	if from.Before(s.Began) {
		from = s.Began
	}
	minutes := s.Latest.Sub(from).Minutes()
	if s.Began.IsZero() || minutes <= 0 {
		return 0, 0, false
	}
	for _, t := range s.Recent {
		games += float64(t.Games)
		pairs += float64(t.Pairs)
	}
	return games / minutes, pairs / minutes, true
}
