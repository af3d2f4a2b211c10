package runner

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sync/errgroup"

	"gogi/match"
)

// slot plays one pair after the other and owns the players it has opened.
type slot struct {
	number  int
	config  Config
	late    *lateness
	players map[int]Player // open ones, by index into Plan.Players
}

func newSlot(number int, c Config, late *lateness) *slot {
	return &slot{number: number, config: c, late: late, players: map[int]Player{}}
}

// seat opens what is missing of the two players of a game, both at once, and
// closes those that do not play in it.
func (s *slot) seat(ctx context.Context, g match.Game) ([2]Player, error) {
	for i := range s.players {
		if i != g.Players[0] && i != g.Players[1] {
			s.discard(i)
		}
	}
	var seats [2]Player
	var group errgroup.Group
	for c, index := range g.Players {
		if p, ok := s.players[index]; ok {
			seats[c] = p
			continue
		}
		group.Go(func() (err error) {
			seats[c], err = s.config.Open(ctx, s.specialise(index), nil)
			return err
		})
	}
	err := group.Wait()
	for c, index := range g.Players {
		if seats[c] != nil {
			s.players[index] = seats[c]
		}
	}
	if err != nil {
		return seats, fmt.Errorf("opening the players: %w", err)
	}
	return seats, nil
}

// specialise fills the slot's number into a player's environment.
func (s *slot) specialise(index int) match.Player {
	p := s.config.Plan.Players[index]
	env := make([]string, len(p.Env))
	for i, v := range p.Env {
		env[i] = strings.ReplaceAll(v, "{slot}", strconv.Itoa(s.number))
	}
	p.Env = env
	return p
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
