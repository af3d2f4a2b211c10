package usi

import (
	"strings"

	"gogi/shogi"
)

// Answer is the kind of a bestmove: a move, resignation, the declaration of a win, or an invalid word.
type Answer uint8

// These are the answers of a bestmove line.
const (
	AnswerInvalid Answer = iota // not a move; Text has the word
	AnswerMove
	AnswerResign
	AnswerWin // the declaration of an entered king (入玉宣言)
)

// Bestmove is a parsed bestmove line.
type Bestmove struct {
	Answer Answer
	Move   shogi.Move // for AnswerMove
	Ponder shogi.Move // the reply that the engine expects; NoMove if it is missing or unreadable
	Text   string     // the word after "bestmove", as the engine sent it
}

// ParseBestmove parses a line "bestmove …". It never fails: for a word that is not a move, such as none,
// (none), null or pass, the answer is AnswerInvalid. ParseBestmove does not check that the move is legal.
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

// String returns the whole bestmove line.
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
