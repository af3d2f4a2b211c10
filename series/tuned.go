package series

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"sync"

	"gogi/live"
	"gogi/match"
	"gogi/runner"
	"gogi/tune"
	"gogi/usi"
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
		plan: plan, store: store, hub: live.NewHub(plan.Run), stored: plan.Pairs - missing(plan.Pairs, finished),
		width: runner.NewWidth(plan.Concurrency), orders: orders{target: plan.Pairs}, source: t, tuned: t,
	}
	s.valve = newValve(t)
	if err := stored(ctx, s.resume); err != nil {
		return nil, err
	}
	t.watch = tune.NewFaults(t.settings) // what failed in earlier sessions has been told
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
	path     *tune.Path
	next     int
	returned []int
	tries    map[int]int   // of pairs that could not be played though all their points start
	changed  chan struct{} // closed, and made anew, when there may be something new
	broken   error         // why no pair can be found any more
	ahead    map[int]tune.Result
	points   map[int]uint64        // of stored pairs that are not learnt yet: what they were played with
	states   map[int]bool          // stored, by blocks
	owed     []match.TuneState     // that a stored pair led to and that are not stored
	failed   map[int]tune.Failures // by pair, of blocks that are not learnt
	watch    *tune.Faults
	track    match.TuneTrack                                // of all states
	futile   bool                                           // it was told that nothing is to be gained
	tell     func(match.Event)                              // see begin
	drawn    map[int]tune.Duel                              // of blocks that are not learnt
	starts   func(player int, options []match.Option) error // see begin
	put      func(r match.PairResult) error                 // see begin
}

func newTuned(ctx context.Context, plan *match.Plan, store TuneStore, how Tuning) (*tuned, error) {
	p, err := tune.ParsePlan(plan.Tune)
	if err == nil && p.Settings.Pairs != plan.Pairs {
		err = fmt.Errorf("the plan has %d pairs, its tune is made for %d", plan.Pairs, p.Settings.Pairs)
	}
	var path *tune.Path
	if err == nil {
		path, err = tune.NewPath(p.Settings)
	}
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	t := &tuned{
		plan: plan, settings: &p.Settings, store: store, how: how, path: path, tries: map[int]int{}, changed: make(chan struct{}),
		ahead: map[int]tune.Result{}, points: map[int]uint64{}, states: map[int]bool{},
		failed: map[int]tune.Failures{}, watch: tune.NewFaults(&p.Settings), drawn: map[int]tune.Duel{},
	}
	states, err := store.States(ctx)
	path.Expect(states)
	for _, s := range states {
		t.states[s.Blocks] = true
	}
	if err == nil {
		err = store.Points(ctx, func(pair int, options [2][]match.Option) error {
			t.points[pair] = hashOf(options)
			return nil
		})
	}
	return t, err
}

// hashOf stands for options: a million pairs' would fill the memory.
func hashOf(options [2][]match.Option) uint64 {
	h := fnv.New64a()
	for _, list := range options {
		for _, o := range list {
			fmt.Fprintf(h, "%q%q", o.Name, o.Value)
		}
		fmt.Fprint(h, ";")
	}
	return h.Sum64()
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
	for t.next < t.path.Drawable() {
		id := t.next
		t.next++
		if _, ahead := t.ahead[id]; !ahead && !t.path.Known(id) {
			l, err = t.lease(id)
			return l, nil, err
		}
	}
	// Who waits at the end waits for pairs that may be given back.
	if t.path.Blocks() == t.settings.Blocks() {
		return l, nil, io.EOF
	}
	return l, t.changed, nil
}

func (t *tuned) lease(id int) (runner.Lease, error) {
	duel, err := t.draw(id)
	if err != nil {
		return runner.Lease{}, err
	}
	pair := t.plan.Pair(id)
	pair.Options = t.settings.Points(&duel)
	return runner.Lease{Pair: pair, Kind: string(duel.Kind), Return: func(why error) { t.giveBack(pair, why) }}, nil
}

func (t *tuned) draw(id int) (tune.Duel, error) {
	duel, ok := t.path.Draw(id)
	if !ok {
		return duel, fmt.Errorf("series: pair %d of the tune cannot be drawn: the blocks before it are not known", id)
	}
	t.drawn[id] = duel
	return duel, nil
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
	states, learnt, err := t.learn(r)
	if err != nil {
		t.fail(err)
		return false, err
	}
	added, err = t.store.AddStates(ctx, r, t.owed)
	if err == nil && !added {
		err = fmt.Errorf("series: pair %d was stored by somebody else while this session played it", r.Pair.ID)
	}
	if err != nil {
		t.fail(err)
		return false, err
	}
	t.owed = nil
	for i := range states {
		t.toldOf(&states[i])
	}
	if learnt != nil && !t.how.Forfeit {
		t.fail(learnt)
	}
	if t.path.Blocks() == t.settings.Blocks() && len(states) > 0 {
		if err := t.answer(ctx, &states[len(states)-1]); err != nil {
			return true, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wake()
	return true, nil
}

// learn takes a pair that was played, and refuses one that is not drawn so. faulty says
// that too many points fail.
func (t *tuned) learn(r match.PairResult) (states []tune.State, faulty, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := r.Pair.ID
	if t.path.Known(id) {
		return nil, nil, fmt.Errorf("series: pair %d of the tune is known", id)
	}
	duel, err := t.draw(id)
	if err != nil {
		return nil, nil, err
	}
	if hashOf(r.Pair.Options) != hashOf(t.settings.Points(&duel)) {
		return nil, nil, fmt.Errorf("series: pair %d was not played with the points that are drawn for it", id)
	}
	states, faulty, err = t.enter(id, tune.ResultOf(t.plan.Rules, r))
	if err != nil {
		return nil, nil, err
	}
	more, err := t.catchUp()
	return append(states, more...), faulty, err
}

// enter adds one pair to the path. States that it leads to and that are not stored yet
// are owed.
func (t *tuned) enter(id int, s tune.Result) (states []tune.State, faulty, err error) {
	t.failed[id] = s.Failed
	_, states, err = t.path.Add(id, s.Score, s.Forfeit)
	if err != nil {
		return nil, nil, err
	}
	for _, st := range states {
		t.track.Add(st.Blocks, pointOf(&st))
		if !t.states[st.Blocks] {
			t.owed = append(t.owed, st.Stored())
		}
		if err := t.watchBlock(st.Blocks - 1); err != nil {
			faulty = err
		}
	}
	return states, faulty, nil
}

// watchBlock tells the faults of a learnt block, and forgets it.
func (t *tuned) watchBlock(block int) error {
	first, end := t.settings.PairsOf(block)
	var duels []tune.Duel
	var failed []tune.Failures
	for id := first; id < end; id++ {
		duels, failed = append(duels, t.drawn[id]), append(failed, t.failed[id])
		delete(t.drawn, id)
		delete(t.failed, id)
	}
	return t.watch.Block(duels, failed)
}

// catchUp adds the stored pairs that can be drawn by now, of which there may be more
// after each block.
func (t *tuned) catchUp() (states []tune.State, err error) {
	for id := t.path.Blocks() * t.settings.Block; len(t.ahead) > 0 && id < t.path.Drawable(); id++ {
		s, ok := t.ahead[id]
		if !ok {
			continue
		}
		more, err := t.takeStored(id, s)
		if err != nil {
			return nil, err
		}
		states = append(states, more...)
	}
	return states, nil
}

// takeStored adds a pair of an earlier session.
func (t *tuned) takeStored(id int, s tune.Result) ([]tune.State, error) {
	delete(t.ahead, id)
	duel, err := t.draw(id)
	if err != nil {
		return nil, err
	}
	if t.points[id] != hashOf(t.settings.Points(&duel)) {
		return nil, fmt.Errorf("series: pair %d is stored with other points than the results before it lead to (gogi tune verify tells all; gogi db void --pairs %d takes it out, to be played anew)", id, id)
	}
	delete(t.points, id)
	states, _, err := t.enter(id, s)
	return states, err
}

// resume takes a pair that an earlier session stored.
func (t *tuned) resume(rows []match.Row) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	id := rows[0].Pair
	if id >= t.settings.Pairs {
		return fmt.Errorf("series: pair %d is stored, and the tune has %d", id, t.settings.Pairs)
	}
	t.ahead[id] = tune.ResultOfRows(rows)
	_, err := t.catchUp()
	return err
}

// startTries is how often a point is tried until it is said not to start.
const startTries = 3

// begin says how points are tried and pairs stored, for as long as ctx lasts, and who is
// told.
func (t *tuned) begin(ctx context.Context, open runner.Opener, tell func(match.Event)) {
	t.tell = tell
	t.mu.Lock()
	told := t.settings.Told()
	told.Track = t.track.Clone()
	t.mu.Unlock()
	tell(match.Event{Type: match.EventTune, Tune: &told})
	t.starts = func(player int, options []match.Option) (err error) {
		for range startTries {
			if err = startOnce(ctx, open, t.plan.Players[player], options); err == nil || ctx.Err() != nil {
				return err
			}
		}
		return err
	}
	t.put = func(r match.PairResult) error {
		added, err := t.add(context.WithoutCancel(ctx), r)
		if added {
			tell(match.Event{Type: match.EventPair, Pair: &r.Pair.ID, Kind: match.TuneForfeit})
		}
		return err
	}
}

func startOnce(ctx context.Context, open runner.Opener, p match.Player, options []match.Option) error {
	player, err := open(ctx, p, nil)
	if err != nil {
		return err
	}
	game := usi.Game{Pair: usi.NoPair}
	for _, o := range options {
		game.Options = append(game.Options, usi.Setting(o))
	}
	err = player.NewGame(ctx, game)
	_ = player.Close() // that it ends badly is not what is asked
	return err
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
	st := t.path.State()
	t.mu.Unlock()
	centre := make([]float64, len(st.Theta))
	for i := range centre {
		centre[i] = st.Theta[i]
	}
	for player := range 2 {
		if err := t.starts(player, t.settings.Options(t.settings.Rounded(centre))); err != nil {
			return nil, fmt.Errorf("%w; nor does it start at the tune's centre: %w", u, err)
		}
	}
	var failed [2]bool
	note := ""
	for player := range failed {
		if err := t.starts(player, pair.Options[player]); err != nil {
			failed[player] = true
			note = err.Error()
		}
	}
	if failed != [2]bool{} {
		r := match.Forfeited(t.plan, pair, failed, note, 0)
		t.tellForfeit(pair.ID, failed, note)
		return &r, nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tries[pair.ID]++; t.tries[pair.ID] == startTries {
		return nil, u
	}
	return nil, nil //nolint:nilnil // it is to be played again
}
