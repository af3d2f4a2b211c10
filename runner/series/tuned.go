package series

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"gogi/internal/hurry"
	"gogi/match"
	"gogi/match/tune"
	"gogi/runner"
	"gogi/runner/events"
)

// TuneStore is the durable half of a tune.
type TuneStore interface {
	Store
	// AddStates is Add, with the states that the pair leads to, both or none.
	AddStates(ctx context.Context, r match.PairResult, states []match.TuneState) (added bool, err error)
	// Points calls see for each stored pair, in order, with what it was played with.
	Points(ctx context.Context, see func(pair int, options [2][]match.Option) error) error
	// States are those that are stored, by blocks.
	States(ctx context.Context) ([]match.TuneState, error)
}

// Tuning is what a tune is played with beside its plan.
type Tuning struct {
	// Forfeit takes points that fail for points that lose, however many do; else a run in
	// which too many do ends with a *tune.Faulty.
	Forfeit bool
	// Learnt is told of each block that is learnt, once it is stored, in order; may be nil.
	Learnt func(tune.State)
	// StopFutile ends the tune with a *tune.Futile where nothing is to be gained; else
	// that is a warning.
	StopFutile bool
	// Answered is told of the last state of a tune, once it is stored, before the session
	// ends; it writes the answer down, and names the runs that judge it. May be nil.
	Answered func(context.Context, tune.State) (runs []string, err error)
}

// NewTune is New for a plan that is a tune. What is stored of it is held against the
// path: a pair that was drawn from another one, or a state that the results do not lead
// to, is an error.
func NewTune(ctx context.Context, plan *match.Plan, store TuneStore, stored Stored, how Tuning) (*Series, error) {
	t, err := newTuned(ctx, plan, store, how)
	if err != nil {
		return nil, err
	}
	finished, err := store.Finished(ctx)
	if err != nil {
		return nil, err
	}
	s := &Series{
		plan: plan, store: store, hub: events.NewHub(plan.Run), stored: plan.Pairs - missing(plan.Pairs, finished),
		width: runner.NewWidth(plan.Concurrency), orders: orders{target: plan.Pairs}, source: t, tuned: t,
		ending: make(chan struct{}),
	}
	s.valve = newValve(t)
	if err := stored(ctx, s.resume); err != nil {
		return nil, err
	}
	t.course.Watch() // what failed in earlier sessions has been told
	return s, nil
}

// tuned hands out the pairs of a tune. Next waits where the blocks that a pair is drawn
// from are not learnt yet. What it hands out depends on the results by pair alone.
type tuned struct {
	plan     *match.Plan
	settings *tune.Settings
	store    TuneStore
	how      Tuning

	// commit is held from when a pair is learnt until it is stored: states are stored in
	// order, none before the pairs that it rests on.
	commit sync.Mutex

	mu       sync.Mutex
	course   *tune.Trajectory
	next     int
	returned []int
	tries    map[int]int       // of pairs that could not be played though all their points start
	changed  chan struct{}     // closed, and made anew, when there may be something new
	broken   error             // why no pair can be found any more
	track    match.TuneTrack   // of all states
	futile   bool              // it was told that nothing is to be gained
	tell     func(match.Event) // see begin
	// See begin.
	try func(pair match.Pair, centre []match.Option) (*match.PairResult, error)
	put func(r match.PairResult) error
}

func newTuned(ctx context.Context, plan *match.Plan, store TuneStore, how Tuning) (*tuned, error) {
	p, err := tune.ParsePlan(plan.Tune)
	if err == nil && p.Settings.Pairs != plan.Pairs {
		err = fmt.Errorf("the plan has %d pairs, its tune is made for %d", plan.Pairs, p.Settings.Pairs)
	}
	var states []match.TuneState
	if err == nil {
		states, err = store.States(ctx)
	}
	var course *tune.Trajectory
	if err == nil {
		course, err = tune.NewTrajectory(p.Settings, states)
	}
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	t := &tuned{plan: plan, settings: &p.Settings, store: store, how: how, course: course, tries: map[int]int{}, changed: make(chan struct{})}
	return t, store.Points(ctx, func(pair int, options [2][]match.Option) error {
		course.Played(pair, options)
		return nil
	})
}

// Next waits for a pair that can be drawn.
func (t *tuned) Next(ctx context.Context) (runner.Lease, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return runner.Lease{}, err
		}
		lease, changed, err := t.take()
		if err != nil || changed == nil {
			return lease, err
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// take is a pair that may be played, or what to wait for, or io.EOF.
func (t *tuned) take() (l runner.Lease, wait <-chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.broken != nil:
		return l, nil, t.broken
	case len(t.returned) > 0:
		id := t.returned[0]
		t.returned = t.returned[1:]
		l, err = t.lease(id)
		return l, nil, err
	}
	for t.next < t.course.Drawable() {
		id := t.next
		t.next++
		if !t.course.Known(id) {
			l, err = t.lease(id)
			return l, nil, err
		}
	}
	// Who waits at the end waits for pairs that may be given back.
	if t.course.Done() {
		return l, nil, io.EOF
	}
	return l, t.changed, nil
}

func (t *tuned) lease(id int) (runner.Lease, error) {
	pair := t.plan.Pair(id)
	duel, err := t.course.Draw(id)
	if err != nil {
		return runner.Lease{}, fmt.Errorf("series: %w", err)
	}
	pair.Options = t.settings.Points(&duel)
	return runner.Lease{Pair: pair, Kind: string(duel.Kind), Return: func(why error) { t.giveBack(pair, why) }}, nil
}

func (t *tuned) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// fail ends the tune.
func (t *tuned) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken == nil {
		t.broken = err
	}
	t.wake()
}

// SetTarget does nothing: see mayEndAt.
func (t *tuned) SetTarget(int) {}

// mayEndAt says that a tune has one length.
func (t *tuned) mayEndAt(pairs int) error {
	if pairs == t.settings.Pairs {
		return nil
	}
	return errors.New("the run is a tune, whose schedule is made for its length: it can be drained or stopped")
}

// add stores a pair that was played, with what is learnt from it.
func (t *tuned) add(ctx context.Context, r match.PairResult) (added bool, err error) {
	t.commit.Lock()
	defer t.commit.Unlock()
	t.mu.Lock()
	states, learnt, err := t.course.Learn(r.Pair.ID, r.Pair.Options, tune.ResultOf(t.plan.Rules, r))
	owed := t.course.Owed()
	t.mu.Unlock()
	if err != nil {
		err = fmt.Errorf("series: %w", err)
		t.fail(err)
		return false, err
	}
	added, err = t.store.AddStates(ctx, r, owed)
	if err == nil && !added {
		err = fmt.Errorf("series: pair %d was stored by somebody else while this session played it", r.Pair.ID)
	}
	if err != nil {
		t.fail(err)
		return false, err
	}
	t.mu.Lock()
	t.course.Settled()
	done := t.course.Done()
	for i := range states {
		t.track.Add(states[i].Blocks, pointOf(&states[i]))
	}
	t.mu.Unlock()
	for i := range states {
		t.toldOf(&states[i])
	}
	if learnt != nil && !t.how.Forfeit {
		t.fail(learnt)
	}
	if done && len(states) > 0 {
		if err := t.answer(ctx, &states[len(states)-1]); err != nil {
			return true, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wake()
	return true, nil
}

// resume takes a pair that an earlier session stored.
func (t *tuned) resume(rows []match.Row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	states, err := t.course.Resume(rows)
	if err != nil {
		return fmt.Errorf("series: %w", err)
	}
	for i := range states {
		t.track.Add(states[i].Blocks, pointOf(&states[i]))
	}
	return nil
}

// startTries is how often a pair is tried that cannot be played though its points start.
const startTries = 3

// begin says how points are tried and pairs stored, for as long as ctx lasts, and who is
// told.
func (t *tuned) begin(ctx context.Context, ending <-chan struct{}, open runner.Opener, tell func(match.Event)) {
	t.tell = tell
	t.mu.Lock()
	told := t.settings.Told()
	told.Track = t.track.Clone()
	t.mu.Unlock()
	tell(match.Event{Type: match.EventTune, Tune: &told})
	t.try = func(pair match.Pair, centre []match.Option) (*match.PairResult, error) {
		ctx, stop := hurry.Start(ctx, ending)
		defer stop()
		r, err := runner.TryOut(ctx, open, t.plan, pair, centre)
		if errors.Is(context.Cause(ctx), hurry.ErrEnding) { // which says nothing of the points
			return nil, nil //nolint:nilnil // the pair is played by a later session
		}
		return r, err
	}
	t.put = func(r match.PairResult) error {
		added, err := t.add(context.WithoutCancel(ctx), r)
		if added {
			tell(match.Event{Type: match.EventPair, Pair: &r.Pair.ID, Kind: match.TuneForfeit})
		}
		return err
	}
}

// giveBack puts a pair up again: others wait for its result. One that cannot be played
// is tried out: where the centre starts, a point that does not forfeits.
func (t *tuned) giveBack(pair match.Pair, why error) {
	if u, ok := errors.AsType[*runner.Unplayable](why); ok {
		r, err := t.tryOut(pair, u)
		if err == nil && r != nil {
			err = t.put(*r)
		}
		if err != nil {
			t.fail(err)
		}
		if err != nil || r != nil {
			return
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.returned = append(t.returned, pair.ID)
	t.wake()
}

// tryOut is a forfeited pair; nil: all its points start. It is an error that the centre
// does not start, or that the pair cannot be played though all do.
func (t *tuned) tryOut(pair match.Pair, u *runner.Unplayable) (*match.PairResult, error) {
	t.mu.Lock()
	st := t.course.State()
	t.mu.Unlock()
	r, err := t.try(pair, t.settings.Options(t.settings.Rounded(st.Theta)))
	if err != nil {
		return nil, fmt.Errorf("%w; nor does it start at the tune's centre: %w", u, err)
	}
	if r != nil {
		t.tellForfeit(r)
		return r, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tries[pair.ID]++; t.tries[pair.ID] == startTries {
		return nil, u
	}
	return nil, nil //nolint:nilnil // it is to be played again
}
