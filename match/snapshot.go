package match

import (
	"time"

	"gogi/shogi/kifu"
)

// Snapshot is the state of a running match at one moment. A consumer that connects late gets a Snapshot and the events
// that follow it. It then has the same data as a consumer that was connected from the beginning. Package runner/events
// makes snapshots.
type Snapshot struct {
	Began  time.Time `json:"began,omitzero"`  // the beginning of the session: the time of its run event
	Latest time.Time `json:"latest,omitzero"` // the time of the latest event
	// Numbers has the last Event.Seq of each worker. The key "" is the run's own process.
	Numbers map[string]uint64 `json:"numbers,omitempty"`
	Over    bool              `json:"over,omitempty"`  // the session has ended
	Phase   RunPhase          `json:"phase,omitempty"` // "" before anything is known
	// number of slots that the run's own process shall have; slots beyond it end after their current pair
	Wanted int `json:"wanted,omitempty"`

	Players []string `json:"players,omitempty"` // in plan order
	Limits  []string `json:"limits,omitempty"`  // limits of the players, as text
	Digest  string   `json:"digest,omitempty"`
	Rules   string   `json:"rules,omitempty"` // name of the rules
	Pairs   int      `json:"pairs"`           // planned
	Games   int      `json:"games"`           // planned

	Finished  int       `json:"finished"`  // stored pairs, including pairs of earlier sessions
	Standings Standings `json:"standings"` // standings of the stored pairs, as far as their games are known
	// games that ended but whose pairs are not stored yet, sorted by pair, worker and leg
	Unstored []EndedGame `json:"unstored,omitempty"`
	// games of this session that ended, including games that do not count
	Ended    int            `json:"ended"`
	Marked   int            `json:"marked,omitempty"`   // the games in Ended in which the machine delayed a move
	Efforts  []Effort       `json:"efforts,omitempty"`  // efforts in the games of Ended, by player
	Mate     *Questions     `json:"mate,omitempty"`     // questions to the mate solver in the games of Ended; nil: none
	Faults   []FaultSum     `json:"faults,omitempty"`   // faults of this session, by player and kind
	Warnings []WarningGiven `json:"warnings,omitempty"` // the first hundred warnings of this session
	// samples of the last ten minutes, without samples in which nothing ended
	Recent []RateSample `json:"recent,omitempty"`
	Slots  []SlotState  `json:"slots,omitempty"` // slots, sorted by worker and number
	Tune   *TuneLive    `json:"tune,omitempty"`  // nil: the run is no tune

	Dropped uint64 `json:"dropped,omitempty"` // move events that the sender dropped; known only at the end
	Lost    uint64 `json:"lost,omitempty"`    // missing event numbers
	Missed  int    `json:"missed,omitempty"`  // moves that were made but whose events are missing
	Unseen  int    `json:"unseen,omitempty"`  // games of stored pairs whose end events are missing
}

// RunPhase is the phase of a session, in which the session plays, pauses or ends.
type RunPhase string

// The phases of a session. A session begins with RunPlaying. It ends after the games in play have ended,
// except in RunPaused, in which it waits.
const (
	RunPlaying  RunPhase = "playing"
	RunPaused   RunPhase = "paused"   // the session finishes the pairs in play and then waits
	RunDraining RunPhase = "draining" // the session finishes the pairs in play and then ends
	RunStopping RunPhase = "stopping" // the session stops the games in play and ends
)

// FaultSum counts the faults of one kind of one player.
type FaultSum struct {
	Player   string `json:"player,omitempty"`   // "" if the fault concerns no player
	Kind     string `json:"kind"`               // kind of the fault
	Times    int    `json:"times"`              // how often it happened
	Forfeits int    `json:"forfeits,omitempty"` // number of these faults that lost a game
}

// WarningGiven is a warning of a session. Its fields are those of the event that reported it (EventWarning).
type WarningGiven struct {
	Worker string `json:"worker,omitempty"`
	Engine string `json:"engine,omitempty"` // "" if the warning concerns no engine
	Slot   *int   `json:"slot,omitempty"`
	Kind   string `json:"kind"` // kind of the warning
	Note   string `json:"note"`
}

// SlotPhase is the current activity of a slot.
type SlotPhase string

// The phases of a slot.
const (
	SlotIdle     SlotPhase = "idle"
	SlotStarting SlotPhase = "starting" // it starts or resets players
	SlotPlaying  SlotPhase = "playing"
)

// SlotState is the state of one slot, with its current or last game.
type SlotState struct {
	Worker string    `json:"worker,omitempty"`
	Slot   int       `json:"slot"`
	Phase  SlotPhase `json:"phase"`
	Since  time.Time `json:"since,omitzero"` // when the phase began
	Board  *Board    `json:"board,omitempty"`
}

// GameHead has the data of a game at its beginning.
type GameHead struct {
	Black string `json:"black,omitempty"`
	White string `json:"white,omitempty"`
	// limits of Black and White, as text; in a run event the limits of all players
	Limits  []string `json:"limits,omitempty"`
	Opening string   `json:"opening,omitempty"`
	Start   string   `json:"start,omitempty"` // SFEN, before the opening's moves
	// moves of the opening in USI, separated by spaces; in a board all moves from the start
	Moves string `json:"moves,omitempty"`
	Plies int    `json:"plies,omitempty"` // plies of the opening; of the whole game in an event of its end
	// clocks of Black and White, in a game event before their first moves; null: no clock
	Clocks []*float64 `json:"clocks_ms,omitempty"`
}

// Board is the known part of a game. Position is the position after Moves from Start. If move events are
// missing, Start is the first known position after the missing moves, and StartPly is not 0.
type Board struct {
	Pair     int `json:"pair"`
	Leg      int `json:"leg"`
	GameHead     // Moves: all moves from Start
	StartPly int `json:"start_ply,omitempty"` // plies made before Start, 0 at the beginning of the game
	Ply      int `json:"ply"`                 // plies made
	// SFEN; "" after a move that did not fit, until the next position arrives
	Position    string      `json:"position,omitempty"`
	Thoughts    [2]*Thought `json:"thoughts"`          // the last thoughts of Black and White
	Outcome     string      `json:"outcome,omitempty"` // "" during the game
	Termination string      `json:"termination,omitempty"`
}

// Thought is a move, with the score, time and other data of the player's search.
type Thought struct {
	Ply   int    `json:"ply,omitempty"` // from 1, the opening's moves counted
	Move  string `json:"move,omitempty"`
	Score *int   `json:"score,omitempty"` // exact, from the mover's view, centipawns; a mate is near ±1000000
	// AtLeast or AtMost is set if the search had no exact score.
	AtLeast *int     `json:"score_at_least,omitempty"` // a lower bound of the score
	AtMost  *int     `json:"score_at_most,omitempty"`  // an upper bound of the score
	Depth   int      `json:"depth,omitempty"`
	Nodes   uint64   `json:"nodes,omitempty"`
	PV      string   `json:"pv,omitempty"`      // in USI, beginning with the move, at most ShownPV plies
	Hit     bool     `json:"hit,omitempty"`     // a ponder hit: the mover expected the opponent's last move
	TimeMS  *float64 `json:"time_ms,omitempty"` // never absent in a move event
	Vote    *Vote    `json:"vote,omitempty"`    // the vote of a council for the move
}

// SetScore sets the score or the bound of the move m. value points to m.Score or to a copy of it, which stays in use.
func (t *Thought) SetScore(value *int, m *kifu.Move) {
	switch {
	case m.HasScore:
		t.Score = value
	case m.Bound == kifu.AtLeast:
		t.AtLeast = value
	case m.Bound == kifu.AtMost:
		t.AtMost = value
	}
}

// RateSample has the number of games that ended in ten seconds, and the number of pairs that were stored in this time.
type RateSample struct {
	From  time.Time `json:"from"` // beginning of the ten seconds, a multiple of ten seconds
	Games int       `json:"games,omitempty"`
	Pairs int       `json:"pairs,omitempty"` // that were stored
}

// RateWindow is the time before the latest event in which Snapshot.Rate counts games. TempoSpan is the length of one
// RateSample.
const (
	RateWindow = 10 * time.Minute
	TempoSpan  = 10 * time.Second
)

// Rate returns how many games ended per minute, and how many pairs were stored per minute. It counts the ten minutes
// before the latest event, or the whole session if that is shorter. ok is false if no time has passed. Rate uses the
// times of the events, not the system clock.
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
