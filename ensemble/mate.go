package ensemble

import (
	"context"
	"time"

	"gogi/usi"
)

// Mate asks every member that can for a mate by the side to move. The first one
// that is found and ends in checkmate is the answer, and the others are stopped;
// else it is "no mate" if a member has proven that, "timeout" if any has
// searched, and "not implemented" if none can.
func (c *Council) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	start := time.Now()
	if err := c.follow(r.Position); err != nil {
		return usi.Checkmate{}, err
	}
	members, cancel := context.WithCancel(ctx)
	defer cancel()
	found := make(chan usi.Checkmate, len(c.seats)) // one from each member that is asked, never closed
	asked := 0
	for _, s := range c.seats {
		if s.condition() != conditionReady {
			continue
		}
		asked++
		own := r
		own.OnInfo = nil
		s.jobs <- func(life context.Context) { found <- s.mate(members, life, own) }
	}
	best := usi.Checkmate{Answer: usi.MateNotImplemented}
	for range asked {
		answer := <-found
		best.Nodes += answer.Nodes
		if c.better(answer, best) {
			nodes := best.Nodes
			best = answer
			best.Nodes = nodes
		}
		if best.Answer == usi.MateFound {
			cancel()
		}
	}
	best.Elapsed = time.Since(start)
	return best, nil
}

// mate asks one member; a failure counts as no answer.
func (s *seat) mate(ctx, life context.Context, r usi.Request) usi.Checkmate {
	p := s.player.Load()
	if p == nil {
		return usi.Checkmate{Answer: usi.MateNotImplemented}
	}
	m, ok := (*p).(mater)
	if !ok {
		return usi.Checkmate{Answer: usi.MateNotImplemented}
	}
	answer, err := m.Mate(ctx, r)
	if err != nil {
		if life.Err() == nil {
			s.failed(life, err)
		}
		return usi.Checkmate{Answer: usi.MateTimeout}
	}
	return answer
}

// better reports whether an answer says more than the best so far: a mate that
// is true, the shorter of two; a proof that there is none; that time was over.
func (c *Council) better(a, best usi.Checkmate) bool {
	rank := func(x usi.MateAnswer) int {
		switch x {
		case usi.MateFound:
			return 3
		case usi.MateNone:
			return 2
		case usi.MateTimeout, usi.MateInvalid:
			return 1
		case usi.MateNotImplemented:
		}
		return 0
	}
	if a.Answer == usi.MateFound {
		b := Ballot{Move: a.Moves[0], PV: a.Moves}
		if !mates(&c.line.position, &b) {
			return false
		}
		return best.Answer != usi.MateFound || len(a.Moves) < len(best.Moves)
	}
	return rank(a.Answer) > rank(best.Answer)
}
