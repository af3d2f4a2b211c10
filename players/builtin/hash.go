package builtin

import (
	"unsafe"

	"gogi/shogi"
)

// A bound shows whether a stored score is exact, a lower bound (atLeast) or an upper bound (atMost).
type bound uint8

const (
	exact bound = iota
	atLeast
	atMost
)

// An entry is the search result of one position.
type entry struct {
	key    uint64
	move   shogi.Move
	score  int16
	search uint16 // number of the search that wrote it; 0 in an empty entry
	depth  int8
	bound  bound
}

// A hashTable stores the results of positions. Each search has a number. Entries of searches before the
// oldest valid number count as empty, so clearing the table costs nothing.
type hashTable struct {
	entries []entry
	search  uint16
	oldest  uint16
	game    uint16 // number of the current game's first search
}

// resize sets the size; it clears the table if the size changes.
func (h *hashTable) resize(megabytes int) {
	n := megabytes << 20 / int(unsafe.Sizeof(entry{}))
	if len(h.entries) != n {
		*h = hashTable{entries: make([]entry, n), game: 1}
	}
}

// newGame makes all entries invalid.
func (h *hashTable) newGame() { h.game = h.search + 1 }

// newSearch starts a search. With alone, the search ignores the entries of all earlier searches.
func (h *hashTable) newSearch(alone bool) {
	if h.search >= 1<<16-2 { // newGame adds one more
		clear(h.entries)
		h.search, h.game = 0, 1
	}
	h.search++
	h.oldest = h.game
	if alone {
		h.oldest = h.search
	}
}

func (h *hashTable) slot(key uint64) *entry {
	return &h.entries[(key>>32)*uint64(len(h.entries))>>32]
}

// find returns the entry of a position, or nil. The caller converts its mate scores with fromRoot.
func (h *hashTable) find(key uint64) *entry {
	e := h.slot(key)
	if e.key != key || e.search < h.oldest {
		return nil
	}
	return e
}

// store writes the result of a position. It does not replace a deeper result of the same search. If m is no
// move, it leaves the stored move.
func (h *hashTable) store(key uint64, m shogi.Move, score, depth, ply int, b bound) {
	e := h.slot(key)
	if e.key == key && e.search >= h.oldest {
		if e.search == h.search && int(e.depth) > depth && b != exact {
			return
		}
		if m == shogi.NoMove {
			m = e.move
		}
	}
	*e = entry{key: key, move: m, score: int16(fromRoot(score, -ply)), search: h.search, depth: int8(depth), bound: b}
}

// fromRoot converts the mate score of an entry to the search's score. An entry counts the plies to the mate
// from its position, and a search counts from its root, ply plies earlier.
func fromRoot(score, ply int) int {
	switch {
	case score > mateBound:
		return score - ply
	case score < -mateBound:
		return score + ply
	}
	return score
}

// full returns the part of the table that this search has filled, in per mille.
func (h *hashTable) full() int {
	n := 0
	for i := range 1000 {
		if h.entries[i].search == h.search {
			n++
		}
	}
	return n
}
