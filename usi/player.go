package usi

import (
	"fmt"
	"time"

	"gogi/shogi"
)

// Game describes a game that begins to a player.
type Game struct {
	Colour shogi.Colour // the player's side
	Seed   uint64       // seed of all randomness in this game
	// Pair, Leg and Slot identify the game in a run, for records of the dialogue.
	Pair, Leg, Slot int
	// Options are this game's own settings. The Engine sends them before isready, in addition to the
	// configured ones.
	Options []Setting
}

// NoPair is the Pair of a Game outside of a run.
const NoPair = -1

// Request asks a player for a move.
type Request struct {
	Position Position
	Go       Go
	// Deadline is the maximum of Reply.Elapsed; the Engine then stops the search. 0: no limit.
	Deadline time.Duration
	// MaxPV is how many plies of each variation the reply holds. 0: all; NoPV: none.
	MaxPV int
	// OnInfo, if set, receives each info line of the search when it arrives. Another goroutine calls it; it
	// must not block.
	OnInfo func(Info)
}

// NoPV is the MaxPV of a Request without variations.
const NoPV = -1

// Reply is a player's answer to a Request.
type Reply struct {
	Answer Answer
	Move   shogi.Move // for AnswerMove
	Ponder shogi.Move // the expected reply, or NoMove
	Text   string     // the answer as sent, for notes about bad ones
	Lines  []Info     // the last info with a score for each multipv, best first
	Exact  Info       // the best line's last info with a variation and an exact score, or zero
	Nodes  uint64     // the last node count that the engine reported
	// Elapsed is the time from just before the write of go or ponderhit until gogi reads the bestmove. It is
	// never negative, and never less than the engine took. It is more if gogi itself was delayed. Sending is
	// the part of it that the write took.
	Elapsed, Sending time.Duration
	Stopped          bool          // gogi stopped the search: the deadline passed or ctx ended
	Second           StaleBestmove // whether a second bestmove of the previous search arrived
	Hit              bool          // the search was a ponder hit
	Absent           int           // in a council: members without a ballot that counts, because they failed or gave no legal answer
	Detail           []byte        // the vote record of a council, or a kifu.BookDetail, stored verbatim; else nil
	Vote             *Vote         // for observers of a council or a book; else nil. Detail has all of it, and more
}

// Vote is how a council reached its answer.
type Vote struct {
	By      string   // the deciding rule, as in council records: rule, mate, veto, …
	Split   string   // votes for each move, most first, such as "3:1"; "" without votes
	Ballots []Ballot // in the order of the members; empty if no member had to vote
}

// Ballot is the answer of one member of a council.
type Ballot struct {
	Member   string
	Kind     string     // as in council records: move, resign, dead, …
	Move     shogi.Move // the member's choice; NoMove: unknown
	Score    Score      // from the side to move's point of view
	HasScore bool
	Weight   float64 // the weight in this vote, before the rule learned from it
}

// Best returns the last info of the best line, or zero.
func (r Reply) Best() Info {
	if len(r.Lines) == 0 {
		return Info{}
	}
	return r.Lines[0]
}

// Outcome is the result of a game for one player, as in "gameover".
type Outcome string

// The outcomes of "gameover".
const (
	Win  Outcome = "win"
	Lose Outcome = "lose"
	Draw Outcome = "draw"
)

// FaultKind is the kind of an engine's failure.
type FaultKind string

// The kinds of fault.
const (
	FaultStart      FaultKind = "start"      // it ended or stayed silent before usiok or readyok
	FaultCrash      FaultKind = "crash"      // it ended, or closed its output, in a game
	FaultHang       FaultKind = "hang"       // no bestmove, even after "stop"
	FaultNotRead    FaultKind = "not_read"   // it did not read its input in time
	FaultConnection FaultKind = "connection" // the connection to a remote engine was cut
)

// Fault is the failure of an engine. The engine is then unusable and must be closed.
type Fault struct { //nolint:errname // the name is part of the interface; it is data as much as an error
	Kind   FaultKind
	Engine string
	Doing  string // the state of the dialogue, such as "waiting for readyok"
	Note   string // exit status and last stderr output, safe to print
	// Awaiting is the line that did not come outside of a search: "usiok" or "readyok"; else "".
	Awaiting string
	// Searching is true if gogi had sent "go", so the game had begun for the engine.
	Searching bool
	Elapsed   time.Duration // duration of the failed search; 0 outside of one
	// Exited is true if the process ended by itself, with an exit status, between two games. That is no
	// failure of a game: the runner starts another process, and the Tap keeps no record.
	Exited bool
	Record string // the name of the Tap's record of the failure, or ""
}

// Error names the engine, the kind of failure and the known cause.
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
