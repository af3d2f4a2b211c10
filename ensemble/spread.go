package ensemble

import (
	"context"
	"slices"
	"time"

	"gogi/ensemble/voting"
	"gogi/shogi"
	"gogi/usi"
)

// Spread configures pondering. By default, which is the zero value, all members ponder on the opponent's
// reply that the vote expects. With On, the members ponder on different replies.
type Spread struct {
	On    bool // each member thinks on another expected reply, if there are enough
	Votes bool // after a ponder hit all members are asked; by default only the members with the hit are
}

// pondered is the reply on which a member thinks on the opponent's time.
type pondered struct {
	seat     int
	reply    shogi.Move
	position string
	player   *Player // the member's player; one that is started again does not think on the reply
}

// spread chooses a reply for each member that is not busy, the leader first. The leader is the member with the
// largest weight. It returns nil if spread is off, or if the request does not follow the council's last decision.
func (c *Council) spread(r *usi.Request) []pondered {
	ply := len(r.Position.Moves) - 2
	if !c.config.Spread.On || ply < 0 || len(c.observed) == 0 {
		return nil
	}
	last := &c.observed[len(c.observed)-1]
	if last.ply != ply || !last.leadsTo(r.Position.Moves) {
		return nil
	}
	seats := c.ponderSeats(last.decision.Leader)
	replies := c.replies(last, r.Position.Moves[ply+1], len(seats))
	list := make([]pondered, len(seats))
	for i, seat := range seats {
		reply := replies[i%len(replies)]
		p := r.Position
		p.Moves = append(slices.Clone(p.Moves[:ply+1]), reply)
		list[i] = pondered{seat, reply, p.String(), c.runners[seat].player.Load()}
	}
	return list
}

// ponderSeats returns the members that can ponder and are not busy, in their order, but with the leader first.
func (c *Council) ponderSeats(leader int) (seats []int) {
	for i, s := range c.runners {
		if _, can := playerAs[ponderer](s); !can || !s.free() {
			continue
		}
		if i == leader {
			seats = slices.Insert(seats, 0, i)
		} else {
			seats = append(seats, i)
		}
	}
	return seats
}

// replies returns at most limit legal replies to the played move, the most likely one first. It begins with the
// parameter first, which is the reply that the council expects. Then come the replies that the backers of the played
// move expect. They are sorted by the number of backers, then by weight, then by the order of the members.
func (c *Council) replies(o *observed, first shogi.Move, limit int) []shogi.Move {
	next := o.position
	next.Apply(o.decision.Move)
	weights := c.session.Weights()
	var list []voting.Candidate
	for i := range o.ballots {
		b := &o.ballots[i]
		if b.Kind == voting.KindMove && b.Move == o.decision.Move && b.Ponder != first && next.CheckLegal(b.Ponder) == nil {
			x := voting.CandidateOf(&list, b.Ponder)
			x.Value, x.Weight = x.Value+1, x.Weight+weights[b.Member]
		}
	}
	slices.SortStableFunc(list, func(a, b voting.Candidate) int {
		if a.Value != b.Value {
			return int(b.Value - a.Value)
		}
		return voting.CompareSums(b.Weight, a.Weight)
	})
	moves := []shogi.Move{first}
	for i := range list[:min(len(list), max(0, limit-1))] {
		moves = append(moves, list[i].Move)
	}
	return moves
}

// recall compares the position with those on which the members think. After a ponder hit the members with the hit
// answer alone, unless Spread.Votes is set. The other members end their searches. If ctx has ended, a GUI has stopped
// the search on the first reply: the others continue, because their replies may still be played.
func (v *vote) recall(ctx context.Context) {
	var hits []int
	for _, p := range v.pondering {
		v.replied = append(v.replied, voting.PonderRecord{Member: p.seat, Reply: p.reply.String()})
		if s := v.runners[p.seat]; p.position == v.request.Position.String() && s.free() && s.player.Load() == p.player {
			hits = append(hits, p.seat)
		}
	}
	slices.Sort(hits)
	if v.hits = hits; len(hits) > 0 && (!v.config.Spread.Votes || ctx.Err() != nil) {
		for i, s := range v.runners {
			if !slices.Contains(hits, i) && s.condition() == conditionReady {
				v.spared = append(v.spared, i)
			}
		}
	}
	if ctx.Err() != nil {
		return
	}
	for _, i := range v.spared {
		v.runners[i].rest(v.request.Deadline)
	}
	v.pondering = nil
}

// rest ends the member's search on the opponent's time. deadline is the maximum time of the council's move.
func (s *memberRunner) rest(deadline time.Duration) {
	if !s.free() {
		return // it is still busy with an earlier request, and stops at the next one
	}
	s.jobs <- func(life context.Context, s *memberRunner) {
		r, ok := playerAs[rester](s)
		s.pondered = ""
		if !ok {
			return
		}
		if err := r.Rest(context.WithoutCancel(life), deadline); err != nil && life.Err() == nil {
			s.failed(life, err)
		}
	}
}

// Rest ends the members' searches on the opponent's time. If this council is a member of an outer council, the outer
// council calls Rest when the opponent plays the expected reply of another member. deadline is the maximum time of the
// outer council's move.
func (c *Council) Rest(_ context.Context, deadline time.Duration) error {
	for _, s := range c.runners {
		s.rest(deadline)
	}
	c.pondering = nil
	return nil
}
