package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"golang.org/x/sync/semaphore"

	"gogi/internal/hurry"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/usi"
)

// Config has the settings for one call of [Run].
type Config struct {
	Plan   *match.Plan // the plan of leases without one; may be nil if all leases have one
	Source Source
	Sink   Sink
	Open   Opener
	// OpenFor, if not nil, returns the Opener for the players of a lease's plan. It overrides Open. The runner
	// calls OpenFor at each start of a player.
	OpenFor func(plan *match.Plan) Opener
	Events  *Events // may be nil
	// Started, if not nil, is called at each start of a player, concurrently by all slots. The duration is the time
	// until the player was ready for its first game. The error is nil if the player became ready. Started is not
	// called for cancelled starts.
	Started func(player string, took time.Duration, why error)

	// CPUs are the CPU sets of each slot, one for each of the two players; equal sets are shared.
	// Slots beyond the end of the list use all CPUs.
	CPUs [][2][]int

	// Waits returns the longest wait of a thread of this program for a CPU since its last call; nil means unknown.
	// The runner calls it many times a second.
	Waits func() time.Duration

	Concurrency   int    // the number of slots; 0 means the plan's
	Width         *Width // the number of slots if it may change; overrides Concurrency; may be nil
	StartParallel int    // how many engines may start at the same time; 0 means the plan's
	// OpenPerSlot is the number of players that a slot keeps open, including those that play. The slot closes the
	// least recently used player first. At least 2; 0 means 2.
	OpenPerSlot int
	// Ending, if not nil, is closed when the run shall play no further pairs. From then on the slot closes a player
	// whose start takes longer than hurry.Grace, and returns its pair with hurry.ErrEnding.
	Ending <-chan struct{}
	// OnlyReturn makes an unplayable pair no failure of the run. The slot returns it with its *Unplayable, and
	// the source decides which pair to play instead.
	OnlyReturn bool
}

// attempts is the maximum number of attempts at a pair. If each of them fails before a game's first move, the run
// ends. If the plan's Slowed is PolicyVoid, an attempt in which the machine delayed a move does not count either, but
// gogi accepts the last attempt.
const attempts = 3

// standstillAttempts is the maximum number of consecutive attempts at a pair that a Standstill interrupts. Then the run
// ends, because the machine does not run this program long enough for one pair.
const standstillAttempts = 14

// Run plays pairs until the source has no more, and then closes all players.
//
// Only the end of ctx interrupts games in play; Run then returns the cause. A failure in one slot stops no
// game of another slot. The run fails if players repeatedly cannot be started or reached, or if the source or
// the sink returns an error. Then no slot takes another pair, and every wait for a pair ends. Slots finish
// the games in play and give their pairs to the sink. They return the other pairs. If a [Standstill] of the
// machine interrupts a pair, Run plays the pair again at once. Fourteen standstills in a row also fail the
// run.
//
// A player that fails in a game loses the game, and the run continues. The run also continues after a source
// revokes a lease, and if a player does not close properly or in time. In the last case Run sends an event
// and waits for the player.
//
// Run sends the "pair" event only if the sink has added the pair. If the pair was already stored, its games
// do not count. Run has then already sent the end events of these games. It therefore sends a fault event of
// kind "unplayed" for all games that do not count.
func Run(ctx context.Context, c Config) error {
	r, err := newRun(c)
	if err != nil {
		return err
	}
	return r.play(ctx)
}

// run is the state that all slots share.
type run struct {
	config Config
	late   *lateness
	bound  bound
	failed *failure
	starts *semaphore.Weighted // limits the players that start at the same time

	devices devices

	warming *semaphore.Weighted // of weight 1; guards warm and the warm-up
	warm    map[*match.Plan]bool
}

func newRun(c Config) (*run, error) {
	starts := c.StartParallel
	if c.Plan != nil {
		c.Concurrency = cmp.Or(c.Concurrency, c.Plan.Concurrency)
		starts = cmp.Or(starts, c.Plan.StartParallel)
	}
	if c.Width == nil && c.Concurrency > 0 {
		c.Width = NewWidth(c.Concurrency)
	}
	if c.Width == nil {
		return nil, fmt.Errorf("runner: %d slots: want at least one, from Config.Concurrency or the plan", c.Concurrency)
	}
	late := &lateness{now: time.Now, other: readOffsets, waits: c.Waits, kernel: c.Waits != nil}
	if c.Waits == nil {
		late.waits = func() time.Duration { return 0 }
	}
	return &run{
		config: c, late: late,
		failed:  &failure{happened: make(chan struct{})},
		starts:  semaphore.NewWeighted(int64(cmp.Or(starts, match.DefaultStartParallel))),
		warming: semaphore.NewWeighted(1), warm: map[*match.Plan]bool{},
	}, nil
}

func (r *run) play(ctx context.Context) error {
	if r.config.Plan != nil {
		err := (&slot{run: r, events: r.config.Events}).warmUp(ctx, r.config.Plan)
		if err != nil && !errors.Is(err, hurry.ErrEnding) { // an ending source has no more pairs
			return fmt.Errorf("runner: %w", err)
		}
	}
	watching, stop := context.WithCancel(ctx)
	r.late.start(watching)
	r.config.Width.run(func(number int, retired <-chan struct{}) bool {
		return (&slot{run: r, events: r.config.Events, number: number, retired: retired}).work(ctx)
	})
	stop()
	r.late.wait()
	return r.failed.result()
}

// work plays pairs until none are left, the run fails, ctx ends or the run needs fewer slots. retired is true only if
// work ended because the run needs fewer slots.
func (s *slot) work(ctx context.Context) (retired bool) {
	defer s.closeAll()
	defer s.watch.close()
	for {
		lease, ok, retired := s.next(ctx)
		if !ok {
			return retired
		}
		s.serve(ctx, lease)
	}
}

// next waits for a lease. ok is false if this slot must take no more pairs. If a lease arrives while the slot ends, the
// slot still plays it, because the source would not give it to another slot.
func (s *slot) next(ctx context.Context) (l Lease, ok, retired bool) {
	waiting, stop := s.waiting(ctx)
	defer stop()
	err := s.over(waiting)
	if err == nil {
		l, err = s.config.Source.Next(waiting)
		if over := s.over(ctx); over != nil {
			if err == nil { // the lease arrived too late
				l.Return(over)
			}
			err = over
		}
	}
	switch {
	case err == nil:
		return l, true, false
	case ctx.Err() != nil:
		s.failed.setCut(context.Cause(ctx))
	case errors.Is(context.Cause(waiting), errRetired):
		return Lease{}, false, true
	case !errors.Is(err, io.EOF):
		s.failed.set(fmt.Errorf("runner: waiting for a pair: %w", err))
	}
	return Lease{}, false, false
}

// waiting returns a context that ends with ctx, when the run fails, and when the run no longer needs the slot.
func (s *slot) waiting(ctx context.Context) (context.Context, func()) {
	ctx, stop := s.failed.until(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	retire := func() { cancel(errRetired) }
	select {
	case <-s.retired: // end it before the caller begins to wait
		retire()
	default:
	}
	end := afterClose(ctx, s.retired, retire)
	return ctx, func() { end(); cancel(nil); stop() }
}

// over returns the reason why no slot may take another pair: the end of ctx or the failure of a slot. Otherwise it
// returns nil.
func (s *slot) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.failed.get()
}

// serve plays the pair of a lease. Then it stores the result, or returns the lease if the pair is unplayed.
func (s *slot) serve(ctx context.Context, l Lease) {
	if l.Plan == nil {
		l.Plan = s.config.Plan
	}
	s.events = cmp.Or(l.Events, s.config.Events)
	result, err := s.playLease(ctx, l)
	if err == nil {
		s.put(ctx, l, result)
	} else {
		s.giveBack(ctx, l, result.Attempts, err)
	}
	s.endPair(l) // last, because engines may take minutes to end
}

// playLease plays the pair of a lease until the lease is revoked.
func (s *slot) playLease(ctx context.Context, l Lease) (match.PairResult, error) {
	if l.Plan == nil {
		return match.PairResult{}, fmt.Errorf("runner: pair %d: neither its lease nor the run has a plan", l.Pair.ID)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if l.Revoked != nil {
		defer afterClose(ctx, l.Revoked, func() { cancel(ErrRevoked) })()
	}
	return s.playPair(ctx, l)
}

// put stores a finished pair, even if the run was just cancelled.
func (s *slot) put(ctx context.Context, l Lease, r match.PairResult) {
	ctx, cancel := outlasting(ctx)
	defer cancel()
	added, err := s.config.Sink.Put(ctx, l, r)
	switch {
	case err != nil:
		s.failed.set(fmt.Errorf("runner: pair %d: %w", l.Pair.ID, err))
	case added:
		s.events.pairDone(l.Pair.ID, l.Kind)
	default:
		s.events.unplayed(l.Pair.ID, s.number, errStoredBefore)
	}
}

var errStoredBefore = errors.New("the pair was stored before: this playing of it does not count")

// giveBack returns a lease unplayed, with why as the reason. It stores the attempts first, because a source may
// reject data of a lease that has ended.
func (s *slot) giveBack(ctx context.Context, l Lease, attempts []match.Attempt, why error) {
	if err := s.keepAttempts(ctx, l, attempts); err != nil {
		s.failed.set(err)
	}
	_, unplayable := errors.AsType[*Unplayable](why)
	ours := errors.Is(why, ErrRevoked) || errors.Is(why, hurry.ErrEnding) || unplayable && s.config.OnlyReturn
	if ctx.Err() == nil && !ours {
		s.failed.set(why)
	}
	l.Return(why)
}

// keepAttempts stores the attempts at a pair that is given up, even if the run was cancelled.
func (s *slot) keepAttempts(ctx context.Context, l Lease, attempts []match.Attempt) error {
	ctx, cancel := outlasting(ctx)
	defer cancel()
	for _, a := range attempts {
		if err := s.config.Sink.PutAttempt(ctx, l, a); err != nil {
			return fmt.Errorf("runner: pair %d: keeping an attempt: %w", a.Pair, err)
		}
	}
	return nil
}

// playPair plays a pair until an attempt is complete and valid. The result also has the failed attempts, even if
// playPair returns an error.
func (s *slot) playPair(ctx context.Context, l Lease) (match.PairResult, error) {
	result := match.PairResult{Pair: l.Pair}
	for failures, stood := 0, 0; ; {
		began := s.late.read()
		games, err := s.playLegs(ctx, l)
		err = s.whileStanding(began, err)
		slowed := err == nil && isVoid(l.Plan, games) && len(result.Attempts) < attempts-1
		switch {
		case errors.Is(context.Cause(ctx), ErrRevoked):
			return result, ErrRevoked
		case err == nil && !slowed: // even if ctx ended with the last move
			result.Games = games
			return result, nil
		case slowed:
			failures, stood, err = 0, 0, errSlowed
		case ctx.Err() != nil:
			return result, context.Cause(ctx)
		case errors.Is(err, errFailedElsewhere) || errors.Is(err, hurry.ErrEnding):
			return result, err
		case isStandstill(err):
			failures, stood = 0, stood+1
		default:
			failures++
		}
		s.events.unplayed(l.Pair.ID, s.number, err)
		result.Attempts = append(result.Attempts, match.Attempt{Pair: l.Pair.ID, Ended: time.Now(), Why: err.Error()})
		if tries := max(failures, stood); stood == standstillAttempts || failures > 0 && !s.again(ctx, failures, err) {
			return result, &Unplayable{Plan: l.Plan, Pair: l.Pair.ID, Tries: tries, Err: err}
		}
		if failures > 0 && hurry.Closed(s.config.Ending) {
			return result, hurry.ErrEnding
		}
		s.endPair(l)
	}
}

// whileStanding adds to err the standstill during which an engine failed. began is the time before the attempt. It
// returns err unchanged if there was no standstill, or if err is no fault of an engine. A slow start during a
// standstill does not prove a fault of the engine.
func (s *slot) whileStanding(began moment, err error) error {
	if _, failed := errors.AsType[*usi.Fault](err); !failed {
		return err
	}
	if still := s.late.stood(began); still != nil {
		return fmt.Errorf("%w; meanwhile %w", still, err)
	}
	return err
}

func isStandstill(err error) bool {
	_, stood := errors.AsType[*Standstill](err)
	return stood
}

// These are the waits before another attempt at a pair. Each wait is twice as long as the previous one. After a lost
// connection the run ends if about a quarter of an hour of waits does not help.
const (
	firstRetry        = 100 * time.Millisecond // after a failed start
	firstReconnect    = time.Second
	longestReconnect  = 2 * time.Minute
	reconnectAttempts = 14
)

// again reports whether a pair gets another attempt after a number of failures in a row, and waits before it. err is
// the error of the last attempt. A lost connection gets more attempts and longer waits, because it often recovers,
// but rarely within a second. The wait also ends with ctx, when the run fails, and when the run is ending. The next
// attempt then returns the reason.
func (s *slot) again(ctx context.Context, failures int, err error) bool {
	wait, most := firstRetry, attempts
	if fault, ok := errors.AsType[*usi.Fault](err); ok && fault.Kind == usi.FaultConnection {
		wait, most = firstReconnect, reconnectAttempts
	}
	if failures >= most {
		return false
	}
	timer := time.NewTimer(min(wait<<(failures-1), longestReconnect))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	case <-s.failed.happened:
	case <-s.config.Ending:
	}
	return true
}

var errSlowed = errors.New("the machine slowed a move by more than the margin")

func isVoid(plan *match.Plan, games []match.Result) bool {
	return plan.Slowed == match.PolicyVoid && slices.ContainsFunc(games, func(g match.Result) bool { return g.Marked })
}

// playLegs plays all games of a pair. It gives up the pair if one game stays unplayed, or if another slot
// fails before the first game has begun.
func (s *slot) playLegs(ctx context.Context, l Lease) ([]match.Result, error) {
	first, stop := s.failed.until(ctx)
	defer stop()
	if first.Err() != nil {
		return nil, context.Cause(first)
	}
	if err := s.warmUp(first, l.Plan); err != nil {
		return nil, endOf(first, err)
	}
	games := make([]match.Result, 0, l.Pair.Legs)
	for leg := range l.Pair.Legs {
		seating := first
		if leg > 0 {
			seating = ctx
			s.endGame(l)
		}
		g := l.Pair.Game(leg)
		r, err := s.playLeg(seating, ctx, l.Plan, g)
		if err != nil {
			s.events.cut(s.number, g)
			return nil, err
		}
		games = append(games, r)
	}
	return games, nil
}

// playLeg prepares the players of a game until the context seating ends, and then plays the game.
func (s *slot) playLeg(seating, ctx context.Context, plan *match.Plan, g match.Game) (match.Result, error) {
	seating, stop := hurry.Start(seating, s.config.Ending)
	defer stop()
	if s.chance = arbiter.NewChance(plan, g.Pair, g.Leg); s.chance != nil {
		g.Seed = s.chance.Seed
	}
	s.events.seating(plan, g, s.number)
	players, err := s.seatBoth(seating, plan, g)
	if err != nil {
		return match.Result{}, endOf(seating, err)
	}
	result, err := s.playGame(ctx, plan, g, players)
	if err == nil {
		s.lookForStrays(plan, g)
	}
	return result, err
}
