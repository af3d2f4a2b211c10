// Package goban implements the 19-line board of Go: points, colours, moves and captures, as the protocol GTP
// and the record format SGF need them. A [Board] is a value that can be copied. The package does not score
// games; engines do.
package goban

import (
	"errors"
	"fmt"
	"strconv"
)

// Size is the number of lines of the board.
const Size = 19

// Colour is the colour of a side, or Empty.
type Colour uint8

// The colours; Empty is the zero value.
const (
	Empty Colour = iota
	Black
	White
)

// Other returns the colour of the other side. For Empty it returns Empty.
func (c Colour) Other() Colour {
	switch c {
	case Black:
		return White
	case White:
		return Black
	case Empty:
	}
	return Empty
}

// String returns the colour's letter, B or W, as in GTP and SGF. It returns "" for Empty.
func (c Colour) String() string {
	switch c {
	case Black:
		return "B"
	case White:
		return "W"
	case Empty:
	}
	return ""
}

// Point is a point of the board, or Pass. The points are numbered from 0 to 360, line by line, from the lower
// left corner on Black's side: A1, B1, …
type Point int16

// Pass is the move that places no stone.
const Pass Point = -1

// columns has the letters of the columns in GTP, which leaves out I.
const columns = "ABCDEFGHJKLMNOPQRST"

// At returns the point in a column and a line, both counted from 0. ok is false if the point is outside of
// the board.
func At(column, line int) (p Point, ok bool) {
	if column < 0 || column >= Size || line < 0 || line >= Size {
		return Pass, false
	}
	return Point(line*Size + column), true
}

// Column returns the number of the point's column. Column A is 0.
func (p Point) Column() int { return int(p) % Size }

// Line returns the number of the point's line. The lowest line is 0.
func (p Point) Line() int { return int(p) / Size }

// String returns the point as GTP writes it, such as Q16, or "pass".
func (p Point) String() string {
	if p < 0 || p >= Size*Size {
		return "pass"
	}
	return columns[p.Column():p.Column()+1] + strconv.Itoa(p.Line()+1)
}

// ParsePoint reads a point as GTP writes it, in any case.
// Source: GTP version 2, draft 2, section 2.11 (http://www.lysator.liu.se/~gunnar/gtp/).
func ParsePoint(text string) (Point, error) {
	if len(text) == 4 && (text[0]|0x20) == 'p' && (text[1]|0x20) == 'a' && (text[2]|0x20) == 's' && (text[3]|0x20) == 's' {
		return Pass, nil
	}
	if len(text) >= 2 && len(text) <= 3 && text[1] != '0' && text[1] != '+' {
		line, err := strconv.Atoi(text[1:])
		for column := range len(columns) {
			if p, ok := At(column, line-1); err == nil && ok && columns[column] == text[0]&^0x20 {
				return p, nil
			}
		}
	}
	return Pass, fmt.Errorf("point %.10q: expected a letter from A to T without I and a number from 1 to 19, or pass", text)
}

// Move is a stone that a side places on the board, or a pass.
type Move struct {
	Colour Colour
	Point  Point
}

// String returns the move as GTP writes it: "B Q16".
func (m Move) String() string { return m.Colour.String() + " " + m.Point.String() }

// The reasons why a move cannot be played.
var (
	ErrOccupied = errors.New("there is a stone already")
	ErrSuicide  = errors.New("it would leave its own stones without a liberty")
	ErrKo       = errors.New("it takes back the ko at once")
	ErrPoint    = errors.New("it is neither a point of the board nor a pass")
	ErrColour   = errors.New("it is of neither side")
)

// Board is a position: the stones, and the point that a ko forbids. The zero value is the empty board. A copy
// is independent of the original.
type Board struct {
	stones [Size * Size]Colour
	ko     Point // the forbidden point plus 1; 0 forbids nothing
	koFor  Colour
}

// Stone returns the colour of a point.
func (b *Board) Stone(p Point) Colour {
	if p < 0 || p >= Size*Size {
		return Empty
	}
	return b.stones[p]
}

// Put places a stone while a position is set up. It captures nothing.
func (b *Board) Put(m Move) error {
	switch {
	case m.Point < 0 || m.Point >= Size*Size:
		return ErrPoint
	case m.Colour != Black && m.Colour != White:
		return ErrColour
	case b.stones[m.Point] != Empty:
		return ErrOccupied
	}
	b.stones[m.Point] = m.Colour
	return nil
}

// Remove removes a stone while a position is set up.
func (b *Board) Remove(p Point) error {
	if p < 0 || p >= Size*Size {
		return ErrPoint
	}
	b.stones[p] = Empty
	return nil
}

// Play makes a move with its captures, and returns the number of captured stones. It rejects suicide, as
// all but a few rules do, and an immediate recapture of a single stone, as all common rules do. It does
// not check for longer repetitions. A rejected move changes nothing. Play does not check the side to
// move, because handicaps and setups change it.
func (b *Board) Play(m Move) (taken int, err error) {
	if m.Colour != Black && m.Colour != White {
		return 0, ErrColour
	}
	if m.Point == Pass {
		b.ko = 0
		return 0, nil
	}
	if m.Point < 0 || m.Point >= Size*Size {
		return 0, ErrPoint
	}
	if b.stones[m.Point] != Empty {
		return 0, ErrOccupied
	}
	if b.ko == m.Point+1 && b.koFor == m.Colour {
		return 0, ErrKo
	}
	after := *b
	after.stones[m.Point], after.ko = m.Colour, 0
	last := Pass
	for _, n := range neighbours(m.Point) {
		if after.stones[n] != m.Colour.Other() {
			continue
		}
		if group, liberties := after.group(n); liberties == 0 {
			taken += len(group)
			last = n
			for _, p := range group {
				after.stones[p] = Empty
			}
		}
	}
	own, liberties := after.group(m.Point)
	if liberties == 0 {
		return 0, ErrSuicide
	}
	if taken == 1 && len(own) == 1 && liberties == 1 {
		after.ko, after.koFor = last+1, m.Colour.Other()
	}
	*b = after
	return taken, nil
}

// group returns the chain of stones that contains the stone at start, and the chain's number of liberties.
func (b *Board) group(start Point) (stones []Point, liberties int) {
	var seen [Size * Size]bool
	seen[start] = true
	stones = []Point{start}
	for i := 0; i < len(stones); i++ {
		for _, n := range neighbours(stones[i]) {
			if seen[n] {
				continue
			}
			switch b.stones[n] { //nolint:exhaustive // the stones of the other colour end the chain
			case Empty:
				seen[n] = true
				liberties++
			case b.stones[start]:
				seen[n] = true
				stones = append(stones, n)
			}
		}
	}
	return stones, liberties
}

// neighbours returns the two to four points next to a point.
func neighbours(p Point) []Point {
	list := make([]Point, 0, 4)
	for _, d := range [4][2]int{{1, 0}, {-1, 0}, {0, 1}, {0, -1}} {
		if n, ok := At(p.Column()+d[0], p.Line()+d[1]); ok {
			list = append(list, n)
		}
	}
	return list
}
