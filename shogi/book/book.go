package book

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"

	"gogi/internal/lists"
	"gogi/shogi"
)

// Book is an opening book: a list of positions, each with recommended moves.
type Book struct {
	Format  string   // name of the format of the file
	Entries []*Entry // in the order of the file; a position may have more than one

	// Lost is the number of positions that gogi cannot decode, because no line of moves leads to their
	// hashes.
	Lost int
	// Unsorted means that the file is not sorted, although its format requires this for binary search.
	// Engines do not find all of its positions.
	Unsorted bool

	index map[string]*Entry
}

// Entry is a position of a book with its moves.
type Entry struct {
	Position shogi.Position // the number of its next move may be wrong
	Moves    []Move
	Comment  string // lines without the comment sign; only db stores it
}

// Move is a move of a book with its score, depth and count. Most file formats store only some of the fields.
type Move struct {
	Move     shogi.Move
	Ponder   shogi.Move // the expected reply, or NoMove; only db stores it
	Score    int        // centipawns from the mover's view, if HasScore; db, ybb and apery store it
	HasScore bool
	Depth    int // plies; 0: unknown; db and ybb store it
	Count    int // how often the move was played, or its weight; 0: unknown; db and apery store it
	Comment  string
}

// Key returns the SFEN of a position without the move number. Equal keys mean the same position.
func Key(p *shogi.Position) string {
	sfen := p.SFEN()
	return sfen[:strings.LastIndexByte(sfen, ' ')]
}

// Find returns the first entry of a position, or nil if there is none. The first call builds an index. Do not
// add entries after the first call, and make no concurrent calls before it has returned.
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

// Merged returns a copy of the book with one entry for each position, in which each move occurs once. If the
// book has a move of a position more than once, Merged uses the data of the first occurrence and adds up the
// counts. If the entries of a position have different move numbers, it uses the smallest.
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

// join adds the data of another entry for the same position, without its moves.
func (e *Entry) join(o *Entry) {
	if o.Position.Ply() < e.Position.Ply() {
		e.Position = o.Position
	}
	e.Comment = cmp.Or(e.Comment, o.Comment)
}

// add adds a move. If the entry already has the move, it adds only the count.
func (e *Entry) add(m Move) {
	if i := slices.IndexFunc(e.Moves, func(x Move) bool { return x.Move == m.Move }); i >= 0 {
		e.Moves[i].Count += m.Count
		return
	}
	e.Moves = append(e.Moves, m)
}

// keyed is an entry of a book with the key by which the file format sorts entries.
type keyed[K any] struct {
	key K
	*Entry
}

// keyedBy merges the book and returns its entries with at least one move, sorted by their keys. key returns the key of
// an entry, and compare orders two keys.
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

// Size returns the number of positions with moves, and the total number of moves.
func (b *Book) Size() (positions, moves int) {
	for _, e := range b.Entries {
		if len(e.Moves) > 0 {
			positions++
		}
		moves += len(e.Moves)
	}
	return positions, moves
}

// Choose selects a move for a position at random, or returns NoMove if the book has no legal move. If moves
// have counts, the probability of a move is proportional to its count, and moves without a count are never
// selected. If moves have only scores, Choose selects one of the moves with the best score. Otherwise it
// selects among all moves.
func (b *Book) Choose(p *shogi.Position, random *rand.Rand) shogi.Move {
	return b.ChooseNear(p, 0, random)
}

// ChooseNear selects a move like Choose. But if the scores decide, it selects among all moves that are at
// most margin centipawns worse than the best.
func (b *Book) ChooseNear(p *shogi.Position, margin int, random *rand.Rand) shogi.Move {
	e := b.Find(p)
	if e == nil {
		return shogi.NoMove
	}
	var moves []Move
	sum, scored := 0, false
	for _, m := range e.Moves {
		if p.CheckLegal(m.Move) == nil {
			moves = append(moves, m)
			sum += m.Count
			scored = scored || m.HasScore
		}
	}
	switch {
	case len(moves) == 0:
		return shogi.NoMove
	case sum > 0:
		return byCount(moves, random.IntN(sum))
	case scored:
		legal := Entry{Moves: moves}
		best, _ := legal.best()
		near := lists.Filter(moves, func(m Move) bool { return m.HasScore && best.Score-m.Score <= margin })
		moves = near
	}
	return moves[random.IntN(len(moves))].Move
}

// byCount selects a move by n, a number from 0 up to the sum of all counts, exclusive. Each move has a part of this
// range that is as large as its count.
func byCount(moves []Move, n int) shogi.Move {
	for _, m := range moves {
		if n < m.Count {
			return m.Move
		}
		n -= m.Count
	}
	return shogi.NoMove
}

// best returns the move with the highest score. If several moves have this score, it returns the first. ok is false if
// no move has a score.
func (e *Entry) best() (best Move, ok bool) {
	for _, m := range e.Moves {
		if m.HasScore && (!ok || m.Score > best.Score) {
			best, ok = m, true
		}
	}
	return best, ok
}
