// Package series plays the pairs of a plan and stores them in a [Store]. It plays the missing pairs, and ends
// the run if the SPRT of the plan decides. It executes commands to pause or end the run, and reports the
// number of missing pairs at the end. [New] begins or resumes a [Series], and [Series.Play] plays it;
// [NewTune] is like New for a tune, which optimises parameters. The package has no flags, no terminal and no
// database.
package series

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"gogi/match"
	"gogi/match/gate"
	"gogi/runner"
	"gogi/runner/events"
)

// Store is the durable storage for the pairs of a series. Many goroutines call its methods concurrently.
type Store interface {
	// Add stores a complete pair. added is false if the pair was already stored.
	Add(ctx context.Context, r match.PairResult) (added bool, err error)
	// PutAttempt stores a failed attempt to play a pair. The games of such an attempt do not count.
	PutAttempt(ctx context.Context, a match.Attempt) error
	// Finished returns the set of the stored pairs.
	Finished(ctx context.Context) (map[int]bool, error)
	// Change logs a command to the session before it takes effect.
	Change(ctx context.Context, pairs, slots int, phase match.RunPhase) error
}

// Stored is a function that calls see for every stored pair of the run, in the order of the pair numbers.
// rows has the games of the pair, ordered by leg (the number of the game within the pair).
type Stored func(ctx context.Context, see func(rows []match.Row) error) error

// Series is a run of a plan that this process begins or resumes. Play may be called once.
type Series struct {
	plan   *match.Plan
	store  Store
	source source
	pairer *waiting // the source of a design that pairs by results, else nil
	tuned  *tuned   // the source of a tune, else nil
	valve  *valve   // wraps source
	width  *runner.Width
	judge  *gate.Gate // nil without a sequential test
	hub    *events.Hub
	orders orders
	events atomic.Pointer[runner.Events] // of Play; nil before it

	ending chan struct{} // closed when the series shall end, see Drain
	leave  sync.Once     // closes ending

	stored    int // pairs stored before this session
	standings match.Standings
}

// newSeries returns a series without a source. finished has the pairs of the run that are already stored.
func newSeries(ctx context.Context, plan *match.Plan, store Store) (s *Series, finished map[int]bool, err error) {
	if finished, err = store.Finished(ctx); err != nil {
		return nil, nil, err
	}
	return &Series{
		plan: plan, store: store, hub: events.NewHub(plan.Run), stored: plan.Pairs - missing(plan.Pairs, finished),
		width: runner.NewWidth(plan.Concurrency), orders: orders{target: plan.Pairs}, ending: make(chan struct{}),
	}, finished, nil
}

// New begins or resumes the run of a plan. It reads the stored pairs once. If the plan has an SPRT, New adds
// these pairs to the SPRT. If the SPRT has already decided, the series plays no more pairs.
func New(ctx context.Context, plan *match.Plan, store Store, stored Stored) (*Series, error) {
	if plan.Tune != "" {
		return nil, errors.New("series: the plan is a tune, which is played by NewTune")
	}
	s, finished, err := newSeries(ctx, plan, store)
	if err != nil {
		return nil, err
	}
	if s.source = runner.NewPlanSource(plan, func(id int) bool { return finished[id] }); plan.Design.Kind.ByResults() {
		if s.pairer, err = newWaiting(plan); err != nil {
			return nil, err
		}
		s.source = s.pairer
	}
	s.valve = newValve(s.source)
	if !plan.Gate.IsZero() {
		pairs := plan.Pairs // stored pairs beyond a lower maximum stay in the test
		for id := range finished {
			pairs = max(pairs, id+1)
		}
		if s.judge, err = gate.New(plan.Gate, pairs); err != nil {
			return nil, err
		}
	}
	if err := stored(ctx, s.resume); err != nil {
		return nil, err
	}
	s.stopWhenDecided()
	return s, nil
}

// resume adds a stored pair of an earlier session to the standings. The SPRT, or a design that depends on results,
// gets the pair too. rows are its games.
func (s *Series) resume(rows []match.Row) error {
	if len(rows) == 0 {
		return nil
	}
	s.standings.AddRows(rows)
	if s.pairer != nil {
		return s.pairer.resume(rows)
	}
	if s.tuned != nil {
		return s.tuned.resume(rows)
	}
	if s.judge == nil {
		return nil
	}
	return s.judge.Add(rows[0].Pair, gate.OfRows(rows))
}

// Stored returns the number of the plan's pairs that earlier sessions have stored.
func (s *Series) Stored() int { return s.stored }

// Hub returns the hub that publishes the events of Play. Subscribers may use it before, during and after
// Play.
func (s *Series) Hub() *events.Hub { return s.hub }

// Gate returns the SPRT of the series, or nil if its plan has none.
func (s *Series) Gate() *gate.Gate { return s.judge }

// Dropped returns the number of move events that were dropped because Config.Record was slow.
func (s *Series) Dropped() uint64 {
	if events := s.events.Load(); events != nil {
		return events.Dropped()
	}
	return 0
}

// Over reports whether the series needs no more games: every pair is stored, or the results have ended the series.
func (s *Series) Over() bool { return s.stored >= s.plan.Pairs || s.decided() }

// Drain makes the series end after the pairs in play, even if it is paused. If the players of a pair start
// slowly, the pair is returned unplayed, see runner.Config.Ending.
func (s *Series) Drain() {
	s.leave.Do(func() { close(s.ending) })
	s.valve.turn(match.RunDraining)
}

// decided reports whether the results have ended the series, by its SPRT or by its design.
func (s *Series) decided() bool { return s.judged() || s.pairer != nil && s.pairer.over() }

func (s *Series) judged() bool { return s.judge != nil && s.judge.State().Decided() }

func (s *Series) stopWhenDecided() {
	if s.judged() {
		s.valve.turn(match.RunDraining)
	}
}

// sink stores the played pairs, and ends the series when the SPRT has decided. The runner then finishes the pairs in
// play, and sink stores them too.
type sink struct{ *Series }

// Put stores a pair. added is false if the pair was already stored. Otherwise Put also adds the pair to the
// SPRT, or to a design that chooses pairs by results.
func (s sink) Put(ctx context.Context, _ runner.Lease, r match.PairResult) (added bool, err error) {
	if s.tuned != nil {
		return s.tuned.add(ctx, r)
	}
	added, err = s.store.Add(ctx, r)
	switch {
	case err != nil:
		return added, err
	case !added && s.pairer != nil:
		return false, s.pairer.known(r.Pair.ID)
	case !added:
		return false, nil
	case s.pairer != nil:
		return true, s.pairer.learn(r)
	case s.judge == nil:
		return true, nil
	}
	play, err := gate.OfResult(s.plan, r)
	if err == nil {
		err = s.judge.Add(r.Pair.ID, play)
	}
	s.stopWhenDecided()
	return true, err
}

// PutAttempt stores a failed attempt to play a pair. The games of such an attempt do not count.
func (s sink) PutAttempt(ctx context.Context, _ runner.Lease, a match.Attempt) error {
	return s.store.PutAttempt(ctx, a)
}

// Config has the settings for one call of [Series.Play].
type Config struct {
	Open runner.Opener
	// CPUs are the CPU sets of each slot, see runner.Config; nil means all CPUs.
	CPUs [][2][]int
	// Waits returns how long this program's threads wait for a CPU, see runner.Config; may be nil.
	Waits func() time.Duration
	// Fits returns an error if the run cannot have this number of slots. If Fits is nil, the run can have any
	// number.
	Fits func(slots int) error
	// Moves turns on move events, while Record or a subscriber of the hub wants them.
	Moves bool
	// Started is called at each start of a player, see runner.Config; may be nil.
	Started func(player string, took time.Duration, why error)
	// Record gets every event except dropped move events, and delays the run while it works; may be nil.
	Record func(match.Event)
	// Watch contains observers of the series. Each runs in its own goroutine and ends when the hub closes. They
	// do not delay games.
	Watch []func(*events.Hub)
	// Monitors contains observers that may also send events, by send. They must return when their context ends,
	// which is before the last event.
	Monitors []func(ctx context.Context, hub *events.Hub, send func(match.Event))
}

// Ending reports how a call of [Series.Play] ended.
type Ending struct {
	Left    int   // needed pairs that are not stored
	Why     error // the reason why the runner ended before all pairs were played, or nil
	Ordered bool  // a Control has ended the session
}

// Play plays the missing pairs. It ends when none is missing, when the SPRT decides, after Drain, or when ctx
// ends. It returns an error only if it cannot count the missing pairs. Ending.Why has the reason for an early
// end.
func (s *Series) Play(ctx context.Context, c Config) (Ending, error) {
	events := runner.NewEvents(s.plan.Run, c.Moves)
	s.events.Store(events)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, events.Abandon)()
	s.orders.begin(c, events, cancel)
	defer s.orders.end()
	var observers sync.WaitGroup
	if c.Record == nil { // a recorder gets all moves
		s.hub.ControlMoves(events)
	}
	observers.Go(func() { s.hub.Follow(events.Stream(), c.Record) })
	for _, watch := range c.Watch {
		observers.Go(func() { watch(s.hub) })
	}
	events.Send(match.RunEvent(s.plan, s.stored, &s.standings))
	if s.tuned != nil {
		s.tuned.begin(ctx, s.ending, c.Open, events.Send)
	}
	endMonitors := s.monitor(ctx, c.Monitors, events.Send)
	why := runner.Run(ctx, runner.Config{
		Plan: s.plan, Source: s.valve, Width: s.width, Sink: sink{s}, Open: c.Open, CPUs: c.CPUs, Waits: c.Waits,
		Events: events, Started: c.Started,
		OnlyReturn: s.tuned != nil, Ending: s.ending,
	})
	target, ordered := s.orders.end()
	finished, err := s.store.Finished(context.WithoutCancel(ctx)) // even if the run was cancelled
	if err != nil {
		err = fmt.Errorf("series: counting what is left: %w", err)
	}
	s.shown(ctx, events.Sent())
	endMonitors()
	left := missing(target, finished)
	done := target - left
	events.Send(match.Event{Type: match.EventDone, Finished: &done, Pairs: target})
	events.Close()
	await(ctx, &observers)
	switch {
	case s.decided():
		left = 0 // the missing pairs are not needed
	case s.pairer != nil:
		left = s.pairer.left()
	}
	return Ending{Left: left, Why: why, Ordered: ordered}, err
}

// monitor starts the monitors in list. send sends their events. The function end stops the monitors and waits until
// they have returned.
func (s *Series) monitor(ctx context.Context, list []func(context.Context, *events.Hub, func(match.Event)),
	send func(match.Event)) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // they also send the last warnings of a cancelled run
	var monitors sync.WaitGroup
	for _, f := range list {
		monitors.Go(func() { f(ctx, s.hub, send) })
	}
	return func() {
		cancel()
		monitors.Wait()
	}
}

// shown waits until the hub has published this number of events, because the monitors may warn about the last game.
// After the run was cancelled it waits for at most endGrace.
func (s *Series) shown(ctx context.Context, events uint64) {
	waits, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(endGrace, give) })()
	s.hub.Await(waits, events)
}

// endGrace is the time for which a cancelled run waits for its observers.
const endGrace = time.Second

// await waits until the observers of the events have returned. After the run was cancelled it waits for at most
// endGrace, because an observer may hang in a write.
func await(ctx context.Context, observers *sync.WaitGroup) {
	done := make(chan struct{}) // closed when all observers have ended
	go func() {
		observers.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(endGrace):
	}
}

// missing returns the number of unfinished pairs among the pairs 0 to pairs-1. Its cost depends on the finished pairs
// only, because a plan may have a hundred million pairs.
func missing(pairs int, finished map[int]bool) int {
	left := pairs
	for id, is := range finished {
		if is && id < pairs {
			left--
		}
	}
	return left
}
