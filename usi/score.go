package usi

import (
	"fmt"
	"strconv"
)

// Bound is the kind of a score: exact, or a bound because it is outside of the search window.
type Bound uint8

// The bounds of a score.
const (
	Exact Bound = iota
	LowerBound
	UpperBound
)

// MateScore is the number of a mate in 0 plies in Score.Number; a mate in n plies is n less. It is larger
// than any centipawn value that an engine reports.
const MateScore = 1_000_000

// maxCentipawns keeps centipawn scores below mate scores.
const maxCentipawns = 900_000

// maxMate keeps the length of a mate, in plies, clear of centipawn scores.
const maxMate = maxCentipawns / 10

// Score is an evaluation from the side to move's point of view.
type Score struct {
	Mate  int // 0: centipawns; +1: the side to move mates; -1: it is mated
	Value int // centipawns, or plies to mate (0: length unknown)
	Bound Bound
}

// Number maps the score to one ordered number: centipawns, or a value near ±MateScore for a mate.
func (s Score) Number() int {
	switch {
	case s.Mate > 0:
		return MateScore - s.Value
	case s.Mate < 0:
		return s.Value - MateScore
	}
	return max(-maxCentipawns, min(maxCentipawns, s.Value))
}

// ScoreFromNumber is the inverse of Number; the bound is lost.
func ScoreFromNumber(n int) Score {
	switch {
	case n > maxCentipawns:
		return Score{Mate: 1, Value: MateScore - n}
	case n < -maxCentipawns:
		return Score{Mate: -1, Value: MateScore + n}
	}
	return Score{Value: n}
}

// String returns the USI text after "score", without the bound.
func (s Score) String() string {
	sign := "+"
	if s.Mate < 0 {
		sign = "-"
	}
	switch {
	case s.Mate == 0:
		return fmt.Sprintf("cp %d", s.Value)
	case s.Value == 0:
		return "mate " + sign
	case s.Mate < 0:
		return "mate -" + strconv.Itoa(s.Value)
	}
	return "mate " + strconv.Itoa(s.Value)
}

// parseMate parses the word after "score mate": a signed number of plies, or "+", "-", "+0", "-0" for an
// unknown length. A bare 0 means that the side to move is mated: some engines print it at depth 0 without
// legal moves.
func parseMate(word string) (Score, bool) {
	switch word {
	case "+", "+0":
		return Score{Mate: 1}, true
	case "-", "-0", "0":
		return Score{Mate: -1}, true
	}
	n, ok := bounded(word, -maxMate, maxMate)
	switch {
	case !ok:
		return Score{}, false
	case n < 0:
		return Score{Mate: -1, Value: int(-n)}, true
	}
	return Score{Mate: 1, Value: int(n)}, true
}
