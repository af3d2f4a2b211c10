// Package kifu defines the record of a game ([Record]), the notations of moves and positions in record files,
// and the packed form of moves for storage ([Pack], [Unpack]). Package kifu/text reads and writes whole
// records.
package kifu

import (
	"bytes"
	"encoding/json"
	"time"

	"gogi/shogi"
)

// Move is one move of a record, with the known data of the search for the move.
type Move struct {
	Move     shogi.Move
	Time     time.Duration
	Score    int   // from the mover's view: centipawns, or near ±1,000,000 for a mate
	HasScore bool  // the search had the exact value Score
	Bound    Bound // if HasScore is false: what Score says of the unknown value
	Depth    int   // plies
	SelDepth int
	Nodes    uint64
	PV       []shogi.Move // the first plies of the principal variation, including the move itself
	Detail   []byte       // a council's vote record, unchanged, or BookDetail; else nil
	Opening  bool         // the opening set the move; no player searched
	NoTime   bool         // Time is 0 because the record of another program has no time
	Comment  string       // a human's comment; lines end with "\n", except the last; not packed
}

// A Bound says what is known of the value of a search that ended without an exact score.
type Bound byte

// The bounds. USI calls them lowerbound and upperbound.
const (
	NoBound Bound = iota // nothing is known
	AtLeast              // the value is Score or more
	AtMost               // the value is Score or less
)

// ByBook is the value of the JSON key "by" in Move.Detail for a move from an opening book. The vote record of
// a council has this value if the move came from the council's book.
const ByBook = "book"

const bookDetail = `{"type":"book","by":"` + ByBook + `"}`

// BookDetail returns the Move.Detail of a move that an engine played from its book without a search.
func BookDetail() []byte { return []byte(bookDetail) }

// FromBook reports whether the move came from an opening book: the engine's own book, or the book of a
// council.
func (m *Move) FromBook() bool {
	if string(m.Detail) == bookDetail {
		return true
	}
	if !bytes.Contains(m.Detail, []byte(`"`+ByBook+`"`)) { // avoids parsing most records
		return false
	}
	var vote struct {
		By string `json:"by"`
	}
	return json.Unmarshal(m.Detail, &vote) == nil && vote.By == ByBook
}

// Vote returns the vote record of the council that played the move, or nil if there is none.
func (m *Move) Vote() []byte {
	if string(m.Detail) == bookDetail {
		return nil
	}
	return m.Detail
}

// Clock is the time control of one side.
type Clock struct {
	Main      time.Duration
	Byoyomi   time.Duration // time for each move after Main is used up
	Increment time.Duration // added before every own move
}

// IsZero reports whether the side has no clock, or no known clock.
func (c Clock) IsZero() bool { return c == Clock{} }

// Record is the record of one game: players, start position, moves, result and header.
type Record struct {
	Black, White string // names
	Event        string
	Site         string
	Started      time.Time
	Start        string // SFEN
	Moves        []Move
	Result       string // how the game ended, in a word of package match
	Winner       string // "black", "white", "draw" or ""
	// details of an end without a move: a council's vote record, if it resigned or declared; the proof of a mate
	// (match.Proof); else nil
	Final []byte
	Header
}

// FinalVote returns the vote record of the council that ended the game without a move, such as by resigning.
// It returns nil if there is none.
func (r *Record) FinalVote() []byte {
	if r.Result == EndMateAdjudication {
		return nil
	}
	return r.Final
}

// Header has the data of a record except players, start, moves and result. Record files contain a header. The
// result of Pack does not contain it, and the database stores its data in other places. Zero values mean
// unknown.
type Header struct {
	Ended   time.Time
	Opening string // the opening's name
	// the opening's ID in the set of its run; written as a remark, and not read, because it means nothing elsewhere
	OpenedBy string
	Clocks   [2]Clock      // by colour
	MaxMoves int           // the game is a draw after this many plies; 0: no limit, or unknown
	Jishogi  int           // the points rule of declarations: 24 or 27
	Ratings  [2]float64    // of the players, by colour
	LastTime time.Duration // time of the answer that ended the game without a move
	HasLast  bool          // LastTime is known
	Note     string        // why the game ended
	About    [2]string     // descriptions of the players, such as program hashes, by colour
	Comment  string        // a human's comment before the first move; lines end as in Move.Comment
	Branches int           // number of omitted variations; the record has only the main line
}

// Names returns the players' names by colour.
func (r *Record) Names() [2]string { return [2]string{r.Black, r.White} }

// DefaultNames returns the names of players for records without names, by colour.
func DefaultNames() []string { return []string{"Black", "White"} }

// USI returns the record as the arguments of USI's position command, in one line: "startpos moves …" or "sfen
// … moves …".
func (r *Record) USI() string {
	text := "sfen " + r.Start
	if start := shogi.StartPos(); r.Start == start.SFEN() {
		text = "startpos"
	}
	moves := make([]shogi.Move, len(r.Moves))
	for i := range r.Moves {
		moves[i] = r.Moves[i].Move
	}
	return shogi.LineText(text, moves)
}

// USIMoves returns the record's moves in USI notation, including the moves of the opening.
func (r *Record) USIMoves() []string {
	moves := make([]string, len(r.Moves))
	for i, m := range r.Moves {
		moves[i] = m.Move.String()
	}
	return moves
}

// MaxEvaluation is the absolute score in centipawns from which a score is no evaluation, but a mate. YaneuraOu's mates
// begin there, and scores in training data have 16 bits. All pieces of a game, promoted, are worth less: about 26,000
// with YaneuraOu's material values. Some programs write a mate as such a number of centipawns; gpsusi writes 1148897.
const MaxEvaluation = 32000

// IsMate reports whether a score of a record (Move.Score) means a mate. It does not recognise the mates of a program
// that writes them as smaller centipawns, such as 15999.
func IsMate(score int) bool { return score >= MaxEvaluation || score <= -MaxEvaluation }
