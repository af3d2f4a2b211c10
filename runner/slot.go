package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// slot plays one pair after the other and owns the players it has opened.
type slot struct {
	number  int
	config  Config
	late    *lateness
	failed  *firstError         // of the run
	starts  *semaphore.Weighted // of the run: engines that may be starting
	players map[int]Player      // open ones, by index into Plan.Players
}

// seat readies the two players of a game, both at once, since either may take
// minutes, and closes those that do not play in it. After an error both are
// closed: one may have been interrupted in the middle of a dialogue.
func (s *slot) seat(ctx context.Context, g match.Game) ([2]Player, error) {
	for i := range s.players {
		if i != g.Players[0] && i != g.Players[1] {
			s.discard(i)
		}
	}
	var seats [2]Player
	group, groupCtx := errgroup.WithContext(ctx)
	for c, index := range g.Players {
		open := s.players[index]
		group.Go(func() (err error) {
			seats[c], err = s.ready(groupCtx, open, index, usi.Game{Colour: shogi.Colour(c), Seed: g.Seed})
			return err
		})
	}
	err := group.Wait()
	for c, index := range g.Players {
		if seats[c] != nil {
			s.players[index] = seats[c]
		}
		if err != nil {
			s.discard(index)
		}
	}
	return seats, err
}

// ready opens a player if it is not open, and tells it that a game begins. The
// load of a start may come with either, so both count as the start.
func (s *slot) ready(ctx context.Context, p Player, index int, g usi.Game) (Player, error) {
	if p == nil {
		if err := s.starts.Acquire(ctx, 1); err != nil {
			return nil, context.Cause(ctx)
		}
		defer s.starts.Release(1)
		var err error
		if p, err = s.config.Open(ctx, s.specialise(index), nil); err != nil {
			return nil, fmt.Errorf("opening a player: %w", err)
		}
	}
	if err := p.NewGame(ctx, g); err != nil {
		return p, fmt.Errorf("beginning a game: %w", err)
	}
	return p, nil
}

// specialise fills the slot's number, and its GPU's, into a player's environment.
func (s *slot) specialise(index int) match.Player {
	p := s.config.Plan.Players[index]
	gpu := s.number / max(1, s.config.Plan.SlotsPerGPU)
	fill := strings.NewReplacer("{slot}", strconv.Itoa(s.number), "{gpu}", strconv.Itoa(gpu))
	env := make([]string, len(p.Env))
	for i, v := range p.Env {
		env[i] = fill.Replace(v)
	}
	p.Env = env
	return p
}

// warmUp starts the players that fill a cache at their first start, one after
// the other, and closes them again.
func (s *slot) warmUp(ctx context.Context) error {
	for i, p := range s.config.Plan.Players {
		if !p.WarmUp {
			continue
		}
		player, err := s.ready(ctx, nil, i, usi.Game{})
		if player != nil {
			err = errors.Join(err, player.Close())
		}
		if err != nil {
			return fmt.Errorf("runner: warming up %s: %w", p.Name, err)
		}
	}
	return nil
}

// discard closes a player; it is opened anew when it is needed again. That it
// did not close well changes no result, so it is told as an event only.
func (s *slot) discard(index int) {
	p, ok := s.players[index]
	if !ok {
		return
	}
	delete(s.players, index)
	if err := p.Close(); err != nil {
		s.config.Events.fault(s.config.Plan.Players[index].Name, "close", err.Error(), nil, s.number)
	}
}

// endGame closes the players that get a fresh process for each game.
func (s *slot) endGame(g match.Game) {
	for _, index := range g.Players {
		if s.config.Plan.Players[index].Restart == match.RestartGame {
			s.discard(index)
		}
	}
}

// endPair closes the players that get a fresh process for each pair.
func (s *slot) endPair(p match.Pair) {
	for _, index := range p.Players {
		if s.config.Plan.Players[index].Restart == match.RestartPair {
			s.discard(index)
		}
	}
}

func (s *slot) closeAll() error {
	var errs []error
	for _, p := range s.players {
		errs = append(errs, p.Close())
	}
	s.players = nil
	return errors.Join(errs...)
}
