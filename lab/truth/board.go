package truth

import (
	"slices"

	"gogi/shogi"
)

// A board is a game in progress under the rules of one game. Moves are texts of its protocol.
type board interface {
	set(line string) error // reads the arguments of a position command
	start() string         // the start of the game as a text
	moves() []string       // the moves since the start
	black() bool           // whether the side that moves first is to move
	quiet() []string       // legal moves that do not give check, in a fixed order; not always all of them
	isQuiet(move string) bool
	push(move string) // makes a legal move
	pop()             // takes back the last move
	key() uint64      // equal for equal positions
}

// shogiBoard is a game of shogi.
type shogiBoard struct {
	game *shogi.History
	from string
	text []string
}

func newShogi() *shogiBoard {
	return &shogiBoard{game: shogi.NewHistory(shogi.StartPos()), from: "startpos"}
}

func (b *shogiBoard) set(line string) error {
	start, first, moves, err := shogi.ReadLine(line)
	if err != nil {
		return err
	}
	b.from = start
	b.game.Restart(first)
	b.text = b.text[:0]
	for _, m := range moves {
		if err := b.game.Position().CheckLegal(m); err != nil {
			return err
		}
		b.game.Push(m)
		b.text = append(b.text, m.String())
	}
	return nil
}

func (b *shogiBoard) start() string   { return b.from }
func (b *shogiBoard) moves() []string { return b.text }
func (b *shogiBoard) black() bool     { return b.game.Position().Side() == shogi.Black }
func (b *shogiBoard) key() uint64     { return b.game.Position().Key() }

func (b *shogiBoard) quiet() []string {
	p := b.game.Position()
	moves := p.LegalMoves(make([]shogi.Move, 0, 128))
	list := make([]string, 0, len(moves))
	for _, m := range moves {
		if !p.GivesCheck(m) {
			list = append(list, m.String())
		}
	}
	slices.Sort(list)
	return list
}

// isQuiet reports whether quiet has the move. It makes no list, because a search for a repetition asks thousands of
// times.
func (b *shogiBoard) isQuiet(move string) bool {
	m, err := shogi.ParseMove(move)
	p := b.game.Position()
	return err == nil && p.CheckLegal(m) == nil && !p.GivesCheck(m)
}

func (b *shogiBoard) push(move string) {
	m, err := shogi.ParseMove(move)
	if err != nil {
		panic(err) // the board itself made the text
	}
	b.game.Push(m)
	b.text = append(b.text, move)
}

func (b *shogiBoard) pop() {
	b.game.Pop()
	b.text = b.text[:len(b.text)-1]
}
