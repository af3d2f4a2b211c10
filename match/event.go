package match

import "time"

// EventVersion is the version of the event stream's format. Fields may be
// added under one version, never renamed.
const EventVersion = 1

// EventType says what an Event tells.
type EventType string

// The events of a run. Move events may be dropped when a consumer is slow, and
// are then counted; the others never are.
const (
	EventRun   EventType = "run"   // the run begins: Players, Pairs, Games, Finished
	EventGame  EventType = "game"  // a game begins: Pair, Leg, Slot, Black, White, Opening
	EventMove  EventType = "move"  // a move was made: Pair, Leg, Ply, Move, …
	EventEnd   EventType = "end"   // a game ended: Pair, Leg, Outcome, Termination, …
	EventPair  EventType = "pair"  // a pair is stored: Pair
	EventFault EventType = "fault" // an engine failed, or a pair was not counted: Engine, Kind, Note
	EventDone  EventType = "done"  // the run ends: Finished, Dropped
)

// Event is one line of the stream of a run. Which fields are set depends on
// the type; Pair, Leg and Slot are numbered from 0 and therefore pointers.
type Event struct {
	V    int       `json:"v"`
	Seq  uint64    `json:"seq"` // dense from 1; move events that were dropped have no number
	Time time.Time `json:"time"`
	Run  string    `json:"run"`
	Type EventType `json:"type"`

	Pair *int `json:"pair,omitempty"`
	Leg  *int `json:"leg,omitempty"`
	Slot *int `json:"slot,omitempty"`

	Players  []string `json:"players,omitempty"`
	Pairs    int      `json:"pairs,omitempty"`
	Games    int      `json:"games,omitempty"`
	Finished *int     `json:"finished,omitempty"` // pairs, at the beginning and the end of the run

	Black   string `json:"black,omitempty"`
	White   string `json:"white,omitempty"`
	Opening string `json:"opening,omitempty"`
	Plies   int    `json:"plies,omitempty"`

	Ply     int      `json:"ply,omitempty"` // from 1, the opening's moves counted
	Move    string   `json:"move,omitempty"`
	Score   *int     `json:"score,omitempty"` // from the mover's view, centipawns; a mate is near ±1000000
	Depth   int      `json:"depth,omitempty"`
	Nodes   uint64   `json:"nodes,omitempty"`
	TimeMS  *float64 `json:"time_ms,omitempty"`  // always there in a move event
	ClockMS *float64 `json:"clock_ms,omitempty"` // left after the move, the next increment included; absent without a clock

	Outcome     string `json:"outcome,omitempty"`
	Termination string `json:"termination,omitempty"`
	Note        string `json:"note,omitempty"`
	Marked      bool   `json:"marked,omitempty"`

	Engine  string `json:"engine,omitempty"`
	Kind    string `json:"kind,omitempty"`
	Dropped uint64 `json:"dropped,omitempty"` // move events
}
