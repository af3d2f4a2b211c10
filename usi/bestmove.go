package usi

import (
	"strings"

	"gogi/shogi"
)

// Answer is what kind of thing an engine said at the end of its search.
type Answer uint8

// The answers of a bestmove line.
const (
	AnswerInvalid Answer = iota // no move could be read; Text says what stood there
	AnswerMove
	AnswerResign
	AnswerWin // the declaration of an entered king (入玉宣言)
)

// Bestmove is the end of a search.
type Bestmove struct {
	Answer Answer
	Move   shogi.Move // of AnswerMove
	Ponder shogi.Move // the reply that the engine expects; NoMove when none could be read
	Text   string     // the word after "bestmove", as sent
}

// ParseBestmove reads a line "bestmove …". It never fails: what is no move is
// AnswerInvalid. Engines also print none, (none), null and pass; whether a
// readable move is legal is the referee's business.
func ParseBestmove(line string) Bestmove {
	p := words{rest: strings.TrimPrefix(line, "bestmove")}
	b := Bestmove{Text: p.next()}
	switch b.Text {
	case "resign":
		b.Answer = AnswerResign
	case "win":
		b.Answer = AnswerWin
	default:
		if m, err := shogi.ParseMove(b.Text); err == nil {
			b.Answer, b.Move = AnswerMove, m
		}
	}
	if p.next() == "ponder" {
		if m, err := shogi.ParseMove(p.next()); err == nil {
			b.Ponder = m
		}
	}
	return b
}

// String is the whole line.
func (b Bestmove) String() string {
	text := b.Text
	if b.Answer == AnswerMove {
		text = b.Move.String()
	}
	if b.Ponder != shogi.NoMove {
		text += " ponder " + b.Ponder.String()
	}
	return "bestmove " + text
}
