package builtin

import (
	"math/bits"
	"time"

	"gogi/shogi"
)

const (
	maxPly    = 100 // largest number of moves from the root
	maxDepth  = 60
	infinity  = 32_001
	mateScore = 32_000             // the score of a mated side is ply-mateScore
	mateBound = mateScore - maxPly // greater scores mean a mate
	ruleWin   = 28_000             // the opponent loses by perpetual check
	evalLimit = 25_000
	jitter    = 2 // added to each evaluation if a seed is set
)

// A search holds the state of one search. The next search reuses its memory.
type search struct {
	tables *tables
	hash   *hashTable
	seed   uint64
	rule   shogi.DeclarationRule

	now      func() time.Time
	start    time.Time
	budget   budget
	maxNodes uint64          // 0: no limit
	done     <-chan struct{} // the context's Done

	nodes   uint64
	stopped bool
	iterate int // depth of the iteration
	deepest int // ply reached in this iteration
	path    path
	history [2][2 * pieceTypes][squares]int32
	stack   [maxPly + 1]frame
}

// enter plays move m in the position at ply. If the search must end, enter returns false and plays nothing.
func (s *search) enter(ply int, m shogi.Move) bool {
	if s.exhausted() {
		return false
	}
	s.nodes++
	f, next := &s.stack[ply], &s.stack[ply+1]
	next.pos = f.pos
	next.pos.Apply(m)
	next.sum = s.tables.after(&f.pos, f.sum, m, &next.pos)
	next.check = next.pos.InCheck()
	next.move = m
	s.path.set(ply+1, next.pos.Key(), next.check)
	s.deepest = max(s.deepest, ply+1)
	return true
}

// exhausted reports whether the search reached a limit. It checks the clock and the context once in 256
// nodes, which take less than a millisecond.
func (s *search) exhausted() bool {
	if s.stopped {
		return true
	}
	if s.maxNodes > 0 && s.nodes >= s.maxNodes {
		s.stopped = true
	} else if s.nodes%256 == 0 {
		select {
		case <-s.done:
			s.stopped = true
		default:
			s.stopped = s.budget.hard > 0 && s.elapsed() >= s.budget.hard
		}
	}
	return s.stopped
}

func (s *search) elapsed() time.Duration { return s.now().Sub(s.start) }

func (s *search) static(f *frame) int {
	score := int(f.sum)
	if f.pos.Side() == shogi.White {
		score = -score
	}
	if s.seed != 0 {
		score += int(mix(f.pos.Key()^s.seed*0x9e3779b97f4a7c15)%(2*jitter+1)) - jitter
	}
	return max(-evalLimit, min(evalLimit, score))
}

// ended returns the score of a game that ended by repetition, or under the try rule by a king that reached
// its goal. ok is false if the game has not ended.
func (s *search) ended(ply int) (score int, ok bool) {
	f := &s.stack[ply]
	if s.rule == shogi.TryRule && tried(&f.pos, f.move) {
		return ply - mateScore, true
	}
	return s.path.repeated(ply)
}

// tried reports whether m, which led to p, was a king's move that wins under the try rule.
func tried(p *shogi.Position, m shogi.Move) bool {
	mover := p.Side().Opponent()
	return p.KingSquare(mover) == m.To() && p.TryAchieved(mover)
}

// alphaBeta returns the score of the position at ply for its side to move. The score is exact between alpha
// and beta, and a bound outside. After a stop the score is meaningless.
func (s *search) alphaBeta(ply, depth, alpha, beta int) int {
	f := &s.stack[ply]
	f.pv = f.pv[:0]
	if score, ok := s.ended(ply); ok {
		return score
	}
	if f.check && ply < 2*s.iterate {
		depth++
	}
	if depth <= 0 || ply >= maxPly {
		return s.quiesce(ply, 0, alpha, beta)
	}
	// A mate can happen at the next ply at the earliest.
	if alpha, beta = max(alpha, ply-mateScore), min(beta, mateScore-ply-1); alpha >= beta {
		return alpha
	}
	wide := beta-alpha > 1
	var first shogi.Move
	if e := s.hash.find(f.pos.Key()); e != nil {
		first = e.move
		if score := fromRoot(int(e.score), ply); !wide && int(e.depth) >= depth && e.settles(score, beta) {
			return score
		}
	}
	static := s.static(f)
	if !wide && !f.check && depth <= 5 && static-100*depth >= beta && beta > -mateBound {
		return static
	}
	f.moves = f.pos.LegalMoves(f.moves[:0])
	if len(f.moves) == 0 {
		return ply - mateScore
	}
	f.dropNeedless()
	s.rate(f, first)
	return s.tryMoves(ply, depth, alpha, beta, static)
}

// settles reports whether a stored score decides a search with the null window below beta.
func (e *entry) settles(score, beta int) bool {
	switch e.bound {
	case atLeast:
		return score >= beta
	case atMost:
		return score < beta
	case exact:
	}
	return true
}

// tryMoves searches the moves of the position at ply, stores the result in the hash table, and returns the score.
// static is the evaluation of the position.
func (s *search) tryMoves(ply, depth, alpha, beta, static int) int {
	f := &s.stack[ply]
	best, bestMove, kind := -infinity, shogi.NoMove, atMost
	for i := range f.moves {
		m := f.next(i)
		if best > -mateBound && s.hopeless(f, i, depth, alpha, static) {
			continue
		}
		if !s.enter(ply, m) {
			return 0
		}
		score := s.reply(ply, i, depth-1, alpha, beta)
		if s.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best = score
		if score <= alpha {
			continue
		}
		alpha, bestMove, kind = score, m, exact
		f.pv = append(append(f.pv[:0], m), s.stack[ply+1].pv...)
		if score >= beta {
			kind = atLeast
			s.reward(f, i, depth)
			break
		}
	}
	s.hash.store(f.pos.Key(), bestMove, best, depth, ply, kind)
	return best
}

// hopeless reports whether the search can skip the i-th move near the leaves. The move must be quiet and give no
// check. It must also come late, or static, the evaluation of the position, must be far below alpha.
func (s *search) hopeless(f *frame, i, depth, alpha, static int) bool {
	if depth > 3 || f.check {
		return false
	}
	late := i >= 4*depth*(depth+2)
	if !late && static+120*depth > alpha {
		return false
	}
	m := f.moves[i]
	return quiet(&f.pos, m) && !f.pos.GivesCheck(m)
}

// reply returns the score of the i-th move of the position at ply, after enter played the move. It searches
// moves after the first with a null window, and late quiet moves with less depth. If such a move proves
// better, reply searches it again in full.
func (s *search) reply(ply, i, depth, alpha, beta int) int {
	if i == 0 {
		return -s.alphaBeta(ply+1, depth, -beta, -alpha)
	}
	f := &s.stack[ply]
	if i >= 3 && depth >= 2 && !f.check && !s.stack[ply+1].check && quiet(&f.pos, s.stack[ply+1].move) {
		reduced := depth - bits.Len(uint(i))*bits.Len(uint(depth))/5
		score := -s.alphaBeta(ply+1, max(reduced, 0), -alpha-1, -alpha)
		if score <= alpha || s.stopped {
			return score
		}
	}
	score := -s.alphaBeta(ply+1, depth, -alpha-1, -alpha)
	if score > alpha && score < beta && !s.stopped {
		score = -s.alphaBeta(ply+1, depth, -beta, -alpha)
	}
	return score
}

// These are numbers of plies in the quiescence search. Up to quietEvasions it tries all evasions of a check. After
// quietCaptures it only tries to capture the piece that moved last.
const (
	quietEvasions = 4
	quietCaptures = 5
)

// quiesce returns the score like alphaBeta, but searches only captures, promotions of pawns, and evasions
// until the position is quiet. depth counts its plies.
func (s *search) quiesce(ply, depth, alpha, beta int) int {
	f := &s.stack[ply]
	f.pv = f.pv[:0]
	best := s.static(f)
	if ply >= maxPly {
		return best
	}
	evade := f.check && depth < quietEvasions
	if evade {
		best = ply - mateScore
		f.moves = f.pos.LegalMoves(f.moves[:0])
	} else {
		if best >= beta {
			return best
		}
		f.moves = f.pos.Captures(f.moves[:0])
	}
	static := best
	alpha = max(alpha, best)
	f.dropNeedless()
	s.rate(f, shogi.NoMove)
	for i := range f.moves {
		m := f.next(i)
		if !evade && (depth >= quietCaptures && m.To() != f.move.To() ||
			static+int(s.tables.gain(&f.pos, m))+150 <= alpha) {
			continue
		}
		if !s.enter(ply, m) {
			return 0
		}
		score := -s.quiesce(ply+1, depth+1, -beta, -alpha)
		if s.stopped {
			return 0
		}
		if score <= best {
			continue
		}
		best = score
		if score <= alpha {
			continue
		}
		alpha = score
		f.pv = append(append(f.pv[:0], m), s.stack[ply+1].pv...)
		if score >= beta {
			break
		}
	}
	return best
}
