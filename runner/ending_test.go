package runner_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
	"gogi/usi"
)

// queue is a source that returns its leases in order, and then calls last, which may wait.
type queue struct {
	mu     sync.Mutex
	leases []runner.Lease
	last   func(ctx context.Context) error
}

func (q *queue) Next(ctx context.Context) (runner.Lease, error) {
	q.mu.Lock()
	if len(q.leases) > 0 {
		defer q.mu.Unlock()
		l := q.leases[0]
		q.leases = q.leases[1:]
		return l, nil
	}
	q.mu.Unlock()
	if q.last == nil {
		return runner.Lease{}, io.EOF
	}
	return runner.Lease{}, q.last(ctx)
}

// untilTold waits until the context ends, as for pairs that never come.
func untilTold(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// lease returns a lease of a pair that records its return.
func lease(plan *match.Plan, pair int, returned *journal) runner.Lease {
	return runner.Lease{Plan: plan, Pair: plan.Pair(pair), Return: func(why error) {
		returned.add(fmt.Sprintf("return %s %d: %v", plan.Run, pair, why))
	}}
}

// journal records lines in order.
type journal struct {
	mu    sync.Mutex
	lines []string
}

func (j *journal) add(line string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, line)
}

func (j *journal) has(part string) bool { return j.count(part) > 0 }

func (j *journal) count(part string) (n int) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, l := range j.lines {
		if strings.Contains(l, part) {
			n++
		}
	}
	return n
}

// hookSink is a sink that calls functions and records what it gets.
type hookSink struct {
	journal
	put     func(ctx context.Context, l runner.Lease) (bool, error)
	attempt func(l runner.Lease) error
}

func (s *hookSink) Put(ctx context.Context, l runner.Lease, r match.PairResult) (added bool, err error) {
	added = true
	if s.put != nil {
		added, err = s.put(ctx, l)
	}
	s.add(fmt.Sprintf("put %s %d: %d games, added %v, %v", l.Plan.Run, r.Pair.ID, len(r.Games), added, err))
	return added, err
}

func (s *hookSink) PutAttempt(ctx context.Context, l runner.Lease, a match.Attempt) (err error) {
	if s.attempt != nil {
		err = s.attempt(l)
	}
	s.add(fmt.Sprintf("attempt %s %d: %s, %v", l.Plan.Run, a.Pair, a.Why, errors.Join(err, ctx.Err())))
	return err
}

// planNamed returns a plan with the name run, which the names of its players begin with.
func planNamed(run string) *match.Plan {
	plan := testPlan(10, 1, fixedNodes)
	plan.Run, plan.Players[0].Name, plan.Players[1].Name = run, run+".A", run+".B"
	return plan
}

func openAll(f func(ctx context.Context, name string) (runner.Player, error)) runner.Opener {
	return func(ctx context.Context, p match.Player, _ []int) (runner.Player, error) { return f(ctx, p.Name) }
}

func everySecond(int) time.Duration { return time.Second }

// badEnd is a player whose Close fails.
type badEnd struct{ fake }

func (*badEnd) Close() error { return errors.New("still there after SIGKILL") }

// TestOneSlotsTroubleCutsNoOthersGame: one slot plays a long pair, one waits for a pair, and the third gets an error.
// The long pair must not stop, and the waiting slot must get the error.
func TestOneSlotsTroubleCutsNoOthersGame(t *testing.T) {
	trouble := errors.New("trouble")
	for name, test := range map[string]struct {
		open  func() (runner.Player, error) // of the plan "bad"
		put   error                         // of its pair
		next  func(ctx context.Context, calls int64) error
		fails bool
	}{
		"a player that cannot be started": {open: func() (runner.Player, error) { return nil, trouble }, fails: true},
		"a pair that the sink refuses":    {put: trouble, fails: true},
		"a source that fails": {next: func(ctx context.Context, calls int64) error {
			if calls > 1 {
				return untilTold(ctx)
			}
			time.Sleep(10 * time.Second) // in synctest's time; the long game is in play
			return trouble
		}, fails: true},
		"a player that does not end": {
			open: func() (runner.Player, error) { return &badEnd{}, nil },
			next: func(context.Context, int64) error { return io.EOF },
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				long, bad := planNamed("long"), planNamed("bad")
				bad.Players[0].Restart, long.Players[0].Restart = match.RestartGame, match.RestartGame // and again later
				sink := &hookSink{put: func(_ context.Context, l runner.Lease) (bool, error) {
					if l.Plan == bad {
						return test.put == nil, test.put
					}
					return true, nil
				}}
				var calls atomic.Int64
				source := &queue{leases: []runner.Lease{lease(long, 0, &sink.journal), lease(bad, 1, &sink.journal)},
					last: untilTold}
				if test.next != nil {
					source.last = func(ctx context.Context) error { return test.next(ctx, calls.Add(1)) }
				}
				err := runner.Run(within(t, time.Hour), runner.Config{
					Source: source, Sink: sink, Concurrency: 3,
					Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
						if strings.HasPrefix(name, "long") {
							return &fake{delay: everySecond}, nil
						}
						time.Sleep(10 * time.Second) // in synctest's time; the long game is in play
						if test.open != nil {
							return test.open()
						}
						return &fake{}, nil
					}),
				})
				testutil.Check(t, errors.Is(err, trouble) == test.fails && !errors.Is(err, context.Canceled), "error %v", err)
				testutil.Check(t, sink.has("put long 0: 2 games, added true"), "the long pair is lost: %q", sink.lines)
			})
		})
	}
}

// within bounds a run whose waits may not end. The watch for delays keeps synctest's time running, so synctest reports
// no deadlock.
func within(t *testing.T, limit time.Duration) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return ctx
}

// TestAFailedRunEndsItsWaits: a failed run without a game in play ends all waits: for another try, and for the start of
// this or another player.
func TestAFailedRunEndsItsWaits(t *testing.T) {
	for name, test := range map[string]struct {
		waiting  []string // plans
		attempts int
	}{
		"to try again": {[]string{"cut"}, 4}, // after tries at 0, 1, 3 and 7 seconds
		"to start":     {[]string{"hangs", "queued"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				trouble, began := errors.New("trouble"), time.Now()
				sink := &hookSink{put: func(context.Context, runner.Lease) (bool, error) {
					time.Sleep(10*time.Second - time.Since(began)) // in synctest's time
					return false, trouble
				}}
				leases := []runner.Lease{lease(planNamed("bad"), 0, &sink.journal)}
				for _, p := range test.waiting {
					leases = append(leases, lease(planNamed(p), 0, &sink.journal))
				}
				var given atomic.Int64
				err := runner.Run(within(t, time.Hour), runner.Config{
					Source: sourceFunc(func(ctx context.Context) (runner.Lease, error) {
						n := int(given.Add(1))
						if n > len(leases) {
							return runner.Lease{}, untilTold(ctx)
						}
						time.Sleep(time.Duration(n) * time.Millisecond) // in synctest's time: the bad one starts first
						return leases[n-1], nil
					}),
					Sink: sink, Concurrency: 4, StartParallel: 2,
					Open: openAll(func(ctx context.Context, name string) (runner.Player, error) {
						switch {
						case strings.HasPrefix(name, "bad"):
							return &fake{}, nil
						case strings.HasPrefix(name, "cut"):
							return &fake{newGame: func() error { return &usi.Fault{Kind: usi.FaultConnection} }}, nil
						}
						return nil, untilTold(ctx)
					}),
				})
				took := time.Since(began)
				testutil.Check(t, errors.Is(err, trouble) && took == 10*time.Second, "%v after %v", err, took)
				for _, p := range test.waiting {
					testutil.Equal(t, sink.count("return "+p+" 0: runner: the run has failed: runner: pair 0: trouble"), 1,
						"%s was not given back: %q", p, sink.lines)
				}
				testutil.Check(t, sink.count("attempt ") == test.attempts, "want %d attempts: %q", test.attempts, sink.lines)
			})
		})
	}
}

// TestAFailedRunPlaysNoPairAgain: after the machine slowed a move, a failed run does not play the pair again, even if
// its players are ready.
func TestAFailedRunPlaysNoPairAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trouble := errors.New("trouble")
		slowed := planNamed("slowed")
		slowed.Slowed = match.PolicyVoid
		for i := range slowed.Players {
			slowed.Players[i].Limits = match.Limits{Clock: match.TimeControl{Byoyomi: time.Second},
				Margin: 100 * time.Millisecond}
		}
		sink := &hookSink{}
		var calls atomic.Int64
		err := runner.Run(within(t, time.Hour), runner.Config{
			Concurrency: 2, Sink: sink,
			Source: sourceFunc(func(context.Context) (runner.Lease, error) {
				if calls.Add(1) == 1 {
					return lease(slowed, 0, &sink.journal), nil
				}
				time.Sleep(5 * time.Second) // in synctest's time; the game is in play
				return runner.Lease{}, trouble
			}),
			Open: openAll(func(context.Context, string) (runner.Player, error) {
				f := &fake{}
				f.delay = func(int) time.Duration {
					time.AfterFunc(100*time.Millisecond, func() { f.waited.Add(int64(300 * time.Millisecond)) })
					return 500 * time.Millisecond
				}
				return f, nil
			}),
		})
		want := []string{
			"attempt slowed 0: the machine slowed a move by more than the margin, <nil>",
			"return slowed 0: runner: the run has failed: runner: waiting for a pair: trouble",
		}
		testutil.Check(t, errors.Is(err, trouble) && slices.Equal(sink.lines, want), "%v\ngot  %q\nwant %q", err, sink.lines,
			want)
	})
}

// TestALeaseThatComesTooLateIsReturned: a run that has just failed returns a lease that its source still hands out.
func TestALeaseThatComesTooLateIsReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trouble := errors.New("trouble")
		plan := planNamed("late")
		var returned journal
		var calls atomic.Int64
		late := sourceFunc(func(ctx context.Context) (runner.Lease, error) {
			if calls.Add(1) == 1 {
				time.Sleep(time.Second) // in synctest's time; the other slot waits already
				return runner.Lease{}, trouble
			}
			<-ctx.Done()
			return lease(plan, 0, &returned), nil
		})
		err := runner.Run(within(t, time.Hour), runner.Config{
			Source: late, Sink: &hookSink{}, Concurrency: 2,
			Open: openAll(func(context.Context, string) (runner.Player, error) { return &fake{}, nil }),
		})
		testutil.Check(t, errors.Is(err, trouble) &&
			returned.count("return late 0: runner: waiting for a pair: trouble") == 1,
			"%v, returned %q", err, returned.lines)
	})
}

type sourceFunc func(ctx context.Context) (runner.Lease, error)

func (f sourceFunc) Next(ctx context.Context) (runner.Lease, error) { return f(ctx) }

// TestAttemptsAreKeptBeforeTheLeaseEnds: an attempt is stored before its lease ends, also if the run was cancelled or
// the pair was revoked.
func TestAttemptsAreKeptBeforeTheLeaseEnds(t *testing.T) {
	for name, test := range map[string]struct {
		after    time.Duration // between the tries: at 0, 1, 3, 7 and 15 s
		cancel   bool
		attempts int
		why      string
	}{
		"given up": {attempts: 14,
			why: "runner: pair 3 could not be played 14 times in a row: beginning a game: usi: : : connection"},
		"revoked":   {after: 5 * time.Second, attempts: 3, why: runner.ErrRevoked.Error()},
		"cancelled": {after: 10 * time.Second, cancel: true, attempts: 4, why: "enough"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				sink := &hookSink{}
				l := lease(planNamed("p"), 3, &sink.journal)
				revoked := make(chan struct{})
				l.Revoked = revoked
				if test.after > 0 {
					time.AfterFunc(test.after, func() {
						if test.cancel {
							cancel(errors.New("enough"))
						} else {
							close(revoked)
						}
					})
				}
				_ = runner.Run(ctx, runner.Config{ // another test checks its error
					Source: &queue{leases: []runner.Lease{l}}, Sink: sink, Concurrency: 1,
					Open: openAll(func(context.Context, string) (runner.Player, error) {
						return &fake{newGame: func() error { return &usi.Fault{Kind: usi.FaultConnection} }}, nil
					}),
				})
				want := slices.Repeat([]string{"attempt p 3: beginning a game: usi: : : connection, <nil>"}, test.attempts)
				want = append(want, "return p 3: "+test.why)
				testutil.Slices(t, sink.lines, want)
			})
		})
	}
}

// TestAnAttemptThatCannotBeKeptIsAnError: an attempt that cannot be stored fails the run, as a pair would.
func TestAnAttemptThatCannotBeKeptIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		trouble := errors.New("disk full")
		sink := &hookSink{attempt: func(runner.Lease) error { return trouble }}
		l := lease(planNamed("p"), 0, &sink.journal)
		revoked := make(chan struct{})
		l.Revoked = revoked
		time.AfterFunc(2*time.Second, func() { close(revoked) })
		err := runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: []runner.Lease{l}}, Sink: sink, Concurrency: 1,
			Open: openAll(func(context.Context, string) (runner.Player, error) {
				return &fake{newGame: func() error { return &usi.Fault{Kind: usi.FaultConnection} }}, nil
			}),
		})
		testutil.Check(t, errors.Is(err, trouble) && !errors.Is(err, runner.ErrRevoked), "error %v", err)
	})
}

// lastMove is a player that calls a function after the last game of its pair, before the pair is stored.
type lastMove struct {
	fake
	games int
	over  func()
}

func (p *lastMove) GameOver(context.Context, usi.Outcome) error {
	if p.games++; p.games == 2 {
		p.over()
	}
	return nil
}

// finishing runs one pair and calls atEnd right before it is stored.
func finishing(ctx context.Context, sink *hookSink, l runner.Lease, atEnd func()) error {
	return runner.Run(ctx, runner.Config{
		Source: &queue{leases: []runner.Lease{l}}, Sink: sink, Concurrency: 1,
		Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
			if strings.HasSuffix(name, ".B") {
				return &lastMove{over: func() { atEnd(); synctest.Wait() }}, nil
			}
			return &fake{delay: everySecond}, nil
		}),
	})
}

func TestAFinishedPairIsStoredThoughTheRunIsCancelled(t *testing.T) {
	enough := errors.New("enough")
	for name, test := range map[string]struct {
		takes  time.Duration // the sink
		stored bool
	}{"at once": {0, true}, "slowly": {9 * time.Second, true}, "too slowly": {11 * time.Second, false}} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				sink := &hookSink{put: func(ctx context.Context, _ runner.Lease) (bool, error) {
					select {
					case <-time.After(test.takes):
						return true, ctx.Err()
					case <-ctx.Done():
						return false, context.Cause(ctx)
					}
				}}
				err := finishing(ctx, sink, lease(planNamed("p"), 0, &sink.journal), func() { cancel(enough) })
				testutil.Check(t, sink.has("put p 0: 2 games, added true, <nil>") == test.stored && !sink.has("return"),
					"stored: want %v: %q", test.stored, sink.lines)
				testutil.Check(t, errors.Is(err, enough) &&
					strings.Contains(err.Error(), "pair 0: not stored within 10s") != test.stored,
					"error %v", err)
			})
		})
	}
}

// TestASlowSinkIsWaitedFor: only a run that has ended limits its sink to ten seconds. Otherwise the run waits for it.
func TestASlowSinkIsWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		sink := &hookSink{put: func(ctx context.Context, _ runner.Lease) (bool, error) {
			time.Sleep(time.Hour) // in synctest's time
			return true, ctx.Err()
		}}
		testutil.OK(t, finishing(t.Context(), sink, lease(planNamed("p"), 0, &sink.journal), func() {}))
	})
}

// TestARevokedPairIsThrownAway: a pair that is revoked, in the middle of a game or at its end, is not stored.
func TestARevokedPairIsThrownAway(t *testing.T) {
	for _, inPlay := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			sink := &hookSink{}
			l := lease(planNamed("p"), 0, &sink.journal)
			revoked := make(chan struct{})
			revoke := sync.OnceFunc(func() { close(revoked) })
			l.Revoked = revoked
			var why error
			l.Return = func(err error) { why = err }
			if inPlay {
				time.AfterFunc(5*time.Second, revoke)
			}
			err := finishing(t.Context(), sink, l, revoke)
			testutil.Check(t, err == nil && errors.Is(why, runner.ErrRevoked) && !sink.has("put"),
				"in play %t: %v, returned: %v, %q", inPlay, err, why, sink.lines)
		})
	}
}

// faults returns the fault events of an ended run as "kind engine: note", and the number of pairs reported as
// stored.
func faults(events *runner.Events) (told []string, stored []int) {
	events.Close()
	for e := range events.Stream() {
		switch e.Type {
		case match.EventFault:
			told = append(told, fmt.Sprintf("%s %s: %s", e.Kind, e.Engine, e.Note))
		case match.EventPair:
			stored = append(stored, *e.Pair)
		default:
		}
	}
	return told, stored
}

func TestAPairThatWasStoredBeforeIsNotToldAsStored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planNamed("p")
		sink := &hookSink{put: func(_ context.Context, l runner.Lease) (bool, error) { return l.Pair.ID != 1, nil }}
		var leases []runner.Lease
		for id := range 3 {
			leases = append(leases, lease(plan, id, &sink.journal))
		}
		events := runner.NewEvents("p", false)
		err := runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: leases}, Sink: sink, Concurrency: 1, Events: events,
			Open: openAll(func(context.Context, string) (runner.Player, error) { return &fake{}, nil }),
		})
		told, stored := faults(events)
		testutil.Check(t, err == nil && slices.Equal(stored, []int{0, 2}), "%v, told as stored: %v", err, stored)
		want := "unplayed : the pair was stored before: this playing of it does not count"
		testutil.Check(t, slices.Equal(told, []string{want}), "told %q", told)
	})
}

// slowEnding is a player whose Close takes some time, or fails.
type slowEnding struct {
	fake
	takes time.Duration
	err   error
}

func (p *slowEnding) Close() error {
	time.Sleep(p.takes) // in synctest's time
	return p.err
}

// TestTheEndWaitsForPlayersAndSaysSo: the end of a run waits for all players at the same time, and reports the wait.
func TestTheEndWaitsForPlayersAndSaysSo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planNamed("p")
		plan.Players[1].WarmUp = true // p.B also ends after its warm-up, before the first game
		events := runner.NewEvents("p", false)
		began := time.Now()
		sink := &hookSink{}
		err := runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: &queue{leases: []runner.Lease{lease(plan, 0, &sink.journal)}}, Sink: sink, Events: events,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				if name == "p.A" {
					return &slowEnding{takes: time.Minute}, nil
				}
				return &slowEnding{takes: time.Second, err: errors.New("stuck")}, nil
			}),
		})
		if took := time.Since(began); err != nil || took != time.Second+time.Minute || !sink.has("put p 0: 2 games") {
			t.Errorf("%v after %v: %q", err, took, sink.lines)
		}
		told, _ := faults(events)
		want := []string{"close p.B: stuck", "close p.B: stuck", "close p.A: still ending after 5s; slot 0 waits for it"}
		testutil.Slices(t, told, want, "told")
	})
}

// TestACrashedPlayersEndIsNotWaitedFor: a crashed player may take minutes to end. Its opponent, which may be pondering,
// gets the end of the game at once. The end time of the game is the time of the crash.
func TestACrashedPlayersEndIsNotWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := planNamed("p")
		var told []time.Duration
		began := time.Now()
		sink := &memorySink{pairs: map[int]match.PairResult{}}
		var noted journal
		err := runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: []runner.Lease{lease(plan, 0, &noted)}}, Sink: sink, Concurrency: 1,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				if name == "p.B" {
					return &overTimes{over: func() { told = append(told, time.Since(began)) }}, nil
				}
				return &slowEnding{takes: time.Minute, fake: fake{answer: func(int, *shogi.Position) (usi.Reply, error) {
					return usi.Reply{}, &usi.Fault{Kind: usi.FaultCrash, Searching: true}
				}}}, nil
			}),
		})
		testutil.Check(t, err == nil && slices.Equal(told, []time.Duration{0, time.Minute}), "%v; B heard of the ends at %v",
			err, told)
		if g := sink.pairs[0].Games[0]; g.Termination != match.Crash || !g.Ended.Equal(began) {
			t.Errorf("the first game ended by %v after %v", g.Termination, g.Ended.Sub(began))
		}
	})
}

type overTimes struct {
	fake
	over func()
}

func (p *overTimes) GameOver(context.Context, usi.Outcome) error { p.over(); return nil }

// blamed is a player that only makes illegal moves, and has a crash record.
type blamed struct {
	fake
	kind, note string
}

func (*blamed) Think(context.Context, usi.Request) (usi.Reply, error) {
	return usi.Reply{Answer: usi.AnswerMove, Move: shogi.NewMove(shogi.NewSquare(5, 1), shogi.NewSquare(5, 2)),
		Text: "5a5b"}, nil
}

func (b *blamed) Blame(kind, note string) string {
	b.kind, b.note = kind, note
	return "the record"
}

// TestBlame: only the player that failed is asked for its crash record. The event of the game's end has the
// name of the record.
func TestBlame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := &blamed{}, &blamed{}
		events := runner.NewEvents("run", false)
		plan := testPlan(1, 1, fixedNodes)
		plan.Design.Swap = false
		testutil.OK(t, runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: &queue{leases: []runner.Lease{lease(plan, 0, &journal{})}}, Sink: &hookSink{}, Events: events,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				if name == plan.Players[0].Name {
					return a, nil
				}
				return b, nil
			}),
		}))
		events.Close()
		ends := 0
		for ev := range events.Stream() {
			if ev.Type != match.EventEnd {
				continue
			}
			if ends++; ev.Bundle != "the record" {
				t.Errorf("%+v", ev)
			}
		}
		loser, other := a, b
		if a.kind == "" {
			loser, other = b, a
		}
		testutil.Check(t, ends == 1 && loser.kind == "illegal_move" && loser.note != "" && other.kind == "",
			"%d ends; %+v and %+v", ends, loser, other)
	})
}
