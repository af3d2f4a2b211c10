package ensemble

import (
	"context"
	"time"

	"gogi/usi"
)

// Mate asks every member that can search for a mate for a mate by the side to move. It returns the first mate
// that ends in checkmate, and stops the other members. Without a mate it returns "no mate" if a member has
// proven that there is none. Otherwise it returns "timeout" if any member has searched, and "not implemented"
// if no member can search for a mate.
func (c *Council) Mate(ctx context.Context, r usi.Request) (usi.Checkmate, error) {
	v := &vote{Council: c, request: r, start: time.Now()}
	if err := c.follow(r.Position); err != nil {
		return usi.Checkmate{}, err
	}
	members, cancel := context.WithCancel(ctx)
	defer cancel()                                    // stops late members
	found := make(chan usi.Checkmate, len(c.runners)) // one from each member that is asked, never closed
	asked := 0
	for _, s := range c.runners {
		if !s.free() {
			continue
		}
		asked++
		own := r
		own.OnInfo, own.Deadline = nil, v.memberDeadline()
		s.jobs <- func(life context.Context) { s.mate(members, life, own, found) }
	}
	best := v.bestMate(ctx, cancel, asked, found)
	best.Elapsed = time.Since(v.start)
	return best, nil
}

// bestMate waits for the members' answers and returns the best one. After the first mate it waits only for
// stopGrace. It does not wait beyond the deadline for late members.
func (v *vote) bestMate(ctx context.Context, cancel context.CancelFunc, asked int, found <-chan usi.Checkmate) usi.Checkmate {
	best := usi.Checkmate{Answer: usi.MateNotImplemented}
	limit := stoppedTimer()
	defer limit.Stop()
	if v.request.Deadline > 0 {
		limit.Reset(v.hardDeadline() - time.Since(v.start))
	}
	for done := ctx.Done(); asked > 0; {
		select {
		case a := <-found:
			asked--
			nodes := best.Nodes + a.Nodes
			if !v.isTrue(&a) {
				a = usi.Checkmate{Answer: usi.MateTimeout} // it searched, and found nothing
			}
			if better(a, best) {
				best = a
			}
			best.Nodes = nodes
			if a.Answer == usi.MateFound {
				cancel()
				limit.Reset(stopGrace)
			}
		case <-done:
			done = nil
			limit.Reset(stopGrace)
		case <-limit.C:
			if best.Answer == usi.MateNotImplemented {
				best.Answer = usi.MateTimeout // a late member is searching
			}
			return best
		}
	}
	return best
}

// mate asks one member for a mate. If the member fails, its answer is "timeout".
func (s *memberRunner) mate(ctx, life context.Context, r usi.Request, to chan<- usi.Checkmate) {
	m, ok := playerAs[mater](s)
	if !ok {
		to <- usi.Checkmate{Answer: usi.MateNotImplemented}
		return
	}
	s.pondered = ""
	answer, err := m.Mate(ctx, r)
	if err != nil {
		s.broke(err)
		to <- usi.Checkmate{Answer: usi.MateTimeout} // before it is started again, which may take minutes
		if life.Err() == nil {
			s.failed(life, err)
		}
		return
	}
	to <- answer
}

// isTrue reports whether the mate of an answer ends in checkmate. It returns true for an answer without a
// mate.
func (c *Council) isTrue(a *usi.Checkmate) bool {
	if a.Answer != usi.MateFound {
		return true
	}
	return c.line.Position.EndsInMate(a.Moves)
}

// better reports whether answer a is better than best. A mate is better than a proof that there is no mate,
// and such a proof is better than a timeout. The shorter of two mates is better.
func better(a, best usi.Checkmate) bool {
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
		return best.Answer != usi.MateFound || len(a.Moves) < len(best.Moves)
	}
	return rank(a.Answer) > rank(best.Answer)
}
