// Package kifu holds a game's record and writes it as USI and CSA.
package kifu

import (
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
	Detail   []byte       // a council's vote record, verbatim; nil where there is none
	Opening  bool         // given by the opening, not thought of
}

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
	Final        []byte // a council's vote record behind an answer that is no move: it resigned or declared; else nil
}
