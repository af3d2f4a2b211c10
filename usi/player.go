package usi

import (
	"fmt"
	"time"

	"gogi/shogi"
)

// Game has the data of a new game that a player needs.
type Game struct {
	Colour shogi.Colour // the player's colour
	Seed   uint64       // seed of all randomness in this game
	// Pair, Leg and Slot identify the game in a run, for logs of the dialogue.
	Pair, Leg, Slot int
	// Options are settings for this game only. The Engine sends them before isready, in addition to the
	// configured ones.
	Options []Setting
}

// NoPair is the value of Game.Pair for a game that does not belong to a run.
const NoPair = -1

// Request is a position in which a player must find a move, with the limits of the search.
type Request struct {
	Position Position
	Go       Go
	// Deadline is the maximum of Reply.Elapsed; then the Engine stops the search. 0 means no limit.
	Deadline time.Duration
	// MaxPV is the number of plies of each variation in the reply. 0 means all; NoPV means none.
	MaxPV int
	// OnInfo, if set, receives each info line of the search when it arrives. Another goroutine calls OnInfo,
	// which must not block.
	OnInfo func(Info)
}

// NoPV is the value of Request.MaxPV for a reply without variations.
const NoPV = -1

// Reply is a player's answer to a Request.
type Reply struct {
	Answer Answer
	Move   shogi.Move // for AnswerMove
	Ponder shogi.Move // the expected reply, or NoMove
	Text   string     // the answer as sent, for notes about invalid ones
	Lines  []Info     // the last info with a score for each multipv, best first
	Exact  Info       // the last info of the best line with both a variation and an exact score; zero if there is none
	// the last info of the best line with an exact score and no variation, if it is later than Exact and earlier than
	// Lines[0]
	Firm  Info
	Nodes uint64 // the last node count that the engine reported
	// Elapsed is the time from just before gogi writes go or ponderhit until gogi reads the bestmove. It is
	// never negative and never less than the engine's own time. It is longer if gogi itself was delayed.
	// Sending is the part of Elapsed that the write took.
	Elapsed, Sending time.Duration
	Stopped          bool          // gogi stopped the search: the deadline passed or ctx ended
	Second           StaleBestmove // whether a second bestmove of the previous search arrived
	Hit              bool          // the search was a ponder hit
	// in a council: members without a counted answer, because they failed or gave no legal move
	Absent int
	Detail []byte // the vote record of a council, or a kifu.BookDetail, stored unchanged; else nil
	Vote   *Vote  // the part of Detail that viewers of a game see, for a council or a book move; else nil
}

// Vote describes how a council reached its answer.
type Vote struct {
	By      string   // the rule that decided, as in vote records: rule, mate, veto, examination, …
	Split   string   // number of votes for each move, largest first, such as "3:1"; "" without votes
	Ballots []Ballot // in the order of the members; empty if the members did not have to vote
}

// Ballot is the answer of one member of a council.
type Ballot struct {
	Member   string
	Kind     string     // as in vote records: move, resign, dead, …
	Move     shogi.Move // the member's choice; NoMove: unknown
	Score    Score      // from the view of the side to move
	HasScore bool
	Weight   float64 // weight in this vote; the rule may change it afterwards
}

// Best returns the last info of the best line, or the zero value.
func (r Reply) Best() Info {
	if len(r.Lines) == 0 {
		return Info{}
	}
	return r.Lines[0]
}

// Scored returns the info whose score stands for the search: the last one of the best line whose score is exact. A
// score that the engine calls a bound (lowerbound, upperbound) says only that the value is not below or not above it,
// and is often thousands of centipawns away. Scored returns it if the search has no exact score.
func (r Reply) Scored() Info {
	best := r.Best()
	switch {
	case best.HasScore && best.Score.Bound == Exact:
	case r.Firm.HasScore:
		return r.Firm
	case r.Exact.HasScore:
		return r.Exact
	}
	return best
}

// Outcome is the result of a game for one player, as the argument of the command "gameover".
type Outcome string

// These are the outcomes of "gameover".
const (
	Win  Outcome = "win"
	Lose Outcome = "lose"
	Draw Outcome = "draw"
)

// FaultKind is the kind of failure of an engine.
type FaultKind string

// These are the kinds of fault.
const (
	FaultStart      FaultKind = "start"      // the engine ended or did not answer before usiok or readyok
	FaultCrash      FaultKind = "crash"      // the engine ended, or closed its output, during a game
	FaultHang       FaultKind = "hang"       // no bestmove, even after "stop"
	FaultNotRead    FaultKind = "not_read"   // the engine did not read its input in time
	FaultConnection FaultKind = "connection" // the connection to a remote engine was cut
)

// Fault is the error that describes the failure of an engine. After a Fault the engine is unusable, and the
// caller must close it.
type Fault struct { // the name is part of the interface; it is data as much as an error
	Kind   FaultKind
	Engine string
	Doing  string // the state of the dialogue, such as "waiting for readyok"
	Note   string // exit status and last stderr output, safe to print
	// Awaiting is "usiok" or "readyok" if that line did not come; else "".
	Awaiting string
	// Searching is true if gogi had sent "go". Then the game had begun for the engine.
	Searching bool
	Elapsed   time.Duration // duration of the failed search; 0 outside of a search
	// Exited is true if the process ended by itself, with an exit status, between two games. This does not
	// count as a failure of a game: the runner starts another process, and the Tap stores no record.
	Exited bool
	Record string // name of the Tap's record of the failure, or ""
}

// Error returns the engine's name, the kind of failure and the known cause.
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
