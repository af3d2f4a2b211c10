package builtin

import "gogi/shogi"

// A path holds the positions of the game and of the current line of the search, for the repetition rule.
type path struct {
	keys   []uint64
	checks []bool // whether the side to move is in check
	root   int    // index of the searched position
}

// reset sets the path to the positions of a game.
func (l *path) reset(h *shogi.History) {
	l.keys, l.checks = l.keys[:0], l.checks[:0]
	p := *h.Start()
	l.add(&p)
	for _, m := range h.Moves() {
		p.Apply(m)
		l.add(&p)
	}
	l.root = len(l.keys) - 1
	l.keys = append(l.keys, make([]uint64, maxPly+1)...)
	l.checks = append(l.checks, make([]bool, maxPly+1)...)
}

func (l *path) add(p *shogi.Position) {
	l.keys = append(l.keys, p.Key())
	l.checks = append(l.checks, p.InCheck())
}

// set stores the position that is ply moves after the root.
func (l *path) set(ply int, key uint64, check bool) {
	l.keys[l.root+ply], l.checks[l.root+ply] = key, check
}

// repeated returns the score of a repeated position at ply for its side to move. ok is false if the position is not
// repeated. The second occurrence already counts as a repetition, because players who repeat a position once will
// repeat it again.
func (l *path) repeated(ply int) (score int, ok bool) {
	last := l.root + ply
	key, from, times := l.keys[last], 0, 1
	for i := last - 4; i >= 0; i -= 2 {
		if l.keys[i] != key {
			continue
		}
		times++
		if times == 2 || times >= 4 { // the fourth occurrence counts from the first one
			from = i
		}
	}
	if times == 1 {
		return 0, false
	}
	checked, checking := l.perpetual(from, last), l.perpetual(from-1, last-1)
	switch {
	case checked && !checking:
		return ruleWin, true
	case checking && !checked:
		return -ruleWin, true
	}
	return 0, true
}

// perpetual reports whether every second position from index from+1 to index last is a check.
func (l *path) perpetual(from, last int) bool {
	for i := last; i > from; i -= 2 {
		if !l.checks[i] {
			return false
		}
	}
	return true
}
