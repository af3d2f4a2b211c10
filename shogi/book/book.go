package book

import (
	"cmp"
	"slices"
	"strings"

	"gogi/shogi"
)

// Book is an opening book.
type Book struct {
	Format  string   // it was read as
	Entries []*Entry // in the order of the file; one position may have several

	// Lost counts positions of the file that gogi cannot decode: hashes that no line leads to.
	Lost int
	// Unsorted says that a file which is searched by halving was not in order: engines do
	// not find all of it.
	Unsorted bool

	index map[string]*Entry
}

// Entry is a position with its moves.
type Entry struct {
	Position shogi.Position // the number of its next move is a hint only
	Moves    []Move
	Comment  string // lines without their mark; kept by db
}

// Move is a move of a book with what is known of it.
type Move struct {
	Move     shogi.Move
	Ponder   shogi.Move // the expected answer, NoMove for none; kept by db
	Score    int        // centipawns from the mover, where HasScore says so; kept by db, ybb and apery
	HasScore bool
	Depth    int // plies, 0: unknown; kept by db and ybb
	Count    int // how often it was played, or its weight, 0: unknown; kept by db and apery
	Comment  string
}

// Key is a position without the number of its next move: board, side to move, hands.
func Key(p *shogi.Position) string {
	sfen := p.SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')]
}

// Find is the first entry of a position, nil where the book has none. The first call
// makes an index; entries must not be added after it, and calls may not be made at once
// before it has returned.
func (b *Book) Find(p *shogi.Position) *Entry {
	if b.index == nil {
		b.index = make(map[string]*Entry, len(b.Entries))
		for _, e := range b.Entries {
			if key := Key(&e.Position); b.index[key] == nil {
				b.index[key] = e
			}
		}
	}
	return b.index[Key(p)]
}

// Merged is the book with one entry a position and one line a move: of entries for one
// position the moves are put together, of a move that stands twice the first is kept,
// with the counts added up, and the least number of a next move.
func (b *Book) Merged() *Book {
	out := *b
	out.Entries, out.index = nil, nil
	byKey := map[string]*Entry{}
	for _, e := range b.Entries {
		key := Key(&e.Position)
		into := byKey[key]
		if into == nil {
			into = &Entry{Position: e.Position, Comment: e.Comment}
			byKey[key] = into
			out.Entries = append(out.Entries, into)
		} else {
			into.join(e)
		}
		for _, m := range e.Moves {
			into.add(m)
		}
	}
	return &out
}

// join takes what another entry of the position says, but for its moves.
func (e *Entry) join(o *Entry) {
	if o.Position.Ply() < e.Position.Ply() {
		e.Position = o.Position
	}
	e.Comment = cmp.Or(e.Comment, o.Comment)
}

// add adds a move, or its count to that which stands there.
func (e *Entry) add(m Move) {
	if i := slices.IndexFunc(e.Moves, func(x Move) bool { return x.Move == m.Move }); i >= 0 {
		e.Moves[i].Count += m.Count
		return
	}
	e.Moves = append(e.Moves, m)
}

// Size is how many positions with moves, and how many moves, the book has.
func (b *Book) Size() (positions, moves int) {
	for _, e := range b.Entries {
		if len(e.Moves) > 0 {
			positions++
		}
		moves += len(e.Moves)
	}
	return positions, moves
}
