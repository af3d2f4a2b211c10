package series

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"gogi/match"
	"gogi/match/control"
	"gogi/runner"
)

// ErrStopped is why the games of a session were cut that was told to stop.
var ErrStopped = errors.New("the run was told to stop")

// orders is what a session has been told, and whom it must tell.
type orders struct {
	mu      sync.Mutex // held for the whole of one command, so that log, events and slots agree
	playing bool
	room    func(slots int) error
	events  *runner.Events
	cancel  context.CancelCauseFunc
	target  int // pairs
	ended   bool
}

func (o *orders) begin(c Config, events *runner.Events, cancel context.CancelCauseFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.playing, o.room, o.events, o.cancel = true, c.Room, events, cancel
}

// end is the last moment for orders. It gives the target that holds, in pairs, and
// whether the session was told to end.
func (o *orders) end() (target int, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.playing = false
	return o.target, o.ended
}

// Control carries a command out, after it was logged and before it returns: a pause,
// a drain and fewer slots take effect as pairs in play are stored. What cannot be is
// an error that says why, and changes nothing; control.ErrOver before and after Play.
func (s *Series) Control(ctx context.Context, c control.Command) error {
	if err := c.Check(); err != nil {
		return err
	}
	o := &s.orders
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.playing {
		return control.ErrOver
	}
	wanted, err := s.wanted(c)
	if err != nil {
		return err
	}
	if err := s.store.Change(ctx, wanted.Pairs, wanted.Slots, wanted.Phase); err != nil {
		return err
	}
	o.events.Send(match.Event{
		Type: match.EventTold, Phase: wanted.Phase, Slots: wanted.Slots, Pairs: wanted.Pairs, Games: wanted.Pairs * s.plan.Legs(),
	}) // before it is done: nobody shall hear of a slot that is not told of, and a stop is heard
	s.turn(wanted)
	return nil
}

// session is how a session shall go on.
type session struct {
	Phase        match.RunPhase
	Pairs, Slots int
}

// wanted is how the session goes on after a command.
func (s *Series) wanted(c control.Command) (session, error) {
	phase, _ := s.valve.state()
	now := session{phase, s.orders.target, s.width.Slots()}
	switch c.Do {
	case control.Pause, control.Resume:
		now.Phase = match.RunPaused
		if c.Do == control.Resume {
			now.Phase = match.RunPlaying
		}
		if phase == match.RunDraining || phase == match.RunStopping {
			return now, fmt.Errorf("the run is %s already: %s comes too late", phase, c.Do)
		}
	case control.Drain:
		if phase != match.RunStopping {
			now.Phase = match.RunDraining
		}
	case control.Stop:
		now.Phase = match.RunStopping
	case control.Concurrency:
		now.Slots = c.N
		return now, s.fits(c.N)
	case control.Target:
		now.Pairs = c.N / s.plan.Legs()
		return now, s.mayEndAt(c.N)
	}
	return now, nil
}

// maxSlots bounds a slip of the finger: no machine has as many engines.
const maxSlots = 4096

// fits says why there cannot be so many slots.
func (s *Series) fits(slots int) error {
	if slots > maxSlots {
		return fmt.Errorf("%d games at a time: want at most %d", slots, maxSlots)
	}
	if s.orders.room == nil {
		return nil
	}
	return s.orders.room(slots)
}

// mayEndAt says why the run cannot have so many games. The greatest length of a
// sequential test is a part of the test.
func (s *Series) mayEndAt(games int) error {
	legs := s.plan.Legs()
	switch {
	case s.judge != nil:
		return errors.New("the run has a sequential test, whose greatest length is part of it: it can be drained or stopped")
	case games%legs != 0:
		return fmt.Errorf("%d games: pairs have %d games, and half a pair is never played", games, legs)
	case s.pairer != nil:
		return s.pairer.mayEndAt(games / legs)
	case s.tuned != nil:
		return s.tuned.mayEndAt(games / legs)
	}
	return nil
}

// turn makes the session go on as wanted.
func (s *Series) turn(wanted session) {
	o := &s.orders
	o.target = wanted.Pairs
	s.source.SetTarget(wanted.Pairs)
	if wanted.Phase == match.RunDraining {
		s.Drain()
	} else {
		s.valve.turn(wanted.Phase)
	}
	s.width.Set(wanted.Slots) // also begins slots that had found no more pairs
	if wanted.Phase == match.RunDraining || wanted.Phase == match.RunStopping {
		o.ended = true
	}
	if wanted.Phase == match.RunStopping {
		o.cancel(ErrStopped)
	}
}
