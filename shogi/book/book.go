package book

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
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

	index map[string]*answers // by Key
}

// answers has the answers of a book for one position.
type answers struct {
	merged *Entry   // of all move numbers
	byPly  []*Entry // one for each move number, in increasing order; an unknown number is last
}

// Entry is a position of a book with its moves.
type Entry struct {
	Position shogi.Position // the number of its next move may be wrong
	Moves    []Move
	Comment  string // lines without the comment sign; only db stores it
	AnyPly   bool   // the book does not know the number of the next move: it writes 0
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

// SFEN returns the position in SFEN. If the book does not know the number of the next move, the number is 0.
func (e *Entry) SFEN() string {
	return Key(&e.Position) + " " + strconv.Itoa(e.ply())
}

// ply returns the number of the next move, or 0 if the book does not know it.
func (e *Entry) ply() int {
	if e.AnyPly {
		return 0
	}
	return e.Position.Ply()
}

// rank orders the entries of a position by their move numbers; unknown numbers are last.
func (e *Entry) rank() int {
	if e.AnyPly {
		return math.MaxInt
	}
	return e.Position.Ply()
}

// Find returns the answer of the book for a position, or nil if there is none. If the book has the position with the
// same number of the next move, the answer is that entry, as in YaneuraOu. Otherwise the answer has the moves of all
// numbers, as in YaneuraOu with IgnoreBookPly; see Merged. Each move occurs once. The first call builds an index. Do
// not add entries after the first call, and make no concurrent calls before it has returned.
func (b *Book) Find(p *shogi.Position) *Entry {
	found := b.answers(p)
	if found == nil {
		return nil
	}
	for _, e := range found.byPly {
		if e.ply() == p.Ply() {
			return e
		}
	}
	return found.merged
}

// Plies returns the move numbers under which the book has a position, in increasing order. An unknown number is 0 and
// is last.
func (b *Book) Plies(p *shogi.Position) (plies []int) {
	if found := b.answers(p); found != nil {
		plies = lists.Map(found.byPly, (*Entry).ply)
	}
	return plies
}

func (b *Book) answers(p *shogi.Position) *answers {
	if b.index == nil {
		b.index = map[string]*answers{}
		for _, a := range b.united() {
			b.index[Key(&a.merged.Position)] = a
		}
	}
	return b.index[Key(p)]
}

// Merged returns a copy of the book with one entry for each position, in which each move occurs once. It goes through
// the entries of a position in the order of their move numbers, and ends with unknown numbers. If the book has a move
// of a position more than once, Merged uses the data of the first occurrence and adds up the counts. If the entries of
// a position have different move numbers, it uses the smallest. Entries that need no change are shared with the book.
func (b *Book) Merged() *Book {
	out := *b
	out.index = nil
	out.Entries = lists.Map(b.united(), func(a *answers) *Entry { return a.merged })
	return &out
}

// united returns the answers for each position of the book, in the order in which each position occurs first.
func (b *Book) united() (list []*answers) {
	for _, group := range groups(b.byPly(), func(e *Entry) string { return Key(&e.Position) }) {
		slices.SortFunc(group, func(a, b *Entry) int { return cmp.Compare(a.rank(), b.rank()) })
		list = append(list, &answers{merged: unite(group), byPly: group})
	}
	return list
}

// byPly returns one entry for each position and move number, in which each move occurs once, in the order of the book.
func (b *Book) byPly() []*Entry { return lists.Map(groups(b.Entries, (*Entry).SFEN), unite) }

// Renumbered returns the number of positions that the book has under more than one move number. Only formats with
// Format.KeepsPlies store all of these numbers.
func (b *Book) Renumbered() (n int) {
	for _, a := range b.united() {
		if len(a.byPly) > 1 {
			n++
		}
	}
	return n
}

// Unnumbered returns the number of entries whose move number the book does not know.
func (b *Book) Unnumbered() int {
	return len(lists.Filter(b.Entries, func(e *Entry) bool { return e.AnyPly }))
}

// Shallow returns the number of positions with a move whose depth is unknown or below BookDepthLimit, YaneuraOu's
// default limit. At its defaults YaneuraOu ignores such moves.
func (b *Book) Shallow() (n int) {
	for _, e := range b.Merged().Entries {
		if slices.ContainsFunc(e.Moves, func(m Move) bool { return m.Depth < BookDepthLimit }) {
			n++
		}
	}
	return n
}

// BookDepthLimit is the default of YaneuraOu's option BookDepthLimit. Source: add_options in YaneuraOu's book.cpp.
const BookDepthLimit = 16

// groups divides entries by key, in the order in which each key occurs first.
func groups(entries []*Entry, key func(*Entry) string) (list [][]*Entry) {
	at := map[string]int{}
	for _, e := range entries {
		k := key(e)
		i, ok := at[k]
		if !ok {
			i = len(list)
			at[k] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], e)
	}
	return list
}

// unite returns an entry with the number of the first of the entries, the first comment and every move once. It returns
// a single entry itself if it has every move once.
func unite(entries []*Entry) *Entry {
	out := &Entry{Position: entries[0].Position, AnyPly: entries[0].AnyPly}
	for _, e := range entries {
		out.Comment = cmp.Or(out.Comment, e.Comment)
		for _, m := range e.Moves {
			out.add(m)
		}
	}
	if len(entries) == 1 && len(out.Moves) == len(entries[0].Moves) {
		return entries[0]
	}
	return out
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

// keyedBy returns the entries with at least one move, sorted by their keys. key returns the key of an entry, and
// compare orders two keys.
func keyedBy[K any](entries []*Entry, key func(*Entry) (K, error), compare func(a, b K) int) (list []keyed[K],
	err error) {
	for _, e := range entries {
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
