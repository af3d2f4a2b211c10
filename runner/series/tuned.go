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
)

// TuneStore is the durable storage for a tune, which is a run that optimises parameters.
type TuneStore interface {
	Store
	// AddStates stores a pair as Add does, together with the states that result from the pair. It stores both or
	// neither.
	AddStates(ctx context.Context, r match.PairResult, states []match.TuneState) (added bool, err error)
	// Points calls see for each stored pair, in order, and passes the options that the two players had in that pair.
	Points(ctx context.Context, see func(pair int, options [2][]match.Option) error) error
	// States returns the stored states, ordered by block.
	States(ctx context.Context) ([]match.TuneState, error)
}

// Tuning has the settings of a tune that are not part of its plan.
type Tuning struct {
	// If an engine fails with the options of the tune, its side loses the game or the pair. With Forfeit the number
	// of such failures has no limit. Otherwise too many of them end the run with a *tune.Faulty.
	Forfeit bool
	// Learnt is called with each new state after it is stored; may be nil.
	Learnt func(tune.State)
	// StopFutile ends the tune with a *tune.Futile if it can gain nothing. Otherwise gogi sends a warning.
	StopFutile bool
	// Answered is called with the last state after it is stored, before the session ends. It writes the result, and
	// returns the names of the runs that test the result. May be nil.
	Answered func(context.Context, tune.State) (runs []string, err error)
}

// NewTune begins or resumes the tune of a plan, as New does for other plans. It calculates all states of the
// tune again from the stored results. It returns an error if they differ from the stored states and option
// values.
func NewTune(ctx context.Context, plan *match.Plan, store TuneStore, stored Stored, how Tuning) (*Series, error) {
	t, err := newTuned(ctx, plan, store, how)
	if err != nil {
		return nil, err
	}
	s, _, err := newSeries(ctx, plan, store)
	if err != nil {
		return nil, err
	}
	s.source, s.tuned, s.valve = t, t, newValve(t)
	if err := stored(ctx, s.resume); err != nil {
		return nil, err
	}
	t.course.Watch() // earlier sessions have reported their failures
	return s, nil
}

// tuned hands out the pairs of a tune. Next waits until the results that determine the next pair are known. The pairs
// depend only on the results of each pair, not on their order.
type tuned struct {
	queue
	plan     *match.Plan
	settings *tune.Settings
	store    TuneStore
	how      Tuning

	// commit is held while a pair is learnt and stored, so that states are stored in order and after their pairs.
	commit sync.Mutex

	course *tune.Trajectory
	tries  map[int]int       // by pair: the number of failed attempts although all engines start with their options
	track  match.TuneTrack   // of all states
	futile bool              // the warning that the tune can gain nothing was sent
	send   func(match.Event) // set by begin
	// try and put are set by begin.
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
	t := &tuned{queue: newQueue(), plan: plan, settings: &p.Settings, store: store, how: how, course: course,
		tries: map[int]int{}}
	return t, store.Points(ctx, func(pair int, options [2][]match.Option) error {
		course.Played(pair, options)
		return nil
	})
}

// Next returns a lease for another pair of the tune. It waits until enough results are known to choose the
// parameter values of that pair.
func (t *tuned) Next(ctx context.Context) (runner.Lease, error) { return t.wait(ctx, t.take) }

// take returns a playable pair, or the channel to wait for, or io.EOF if no pair is left. The caller holds
// t.mu.
func (t *tuned) take() (l runner.Lease, wait <-chan struct{}, err error) {
	switch {
	case t.broken != nil:
		return l, nil, t.broken
	case len(t.returned) > 0:
		l, err = t.lease(t.takeReturned())
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
	// At the end slots wait for pairs that may be given back.
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
	return runner.Lease{Pair: pair, Kind: string(duel.Kind), Return: func(why error) { t.unplayed(pair, why) }}, nil
}

// fail ends the tune with an error.
func (t *tuned) fail(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.broken == nil {
		t.broken = err
	}
	t.wake()
}

// SetTarget does nothing, because the number of pairs of a tune cannot change.
func (t *tuned) SetTarget(int) {}

// mayEndAt returns an error for every number of pairs except the tune's own number.
func (t *tuned) mayEndAt(pairs int) error {
	if pairs == t.settings.Pairs {
		return nil
	}
	return errors.New("the run is a tune, whose schedule is made for its length: it can be drained or stopped")
}

// add stores a played pair and the states that result from the pair. added is true if the pair was stored.
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
		err = fmt.Errorf("series: pair %d was stored by another program while this session played it", r.Pair.ID)
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
		t.report(&states[i])
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

// resume adds a pair that an earlier session stored.
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

// startTries is the maximum number of attempts at a pair whose engines start, but whose games cannot be played. Then
// the tune fails.
const startTries = 3

// begin sends the tune event. It also sets the functions that test options, store pairs and send events, until ctx
// ends.
func (t *tuned) begin(ctx context.Context, ending <-chan struct{}, open runner.Opener, send func(match.Event)) {
	t.send = send
	t.mu.Lock()
	setup := t.settings.Setup()
	setup.Track = t.track.Clone()
	t.mu.Unlock()
	send(match.Event{Type: match.EventTune, Tune: &setup})
	t.try = func(pair match.Pair, centre []match.Option) (*match.PairResult, error) {
		ctx, stop := hurry.Start(ctx, ending)
		defer stop()
		r, err := runner.TryOut(ctx, open, t.plan, pair, centre)
		if errors.Is(context.Cause(ctx), hurry.ErrEnding) { // the start was cut, so the points may be good
			return nil, nil // a later session plays the pair
		}
		return r, err
	}
	t.put = func(r match.PairResult) error {
		added, err := t.add(context.WithoutCancel(ctx), r)
		if added {
			send(match.Event{Type: match.EventPair, Pair: &r.Pair.ID, Kind: match.TuneForfeit})
		}
		return err
	}
}

// unplayed makes an unplayed pair available again. If the attempts at the pair are used up, it calls tryOut to find
// the reason. If an engine does not start with the options of one side, that side forfeits the pair.
func (t *tuned) unplayed(pair match.Pair, why error) {
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
	t.giveBack(pair.ID)
}

// tryOut starts the engines of a pair that could not be played. It returns a forfeited pair if an engine does not
// start with its options, and nil if all start. It returns an error if the engine does not start with the tune's
// current values either, or if the pair fails repeatedly.
func (t *tuned) tryOut(pair match.Pair, u *runner.Unplayable) (*match.PairResult, error) {
	t.mu.Lock()
	st := t.course.State()
	t.mu.Unlock()
	r, err := t.try(pair, t.settings.Options(t.settings.Rounded(st.Theta)))
	if err != nil {
		return nil, fmt.Errorf("%w; nor does it start at the tune's centre: %w", u, err)
	}
	if r != nil {
		t.sendForfeit(r)
		return r, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tries[pair.ID]++; t.tries[pair.ID] == startTries {
		return nil, u
	}
	return nil, nil // the pair is played again
}

// KindFutile is the kind of a warning: no parameter of the tune has a measurable effect.
const KindFutile = "futile"

// pointOf returns the part of a state that tune events show.
func pointOf(st *tune.State) match.TunePoint {
	return match.TunePoint{Pairs: st.Pairs, Theta: append([]float64(nil), st.Theta...), Spread: st.Factor,
		LostElo: st.Lost(), Equal: st.Equal}
}

// report sends the event of a stored state. If no parameter has a measurable effect, it also sends a warning, once in
// a session. With Tuning.StopFutile it then ends the tune.
func (t *tuned) report(st *tune.State) {
	p := pointOf(st)
	t.send(match.Event{Type: match.EventBlock, Block: st.Blocks, Pairs: p.Pairs, Theta: p.Theta, Spread: p.Spread,
		LostElo: p.LostElo, Equal: p.Equal})
	if t.how.Learnt != nil {
		t.how.Learnt(*st)
	}
	if t.futile || st.Blocks == t.settings.Blocks() {
		return
	}
	if why := tune.IsFutile(t.settings, st); why != nil {
		t.futile = true
		t.send(match.Event{Type: match.EventWarning, Kind: KindFutile, Note: why.Error()})
		if t.how.StopFutile {
			t.fail(why)
		}
	}
}

// answer sends the result of the tune after Answered has written it.
func (t *tuned) answer(ctx context.Context, last *tune.State) error {
	var runs []string
	if t.how.Answered != nil {
		var err error
		if runs, err = t.how.Answered(ctx, *last); err != nil {
			return err
		}
	}
	values := map[string]string{}
	for _, o := range t.settings.Options(tune.Answer(t.settings, last)) {
		values[o.Name] = o.Value
	}
	t.send(match.Event{Type: match.EventCandidate, Values: values})
	for _, run := range runs {
		t.send(match.Event{Type: match.EventValidation, Validation: run})
	}
	return nil
}

// sendForfeit sends the event of a forfeited pair before the pair is stored.
func (t *tuned) sendForfeit(r *match.PairResult) {
	e := match.Event{Type: match.EventForfeit, Pair: &r.Pair.ID, Note: r.Games[0].Note}
	failed := tune.ResultOf(t.plan.Rules, *r).Failed
	for i, name := range [2]string{t.plan.Players[0].Name, t.plan.Players[1].Name} {
		if failed[i] {
			e.Engines = append(e.Engines, name)
		}
	}
	t.send(e)
}
