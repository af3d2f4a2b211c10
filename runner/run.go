package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"golang.org/x/sync/semaphore"

	"gogi/internal/hurry"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/usi"
)

// Config is what a run consists of.
type Config struct {
	Plan   *match.Plan // of leases that bring none; may be nil where all do
	Source Source
	Sink   Sink
	Open   Opener
	// OpenFor, where it is not nil, is what opens the players of a plan that leases bring;
	// it wins over Open. It is called for each start.
	OpenFor func(plan *match.Plan) Opener
	Events  *Events // may be nil
	// Started, where it is not nil, is told of each start of a player, from all slots:
	// how long it took until the player was ready for its first game, or why it never was.
	// Starts that were called off are not told.
	Started func(player string, took time.Duration, why error)

	// CPUs are what the players of a slot run on, by slot: one set each for the two
	// of a game; equal ones are shared. Slots beyond its end, and all where it is
	// nil, run anywhere.
	CPUs [][2][]int

	// Waits is the longest that a thread of this program has waited for a CPU since
	// its last call; nil: nobody knows. It is asked many times a second.
	Waits func() time.Duration

	Concurrency int // slots; 0: the plan's
	// Width is how many slots there are where that may change; it wins over
	// Concurrency. May be nil.
	Width         *Width
	StartParallel int // engines that may be starting at a time; 0: the plan's
	// OpenPerSlot is how many players a slot keeps open, those that play
	// included; beyond it the least recently used are closed. 0: 2, the least.
	OpenPerSlot int
	// Ending, when it is not nil, is closed when the pairs in play become the last. A
	// player whose start takes longer than hurry.Grace from then on is closed, and its
	// pair is given back with hurry.ErrEnding.
	Ending <-chan struct{}
	// OnlyReturn makes a pair that cannot be played no failure of the run: it is given
	// back with its *Unplayable, and the source says what is played instead.
	OnlyReturn bool
}

// attempts is how often a pair is tried: that many failures in a row before a
// game's first move end the run, and that many slowed attempts count after all.
const attempts = 3

// standstillAttempts is how often in a row a pair is begun that a Standstill cuts.
// What was played then is never counted, so a machine that never lets this program
// run for the length of a pair ends the run.
const standstillAttempts = 14

// Run plays until the source has no more pairs, and closes all players.
//
// Only the end of ctx cuts what is in play; Run then returns its cause. Nothing
// that happens in one slot stops a game of another. These fail the run, which
// is its error: a player that could not be started, or reached, time and again;
// an error of the source; an error of the sink. From then on no slot takes
// another pair, every wait for one ends, and a pair that has no game in play,
// because it waits for its players or for another try, is given back. The
// games in play are finished, and their pairs, and stored if the sink lets them.
// A pair that a Standstill has cut is played again at once; fourteen in a row fail
// the run, too.
//
// These end nothing: a player that fails in a game loses it; a revoked lease;
// a player that does not end well, or not soon, is told as an event, and Run
// waits for it.
//
// Listeners hear that a pair is stored only where the sink has added it. For one
// that was stored before they hear a fault of kind "unplayed", as for every
// other playing of a pair that does not count; the ends of its games were told.
func Run(ctx context.Context, c Config) error {
	r, err := newRun(c)
	if err != nil {
		return err
	}
	return r.play(ctx)
}

// run is what the slots share.
type run struct {
	config Config
	late   *lateness
	bound  bound
	failed *failure
	starts *semaphore.Weighted // players that may be starting

	warming *semaphore.Weighted // of 1: for the warm-up, and for warm
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
	if c.Waits == nil {
		c.Waits = noWaits
	}
	return &run{
		config: c, late: &lateness{now: time.Now, other: readOffsets, waits: c.Waits}, failed: newFailure(),
		starts:  semaphore.NewWeighted(int64(cmp.Or(starts, match.DefaultStartParallel))),
		warming: semaphore.NewWeighted(1), warm: map[*match.Plan]bool{},
	}, nil
}

func (r *run) play(ctx context.Context) error {
	if r.config.Plan != nil {
		err := (&slot{run: r, events: r.config.Events}).warmUp(ctx, r.config.Plan)
		if err != nil && !errors.Is(err, hurry.ErrEnding) { // then the source has no more pairs
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

// work plays pairs until there are no more, the run has failed, ctx has ended or
// the slot is retired; it reports whether only the last was the reason.
func (s *slot) work(ctx context.Context) (retired bool) {
	defer s.closeAll()
	for {
		lease, ok, retired := s.next(ctx)
		if !ok {
			return retired
		}
		s.serve(ctx, lease)
	}
}

// next waits for a lease; ok is false when this slot shall take none any more. One
// that comes while the slot is being retired is played: its source would not give
// it to another.
func (s *slot) next(ctx context.Context) (l Lease, ok, retired bool) {
	waiting, stop := s.waiting(ctx)
	defer stop()
	err := s.over(waiting)
	if err == nil {
		l, err = s.config.Source.Next(waiting)
		if over := s.over(ctx); over != nil {
			if err == nil { // it came too late
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

// waiting is ctx that also ends when the run fails, or the slot is retired.
func (s *slot) waiting(ctx context.Context) (context.Context, func()) {
	ctx, stop := s.failed.until(ctx)
	ctx, cancel := context.WithCancelCause(ctx)
	retire := func() { cancel(errRetired) }
	select {
	case <-s.retired: // at once: it shall not begin to wait
		retire()
	default:
	}
	end := afterClose(ctx, s.retired, retire)
	return ctx, func() { end(); cancel(nil); stop() }
}

// over says why no slot may take another pair; nil: it may.
func (s *slot) over(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return s.failed.get()
}

// serve plays one lease to its end.
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
	s.endPair(l) // last, since engines may take minutes to end
}

// playLease plays a lease's pair for as long as it is ours.
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

// put stores a finished pair, also where the run has just been cancelled.
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

// giveBack returns a lease unplayed. The attempts come first: a source may
// refuse what belongs to a lease that has ended.
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

// keepAttempts stores what was tried at a pair that is given up, also where the
// run has been cancelled.
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

// playPair tries a pair until it counts. The attempts are in the result also
// where there is an error.
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
		case err == nil && !slowed: // also where ctx ended with the last move
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

// whileStanding is the standstill during which an engine failed, where there was one:
// a start that takes too long then says nothing of the engine.
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

// Waits before a pair is tried again: they double, and after a lost connection
// they add up to about a quarter of an hour before the run ends.
const (
	firstRetry        = 100 * time.Millisecond // of a failed start
	firstReconnect    = time.Second
	longestReconnect  = 2 * time.Minute
	reconnectAttempts = 14
)

// again decides whether a pair is tried once more, and waits where the way to a
// remote engine was cut: that passes by itself, mostly not within a second. The
// wait ends with ctx, and when the run has failed or is ending; the next try finds that out.
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
	if plan.Slowed != match.PolicyVoid {
		return false
	}
	for _, g := range games {
		if g.Marked {
			return true
		}
	}
	return false
}

// playLegs plays all games of a pair; an unplayed one gives up the pair. Until
// the first has begun, a run that fails elsewhere is reason enough.
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

// playLeg readies the players of a game, for as long as seating lasts, and plays it.
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
