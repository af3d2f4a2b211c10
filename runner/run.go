package runner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"gogi/match"
	"gogi/usi"
)

// Config is what a run consists of.
type Config struct {
	Plan   *match.Plan
	Source Source
	Sink   Sink
	Open   Opener
	Events *Events // may be nil
}

// attempts is how often a pair is tried: that many failures in a row before a
// game's first move end the run, and that many slowed attempts count after all.
const attempts = 3

// Run plays until the source has no more pairs, and closes all players. Its
// error says why it ended early: the context's cause, the sink's error, or an
// engine that could not be started three times in a row.
func Run(ctx context.Context, c Config) error {
	limit := cmp.Or(c.Plan.StartParallel, match.DefaultStartParallel)
	starts := semaphore.NewWeighted(int64(limit))
	if err := (&slot{config: c, starts: starts}).warmUp(ctx); err != nil {
		return err
	}
	failed := &firstError{}
	group, ctx := errgroup.WithContext(ctx)
	late := watchLateness(ctx)
	defer late.wait()
	for n := range c.Plan.Concurrency {
		group.Go(func() error {
			s := &slot{number: n, config: c, late: late, starts: starts, players: map[int]Player{}, failed: failed}
			err := s.run(ctx)
			return errors.Join(err, s.closeAll())
		})
	}
	return errors.Join(group.Wait(), failed.get())
}

// firstError is the failure that ends a run without cutting what is in play: no
// slot takes another pair once there is one.
type firstError struct {
	mu  sync.Mutex
	err error
}

func (f *firstError) set(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err == nil {
		f.err = err
	}
}

func (f *firstError) get() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.err
}

// unplayable is a pair that could not be played, time and again.
type unplayable struct{ err error }

func (u *unplayable) Error() string { return u.err.Error() }
func (u *unplayable) Unwrap() error { return u.err }

// run plays pairs until there are no more.
func (s *slot) run(ctx context.Context) error {
	for s.failed.get() == nil {
		lease, err := s.config.Source.Next(ctx)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		err = s.serve(ctx, lease)
		if _, ok := errors.AsType[*unplayable](err); ok {
			s.failed.set(err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// serve plays one lease to its end. A revoked lease is no error.
func (s *slot) serve(ctx context.Context, lease Lease) error {
	pairCtx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if lease.Revoked != nil {
		stop := afterClose(pairCtx, lease.Revoked, func() { cancel(errRevoked) })
		defer stop()
	}
	result, err := s.playPair(pairCtx, lease.Pair)
	if err != nil {
		lease.Return(err)
		err = errors.Join(err, s.keepAttempts(ctx, result.Attempts))
		if errors.Is(err, errRevoked) {
			return nil
		}
		return err
	}
	if err := s.config.Sink.Put(ctx, result); err != nil {
		return fmt.Errorf("runner: pair %d: %w", lease.Pair.ID, err)
	}
	s.config.Events.pairDone(lease.Pair.ID)
	return nil
}

// keepAttempts stores what was tried at a pair that is given up, also where the
// run has been cancelled.
func (s *slot) keepAttempts(ctx context.Context, attempts []match.Attempt) error {
	sink, ok := s.config.Sink.(AttemptSink)
	if !ok {
		return nil
	}
	for _, a := range attempts {
		if err := sink.PutAttempt(context.WithoutCancel(ctx), a); err != nil {
			return fmt.Errorf("runner: pair %d: keeping an attempt: %w", a.Pair, err)
		}
	}
	return nil
}

var errRevoked = errors.New("runner: the pair was taken away")

// afterClose calls f when ch is closed, unless ctx ends or stop is called
// before; stop waits for it.
func afterClose(ctx context.Context, ch <-chan struct{}, f func()) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan struct{}) // closed by the goroutine when it ends
	go func() {
		defer close(done)
		select {
		case <-ch:
			f()
		case <-ctx.Done():
		}
	}()
	return func() { cancel(); <-done }
}

// playPair tries a pair until it counts.
func (s *slot) playPair(ctx context.Context, pair match.Pair) (match.PairResult, error) {
	result := match.PairResult{Pair: pair}
	failures := 0
	for {
		games, err := s.playLegs(ctx, pair)
		switch {
		case ctx.Err() != nil:
			return result, context.Cause(ctx)
		case err != nil:
			failures++
			s.config.Events.unplayed(pair.ID, s.number, err)
			if !s.again(ctx, failures, err) {
				result.Attempts = append(result.Attempts, match.Attempt{Pair: pair.ID, Ended: time.Now(), Why: err.Error()})
				return result, &unplayable{fmt.Errorf("runner: pair %d could not be played %d times in a row: %w", pair.ID, failures, err)}
			}
		case s.isVoid(games) && len(result.Attempts) < attempts-1:
			err = errSlowed
			s.config.Events.unplayed(pair.ID, s.number, err)
		default:
			result.Games = games
			return result, nil
		}
		result.Attempts = append(result.Attempts, match.Attempt{Pair: pair.ID, Ended: time.Now(), Why: err.Error()})
	}
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
// remote engine was cut: that passes by itself, mostly not within a second.
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
	case <-ctx.Done(): // the caller looks at it
	}
	return true
}

var errSlowed = errors.New("the machine slowed a move by more than the margin")

func (s *slot) isVoid(games []match.Result) bool {
	if s.config.Plan.Slowed != match.PolicyVoid {
		return false
	}
	for _, g := range games {
		if g.Marked {
			return true
		}
	}
	return false
}

// playLegs plays all games of a pair; an unplayed one gives up the pair.
func (s *slot) playLegs(ctx context.Context, pair match.Pair) ([]match.Result, error) {
	games := make([]match.Result, 0, pair.Legs)
	for leg := range pair.Legs {
		r, err := s.playGame(ctx, pair.Game(leg))
		if err != nil {
			return nil, err
		}
		games = append(games, r)
	}
	s.endPair(pair)
	return games, nil
}
