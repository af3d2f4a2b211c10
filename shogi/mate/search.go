// Package mate proves mates in which the attacker gives check with every move (詰み). [Solve] searches for a
// mate, and [Verify] proves the line of another solver. It is pure and uses only the rules of package shogi.
//
// The search is df-pn (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002). It
// identifies positions by keys of 64 bits: among a million positions two share a key with a probability of 3
// in 10^8.
package mate

import (
	"fmt"
	"math"

	"gogi/shogi"
)

// Verdict is the result of a search.
type Verdict int

// The verdicts.
const (
	Unproven Verdict = iota // a limit was reached first, or the mate takes too long
	Mate                    // for any answer of the defender
	Escape                  // the defender has a way out
)

// String returns the verdict in a word.
func (v Verdict) String() string { return [...]string{"unproven", "mate", "escape"}[v] }

// Limits bound a search. Zero fields do not.
type Limits struct {
	Nodes int         // positions that are looked into
	Table int         // positions that are remembered, some ten for each that is looked into
	Plies int         // a mate that may take more plies does not count
	Try   bool        // the try rule holds: a defending king that gets home wins
	Stop  func() bool // asked once in 64 nodes; true ends the search
}

// Result is the result of a search, with its details.
type Result struct {
	Verdict Verdict
	Line    []shogi.Move // for Mate: with the longest defence against the proof; not always the shortest mate
	Nodes   int          // that were looked into
	Why     string       // the error of an unproven claim
}

// Solve looks for a mate by the side to move. A position that would occur for the fourth
// time in the game is no way to mate.
func Solve(h *shogi.History, l Limits) Result {
	s := newSearch(h, l)
	root := *h.Position()
	s.prove(&root, true)
	return s.result(&root)
}

// Verify checks whether a claimed line is a mate. The line must be legal, with a check in each of its
// attacker's moves, and end in checkmate. Then Verify proves, from its end to its beginning, that no
// other answer of the defender escapes. The same line, position and limits apart from Stop give the same
// result. Escape concerns only the line: there may be another mate.
func Verify(h *shogi.History, line []shogi.Move, l Limits) Result {
	s := newSearch(h, l)
	replies, why := s.follow(*h.Position(), line)
	if why != "" {
		return Result{Verdict: Escape, Nodes: s.nodes, Why: why}
	}
	for i := len(replies) - 1; i >= 0; i-- {
		s.prove(&replies[i], false)
		if e := s.at(&replies[i]); e.pn != 0 {
			return s.unproven(e, line[2*i])
		}
	}
	root := *h.Position()
	first := s.at(&replies[0])
	s.known[root.Key()] = entry{pn: 0, dn: infinite, plies: first.plies + 1}
	return s.result(&root)
}

// unproven is of a line with a move after which no mate was found.
func (s *search) unproven(e entry, m shogi.Move) Result {
	if e.dn == 0 && !s.cut {
		return Result{Verdict: Escape, Nodes: s.nodes, Why: fmt.Sprintf("after %s there is a way out", m)}
	}
	return Result{Nodes: s.nodes, Why: fmt.Sprintf("not proven after %s within %d positions", m, s.nodes)}
}

// follow plays a line; replies are its positions in which the defender is to move.
func (s *search) follow(p shogi.Position, line []shogi.Move) (replies []shogi.Position, why string) {
	for i, m := range line {
		if err := p.CheckLegal(m); err != nil {
			return nil, fmt.Sprintf("its move %d (%s): %v", i+1, m, err)
		}
		attacks := i%2 == 0
		if attacks && !p.GivesCheck(m) {
			return nil, fmt.Sprintf("its move %d (%s) gives no check", i+1, m)
		}
		p.Apply(m)
		if attacks {
			replies = append(replies, p)
		}
	}
	if len(line)%2 == 0 || p.HasLegalMove() {
		return nil, "it does not end in checkmate"
	}
	return replies, ""
}

// infinite is the proof number of a position that cannot be proven, or disproved.
const infinite = math.MaxInt32

// deepest is how far a search goes: no mate that was ever composed takes longer (1525
// plies), and the stack is ours.
const deepest = 2000

// entry is the state of a position: the least number of further positions that must be proven to prove it
// (pn) or to disprove it (dn).
type entry struct {
	pn, dn int32
	plies  int32 // for a proven one: to the mate, at most
}

// search is one search.
type search struct {
	limits  Limits
	known   map[uint64]entry
	path    map[uint64]bool // from the root to the position at hand
	barred  map[uint64]bool // a fourth occurrence
	nodes   int
	stopped bool
	cut     bool // the search left a position because of a repetition or the depth: a disproof may hold only on another path
	room    [][]child
}

// child is a position one move on.
type child struct {
	move shogi.Move
	pos  shogi.Position
	lost bool // a way that is closed to the attacker
}

// occurrencesBefore is how often a position may have occurred before it ends the game.
const occurrencesBefore = 3

func newSearch(h *shogi.History, l Limits) *search {
	s := &search{limits: l, known: map[uint64]entry{}, path: map[uint64]bool{}, barred: map[uint64]bool{}}
	occurred := map[uint64]int{}
	p := *h.Start()
	occurred[p.Key()]++
	for _, m := range h.Moves() {
		p.Apply(m)
		if occurred[p.Key()]++; occurred[p.Key()] >= occurrencesBefore {
			s.barred[p.Key()] = true
		}
	}
	return s
}

// at returns the state of a position.
func (s *search) at(p *shogi.Position) entry {
	if e, ok := s.known[p.Key()]; ok {
		return e
	}
	return entry{pn: 1, dn: 1}
}

// prove searches until the position is proven or disproved, or a limit is reached.
func (s *search) prove(p *shogi.Position, attacks bool) {
	if e := s.at(p); e.pn != 0 && e.dn != 0 {
		s.search(p, attacks, infinite, infinite, 0)
	}
}

// exhausted reports whether a limit is reached.
func (s *search) exhausted() bool {
	l := &s.limits
	if l.Nodes > 0 && s.nodes >= l.Nodes || l.Table > 0 && len(s.known) >= l.Table {
		s.stopped = true
	}
	if !s.stopped && l.Stop != nil && s.nodes%64 == 0 {
		s.stopped = l.Stop()
	}
	return s.stopped
}

// search looks into a position until its proof number reaches pn or its disproof number
// dn. Depth is counted from the root.
func (s *search) search(p *shogi.Position, attacks bool, pn, dn int32, depth int) {
	if s.exhausted() {
		return
	}
	s.nodes++
	children := s.children(p, attacks, depth)
	s.path[p.Key()] = true
	for {
		sum := s.sum(children, attacks)
		s.known[p.Key()] = sum.entry
		if sum.pn >= pn || sum.dn >= dn || sum.pn == 0 || sum.dn == 0 || s.stopped {
			break
		}
		next := &children[sum.best]
		pnNext, dnNext := sum.thresholds(attacks, pn, dn)
		s.search(&next.pos, !attacks, pnNext, dnNext, depth+1)
	}
	delete(s.path, p.Key())
}

// sums are a position's numbers by those of its children.
type sums struct {
	entry
	best   int   // the child to look into
	first  entry // its numbers
	second int32 // the number by which the next best would be chosen
}

// thresholds returns those of the best child under those of its parent.
func (s *sums) thresholds(attacks bool, pn, dn int32) (pnNext, dnNext int32) {
	if attacks { // the least pn; all dn count
		return min(pn, plus(s.second, 1)), plus(dn-s.dn, s.first.dn)
	}
	return plus(pn-s.pn, s.first.pn), min(dn, plus(s.second, 1))
}

// plus adds numbers; infinite stays it.
func plus(a, b int32) int32 {
	if a >= infinite-b {
		return infinite
	}
	return a + b
}

// sum adds up children: one of the attacker's moves must be proven, and all of the defender's.
func (s *search) sum(children []child, attacks bool) sums {
	least, all, plies := int32(infinite), int32(0), int32(-1)
	out := sums{second: infinite}
	for i := range children {
		e := s.of(&children[i])
		one, many := e.pn, e.dn
		if !attacks {
			one, many = e.dn, e.pn
		}
		all = plus(all, many)
		if e.pn == 0 && (plies < 0 || (e.plies < plies) == attacks) {
			plies = e.plies
		}
		if one < least || i == 0 {
			out.second, least = least, one
			out.best, out.first = i, e
		} else {
			out.second = min(out.second, one)
		}
	}
	if attacks {
		out.entry = entry{pn: least, dn: all}
	} else {
		out.entry = entry{pn: all, dn: least}
	}
	if out.pn == 0 {
		out.plies = plies + 1 // 0 without children: it is mate
	}
	return out
}

// of returns the state of a child on the current path.
func (s *search) of(c *child) entry {
	switch {
	case c.lost:
		return entry{pn: infinite}
	case s.path[c.pos.Key()]:
		s.cut = true
		return entry{pn: infinite}
	}
	return s.at(&c.pos)
}

// children returns the positions after all checks of the attacker, or after all moves of a defender in
// check. Its memory belongs to the depth.
func (s *search) children(p *shogi.Position, attacks bool, depth int) []child {
	for len(s.room) <= depth {
		s.room = append(s.room, nil)
	}
	list := s.room[depth][:0]
	if depth >= deepest {
		s.cut = true
		return append(list, child{pos: *p, lost: true})
	}
	var room [shogiMoves]shogi.Move
	for _, m := range p.LegalMoves(room[:0]) {
		if attacks && !p.GivesCheck(m) {
			continue
		}
		c := child{move: m, pos: *p}
		c.pos.Apply(m)
		c.lost = s.barred[c.pos.Key()] || !attacks && s.limits.Try && tried(&c.pos, m)
		s.begin(&c, attacks)
		list = append(list, c)
	}
	s.room[depth] = list
	return list
}

// shogiMoves is the capacity for the moves of most positions.
const shogiMoves = 128

// begin gives a position that a check leads to its first numbers: the more answers, the harder to prove.
func (s *search) begin(c *child, attacks bool) {
	if !attacks || c.lost {
		return
	}
	key := c.pos.Key()
	if _, ok := s.known[key]; ok {
		return
	}
	if n := c.pos.CountLegal(); n > 0 {
		s.known[key] = entry{pn: int32(n), dn: 1} //nolint:gosec // some hundred at most
		return
	}
	s.known[key] = entry{dn: infinite}
}

// tried reports whether the move was a king's that wins by the try rule.
func tried(p *shogi.Position, m shogi.Move) bool {
	mover := p.Side().Opponent()
	return p.KingSquare(mover) == m.To() && p.TryAchieved(mover)
}

// result returns the state of the root, with the attacker to move.
func (s *search) result(root *shogi.Position) Result {
	e := s.at(root)
	switch {
	case e.pn != 0 && e.dn == 0 && !s.cut:
		return Result{Verdict: Escape, Nodes: s.nodes}
	case e.pn != 0:
		return Result{Nodes: s.nodes, Why: fmt.Sprintf("not proven within %d positions", s.nodes)}
	case s.limits.Plies > 0 && int(e.plies) > s.limits.Plies:
		return Result{Nodes: s.nodes, Why: fmt.Sprintf("it may take %d plies, and %d are left", e.plies, s.limits.Plies)}
	}
	return Result{Verdict: Mate, Line: s.line(*root), Nodes: s.nodes}
}

// line returns the way of a proof: the attacker's shortest, the defender's longest. A proven
// position's children were proven before it, and take fewer plies.
func (s *search) line(p shogi.Position) (line []shogi.Move) {
	for attacks := true; ; attacks = !attacks {
		best, plies := -1, int32(0)
		children := s.children(&p, attacks, 0)
		for i := range children {
			e := s.at(&children[i].pos)
			if children[i].lost || e.pn != 0 {
				continue
			}
			if best < 0 || (e.plies < plies) == attacks && e.plies != plies {
				best, plies = i, e.plies
			}
		}
		if best < 0 {
			return line
		}
		line = append(line, children[best].move)
		p = children[best].pos
	}
}
