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

// ErrStopped is the cancellation cause of games that a stop command ends.
var ErrStopped = errors.New("the run was told to stop")

// orders has the state that Control changes, and the functions that it calls after a change.
type orders struct {
	mu      sync.Mutex // held during a whole command, so that log, events and slots agree
	playing bool
	fits    func(slots int) error // Config.Fits
	events  *runner.Events
	cancel  context.CancelCauseFunc
	target  int // pairs
	ended   bool
}

func (o *orders) begin(c Config, events *runner.Events, cancel context.CancelCauseFunc) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.playing, o.fits, o.events, o.cancel = true, c.Fits, events, cancel
}

// end makes Control reject further commands. target is the planned number of pairs. ended reports whether a command
// ended the session.
func (o *orders) end() (target int, ended bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.playing = false
	return o.target, o.ended
}

// Control executes a command of a user, after it has logged the command in the store. A pause, a drain (no
// new pairs) or a smaller number of slots does not interrupt the pairs in play. If a command is impossible,
// Control returns an error and changes nothing. Before and after Play the error is control.ErrOver.
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
		Type: match.EventControl, Phase: wanted.Phase, Slots: wanted.Slots, Pairs: wanted.Pairs,
		Games: wanted.Pairs * s.plan.Legs(),
	}) // first, so that no event comes from an unknown slot, and subscribers get the event of a stop
	s.turn(wanted)
	return nil
}

// session has the settings of a session that a command can change.
type session struct {
	Phase        match.RunPhase
	Pairs, Slots int
}

// wanted returns the settings that the session will have after the command c, or an error if the command is
// impossible.
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

// maxSlots is the maximum number of slots that a command may set. A larger number is certainly a typing error.
const maxSlots = 4096

// fits returns an error if the run cannot have this number of slots.
func (s *Series) fits(slots int) error {
	if slots > maxSlots {
		return fmt.Errorf("%d games at a time: want at most %d", slots, maxSlots)
	}
	if s.orders.fits == nil {
		return nil
	}
	return s.orders.fits(slots)
}

// mayEndAt returns an error if the length of the run cannot be changed to this number of games. A sequential test gets
// its maximum at the start of the session.
func (s *Series) mayEndAt(games int) error {
	legs := s.plan.Legs()
	switch {
	case s.judge != nil:
		return errors.New("the run has an SPRT, whose maximum changes only between sessions: stop the run, and start it again with another --games")
	case games/legs > match.MaxPairs:
		return fmt.Errorf("%d games: expected at most %d", games, match.MaxPairs*legs)
	case games%legs != 0:
		return fmt.Errorf("%d games: pairs have %d games, and half a pair is never played", games, legs)
	case s.pairer != nil:
		return s.pairer.mayEndAt(games / legs)
	case s.tuned != nil:
		return s.tuned.mayEndAt(games / legs)
	}
	return nil
}

// turn applies new settings to the session.
func (s *Series) turn(wanted session) {
	o := &s.orders
	o.target = wanted.Pairs
	s.source.SetTarget(wanted.Pairs)
	if wanted.Phase == match.RunDraining {
		s.Drain()
	} else {
		s.valve.turn(wanted.Phase)
	}
	s.width.Set(wanted.Slots) // also restarts slots that had found no more pairs
	if wanted.Phase == match.RunDraining || wanted.Phase == match.RunStopping {
		o.ended = true
	}
	if wanted.Phase == match.RunStopping {
		o.cancel(ErrStopped)
	}
}
