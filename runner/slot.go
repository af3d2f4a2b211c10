package runner

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"gogi/internal/hurry"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/shogi"
	"gogi/usi"
)

// slot plays pairs one after the other, and keeps its players open between games.
type slot struct {
	*run
	number  int
	events  *Events         // of the lease or of the run; may be nil
	retired <-chan struct{} // closed when the slot must take no more pairs; nil means never
	open    []seated        // least recently used first
	// referee is the referee of the latest game, for the plan refereed. The next game of that plan reuses its memory.
	referee  *arbiter.Referee
	refereed *match.Plan
	chance   *arbiter.Chance // of the current game if it is self-play, else nil
	plies    int             // of the latest finished game; the capacity of the next record
	watch    moveWatch       // of the current move
}

// refereeFor returns a referee for a new game of a plan, with the position after the opening o.
func (s *slot) refereeFor(plan *match.Plan, o match.Opening) (*arbiter.Referee, error) {
	if s.referee == nil || s.refereed != plan {
		s.referee, s.refereed = arbiter.BlankReferee(plan.Rules), plan
	}
	if err := s.referee.Begin(o); err != nil {
		return nil, err
	}
	return s.referee, nil
}

// seat identifies a player of a plan by its index.
type seat struct {
	plan  *match.Plan
	index int
}

// solverSeat is the index of a plan's mate solver, which is not a player of the plan.
const solverSeat = -1

func (s seat) engine() match.Player {
	if s.index == solverSeat {
		return *s.plan.Mate.Solver
	}
	return s.plan.Players[s.index]
}

func (s seat) name() string { return s.engine().Name }

// seated is an open player.
type seated struct {
	seat
	player Player
	side   int  // the slot's CPU set on which it runs: 0 or 1
	looked bool // its CPU affinity was checked
}

// seatBoth prepares the two players of a game at the same time, because each may take minutes. It first closes players
// that exceed Config.OpenPerSlot. After an error it closes both players, because one may have been interrupted within a
// dialogue.
func (s *slot) seatBoth(ctx context.Context, plan *match.Plan, g match.Game) ([2]Player, error) {
	seats := [2]seat{{plan, g.Players[0]}, {plan, g.Players[1]}}
	s.makeRoom(seats)
	if s.chance != nil {
		return s.seatAlone(ctx, seats[0], g)
	}
	sides := s.sides(seats)
	var players [2]Player
	group, groupCtx := errgroup.WithContext(ctx)
	for c, at := range seats {
		open := s.playerAt(at)
		group.Go(func() (err error) {
			players[c], err = s.ready(groupCtx, open, at, s.cpus(sides[c]), usi.Game{
				Colour: shogi.Colour(c), Seed: g.Seed, Pair: g.Pair, Leg: g.Leg, Slot: s.number, Options: settings(g.Options[c]),
			})
			return err
		})
	}
	err := group.Wait()
	for c, at := range seats {
		if players[c] != nil {
			s.use(at, players[c], sides[c])
		}
	}
	if err != nil {
		s.discard(seats[:]...)
	}
	return players, err
}

// settings returns options as the settings that are sent to an engine.
func settings(options []match.Option) []usi.Setting {
	return lists.Map(options, func(o match.Option) usi.Setting { return usi.Setting(o) })
}

// makeRoom closes the least recently used players, so that at most Config.OpenPerSlot players are open, including the
// players of the next game.
func (s *slot) makeRoom(next [2]seat) {
	var idle []seat
	for _, o := range s.open {
		solves := o.index == solverSeat && o.plan == next[0].plan
		if o.seat != next[0] && o.seat != next[1] && !solves {
			idle = append(idle, o.seat)
		}
	}
	keep := max(len(next), s.config.OpenPerSlot) - len(next)
	s.discard(idle[:max(0, len(idle)-keep)]...)
}

func (s *slot) indexOf(at seat) int {
	return slices.IndexFunc(s.open, func(o seated) bool { return o.seat == at })
}

// playerAt returns the open player of a seat, or nil.
func (s *slot) playerAt(at seat) Player {
	if i := s.indexOf(at); i >= 0 {
		return s.open[i].player
	}
	return nil
}

// use marks a player as open and most recently used. side is the CPU set on which it runs: 0 or 1.
func (s *slot) use(at seat, p Player, side int) {
	o := seated{seat: at, player: p, side: side}
	if i := s.indexOf(at); i >= 0 {
		o.looked = s.open[i].looked && s.open[i].player == p
		s.open = slices.Delete(s.open, i, i+1)
	}
	s.open = append(s.open, o)
}

// ready opens a player if it is not open, and begins a new game. Both steps count as the start, because an engine may
// load its data in either of them. If the process ended by itself after its last game, ready opens the player again.
func (s *slot) ready(ctx context.Context, p Player, at seat, cpus []int, g usi.Game) (_ Player, err error) {
	if p != nil {
		err := p.NewGame(ctx, g)
		if fault, ok := errors.AsType[*usi.Fault](err); !ok || !fault.Exited || s.chance != nil {
			return p, beginning(err)
		}
		_ = p.Close() // the process has already ended
	}
	if err := s.starts.Acquire(ctx, 1); err != nil {
		return nil, context.Cause(ctx)
	}
	defer s.starts.Release(1)
	began := time.Now()
	defer func() { s.started(ctx, at, time.Since(began), err) }()
	if p, err = s.opener(at.plan)(ctx, at.engine().InSlot(s.number, at.plan.SlotsPerGPU), cpus); err != nil {
		return nil, fmt.Errorf("opening a player: %w", err)
	}
	return p, beginning(p.NewGame(ctx, g))
}

func beginning(err error) error {
	if err != nil {
		return fmt.Errorf("beginning a game: %w", err)
	}
	return nil
}

func (s *slot) opener(plan *match.Plan) Opener {
	if s.config.OpenFor == nil {
		return s.config.Open
	}
	return s.config.OpenFor(plan)
}

// started calls Config.Started after a start of a player, unless the start was cancelled. took is the duration of the
// start. why is the error of the start, or nil.
func (s *slot) started(ctx context.Context, at seat, took time.Duration, why error) {
	if s.config.Started != nil && (why == nil || ctx.Err() == nil) {
		s.config.Started(at.name(), took, why)
	}
}

// warmUp starts and closes, one after the other, the players of a plan that fill a cache at their first start. It does
// so once in each run. Slots with the same plan wait until warmUp is done.
func (s *slot) warmUp(ctx context.Context, plan *match.Plan) error {
	ctx, stop := hurry.Start(ctx, s.config.Ending)
	defer stop()
	if !slices.ContainsFunc(plan.Players, func(p match.Player) bool { return p.WarmUp }) {
		return nil
	}
	if err := s.warming.Acquire(ctx, 1); err != nil {
		return context.Cause(ctx)
	}
	defer s.warming.Release(1)
	if s.warm[plan] {
		return nil
	}
	for i, p := range plan.Players {
		if !p.WarmUp {
			continue
		}
		at := seat{plan, i}
		player, err := s.ready(ctx, nil, at, nil, usi.Game{Pair: usi.NoPair, Slot: s.number})
		if player != nil {
			s.end(seated{seat: at, player: player})
		}
		if err != nil {
			return fmt.Errorf("warming up %s: %w", p.Name, endOf(ctx, err))
		}
	}
	s.warm[plan] = true
	return nil
}

// discard closes the players of the seats concurrently, because each may take long. The slot opens them again when it
// needs them.
func (s *slot) discard(seats ...seat) {
	var ends sync.WaitGroup
	for _, at := range seats {
		if i := s.indexOf(at); i >= 0 {
			o := s.open[i]
			s.open = slices.Delete(s.open, i, i+1)
			ends.Go(func() { s.end(o) })
		}
	}
	ends.Wait()
}

// slowEnd is the time after which the slot reports that a player is still ending. Killing an engine takes one
// second, and freeing 100 GB of memory some more, see package process.
const slowEnd = 5 * time.Second

// end closes a player and waits for it, because the next player needs its memory and its CPUs. A bad or late end
// changes no result, so end only reports it as an event.
func (s *slot) end(o seated) {
	closed := make(chan error, 1) // one value, from the goroutine; never closed
	go func() { closed <- o.player.Close() }()
	slow := time.NewTimer(slowEnd)
	defer slow.Stop()
	var err error
	select {
	case err = <-closed:
	case <-slow.C:
		s.trouble(o, fmt.Sprintf("still ending after %v; slot %d waits for it", slowEnd, s.number))
		err = <-closed
	}
	if err != nil {
		s.trouble(o, err.Error())
	}
}

func (s *slot) trouble(o seated, note string) {
	s.events.fault(o.name(), "close", note, nil, s.number)
}

// endGame closes, between the games of a pair, the players that get a new process for each game.
func (s *slot) endGame(l Lease) {
	for _, index := range l.Pair.Players {
		if l.Plan.Players[index].Restart == match.RestartGame {
			s.discard(seat{l.Plan, index})
		}
	}
}

// endPair closes, after a pair, the players that get a new process for each pair or game.
func (s *slot) endPair(l Lease) {
	if l.Plan == nil {
		return
	}
	s.endGame(l)
	for _, index := range l.Pair.Players {
		p := &l.Plan.Players[index]
		if p.Restart == match.RestartPair || l.Plan.Design.Kind == match.DesignSelfplay || l.Fresh && !p.Builtin {
			s.discard(seat{l.Plan, index})
		}
	}
}

// closeAll closes all players.
func (s *slot) closeAll() {
	seats := lists.Map(s.open, func(o seated) seat { return o.seat })
	s.discard(seats...)
}
