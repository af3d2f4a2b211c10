package usi

import (
	"fmt"
	"time"

	"gogi/shogi"
)

// Game is what a player is told when a game begins.
type Game struct {
	Colour shogi.Colour // the side that the player has
	Seed   uint64       // of everything random in this game
	// Pair, Leg and Slot say which game of a run it is, for records of the dialogue.
	Pair, Leg, Slot int
	// Options are those that this game is played with, beside what the engine was
	// configured with: sent before its isready.
	Options []Setting
}

// NoPair is the Pair of a Game that is no game of a run.
const NoPair = -1

// Request asks a player for a move.
type Request struct {
	Position Position
	Go       Go
	// Deadline is the longest that the answer may take, counted as
	// Reply.Elapsed is; after it the search is stopped. 0: no limit.
	Deadline time.Duration
	// MaxPV is how many plies of each variation of the reply are read, the first
	// ones; 0: all; NoPV: none.
	MaxPV int
	// OnInfo, when set, gets each info line of the search as it arrives, on
	// another goroutine than the caller's; it must not block.
	OnInfo func(Info)
}

// NoPV is the MaxPV of a Request of which nobody wants variations.
const NoPV = -1

// Reply is a player's answer.
type Reply struct {
	Answer Answer
	Move   shogi.Move // of AnswerMove
	Ponder shogi.Move // the expected reply, or NoMove
	Text   string     // the answer as it was sent, for notes about bad ones
	Lines  []Info     // the last info with a score for each multipv, best first
	Exact  Info       // the best line's last info with a variation and a score that is no bound, or zero
	Nodes  uint64     // the last count of nodes that was reported
	// Elapsed is from right before go, or ponderhit, is written until the bestmove
	// is read, never negative: more than the engine took, if this program was held
	// up in between, and not less. Of that, Sending is how long the write took.
	Elapsed, Sending time.Duration
	Stopped          bool          // the search was stopped: the deadline passed or ctx ended
	Second           StaleBestmove // whether a second bestmove of the search before came between
	Hit              bool          // the search was one on the opponent's time that hit
	Absent           int           // of a council: members without a ballot that could count, because they had failed or said nothing legal
	Detail           []byte        // a council's vote record, or kifu.BookDetail, stored verbatim; else nil
	Vote             *Vote         // of a council, or of a book, for who watches; else nil. The record has all of it, and more
}

// Vote is how a council came to its answer.
type Vote struct {
	By      string   // what decided, in the word of the council's records: rule, mate, veto, …
	Split   string   // how many members were for each move, the most first, such as "3:1"; "" without votes
	Ballots []Ballot // of the members in their order; none where nobody had to be asked
}

// Ballot is what one member of a council said.
type Ballot struct {
	Member   string
	Kind     string     // in the word of the council's records: move, resign, dead, …
	Move     shogi.Move // what it is for; NoMove: none is known
	Score    Score      // from the side to move's view
	HasScore bool
	Weight   float64 // what it counted, before the rule learnt from this vote
}

// Best is the last info of the best line; zero when there was none.
func (r Reply) Best() Info {
	if len(r.Lines) == 0 {
		return Info{}
	}
	return r.Lines[0]
}

// Outcome is a game's end as one player is told it.
type Outcome string

// The outcomes of "gameover".
const (
	Win  Outcome = "win"
	Lose Outcome = "lose"
	Draw Outcome = "draw"
)

// FaultKind says how an engine failed.
type FaultKind string

// The kinds of fault.
const (
	FaultStart      FaultKind = "start"      // it ended or stayed silent before usiok or readyok
	FaultCrash      FaultKind = "crash"      // it ended, or closed its output, in a game
	FaultHang       FaultKind = "hang"       // no bestmove, not even after "stop"
	FaultNotRead    FaultKind = "not_read"   // it did not read its input in time
	FaultConnection FaultKind = "connection" // the way to a remote engine was cut
)

// Fault is the failure of an engine. After it the engine is of no more use and
// must be closed.
type Fault struct { //nolint:errname // the word of the contract; it is data as much as an error
	Kind   FaultKind
	Engine string
	Doing  string // what the dialogue was doing, such as "waiting for readyok"
	Note   string // exit status and last words on stderr, safe to print
	// Awaiting is the line that did not come outside of a search: "usiok" or
	// "readyok"; else "".
	Awaiting string
	// Searching: a "go" had been sent, so the game had begun for the engine.
	Searching bool
	Elapsed   time.Duration // of the search that failed; 0 outside of one
	// Exited: the process has ended by itself, with an exit status, between two games. That
	// is no failure of a game: another process takes its place. No record is kept of it.
	Exited bool
	Record string // the name that a Tap gave to the record of it, or ""
}

// Error says which engine failed, how, and what is known of the cause.
func (f *Fault) Error() string {
	text := fmt.Sprintf("usi: %s: %s: %s", f.Engine, f.Doing, f.Kind)
	if f.Note != "" {
		text += ": " + f.Note
	}
	if f.Record != "" {
		text += "; kept in " + f.Record
	}
	return text
}
