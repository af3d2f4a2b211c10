// Package mate proves mates in which the attacker gives check with every move (詰み). [Solve] searches for a
// mate, and [Verify] checks a mate that another program claims. The package uses only the rules of package
// shogi and has no side effects.
//
// The search is df-pn (A. Nagai, "Df-pn algorithm for searching AND/OR trees and its applications", 2002). It
// identifies positions by keys of 64 bits. In a search of a million positions, two positions have the same
// key with a probability of 3 in 10^8.
package mate

import (
	"fmt"
	"math"

	"gogi/shogi"
)

// Verdict is the result of a search: mate, escape, or unproven.
type Verdict int

// These are the verdicts.
const (
	Unproven Verdict = iota // the search reached a limit first, or the mate takes too long
	Mate                    // the attacker mates after any answer of the defender
	Escape                  // the defender can escape
)

// String returns the verdict as one word.
func (v Verdict) String() string { return [...]string{"unproven", "mate", "escape"}[v] }

// Limits are the limits of a search. A zero field means no limit.
type Limits struct {
	Nodes int         // largest number of searched positions
	Table int         // largest number of positions in memory; each searched position adds about ten
	Plies int         // largest length of a mate in plies; a mate that may take longer does not count
	Try   bool        // the try rule applies: a defending king that reaches the start square of the enemy king wins
	Stop  func() bool // called once in 64 nodes; the search ends if it returns true
}

// Result is the verdict of a search, with the mating line and the number of searched positions.
type Result struct {
	Verdict Verdict
	Line    []shogi.Move // only for Mate: the proven mating line with the longest defence; a shorter mate may exist
	Nodes   int          // number of searched positions
	Why     string       // the reason why a claimed line is not proven
}

// Solve searches for a mate by the side to move. A mate cannot contain a move after which a position occurs
// for the fourth time in the game.
func Solve(h *shogi.History, l Limits) Result {
	s := newSearch(h, l)
	root := *h.Position()
	s.prove(&root, true)
	return s.result(&root)
}

// Verify checks whether a claimed line is a mate. The line must be legal, each move of the attacker must give
// check, and the last move must be checkmate. Verify then proves, from the end of the line to its beginning,
// that the defender cannot escape with other moves. The result depends only on the line, the position and the
// limits except Stop. The verdict Escape concerns only this line: another line may be a mate.
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

// unproven returns the result for a claimed line if the search found no mate after the move m of the line.
func (s *search) unproven(e entry, m shogi.Move) Result {
	if e.dn == 0 && !s.cut {
		return Result{Verdict: Escape, Nodes: s.nodes, Why: fmt.Sprintf("after %s there is a way out", m)}
	}
	return Result{Nodes: s.nodes, Why: fmt.Sprintf("not proven after %s within %d positions", m, s.nodes)}
}

// follow makes the moves of a line. replies are the positions of the line in which the defender is to move. If the line
// is a series of checks that ends in checkmate, flaw is "". Otherwise flaw describes the error in the line.
func (s *search) follow(p shogi.Position, line []shogi.Move) (replies []shogi.Position, flaw string) {
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

// infinite is the proof number of a position that cannot be proven, and the disproof number of a position
// that cannot be disproved.
const infinite = math.MaxInt32

// deepest is the largest depth of the search in plies. It protects the stack. The longest mate ever composed
// takes 1525 plies.
const deepest = 2000

// entry is the search state of a position. pn is the least number of further positions that must be proven to
// prove the position. dn is the least number that must be disproved to disprove it.
type entry struct {
	pn, dn int32
	plies  int32 // for a proven position: largest number of plies to the mate
}

// search is the state of one search.
type search struct {
	limits  Limits
	known   map[uint64]entry
	path    map[uint64]bool // positions from the root to the current position
	barred  map[uint64]bool // positions that would occur for the fourth time
	nodes   int
	stopped bool
	cut     bool      // a repetition or the depth limit ended a branch, so a disproof may be valid only on this path
	room    [][]child // by depth: lists that the method children uses again
}

// child is the position after one move.
type child struct {
	move shogi.Move
	pos  shogi.Position
	lost bool // the position cannot be part of a mate
}

// occurrencesBefore is the number of earlier occurrences after which one more occurrence of a position ends the game.
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

// at returns the stored state of a position.
func (s *search) at(p *shogi.Position) entry {
	if e, ok := s.known[p.Key()]; ok {
		return e
	}
	return entry{pn: 1, dn: 1}
}

// prove searches until the position is proven or disproved, or a limit is reached. attacks means that the attacker is
// to move.
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

// search searches below a position until the proof number reaches pn or the disproof number reaches dn. attacks means
// that the attacker is to move. depth is the number of plies from the root.
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

// sums has the proof numbers of a position, calculated from those of its children.
type sums struct {
	entry
	best   int   // index of the child to search next
	first  entry // numbers of that child
	second int32 // the deciding number of the second best child
}

// thresholds returns the limits for the search of the best child. pn and dn are the limits of its parent. attacks
// means that the attacker is to move in the parent.
func (s *sums) thresholds(attacks bool, pn, dn int32) (pnNext, dnNext int32) {
	if attacks { // the attacker needs only one child, so the least pn counts, and the sum of all dn
		return min(pn, plus(s.second, 1)), plus(dn-s.dn, s.first.dn)
	}
	return plus(pn-s.pn, s.first.pn), min(dn, plus(s.second, 1))
}

// plus adds two numbers. The result is at most infinite.
func plus(a, b int32) int32 {
	if a >= infinite-b {
		return infinite
	}
	return a + b
}

// sum calculates the proof numbers of a position from its children. If the attacker is to move (attacks), one proven
// child proves the position. If the defender is to move, all children must be proven.
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
		out.plies = plies + 1 // 0 without children, which means mate
	}
	return out
}

// of returns the state of a child. The state takes into account which positions are already on the current path.
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

// children returns the positions after all checks of the attacker if attacks is true, else the positions after all
// moves of a defender in check. The next call at the same depth reuses the memory.
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

// shogiMoves is the initial capacity of a list of moves. It is enough for most positions.
const shogiMoves = 128

// begin stores the first proof numbers of the position c, unless it is known. It does so only if the attacker has made
// the last move (attacks). The proof number is the number of the defender's answers, because a mate against more
// answers is harder to prove.
func (s *search) begin(c *child, attacks bool) {
	if !attacks || c.lost {
		return
	}
	key := c.pos.Key()
	if _, ok := s.known[key]; ok {
		return
	}
	if n := c.pos.CountLegal(); n > 0 {
		s.known[key] = entry{pn: int32(n), dn: 1}
		return
	}
	s.known[key] = entry{dn: infinite}
}

// tried reports whether m, the move that led to p, was a move of the king that wins by the try rule.
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

// line returns the mating line of a proof, with the attacker's shortest and the defender's longest moves. The
// line is finite, because the children of a proven position were proven earlier and need fewer plies.
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
