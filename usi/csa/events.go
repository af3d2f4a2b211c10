package csa

import (
	"time"

	"gogi/shogi/kifu"
	"gogi/usi"
)

// EventType is the type of an Event.
type EventType string

// The types of event.
const (
	EventLogin  EventType = "login"  // the server accepted the login
	EventStart  EventType = "start"  // a game has begun or resumed
	EventMove   EventType = "move"   // a move was accepted
	EventEnd    EventType = "end"    // a game has ended
	EventLost   EventType = "lost"   // the connection broke; Wait until the next attempt
	EventFault  EventType = "fault"  // the player failed; Note describes the reaction
	EventNotice EventType = "notice" // any other notice for the user
)

// Outcome is the result of a game for us.
type Outcome string

// The outcomes.
const (
	Won          Outcome = "win"
	Lost         Outcome = "lose"
	Drawn        Outcome = "draw"
	Censored     Outcome = "censored"     // no result, such as at the limit of moves
	Halted       Outcome = "chudan"       // the server stopped the game
	Disconnected Outcome = "disconnected" // the connection broke for good
)

// usi returns the outcome for a player's GameOver. Most servers count a disconnected game as lost.
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
	Colour   string        `json:"colour,omitempty"`   // ours, or that of the move
	Resumed  bool          `json:"resumed,omitempty"`  // in start: the game had been interrupted
	Ply      int           `json:"ply,omitempty"`      // in move, from 1
	Move     string        `json:"move,omitempty"`     // in USI
	CSA      string        `json:"csa,omitempty"`      // the same in CSA notation
	Elapsed  *int64        `json:"time_ms,omitempty"`  // for the move, as the server counts it
	Left     *int64        `json:"left_ms,omitempty"`  // on the mover's clock after it
	Comment  string        `json:"comment,omitempty"`  // as sent with the move
	Plies    int           `json:"plies,omitempty"`    // in end
	Outcome  Outcome       `json:"outcome,omitempty"`  // in end
	Cause    string        `json:"cause,omitempty"`    // in end, such as "#RESIGN"
	Note     string        `json:"note,omitempty"`     // in words
	Wait     time.Duration `json:"-"`                  // in lost
	Record   *kifu.Record  `json:"-"`                  // in end
	Answered bool          `json:"answered,omitempty"` // in move: it is ours
}

// Tally counts the games that ended.
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
