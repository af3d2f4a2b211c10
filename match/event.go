package match

import (
	"time"
)

// EventVersion is the version of the event stream's format, docs/events.md. A version may get new fields, but
// no field is ever renamed.
const EventVersion = 2

// EventType is the type of an Event.
type EventType string

// The types of a run's events. gogi may drop move events when a consumer is slow, and
// counts them; it never drops other events. A game that began ends with exactly one "end" or "cut" event.
const (
	EventRun  EventType = "run"  // a session of the run begins: the plan, and the pairs already stored
	EventSeat EventType = "seat" // a slot starts or resets the players of a game: Pair, Leg, Slot, Black, White
	EventGame EventType = "game" // a game begins: everything that is needed to show its board
	EventMove EventType = "move" // a move was made, with the position after it
	// EventBoard reports the position of a game in Board to a consumer that has missed moves. It replaces the events
	// of these moves, which gogi did not send because no consumer was listening. Slot is also set.
	EventBoard EventType = "board"
	EventEnd   EventType = "end"   // a game ended; it counts only after its pair is stored (EventPair)
	EventCut   EventType = "cut"   // a game was stopped without a result, or did not begin: Pair, Leg, Slot
	EventPair  EventType = "pair"  // a pair is stored and counts from now on: Pair; in a tune also Kind
	EventFault EventType = "fault" // an engine failed, or a pair was not counted: Engine, Kind, Note
	// EventWarning reports a problem that changes no result. gogi reports each problem once. Kind and Note describe
	// the problem. If the problem concerns one engine or one slot, Engine or Slot is set.
	EventWarning EventType = "warning"
	EventControl EventType = "told" // a user changed the session: the new values of Phase, Slots, Pairs and Games
	// EventTune and the four types after it are the events of a tune, a run that searches for good values of engine
	// options. EventTune has the settings and comes once, after the run event. EventBlock reports that the tune has
	// learnt from (evaluated) a block of pairs, and that its new state is stored. EventForfeit reports a pair that
	// gogi does not play, because an engine does not start with its option values. EventCandidate has the final
	// option values of the tune. EventValidation has the name of the run that tests these values.
	EventTune       EventType = "tune"       // Tune
	EventBlock      EventType = "block"      // Block, Pairs, Theta, Spread, LostElo, Equal
	EventForfeit    EventType = "forfeit"    // Pair, Engines, Note
	EventCandidate  EventType = "candidate"  // Values
	EventValidation EventType = "validation" // Validation

	EventDone  EventType = "done"  // the session ends: Finished, Dropped
	EventState EventType = "state" // everything up to now, in State; sent only to a consumer that just connected
)

// KindUnplayed is the Kind of a fault event that reports a failed or voided attempt to play a pair. Such an
// attempt does not count. Note has the cause.
const KindUnplayed = "unplayed"

// KindSolver is the Kind of a fault event for a mate solver that failed. The game continues, and gogi does not use
// the mate solver again in this game.
const KindSolver = "mate_solver"

// ShownPV is the largest number of plies of a principal variation in a move event.
const ShownPV = 8

// Event is one line of the stream of a run. Its type decides which fields are set. Pair, Leg and Slot are
// numbered from 0; they are pointers so that 0 differs from absent. Consumers share an Event that was sent:
// do not change the values that it points to.
type Event struct {
	V int `json:"v"` // version of the event's fields
	// counts from 1 without gaps for each worker; dropped move events have no number
	Seq    uint64    `json:"seq"`
	Time   time.Time `json:"time"`             // by the clock of the process that sends the stream
	At     time.Time `json:"at,omitzero"`      // by the worker's clock, if the event came from a worker
	Run    string    `json:"run"`              // name of the run
	Worker string    `json:"worker,omitempty"` // the worker of the event; "" is the process that sends the stream
	Type   EventType `json:"type"`

	Pair *int `json:"pair,omitempty"`
	Leg  *int `json:"leg,omitempty"`
	Slot *int `json:"slot,omitempty"` // slot of the worker

	Players []string `json:"players,omitempty"`
	Digest  string   `json:"digest,omitempty"` // SHA-256 of the plan
	Rules   string   `json:"rules,omitempty"`  // name of the rules
	Phase   RunPhase `json:"phase,omitempty"`  // the new phase after a change by the user
	Slots   int      `json:"slots,omitempty"`  // number of slots
	Pairs   int      `json:"pairs,omitempty"`
	Games   int      `json:"games,omitempty"`
	// number of finished pairs, at the beginning and the end of the session
	Finished  *int       `json:"finished,omitempty"`
	Standings *Standings `json:"standings,omitempty"` // standings of the finished pairs, at the beginning

	GameHead // in a run event only the limits, of all players

	Thought           // for a move event
	Position  string  `json:"position,omitempty"`   // SFEN, after the move; at the end of the game
	OverrunMS float64 `json:"overrun_ms,omitempty"` // how much the move exceeded its limit, within the margin
	// time left after the move, including the next increment; absent without a clock
	ClockMS *float64 `json:"clock_ms,omitempty"`

	Outcome     string      `json:"outcome,omitempty"`
	Termination string      `json:"termination,omitempty"`
	Note        string      `json:"note,omitempty"`
	Points      *[2]float64 `json:"points,omitempty"` // points of Black and White by the run's rules
	Sides       *[2]Effort  `json:"sides,omitempty"`  // efforts of Black and White
	Marked      bool        `json:"marked,omitempty"` // the machine delayed the move, or a move of the game

	Engine  string `json:"engine,omitempty"`
	Kind    string `json:"kind,omitempty"`    // kind of the fault or warning
	Forfeit bool   `json:"forfeit,omitempty"` // the fault lost the game
	Bundle  string `json:"bundle,omitempty"`  // path of the crash dump with the failed engine's dialogue
	Dropped uint64 `json:"dropped,omitempty"` // number of dropped move events

	Mate *Questions `json:"mate,omitempty"` // questions to the mate solver in a game that ended

	Tune   *TuneSetup `json:"tune,omitempty"`
	Block  int        `json:"block,omitempty"`  // number of learnt blocks
	Theta  []float64  `json:"theta,omitempty"`  // the centre after these blocks, by parameter
	Spread float64    `json:"spread,omitempty"` // the factor of all perturbations after these blocks
	// loss of the probes to the centre so far; absent without probes
	LostElo    *float64          `json:"lost_elo,omitempty"`
	Equal      int               `json:"equal,omitempty"`      // duels so far whose two points were equal
	Engines    []string          `json:"engines,omitempty"`    // players whose point does not start
	Values     map[string]string `json:"values,omitempty"`     // the final values as sent to the engine, by option
	Validation string            `json:"validation,omitempty"` // name of the run that validates the final values

	Board *Board    `json:"board,omitempty"`
	State *Snapshot `json:"state,omitempty"`
}

// ShownBallots is the largest number of ballots in a move event.
const ShownBallots = 16

// Vote is the vote of a council for one move.
type Vote struct {
	// the deciding rule: rule, mate, resignation, veto, examination, forced, plan, default
	By      string   `json:"by"`
	Split   string   `json:"split,omitempty"`   // number of members for each move, the largest first, such as "3:1"
	Ballots []Ballot `json:"ballots,omitempty"` // ballots of the first ShownBallots members; empty if no member was asked
	Others  int      `json:"others,omitempty"`  // number of ballots beyond ShownBallots
}

// Ballot is the vote of one member of a council.
type Ballot struct {
	Member string `json:"member"`
	// move, resign, win, illegal, none (no answer), late (too late for the vote) or dead
	Kind   string  `json:"kind"`
	Move   string  `json:"move,omitempty"`   // the move voted for, if known, in USI
	Piece  string  `json:"piece,omitempty"`  // the piece that moves, as in SFEN; absent if the move does not fit the board
	Score  *int    `json:"score,omitempty"`  // score, as in a move event
	Weight float64 `json:"weight"`           // weight of the vote
	Played bool    `json:"played,omitempty"` // the council played this move
}

// Effort has the sums of time and nodes over the moves that a player's engines searched. It covers one game,
// or all games that ended in a session.
type Effort struct {
	Player         string  `json:"player"`
	Moves          int     `json:"moves"`
	Nodes          uint64  `json:"nodes"`
	TimeMS         float64 `json:"time_ms"`
	WorstOverrunMS float64 `json:"worst_overrun_ms,omitempty"` // the largest time by which a move exceeded its limit
	PonderHits     int     `json:"ponder_hits,omitempty"`
	PonderMisses   int     `json:"ponder_misses,omitempty"`
}

// Add adds the sums in more to e. Both must be efforts of the same player.
func (e *Effort) Add(more Effort) {
	e.Moves += more.Moves
	e.Nodes = SumNodes(e.Nodes, more.Nodes)
	e.TimeMS += more.TimeMS
	e.WorstOverrunMS = max(e.WorstOverrunMS, more.WorstOverrunMS)
	e.PonderHits += more.PonderHits
	e.PonderMisses += more.PonderMisses
}

// Effort returns the time, nodes and other sums of one side in a game as an Effort. player is the name of the
// player.
func (s *Side) Effort(player string) Effort {
	return Effort{
		Player: player, Moves: s.Plies, Nodes: s.Nodes, TimeMS: Milliseconds(s.Time),
		WorstOverrunMS: Milliseconds(s.WorstOverrun),
		PonderHits:     s.PonderHits, PonderMisses: s.PonderMisses,
	}
}

// Milliseconds returns d in milliseconds with three decimals, as events print times.
func Milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// RunEvent returns the event that begins a session of a run. finished is the number of pairs that are already stored.
// stored has the standings of these pairs, or is nil if there are none.
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
