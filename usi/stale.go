package usi

import (
	"context"
	"time"

	"gogi/internal/sanitize"
)

// Some engines send bestmove twice. A late second bestmove arrives after the next search has begun and looks
// like its answer. Two signs distinguish the two. First, the late move is mostly illegal in the new position
// (always, if it repeats the move that was just played). Second, no info line of the new search comes before
// it.

// StaleBestmove is the result of a check for engines that send bestmove twice: whether a second bestmove of
// the previous search arrived before the answer of this search.
type StaleBestmove uint8

// These are the values of StaleBestmove.
const (
	SecondNone      StaleBestmove = iota // no sign of a second bestmove
	SecondDropped                        // a second bestmove came before the answer, and gogi dropped it
	SecondSuspected                      // the answer is illegal and may be a second bestmove; no other bestmove came
)

// settle returns the answer of a search that ended with ev. stopped means that gogi had sent stop; the bool result
// has the same meaning. If ev is a second bestmove of the previous search, settle waits for the next bestmove until
// the deadline.
func (e *Engine) settle(ctx context.Context, s *search, r Request, ev event, stopped bool) (event, bool, StaleBestmove,
	error) {
	searched := e.searched
	e.searched = true
	if !searched || stopped || s.position != "" || ev.informed {
		return ev, stopped, SecondNone, nil
	}
	if illegal(e, r.Position, ev) {
		return e.awaitAnother(ctx, s, r.Deadline, ev)
	}
	if next, ok := e.in.behind(); ok && next.informed {
		return next, false, SecondDropped, nil
	}
	return ev, false, SecondNone, nil
}

// silence is how long an engine may send nothing after an illegal answer, before settle sends stop. Without
// this limit, an engine that sends nothing more would use its whole clock.
const silence = 2 * time.Second

// awaitAnother waits for another bestmove after first, if the search has a deadline. Its results are as in settle. If
// the engine exits before it answers, this is a crash. Otherwise equal games would end as a crash or as an illegal
// move, by whether gogi sees the second bestmove or the exit first.
func (e *Engine) awaitAnother(ctx context.Context, s *search, deadline time.Duration, first event) (event, bool,
	StaleBestmove, error) {
	if deadline <= 0 {
		return first, false, SecondSuspected, nil
	}
	again := *s
	again.wait = e.in.expectAnother()
	end := time.NewTimer(deadline - time.Since(s.start))
	defer end.Stop()
	silent := time.NewTimer(silence)
	defer silent.Stop()
	for {
		select {
		case ev := <-again.wait:
			return ev, false, SecondDropped, e.check(ev, "thinking")
		case <-silent.C:
			if e.in.isInformed() {
				continue
			}
			ev, _, second, err := e.stopAnother(&again, first)
			return ev, false, second, err // the deadline has not passed
		case <-end.C:
			return e.stopAnother(&again, first)
		case <-ctx.Done():
			return e.stopAnother(&again, first)
		}
	}
}

// stopAnother sends stop to get a bestmove that the engine may still send. If no line follows, this is no fault, and
// first is the answer. Its results are as in settle.
func (e *Engine) stopAnother(s *search, first event) (event, bool, StaleBestmove, error) {
	if err := e.write("stop\n", "saying stop"); err != nil {
		return first, false, SecondNone, err
	}
	timer := time.NewTimer(e.limits.Stop)
	defer timer.Stop()
	select {
	case ev := <-s.wait:
		return ev, true, SecondDropped, e.check(ev, "stopping")
	case <-timer.C:
		e.in.expectNothing()
	}
	return first, false, SecondSuspected, nil
}

// illegal reports whether an answer is a move that is illegal in this position.
func illegal(e *Engine, p Position, ev event) bool {
	b := ParseBestmove(sanitize.Decode(ev.line))
	return b.Answer == AnswerMove && e.line.Follow(p) == nil && e.line.Position.CheckLegal(b.Move) != nil
}
