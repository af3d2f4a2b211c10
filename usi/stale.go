package usi

import (
	"context"
	"time"

	"gogi/internal/sanitize"
)

// Some engines say bestmove twice. The second one, when it is late, arrives when the
// next search has begun, and stands where its answer is expected. It is told from an
// answer by the position, in which it is mostly illegal (always, where it says the
// move again that was just played), and by the information that belongs to a search
// and comes before its answer.

// StaleBestmove says whether an engine's answer had to do with such a second bestmove.
type StaleBestmove uint8

// What is known of it.
const (
	SecondNone      StaleBestmove = iota // nothing speaks for it
	SecondDropped                        // one came before the answer, and was dropped
	SecondSuspected                      // the answer is illegal, and may be one: no other came
)

// settle takes the event that ended a search for its answer, unless it is a second
// bestmove of the search before: then the answer is the one that follows, which it
// waits for until the deadline.
func (e *Engine) settle(ctx context.Context, s *search, r Request, ev event, stopped bool) (event, bool, StaleBestmove, error) {
	searched := e.searched
	e.searched = true
	if !searched || stopped || s.position != "" || ev.informed {
		return ev, stopped, SecondNone, nil
	}
	if e.illegal(r.Position, ev) {
		return e.awaitAnother(ctx, s, r.Deadline, ev)
	}
	if next, ok := e.in.behind(); ok && next.informed {
		return next, false, SecondDropped, nil
	}
	return ev, false, SecondNone, nil
}

// silence is how long an engine may say nothing at all after an illegal answer, before
// it is asked whether it searches: one that had nothing more to say would let the whole
// clock run.
const silence = 2 * time.Second

// awaitAnother waits for a bestmove beside the one that came, where there is a limit
// to that.
func (e *Engine) awaitAnother(ctx context.Context, s *search, deadline time.Duration, first event) (event, bool, StaleBestmove, error) {
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
			if ev.err == nil {
				return ev, false, SecondDropped, nil
			}
			return first, false, SecondSuspected, nil
		case <-silent.C:
			if e.in.isInformed() {
				continue
			}
			ev, _, second, err := e.stopAnother(&again, first)
			return ev, false, second, err // there was time left
		case <-end.C:
			return e.stopAnother(&again, first)
		case <-ctx.Done():
			return e.stopAnother(&again, first)
		}
	}
}

// stopAnother asks for the bestmove that may be outstanding. An engine without one has
// nothing to say, and that is no fault.
func (e *Engine) stopAnother(s *search, first event) (event, bool, StaleBestmove, error) {
	if err := e.write("stop\n", "saying stop"); err != nil {
		return first, false, SecondNone, err
	}
	timer := time.NewTimer(e.limits.Stop)
	defer timer.Stop()
	select {
	case ev := <-s.wait:
		if ev.err == nil {
			return ev, true, SecondDropped, nil
		}
	case <-timer.C:
		e.in.expectNothing()
	}
	return first, false, SecondSuspected, nil
}

// illegal reports whether an answer is a move that cannot be played.
func (e *Engine) illegal(p Position, ev event) bool {
	b := ParseBestmove(sanitize.Decode(ev.line))
	return b.Answer == AnswerMove && e.line.Follow(p) == nil && e.line.Position.CheckLegal(b.Move) != nil
}
