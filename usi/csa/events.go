package csa

import (
	"time"

	"gogi/shogi/kifu"
	"gogi/usi"
)

// EventType is the type of an Event.
type EventType string

// These are the types of events.
const (
	EventLogin  EventType = "login"  // the server accepted the login
	EventStart  EventType = "start"  // a game has begun or resumed
	EventMove   EventType = "move"   // a move was accepted
	EventEnd    EventType = "end"    // a game has ended
	EventLost   EventType = "lost"   // the connection broke; Wait is the time until the next attempt
	EventFault  EventType = "fault"  // the player failed; Note describes the reaction
	EventNotice EventType = "notice" // another message for the user
)

// Outcome is the result of a game from the view of our player.
type Outcome string

// These are the outcomes.
const (
	Won          Outcome = "win"
	Lost         Outcome = "lose"
	Drawn        Outcome = "draw"
	Censored     Outcome = "censored"     // no result, for example at the limit of moves
	Halted       Outcome = "chudan"       // the server stopped the game
	Disconnected Outcome = "disconnected" // the connection broke and the game did not resume
)

// usi returns the outcome to report to the player's GameOver. A disconnected game counts as lost, as on most servers.
func (o Outcome) usi() usi.Outcome {
	switch o {
	case Won:
		return usi.Win
	case Lost, Disconnected:
		return usi.Lose
	default:
		return usi.Draw
	}
}

// Event is one event of a Client. Fields that do not belong to its type are empty.
type Event struct {
	Type     EventType     `json:"type"`
	Game     string        `json:"game,omitempty"` // Game_ID
	Black    string        `json:"black,omitempty"`
	White    string        `json:"white,omitempty"`
	Colour   string        `json:"colour,omitempty"`   // colour of our player, or of the move
	Resumed  bool          `json:"resumed,omitempty"`  // in start: the game was interrupted before
	Ply      int           `json:"ply,omitempty"`      // in move, from 1
	Move     string        `json:"move,omitempty"`     // in USI notation
	CSA      string        `json:"csa,omitempty"`      // the same in CSA notation
	Elapsed  *int64        `json:"time_ms,omitempty"`  // time of the move on the server's clock
	Left     *int64        `json:"left_ms,omitempty"`  // rest on the mover's clock after the move
	Comment  string        `json:"comment,omitempty"`  // as sent with the move
	Plies    int           `json:"plies,omitempty"`    // in end
	Outcome  Outcome       `json:"outcome,omitempty"`  // in end
	Cause    string        `json:"cause,omitempty"`    // in end, such as "#RESIGN"
	Note     string        `json:"note,omitempty"`     // description for the user
	Wait     time.Duration `json:"-"`                  // in lost
	Record   *kifu.Record  `json:"-"`                  // in end
	Answered bool          `json:"answered,omitempty"` // in move: the move is ours
}

// Tally counts the games that ended, by result.
type Tally struct {
	Games        int `json:"games"`
	Wins         int `json:"wins"`
	Losses       int `json:"losses"`
	Draws        int `json:"draws"`
	Other        int `json:"other"` // without a result
	Disconnected int `json:"disconnected"`
}

func (t *Tally) add(o Outcome) {
	t.Games++
	switch o {
	case Won:
		t.Wins++
	case Lost:
		t.Losses++
	case Drawn:
		t.Draws++
	case Disconnected:
		t.Disconnected++
	case Censored, Halted:
		t.Other++
	}
}
