package match

import (
	"time"
)

// EventVersion is the version of the event stream's format, docs/events.md.
// Fields may be added under one version, never renamed.
const EventVersion = 2

// EventType is the type of an Event.
type EventType string

// The events of a run. Move events may be dropped when a consumer is slow, and
// are then counted; the others never are. A game that began ends with one "end"
// or one "cut".
const (
	EventRun  EventType = "run"  // a session of the run begins: the plan, and the pairs already stored
	EventSeat EventType = "seat" // a slot readies the players of a game: Pair, Leg, Slot, Black, White
	EventGame EventType = "game" // a game begins: with all that is needed to draw its board
	EventMove EventType = "move" // a move was made, with the position after it
	// EventBoard has the moves that were made without a listener: Pair, Leg, Slot, and the game so far,
	// in Board.
	EventBoard EventType = "board"
	EventEnd   EventType = "end"   // a game ended; it counts once its pair is stored
	EventCut   EventType = "cut"   // a game was given up, or did not begin: Pair, Leg, Slot
	EventPair  EventType = "pair"  // a pair is stored and counted now, once: Pair; in a tune Kind, too
	EventFault EventType = "fault" // an engine failed, or a pair was not counted: Engine, Kind, Note
	// EventWarning reports a slow problem, once: Kind, Note, Engine if it concerns one, Slot if it
	// concerns one slot. It changes no result.
	EventWarning EventType = "warning"
	EventTold    EventType = "told" // a user changed the session: Phase, Slots, Pairs, Games as they are from now on
	// The events of a tune: its settings, once, after the run event; a block that is learnt and stored; a
	// pair that a point loses because the engine does not start with it; the tune's final values; the run
	// that will judge them.
	EventTune       EventType = "tune"       // Tune
	EventBlock      EventType = "block"      // Block, Pairs, Theta, Spread, LostElo, Equal
	EventForfeit    EventType = "forfeit"    // Pair, Engines, Note
	EventCandidate  EventType = "candidate"  // Values
	EventValidation EventType = "validation" // Validation

	EventDone  EventType = "done"  // the session ends: Finished, Dropped
	EventState EventType = "state" // for one listener, when it comes: everything up to here, in State
)

// KindUnplayed is the Kind of a fault event for an attempt at a pair that does not count, whatever its
// cause.
const KindUnplayed = "unplayed"

// KindSolver is the Kind of a fault event for a mate solver, which plays for neither side. It failed, and
// gogi does not ask it again in that game.
const KindSolver = "mate_solver"

// ShownPV is how many plies of a principal variation a move event has at most.
const ShownPV = 8

// Event is one line of the stream of a run. Its type decides which fields are set. Pair, Leg and Slot are
// numbered from 0 and therefore pointers. An Event that was sent is shared: do not change the values that
// it points to.
type Event struct {
	V      int       `json:"v"`
	Seq    uint64    `json:"seq"`              // dense from 1 for each worker; move events that were dropped have no number
	Time   time.Time `json:"time"`             // by the clock of the sender of the stream
	At     time.Time `json:"at,omitzero"`      // by the worker's clock, if the event came from a worker
	Run    string    `json:"run"`              // its name
	Worker string    `json:"worker,omitempty"` // the worker of the event; "" is the process that sends the stream
	Type   EventType `json:"type"`

	Pair *int `json:"pair,omitempty"`
	Leg  *int `json:"leg,omitempty"`
	Slot *int `json:"slot,omitempty"` // slot of the worker

	Players   []string   `json:"players,omitempty"`
	Digest    string     `json:"digest,omitempty"` // SHA-256 of the plan
	Rules     string     `json:"rules,omitempty"`  // their name
	Phase     RunPhase   `json:"phase,omitempty"`  // for a change by the user
	Slots     int        `json:"slots,omitempty"`
	Pairs     int        `json:"pairs,omitempty"`
	Games     int        `json:"games,omitempty"`
	Finished  *int       `json:"finished,omitempty"`  // pairs, at the beginning and the end of the run
	Standings *Standings `json:"standings,omitempty"` // standings of the finished pairs, at the beginning

	Black   string     `json:"black,omitempty"`
	White   string     `json:"white,omitempty"`
	Limits  []string   `json:"limits,omitempty"` // texts of Limits for a run's players, for a game's Black and White
	Opening string     `json:"opening,omitempty"`
	Start   string     `json:"start,omitempty"`     // SFEN, before the opening's moves
	Moves   string     `json:"moves,omitempty"`     // the opening's, in USI, separated by spaces
	Plies   int        `json:"plies,omitempty"`     // plies of the opening; of the whole game when it ended
	Clocks  []*float64 `json:"clocks_ms,omitempty"` // Black's and White's before their first moves, null without a clock

	Thought            // for a move event
	Position  string   `json:"position,omitempty"`   // SFEN, after the move; at the end of the game
	OverrunMS float64  `json:"overrun_ms,omitempty"` // how far the move was over its limit, within the margin
	ClockMS   *float64 `json:"clock_ms,omitempty"`   // left after the move, the next increment included; absent without a clock

	Outcome     string      `json:"outcome,omitempty"`
	Termination string      `json:"termination,omitempty"`
	Note        string      `json:"note,omitempty"`
	Points      *[2]float64 `json:"points,omitempty"` // Black's and White's, by the run's rules
	Sides       *[2]Effort  `json:"sides,omitempty"`  // Black's and White's
	Marked      bool        `json:"marked,omitempty"` // the machine slowed the move, or one of the game

	Engine  string `json:"engine,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Forfeit bool   `json:"forfeit,omitempty"` // the fault lost the game
	Bundle  string `json:"bundle,omitempty"`  // the file that keeps the failed engine's dialogue
	Dropped uint64 `json:"dropped,omitempty"` // move events

	Mate *Questions `json:"mate,omitempty"` // to the mate solver, of a game that ended

	Tune       *TuneTold         `json:"tune,omitempty"`
	Block      int               `json:"block,omitempty"`      // how many blocks are learnt
	Theta      []float64         `json:"theta,omitempty"`      // the centre then, by parameter
	Spread     float64           `json:"spread,omitempty"`     // the factor of all perturbations then
	LostElo    *float64          `json:"lost_elo,omitempty"`   // loss of the probes to the centre so far; absent without probes
	Equal      int               `json:"equal,omitempty"`      // duels of two equal points so far
	Engines    []string          `json:"engines,omitempty"`    // players whose point does not start
	Values     map[string]string `json:"values,omitempty"`     // the answer as it is sent, by option
	Validation string            `json:"validation,omitempty"` // the name of a run

	Board *Board    `json:"board,omitempty"`
	State *Snapshot `json:"state,omitempty"`
}

// ShownBallots is how many ballots a move event has at most.
const ShownBallots = 16

// Vote is how a council came to a move.
type Vote struct {
	By      string   `json:"by"`                // the deciding rule: rule, mate, resignation, veto, forced, plan, default
	Split   string   `json:"split,omitempty"`   // how many members were for each move, the most first, such as "3:1"
	Ballots []Ballot `json:"ballots,omitempty"` // ballots of the first ShownBallots members; empty if no member was asked
	Others  int      `json:"others,omitempty"`  // ballots of further members
}

// Ballot is how one member of a council voted.
type Ballot struct {
	Member string  `json:"member"`
	Kind   string  `json:"kind"`             // move, resign, win, illegal, none (nothing in time), late, dead; only a move counts as one
	Move   string  `json:"move,omitempty"`   // the move that it is for, if known, in USI
	Piece  string  `json:"piece,omitempty"`  // the piece that moves, as in SFEN; absent if the move does not fit the board
	Score  *int    `json:"score,omitempty"`  // as a move event's
	Weight float64 `json:"weight"`           // its weight
	Played bool    `json:"played,omitempty"` // its move is the one that was played
}

// Effort sums up the engines' own moves of a player: in one game, or in all
// that ended in a session.
type Effort struct {
	Player         string  `json:"player"`
	Moves          int     `json:"moves"`
	Nodes          uint64  `json:"nodes"`
	TimeMS         float64 `json:"time_ms"`
	WorstOverrunMS float64 `json:"worst_overrun_ms,omitempty"` // the furthest that a move was over its limit
	PonderHits     int     `json:"ponder_hits,omitempty"`
	PonderMisses   int     `json:"ponder_misses,omitempty"`
}

// Add sums two efforts of one player up.
func (e *Effort) Add(more Effort) {
	e.Moves += more.Moves
	e.Nodes = SumNodes(e.Nodes, more.Nodes)
	e.TimeMS += more.TimeMS
	e.WorstOverrunMS = max(e.WorstOverrunMS, more.WorstOverrunMS)
	e.PonderHits += more.PonderHits
	e.PonderMisses += more.PonderMisses
}

// Effort returns a player's use of time and nodes in the game.
func (s *Side) Effort(player string) Effort {
	return Effort{
		Player: player, Moves: s.Plies, Nodes: s.Nodes, TimeMS: Milliseconds(s.Time), WorstOverrunMS: Milliseconds(s.WorstOverrun),
		PonderHits: s.PonderHits, PonderMisses: s.PonderMisses,
	}
}

// Milliseconds returns a time as events print it, to the microsecond.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// RunEvent begins a session of a run of which so many pairs are stored already,
// with these standings (nil: none).
func RunEvent(p *Plan, finished int, stored *Standings) Event {
	e := Event{
		Type: EventRun, Digest: p.Digest(), Rules: p.Rules.Name, Slots: p.Concurrency,
		Pairs: p.Pairs, Games: p.Games(), Finished: &finished,
	}
	if stored != nil && len(stored.Games) > 0 {
		e.Standings = stored
	}
	for i, player := range p.Players {
		e.Players = append(e.Players, player.Name)
		e.Limits = append(e.Limits, p.LimitsText(i))
	}
	return e
}
