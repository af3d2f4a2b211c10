// Package series plays a plan into a store. It plays the pairs that are missing, stops the
// series if the SPRT of the plan decides, carries out orders to pause or end, and reports what
// is missing at the end. [New] begins or resumes a [Series], Play plays it; [NewTune] does the
// same for a tune. The package knows no flags, no terminal and no database.
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

// Store is the durable half of a series. Its methods are called from many
// goroutines at once.
type Store interface {
	// Add stores a whole pair; added is false where it was stored before.
	Add(ctx context.Context, r match.PairResult) (added bool, err error)
	// PutAttempt keeps a try at a pair that does not count.
	PutAttempt(ctx context.Context, a match.Attempt) error
	// Finished is the set of the pairs that are stored.
	Finished(ctx context.Context) (map[int]bool, error)
	// Change logs what the session was told, before it is done.
	Change(ctx context.Context, pairs, slots int, phase match.RunPhase) error
}

// Stored calls see for every stored pair of the run in pair order, its games by leg.
type Stored func(ctx context.Context, see func(rows []match.Row) error) error

// Series is one run of a plan, begun or resumed. A Series is played once.
type Series struct {
	plan   *match.Plan
	store  Store
	source source
	pairer *waiting // the source, where results decide who plays whom; else nil
	tuned  *tuned   // the source of a tune, whose results decide what is played with; else nil
	valve  *valve   // before the source
	width  *runner.Width
	judge  *gate.Gate // nil: the plan has no sequential test
	hub    *events.Hub
	orders orders
	events atomic.Pointer[runner.Events] // of Play; nil before it

	ending chan struct{} // closed when the user wants the series to end, see Drain
	leave  sync.Once     // closes ending

	stored    int // pairs, before this session
	standings match.Standings
}

// New reads what is stored of a run, once, and judges it where the plan has a gate:
// one that decided in an earlier session hands out no more pairs.
func New(ctx context.Context, plan *match.Plan, store Store, stored Stored) (*Series, error) {
	if plan.Tune != "" {
		return nil, errors.New("series: the plan is a tune, which is played by NewTune")
	}
	finished, err := store.Finished(ctx)
	if err != nil {
		return nil, err
	}
	s := &Series{
		plan: plan, store: store, hub: events.NewHub(plan.Run), stored: plan.Pairs - missing(plan.Pairs, finished),
		width: runner.NewWidth(plan.Concurrency), orders: orders{target: plan.Pairs}, ending: make(chan struct{}),
	}
	if s.source = runner.NewPlanSource(plan, func(id int) bool { return finished[id] }); plan.Design.Kind.ByResults() {
		if s.pairer, err = newWaiting(plan); err != nil {
			return nil, err
		}
		s.source = s.pairer
	}
	s.valve = newValve(s.source)
	if !plan.Gate.IsZero() {
		if s.judge, err = gate.New(plan.Gate, plan.Pairs); err != nil {
			return nil, err
		}
	}
	if err := stored(ctx, s.resume); err != nil {
		return nil, err
	}
	s.stopWhenDecided()
	return s, nil
}

// resume takes a stored pair.
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

// Stored is how many of the plan's pairs earlier sessions have played.
func (s *Series) Stored() int { return s.stored }

// Hub is where the series can be watched, before, while and after it is played.
func (s *Series) Hub() *events.Hub { return s.hub }

// Gate is the judge of the series' sequential test; nil where its plan has none.
func (s *Series) Gate() *gate.Gate { return s.judge }

// Dropped is how many move events had no room in the stream so far, because the
// recorder was slow.
func (s *Series) Dropped() uint64 {
	if events := s.events.Load(); events != nil {
		return events.Dropped()
	}
	return 0
}

// Over reports whether nothing is left to be played: every pair is stored, or results
// have decided that no more are needed.
func (s *Series) Over() bool { return s.stored >= s.plan.Pairs || s.decided() }

// Drain makes the pairs in play the last, also of a paused series. A pair whose players
// take long to start is given back, see runner.Config.Ending.
func (s *Series) Drain() {
	s.leave.Do(func() { close(s.ending) })
	s.valve.turn(match.RunDraining)
}

// decided reports whether results have ended the series: by its gate, or by the design
// that they pair.
func (s *Series) decided() bool { return s.judged() || s.pairer != nil && s.pairer.over() }

func (s *Series) judged() bool { return s.judge != nil && s.judge.State().Decided() }

func (s *Series) stopWhenDecided() {
	if s.judged() {
		s.valve.turn(match.RunDraining)
	}
}

// sink stores what is played, and ends the series when the gate has decided: the
// pairs in play are finished and stored, beyond the stop.
type sink struct{ *Series }

// Put stores a pair before it is judged; one that was stored before was judged then.
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

// PutAttempt keeps a try that does not count.
func (s sink) PutAttempt(ctx context.Context, _ runner.Lease, a match.Attempt) error {
	return s.store.PutAttempt(ctx, a)
}

// Config is who plays, and who is told.
type Config struct {
	Open runner.Opener
	// CPUs are what each slot runs on, see runner.Config; nil: any.
	CPUs [][2][]int
	// Waits is how long this program's own threads wait, see runner.Config; may be nil.
	Waits func() time.Duration
	// Room says why there cannot be so many slots; nil: there always can.
	Room func(slots int) error
	// Moves says whether each move is worth an event, where Record or a subscriber of
	// the hub takes it.
	Moves bool
	// Started is told of each start of a player, see runner.Config; may be nil.
	Started func(player string, took time.Duration, why error)
	// Record gets every event but for moves that had to be dropped, and is waited
	// for; nil: nobody records.
	Record func(match.Event)
	// Watch are shown the series while it lasts, each in a goroutine of its own that
	// ends with the hub. None of them is waited for while games are played.
	Watch []func(*events.Hub)
	// Beside are shown the series as Watch are, and may tell of it themselves, by
	// send. They end when their context does, which is before the last event.
	Beside []func(ctx context.Context, hub *events.Hub, send func(match.Event))
}

// Ending is how a session ended.
type Ending struct {
	Left int   // pairs that are needed and not stored
	Why  error // why the runner ended before its source did, or nil
	// Ordered reports whether it was ended, or is to be ended, by a Control.
	Ordered bool
}

// Play plays the pairs that are missing, until they are played, the gate decides, the
// series is drained, or ctx ends. Its error is one of telling what is left; why the
// games ended early is the Ending's.
func (s *Series) Play(ctx context.Context, c Config) (Ending, error) {
	events := runner.NewEvents(s.plan.Run, c.Moves)
	s.events.Store(events)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(ctx, events.Abandon)()
	s.orders.begin(c, events, cancel)
	defer s.orders.end()
	var told sync.WaitGroup
	if c.Record == nil { // which is for all moves
		s.hub.Heed(events)
	}
	told.Go(func() { s.hub.Follow(events.Stream(), c.Record) })
	for _, watch := range c.Watch {
		told.Go(func() { watch(s.hub) })
	}
	events.Send(match.RunEvent(s.plan, s.stored, &s.standings))
	if s.tuned != nil {
		s.tuned.begin(ctx, s.ending, c.Open, events.Send)
	}
	endBeside := s.beside(ctx, c.Beside, events.Send)
	why := runner.Run(ctx, runner.Config{
		Plan: s.plan, Source: s.valve, Width: s.width, Sink: sink{s}, Open: c.Open, CPUs: c.CPUs, Waits: c.Waits, Events: events, Started: c.Started,
		OnlyReturn: s.tuned != nil, Ending: s.ending,
	})
	target, ordered := s.orders.end()
	finished, err := s.store.Finished(context.WithoutCancel(ctx)) // also of a run that was cancelled
	if err != nil {
		err = fmt.Errorf("series: counting what is left: %w", err)
	}
	s.shown(ctx, events.Sent())
	endBeside()
	left := missing(target, finished)
	done := target - left
	events.Send(match.Event{Type: match.EventDone, Finished: &done, Pairs: target})
	events.Close()
	await(ctx, &told)
	switch {
	case s.decided():
		left = 0 // what is not played is not needed
	case s.pairer != nil:
		left = s.pairer.left()
	}
	return Ending{Left: left, Why: why, Ordered: ordered}, err
}

// beside starts those who may tell of the series; end waits for them.
func (s *Series) beside(ctx context.Context, list []func(context.Context, *events.Hub, func(match.Event)), send func(match.Event)) (end func()) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx)) // a cancelled run still has things to tell
	var telling sync.WaitGroup
	for _, f := range list {
		telling.Go(func() { f(ctx, s.hub, send) })
	}
	return func() {
		cancel()
		telling.Wait()
	}
}

// shown waits until the hub has shown so many events, so that whoever ends now has seen
// them: the last game's end may be what they warn of. Of a run that was cancelled it waits
// no longer than for lastWords.
func (s *Series) shown(ctx context.Context, events uint64) {
	waits, give := context.WithCancel(context.WithoutCancel(ctx))
	defer give()
	defer context.AfterFunc(ctx, func() { time.AfterFunc(lastWords, give) })()
	s.hub.Await(waits, events)
}

// lastWords is how long whoever is told of a cancelled run may take to read its end.
const lastWords = time.Second

// await waits for those who are told, but not for ever once the run was cancelled: one
// may hang in a write that nobody reads.
func await(ctx context.Context, told *sync.WaitGroup) {
	done := make(chan struct{}) // closed by the goroutine
	go func() {
		told.Wait()
		close(done)
	}()
	select {
	case <-done:
		return
	case <-ctx.Done():
	}
	select {
	case <-done:
	case <-time.After(lastWords):
	}
}

// missing counts the first so many pairs that are not finished.
func missing(pairs int, finished map[int]bool) int {
	n := 0
	for id := range pairs {
		if !finished[id] {
			n++
		}
	}
	return n
}
