package configs

import (
	"fmt"
	"strings"

	"gogi/match"
)

// Resign has the settings for ending lost games by scores. Its text form is SCORExMOVES, with the score in
// centipawns. With "2000x3" a side loses the game if its scores were at or below -2000 for 3 of its moves in
// a row and the other side's scores agree. With "1:2000x3" the scores of the loser are enough. The text of
// the zero value is "off".
type Resign struct {
	Score    int // centipawns
	Moves    int // moves of each side, in a row
	OneSided bool
}

// UnmarshalText reads the text form of the settings.
func (r *Resign) UnmarshalText(text []byte) error {
	*r = Resign{}
	if string(text) == "off" {
		return nil
	}
	rest, oneSided := strings.CutPrefix(string(text), "1:")
	score, moves, ok := strings.Cut(rest, "x")
	var okScore, okMoves bool
	r.Score, okScore = positive(score)
	r.Moves, okMoves = positive(moves)
	r.OneSided = oneSided
	if !ok || !okScore || !okMoves {
		return fmt.Errorf("%q: expected SCORExMOVES such as 2000x3, the same after 1: for one side, or off", text)
	}
	return nil
}

// String returns the text form of the settings.
func (r Resign) String() string {
	if r == (Resign{}) {
		return "off"
	}
	side := ""
	if r.OneSided {
		side = "1:"
	}
	return fmt.Sprintf("%s%dx%d", side, r.Score, r.Moves)
}

// Draw has the settings for ending games as draws by scores. Its text form is SCORExMOVES@FROM, with the
// score in centipawns. With "10x8@40" the game is a draw if the scores of both sides were within ±10 for 8 of
// their moves in a row, counted from ply 40. Without "@40" moves count from the start of the game. The text
// of the zero value is "off".
type Draw struct {
	Score int // centipawns
	Moves int // moves of each side, in a row
	From  int // the first ply whose score counts
}

// String returns the text form of the settings.
func (d Draw) String() string {
	switch {
	case d == (Draw{}):
		return "off"
	case d.From == 0:
		return fmt.Sprintf("%dx%d", d.Score, d.Moves)
	}
	return fmt.Sprintf("%dx%d@%d", d.Score, d.Moves, d.From)
}

// UnmarshalText reads the text form of the settings.
func (d *Draw) UnmarshalText(text []byte) error {
	*d = Draw{}
	if string(text) == "off" {
		return nil
	}
	rest, from, at := strings.Cut(string(text), "@")
	score, moves, ok := strings.Cut(rest, "x")
	okScore, okFrom := score == "0", !at || from == "0"
	if !okScore {
		d.Score, okScore = positive(score)
	}
	var okMoves bool
	d.Moves, okMoves = positive(moves)
	if at && from != "0" {
		d.From, okFrom = positive(from)
	}
	if !ok || !okScore || !okMoves || !okFrom {
		return fmt.Errorf("%q: expected SCORExMOVES@PLY such as 10x8@40, or off", text)
	}
	return nil
}

func (f *File) adjudication() match.Adjudication {
	resign, draw := or(f.Resign, Resign{}), or(f.Draw, Draw{})
	return match.Adjudication{
		ResignScore: resign.Score, ResignMoves: resign.Moves, OneSided: resign.OneSided,
		DrawScore: draw.Score, DrawMoves: draw.Moves, DrawFrom: draw.From,
	}
}
