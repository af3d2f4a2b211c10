// Package kifu defines the record of a game ([Record]), the notations of moves and positions in
// record files, and the packed moves that stores keep ([Pack], [Unpack]). Package kifu/text
// reads and writes whole records.
package kifu

import (
	"bytes"
	"encoding/json"
	"time"

	"gogi/shogi"
)

// Move is one move of a record with what is known of the thought behind it.
type Move struct {
	Move     shogi.Move
	Time     time.Duration
	Score    int // from the mover's view, centipawns, or near ±1,000,000 for a mate
	HasScore bool
	Depth    int // plies
	SelDepth int
	Nodes    uint64
	PV       []shogi.Move // the first plies of the principal variation, the move itself included
	Detail   []byte       // a council's vote record, verbatim, or BookDetail; nil where there is neither
	Opening  bool         // given by the opening, not thought of
	NoTime   bool         // what it took is not known, and Time is 0: a record of elsewhere that does not say
	Comment  string       // what somebody wrote about it, lines ended by "\n" but for the last; not packed
}

// ByBook is how moves of a book are told apart from others, in the details of a move and
// in the vote records of councils: the value of the key "by".
const ByBook = "book"

const bookDetail = `{"type":"book","by":"` + ByBook + `"}`

// BookDetail is the Detail of a move that an engine's book gave, without a search.
func BookDetail() []byte { return []byte(bookDetail) }

// FromBook reports whether a book gave the move: the player's own, of an engine, or that of a
// council, whose vote record says so.
func (m *Move) FromBook() bool {
	if string(m.Detail) == bookDetail {
		return true
	}
	if !bytes.Contains(m.Detail, []byte(`"`+ByBook+`"`)) { // which most records are spared to be read for
		return false
	}
	var vote struct {
		By string `json:"by"`
	}
	return json.Unmarshal(m.Detail, &vote) == nil && vote.By == ByBook
}

// Vote is Detail where it is a vote record; else nil.
func (m *Move) Vote() []byte {
	if string(m.Detail) == bookDetail {
		return nil
	}
	return m.Detail
}

// Clock is a side's time control.
type Clock struct {
	Main      time.Duration
	Byoyomi   time.Duration // a move's allowance once Main is used up
	Increment time.Duration // added before every own move
}

// IsZero reports whether there is no clock, or none that is known.
func (c Clock) IsZero() bool { return c == Clock{} }

// Record is one game.
type Record struct {
	Black, White string // names
	Event        string
	Site         string
	Started      time.Time
	Start        string // SFEN
	Moves        []Move
	Result       string // how it ended, in words of the format-independent list of package match
	Winner       string // "black", "white", "draw" or ""
	Final        []byte // what is kept of an end without a move: a council's vote record, where it resigned or declared; the proof of a mate (match.Proof); else nil
	Header
}

// mateAdjudication is the Result of a game that ended by the proof of a mate, in the word of
// package match.
const mateAdjudication = "mate_adjudication"

// FinalVote is Final where it is a vote record; else nil.
func (r *Record) FinalVote() []byte {
	if r.Result == mateAdjudication {
		return nil
	}
	return r.Final
}

// Header is what records carry beside the game itself. It is written into files and read
// from them; the packed form and stores have other places for it. Zero values mean that
// nothing is known.
type Header struct {
	Ended    time.Time
	Opening  string        // the opening's name
	Clocks   [2]Clock      // by colour
	MaxMoves int           // the game ends as a draw after so many plies; 0 is no limit, too
	Jishogi  int           // the points rule of declarations: 24 or 27
	Ratings  [2]float64    // of the players, by colour
	LastTime time.Duration // of the answer that ended the game and is no move
	HasLast  bool          // LastTime is known
	Note     string        // why the game ended as it did
	About    [2]string     // what the players are, such as hashes of their programs, by colour
	Comment  string        // what somebody wrote before the first move, as Move.Comment
	Branches int           // variations that the record had and that were left out: the main line is kept
}

// Names are the players' names by colour.
func (r *Record) Names() [2]string { return [2]string{r.Black, r.White} }
