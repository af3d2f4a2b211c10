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
	// Unsorted means that a file for binary search was not in order: engines do not find all of it.
	Unsorted bool

	index map[string]*Entry
}

// Entry is a position with its moves.
type Entry struct {
	Position shogi.Position // the number of its next move is a hint only
	Moves    []Move
	Comment  string // lines without their mark; kept by db
}

// Move is a move of a book with its data.
type Move struct {
	Move     shogi.Move
	Ponder   shogi.Move // the expected answer, NoMove for none; kept by db
	Score    int        // centipawns from the mover's view, if HasScore; stored by db, ybb and apery
	HasScore bool
	Depth    int // plies, 0: unknown; kept by db and ybb
	Count    int // how often it was played, or its weight, 0: unknown; kept by db and apery
	Comment  string
}

// Key returns a position without the number of its next move: board, side to move, hands.
func Key(p *shogi.Position) string {
	sfen := p.SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')]
}

// Find returns the first entry of a position, nil without one. The first call makes an index. Do not add
// entries after it, and do not call Find concurrently before it has returned.
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

// Merged returns the book with one entry a position and one line a move. It joins the moves of entries
// for one position. For a repeated move it keeps the first line, adds up the counts, and takes the least
// number of a next move.
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

// join takes the data of another entry of the position, without its moves.
func (e *Entry) join(o *Entry) {
	if o.Position.Ply() < e.Position.Ply() {
		e.Position = o.Position
	}
	e.Comment = cmp.Or(e.Comment, o.Comment)
}

// add adds a move, or its count to the existing one.
func (e *Entry) add(m Move) {
	if i := slices.IndexFunc(e.Moves, func(x Move) bool { return x.Move == m.Move }); i >= 0 {
		e.Moves[i].Count += m.Count
		return
	}
	e.Moves = append(e.Moves, m)
}

// keyed is an entry with its key in the order of a file.
type keyed[K any] struct {
	key K
	*Entry
}

// keyedBy returns the entries of a merged book that have moves, in the order of their keys.
func keyedBy[K any](b *Book, key func(*Entry) (K, error), compare func(a, b K) int) (list []keyed[K], err error) {
	for _, e := range b.Merged().Entries {
		if len(e.Moves) == 0 {
			continue
		}
		k, err := key(e)
		if err != nil {
			return nil, err
		}
		list = append(list, keyed[K]{k, e})
	}
	slices.SortFunc(list, func(a, b keyed[K]) int { return compare(a.key, b.key) })
	return list, nil
}

// Size returns how many positions with moves, and how many moves, the book has.
func (b *Book) Size() (positions, moves int) {
	for _, e := range b.Entries {
		if len(e.Moves) > 0 {
			positions++
		}
		moves += len(e.Moves)
	}
	return positions, moves
}
