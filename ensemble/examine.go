package ensemble

import (
	"context"
	"math"
	"slices"
	"time"

	"gogi/ensemble/voting"
	"gogi/internal/lists"
	"gogi/shogi"
	"gogi/usi"
)

// Examine configures cross-examination, which follows a split vote. Every member searches the position after
// each of the leading moves. The council plays the move that the members then judge best. This helps if the
// members are different engines. The zero value turns it off.
type Examine struct {
	Share float64 // a vote whose first move has this share of the weights needs no examination
	Moves int     // the largest number of moves to examine; 0: no examination
	Extra float64 // search limit of one member for all moves together, as a share of its limit for the vote
}

// The defaults of a council that examines, and the largest number of moves. A member's queue has room for
// MaxExamined searches.
const (
	DefaultExamineShare = 1.0
	DefaultExamineMoves = 2
	DefaultExamineExtra = 0.6
	MaxExamined         = jobRoom / 2
)

func (x Examine) on() bool { return x.Moves > 1 }

// reserve shortens the time of the first searches so that the examination fits in the limit. It does not change clocks
// with increments, because the members manage such clocks themselves.
func (x Examine) reserve(g usi.Go) usi.Go {
	if !x.on() {
		return g
	}
	g.MoveTime = scaled(g.MoveTime, 1/(1+x.Extra))
	if !g.UseInc {
		g.Byoyomi = scaled(g.Byoyomi, 1/(1+x.Extra))
	}
	return g
}

// scaled returns d times f in whole milliseconds, at least 1 ms. It returns 0 for 0.
func scaled(d time.Duration, f float64) time.Duration {
	if d == 0 {
		return 0
	}
	return max(time.Millisecond, time.Duration(float64(d)*f).Truncate(time.Millisecond))
}

// limit returns the limit of one search of the examination. first is the member's limit in the vote, spent is the time
// that its search took there, and moves is the number of moves to examine. The nodes and the move time are the share
// Extra/moves of those in first. With a clock the time is the same share of spent. Depth and Infinite do not change.
func (x Examine) limit(first *usi.Go, spent time.Duration, moves int) usi.Go {
	part := x.Extra / float64(moves)
	g := usi.Go{Depth: first.Depth, Infinite: first.Infinite, MoveTime: scaled(first.MoveTime, part)}
	if first.Nodes > 0 {
		g.Nodes = max(1, uint64(math.Round(float64(first.Nodes)*part)))
	}
	if first.HasClock() {
		g.Clock, g.UseByoyomi, g.Byoyomi = true, true, max(time.Millisecond, scaled(spent, part))
	}
	return g
}

// examination is the state of a cross-examination.
type examination struct {
	moves   []shogi.Move
	seats   []int            // the members that search
	limits  []usi.Go         // by seat
	answers map[int][]answer // of each seat, in the order of moves
	failed  map[int]bool     // seats without a usable answer
	after   []shogi.Position // the positions after the moves
}

// examiner is the part of a vote in which its members search the moves of the others.
type examiner struct{ *vote }

// crossExamine examines the leading moves of a split vote and changes the decision by the result. Without any
// usable judgement the vote stands.
func (v examiner) crossExamine(ctx context.Context, d *voting.Decision) error {
	moves := v.contested(d)
	if len(moves) < 2 || ctx.Err() != nil {
		return nil
	}
	x := &examination{moves: moves, answers: map[int][]answer{}, failed: map[int]bool{}}
	list := v.winsAtOnce(x)
	if list == nil {
		if !v.searchAll(ctx, x) {
			return nil
		}
		list = v.judgements(x)
	}
	if list == nil {
		return nil
	}
	v.examined = list
	return v.session.Examine(&v.line.Position, v.ballots, d, list)
}

// contested returns the moves to examine: the leading candidates of a split vote. It returns nil for all other
// decisions.
func (v examiner) contested(d *voting.Decision) (moves []shogi.Move) {
	if !v.config.Examine.on() || d.By != voting.ByRule {
		return nil
	}
	all, top := 0.0, 0.0
	for i := range d.Candidates {
		c := &d.Candidates[i]
		if c.Count() == 0 {
			continue // a member only listed it
		}
		all, top = all+c.Weight, max(top, c.Weight)
		if len(moves) < v.config.Examine.Moves {
			moves = append(moves, c.Move)
		}
	}
	if len(moves) < 2 || all > 0 && voting.CompareSums(top, v.config.Examine.Share*all) >= 0 {
		return nil
	}
	return moves
}

// winsAtOnce plays the moves. If a move leaves the opponent without a legal move, it returns the examination of this
// move only. Otherwise it returns nil.
func (v examiner) winsAtOnce(x *examination) []voting.Examination {
	for _, m := range x.moves {
		p := v.line.Position
		p.Apply(m)
		var room [600]shogi.Move
		if len(p.LegalMoves(room[:0])) == 0 {
			return []voting.Examination{{Move: m.String()}}
		}
		x.after = append(x.after, p)
	}
	return nil
}

// searchAll lets every member that is not busy search after each move, and waits for the answers. It returns false if
// there is no time for the searches, or if the caller stopped them.
func (v examiner) searchAll(ctx context.Context, x *examination) bool {
	longest, timed := v.prepare(x)
	if len(x.seats) == 0 || v.request.Deadline > 0 && time.Since(v.start)+longest >= v.vetoDeadline() {
		return false
	}
	answers := make(chan answer, len(x.seats)*len(x.moves)) // never closed
	members, cancel := context.WithCancel(ctx)
	defer cancel() // stops late members
	q := v.newQuestion(answers)
	for i, seat := range x.seats {
		for _, m := range x.moves {
			r := usi.Request{Position: v.request.Position, Go: x.limits[i], Deadline: v.vetoDeadline()}
			r.Position.Moves = append(slices.Clip(r.Position.Moves), m)
			v.runners[seat].jobs <- func(life context.Context, s *memberRunner) { s.think(members, life, r, q) }
		}
	}
	return v.awaitAll(ctx, x, answers, v.maxWait(longest, timed))
}

// prepare chooses the members and their limits. longest is the longest time of a member for all moves, and timed
// reports whether every member has a time limit.
func (v examiner) prepare(x *examination) (longest time.Duration, timed bool) {
	timed = true
	gos := v.budgets(&v.request)
	for i := range v.ballots {
		b := &v.ballots[i]
		if b.Kind == voting.KindDead || !v.runners[b.Member].free() {
			continue
		}
		g := v.config.Examine.limit(&gos[b.Member], b.Arrived, len(x.moves))
		x.seats, x.limits = append(x.seats, b.Member), append(x.limits, g)
		each := max(g.MoveTime, g.Byoyomi)
		longest, timed = max(longest, each*time.Duration(len(x.moves))), timed && each > 0
	}
	return longest, timed
}

// maxWait returns the longest time that the council waits for the searches; 0 means no limit. Its parameters are the
// results of prepare.
func (v examiner) maxWait(longest time.Duration, timed bool) time.Duration {
	limit := time.Duration(0)
	if timed {
		limit = longest + stopGrace
	}
	if v.request.Deadline > 0 {
		left := v.vetoDeadline() + Level/3 - time.Since(v.start)
		if limit == 0 || left < limit {
			limit = max(1, left)
		}
	}
	return limit
}

// awaitAll collects the answers. A member that fails or is late counts for no move. awaitAll returns false if
// the caller stopped the searches: their scores are then of unequal depth.
func (v examiner) awaitAll(ctx context.Context, x *examination, answers <-chan answer, maxWait time.Duration) bool {
	limit := v.limit
	defer limit.Stop()
	if maxWait > 0 {
		limit.Reset(maxWait)
	}
	for v.unanswered(x) > 0 {
		select {
		case a := <-answers:
			v.extra += a.reply.Nodes
			x.answers[a.seat] = append(x.answers[a.seat], a)
			x.failed[a.seat] = x.failed[a.seat] || a.err != nil
		case <-ctx.Done():
			v.stopped = true
			return false
		case <-limit.C:
			for _, seat := range x.seats {
				if len(x.answers[seat]) < len(x.moves) && !x.failed[seat] {
					x.failed[seat] = true
					v.runners[seat].note("late")
				}
			}
		}
	}
	return true
}

// unanswered returns the number of members from which answers are still expected.
func (v examiner) unanswered(x *examination) (n int) {
	return lists.Count(x.seats, func(seat int) bool { return !x.failed[seat] && len(x.answers[seat]) < len(x.moves) })
}

// judgements returns the examinations of all moves by the members that judged every move. It returns nil if
// there is no such member.
func (v examiner) judgements(x *examination) []voting.Examination {
	list := make([]voting.Examination, len(x.moves))
	for _, seat := range x.seats {
		var own []voting.Judgement
		for i, a := range x.answers[seat] {
			if j, ok := judgement(a, &x.after[i]); ok && !x.failed[seat] {
				own = append(own, j)
			}
		}
		if len(own) != len(list) {
			continue // without one of the moves its mean would be of other members
		}
		for i := range own {
			list[i].By = append(list[i].By, own[i])
		}
	}
	if len(list[0].By) == 0 {
		return nil
	}
	for i, m := range x.moves {
		list[i].Move = m.String()
	}
	return list
}

// judgement turns an answer about the position after a move into a judgement from the council's view. An
// opponent that resigns or declares a win counts as a mate that is not proven. ok is false without an exact score.
func judgement(a answer, after *shogi.Position) (j voting.Judgement, ok bool) {
	j = voting.Judgement{Member: a.seat, Nodes: a.reply.Nodes}
	best := a.reply.Best()
	if !best.Score.Proves() {
		best = a.reply.Scored()
	}
	s := ofOpponent(best.Score)
	switch {
	case a.err != nil || a.reply.Answer == usi.AnswerInvalid:
		return j, false
	case best.HasScore && (s.Bound == usi.Exact || s.Proves()):
		j.Proven = s.Mate < 0 && after.EndsInMate(best.PV) || s.Mate > 0 && losesByForce(after, best.PV)
	case a.reply.Answer == usi.AnswerResign:
		s = usi.Score{Mate: 1}
	case a.reply.Answer == usi.AnswerWin:
		s = usi.Score{Mate: -1}
	default:
		return j, false
	}
	s.Bound = usi.Exact
	j.ScoreRecord = voting.NewScoreRecord(&s, true)
	return j, true
}

// losesByForce reports whether the variation pv ends in the checkmate of the side to move in p.
func losesByForce(p *shogi.Position, pv []shogi.Move) bool {
	if len(pv) == 0 || p.CheckLegal(pv[0]) != nil {
		return false
	}
	next := *p
	next.Apply(pv[0])
	return next.EndsInMate(pv[1:])
}
