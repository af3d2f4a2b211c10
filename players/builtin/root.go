package builtin

import (
	"cmp"
	"slices"

	"gogi/shogi"
	"gogi/usi"
)

// A line is a move of the root with its search result.
type line struct {
	move    shogi.Move
	score   int
	depth   int // 0: not searched; then the score is the root's evaluation
	deepest int // ply reached
	pv      []shogi.Move
}

// prepare sets up the root of the search and lists its moves, the most promising first. only has the moves
// that the GUI allows (searchmoves). prepare ignores it if none of these moves is legal.
func (s *search) prepare(h *shogi.History, only []shogi.Move) []line {
	s.nodes, s.stopped, s.deepest = 0, false, 0
	s.history = [2][2 * pieceTypes][squares]int32{}
	for i := range s.stack {
		s.stack[i].killers = [2]shogi.Move{}
	}
	s.path.reset(h)
	f := &s.stack[0]
	f.pos, f.check, f.move = *h.Position(), h.Position().InCheck(), shogi.NoMove
	f.sum = s.tables.whole(&f.pos)
	f.moves = f.pos.LegalMoves(f.moves[:0])
	if chosen := common(f.moves, only); len(chosen) > 0 {
		f.moves = chosen
	} else {
		f.dropNeedless()
	}
	first := shogi.NoMove
	if e := s.hash.find(f.pos.Key()); e != nil {
		first = e.move
	}
	s.rate(f, first)
	lines := make([]line, len(f.moves))
	for i := range lines {
		m := f.next(i)
		lines[i] = line{move: m, score: s.static(f), pv: []shogi.Move{m}}
	}
	if i := slices.IndexFunc(lines, s.tries); i > 0 {
		lines[0], lines[i] = lines[i], lines[0]
	}
	return lines
}

// tries reports whether a root move wins by the try rule. The search checks this in advance, so that even the
// shortest search finds such a win.
func (s *search) tries(l line) bool {
	if s.rule != shogi.TryRule {
		return false
	}
	next := s.stack[0].pos
	next.Apply(l.move)
	return tried(&next, l.move)
}

func common(moves, only []shogi.Move) []shogi.Move {
	var both []shogi.Move
	for _, m := range moves {
		if slices.Contains(only, m) {
			both = append(both, m)
		}
	}
	return both
}

// deepen searches with increasing depth and moves the best n lines to the front. It calls report after each
// finished iteration. It uses an unfinished iteration only if there is one line, or no other result.
func (s *search) deepen(lines []line, n, depth int, report func([]line)) []line {
	n = min(n, len(lines))
	for s.iterate = 1; s.iterate <= depth && !s.enough(lines[:n]); s.iterate++ {
		s.deepest = 0
		next := slices.Clone(lines)
		for i := range n {
			s.bestOf(next, i)
		}
		if s.stopped {
			if n == 1 || s.iterate == 1 {
				lines = next
			}
			break
		}
		slices.SortStableFunc(next[:n], func(a, b line) int { return cmp.Compare(b.score, a.score) })
		lines = next
		report(lines[:n])
	}
	return lines[:n]
}

// enough reports whether another iteration is useless, because the time is over or all lines end in mates
// that no deeper search can improve.
func (s *search) enough(lines []line) bool {
	if s.exhausted() || s.budget.soft > 0 && s.elapsed() >= s.budget.soft {
		return true
	}
	return !slices.ContainsFunc(lines, func(l line) bool {
		return l.depth <= mateScore-max(l.score, -l.score)
	})
}

// bestOf searches the moves from index i on, and moves the best one to index i.
func (s *search) bestOf(lines []line, i int) {
	alpha := -infinity
	for j := i; j < len(lines) && s.enter(0, lines[j].move); j++ {
		score := s.reply(0, j-i, s.iterate-1, alpha, infinity)
		if s.stopped {
			return
		}
		if score <= alpha {
			continue
		}
		alpha = score
		found := line{move: lines[j].move, score: score, depth: s.iterate, deepest: s.deepest}
		found.pv = append([]shogi.Move{found.move}, s.stack[1].pv...)
		copy(lines[i+1:j+1], lines[i:j])
		lines[i] = found
	}
}

func (s *search) answer(lines []line, n int, r usi.Request) usi.Reply {
	var infos []usi.Info
	report := func(lines []line) {
		infos = s.infos(lines)
		for _, i := range infos {
			if r.OnInfo != nil {
				r.OnInfo(i)
			}
		}
	}
	depth := maxDepth
	if r.Go.Depth > 0 {
		depth = min(depth, r.Go.Depth)
	}
	lines = s.deepen(lines, n, depth, report)
	if s.stopped || infos == nil {
		report(lines) // the final lines and nodes
	}
	best := lines[0]
	reply := usi.Reply{Answer: usi.AnswerMove, Move: best.move, Text: best.move.String(), Lines: infos}
	if len(infos[0].PV) > 0 && infos[0].Depth > 0 {
		reply.Exact = infos[0] // the score of a line is never a bound
	}
	if len(best.pv) > 1 {
		reply.Ponder = best.pv[1]
	}
	return reply
}

// infos returns the variations of the search as USI infos. It omits variations that were not searched, but
// never the first variation.
func (s *search) infos(lines []line) []usi.Info {
	elapsed := s.elapsed()
	var infos []usi.Info
	for i, l := range lines {
		if i > 0 && l.depth == 0 {
			break
		}
		info := usi.Info{
			Depth: l.depth, SelDepth: l.deepest, MultiPV: i + 1, Score: usiScore(l.score), HasScore: true,
			Nodes: s.nodes, Time: elapsed, HashFull: s.hash.full(), PV: l.pv,
		}
		if elapsed > 0 {
			info.NPS = uint64(float64(s.nodes) / elapsed.Seconds())
		}
		infos = append(infos, info)
	}
	return infos
}

func usiScore(score int) usi.Score {
	switch {
	case score > mateBound:
		return usi.Score{Mate: 1, Value: mateScore - score}
	case score < -mateBound:
		return usi.Score{Mate: -1, Value: mateScore + score}
	}
	return usi.Score{Value: score}
}
