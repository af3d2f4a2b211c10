package usi

import (
	"fmt"
	"strconv"

	"gogi/shogi/kifu"
)

// Bound is the kind of a score: an exact value, or a lower or upper bound of the value (lowerbound,
// upperbound).
type Bound uint8

// These are the kinds of bounds.
const (
	Exact Bound = iota
	LowerBound
	UpperBound
)

// MateScore is the value of Score.Number for a mate in 0 plies. The value for a mate in n plies is MateScore
// - n, which is larger than any centipawn value that an engine reports.
const MateScore = 1_000_000

// maxCentipawns is the largest centipawn score, so that it stays below all mate scores.
const maxCentipawns = 900_000

// maxMate is the greatest length of a mate in plies, so that mate scores stay above centipawn scores.
const maxMate = maxCentipawns / 10

// Score is an evaluation from the view of the side to move.
type Score struct {
	Mate  int // 0: centipawns; +1: the side to move mates; -1: it is mated
	Value int // centipawns, or plies to mate (0: length unknown)
	Bound Bound
}

// Number maps the score to one number for comparisons: centipawns, or a number near MateScore or -MateScore
// for a mate.
func (s Score) Number() int {
	switch {
	case s.Mate > 0:
		return MateScore - s.Value
	case s.Mate < 0:
		return s.Value - MateScore
	}
	return max(-maxCentipawns, min(maxCentipawns, s.Value))
}

// ScoreFromNumber is the inverse of Score.Number: it returns the exact score that has the number n.
func ScoreFromNumber(n int) Score {
	switch {
	case n > maxCentipawns:
		return Score{Mate: 1, Value: MateScore - n}
	case n < -maxCentipawns:
		return Score{Mate: -1, Value: MateScore + n}
	}
	return Score{Value: n}
}

// ShownScore returns the score that people see for the number n. It is ScoreFromNumber, but centipawns beyond any
// evaluation (kifu.IsMate) are a mate of unknown length. gpsusi writes its mates so, such as cp 1148897.
func ShownScore(n int) Score {
	s := ScoreFromNumber(n)
	if s.Mate == 0 && kifu.IsMate(n) {
		return Score{Mate: n / max(n, -n)}
	}
	return s
}

// Proves reports whether the score is a mate for sure: an exact one, at least a mate by the side to move, or at most a
// mate of it.
func (s Score) Proves() bool {
	return s.Mate != 0 && (s.Bound == Exact || (s.Bound == LowerBound) == (s.Mate > 0))
}

// String returns the USI text after the word "score", without the bound.
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

// parseMate parses the word after "score mate": a signed number of plies, or "+", "-", "+0", "-0" for an unknown
// length. A 0 without a sign means that the side to move is mated. Some engines print it at depth 0 without legal
// moves. It returns false for any other word.
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
