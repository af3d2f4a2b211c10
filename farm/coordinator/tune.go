package coordinator

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/match"
	"gogi/match/tune"
)

// TuneStore is a Store of a run that is a tune.
type TuneStore interface {
	Store
	// AddStates is Add, with the states that the pair leads to, both or none.
	AddStates(ctx context.Context, r match.PairResult, take int, states []match.TuneState) (added bool, err error)
	// Points calls see for each stored pair, in order, with what it was played with.
	Points(ctx context.Context, see func(pair int, options [2][]match.Option) error) error
	// States are those that are stored, by blocks.
	States(ctx context.Context) ([]match.TuneState, error)
}

// tuned is what a run has that is a tune. Its path is a function of the results by pair,
// so it does not matter who plays them, when they come, or how often the coordinator is
// started. The methods of a nil one say that the run is none.
type tuned struct {
	settings *tune.Settings
	course   *tune.Trajectory
	store    TuneStore
	// drawable is how many pairs may be granted: it rests on what is on the disk, and the
	// course on what is about to be.
	drawable int
	points   map[int]uint64 // of pairs that were granted, by pair; see pointsOf
	hungry   bool           // somebody wanted more pairs than could be drawn
	carrier  *item          // the pair of this batch with which states are stored
	broken   error          // the path cannot go on
	faulty   error          // too many points fail
}

// settingsOf are the settings of a plan that is a tune; nil: it is none.
func settingsOf(p *match.Plan) (*tune.Settings, error) {
	if p.Tune == "" {
		return nil, nil //nolint:nilnil // most runs are none
	}
	t, err := tune.ParsePlan(p.Tune)
	if err != nil {
		return nil, err
	}
	if t.Settings.Pairs != p.Pairs {
		return nil, fmt.Errorf("the plan has %d pairs, its tune is made for %d", p.Pairs, t.Settings.Pairs)
	}
	return &t.Settings, nil
}

// newTuned begins the tune of a run whose store is open; nil: it is none.
func newTuned(ctx context.Context, r *run) (*tuned, error) {
	s, err := settingsOf(r.plan)
	if s == nil || err != nil {
		return nil, err
	}
	store, ok := r.store.(TuneStore)
	if !ok {
		return nil, fmt.Errorf("coordinator: test %s is a tune, and its store keeps none", r.Name)
	}
	t := &tuned{settings: s, store: store, points: map[int]uint64{}}
	states, err := store.States(ctx)
	if err == nil {
		t.course, err = tune.NewTrajectory(*s, states)
	}
	if err == nil {
		err = store.Points(ctx, func(pair int, options [2][]match.Option) error {
			t.course.Played(pair, options)
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: reading a tune: %w", r.Name, err)
	}
	return t, nil
}

// resume takes a stored pair. What does not fit ends this tune, and no other run.
func (t *tuned) resume(rows []match.Row) {
	if t != nil && t.broken == nil && len(rows) > 0 {
		_, t.broken = t.course.Resume(rows)
	}
}

// begun is the tune once all that is stored was told.
func (t *tuned) begun() *tuned {
	if t != nil {
		t.course.Watch()
		t.drawable = t.course.Drawable()
	}
	return t
}

// protocol is what a worker must speak to play the run.
func (r *run) protocol() int {
	if r.plan.Tune != "" || r.selfplays() {
		return farm.ProtocolTunes
	}
	return farm.Oldest
}

// draw puts the points into a grant; false: the pair cannot be drawn any more.
func (t *tuned) draw(g *farm.Grant) bool {
	if t.course.Known(g.Pair) {
		return false
	}
	points, err := t.course.Points(g.Pair)
	if err != nil {
		return false
	}
	g.Options, g.Points = points, tune.HashPoints(points)
	t.points[g.Pair] = g.Points
	return true
}

// again puts into a grant what a pair was played with before.
func (t *tuned) again(g *farm.Grant, played *match.Pair) {
	g.Options, g.Points = played.Options, tune.HashPoints(played.Options)
}

// pointsOf stands for what is drawn for a pair; false: nothing is.
func (t *tuned) pointsOf(pair int) (uint64, bool) {
	if h, ok := t.points[pair]; ok {
		return h, true
	}
	points, err := t.course.Points(pair)
	if err != nil {
		return 0, false
	}
	t.points[pair] = tune.HashPoints(points)
	return t.points[pair], true
}

// playedAsGranted says that a worker has played other points than it was granted.
func playedAsGranted(p *match.Plan, it *item) error {
	if p.Tune != "" && tune.HashPoints(it.pair.Pair.Options) != it.Lease.Points {
		return fmt.Errorf("pair %d was played with other points than were granted", it.Lease.Pair)
	}
	return nil
}

// astray takes the leases out of a list that were drawn from a path that is no more, by a
// purge or by a backup of before: their pairs are granted anew, with other points.
func (r *run) astray(now time.Time, list *ledger.Listed) (out []ledger.Lease) {
	if r.tune == nil {
		return nil
	}
	for _, leases := range []*[]ledger.Lease{&list.Held, &list.Outbox, &list.Sent} {
		*leases = slices.DeleteFunc(*leases, func(l ledger.Lease) bool {
			if r.ledger.IsStored(l.Pair) || r.tune.course.Known(l.Pair) {
				return false
			}
			if want, ok := r.tune.pointsOf(l.Pair); ok && want == l.Points {
				return false
			}
			r.ledger.Refused(now, l)
			out = append(out, l)
			return true
		})
	}
	return out
}

// learn takes a result that is to be stored, or says that it was played for a path that is
// no more, for which nobody is to blame. Results are learnt in the order of the stream;
// what follows from them does not depend on it.
func (t *tuned) learn(p *match.Plan, it *item) {
	if t == nil {
		return
	}
	it.stale, it.astray = true, true
	if want, ok := t.pointsOf(it.pair.Pair.ID); t.broken != nil || !ok || want != it.Lease.Points {
		return
	}
	if _, t.broken = t.take(p, &it.pair); t.broken != nil {
		return
	}
	it.stale, it.astray = false, false
	t.carrier = it
}

func (t *tuned) take(p *match.Plan, r *match.PairResult) (states []tune.State, err error) {
	states, faulty, err := t.course.Learn(r.Pair.ID, r.Pair.Options, tune.ResultOf(p.Rules, *r))
	if faulty != nil {
		t.faulty = faulty
	}
	return states, err
}

// carries reports whether the states that a batch leads to are stored with an item: with
// the one that was learnt last, once all the others are stored. So there is never a state
// without the results that it rests on.
func (r *run) carries(it *item) bool {
	return it.Attempt == nil && r.tune != nil && r.tune.carrier == it
}

// carry stores the pairs that have states with them.
func (c *Coordinator) carry(ctx context.Context, carriers []*item) error {
	for _, it := range carriers {
		it.pair.Attempts = it.pair.Attempts[:min(len(it.pair.Attempts), maxAttempts)]
		added, err := it.run.add(ctx, it.pair, it.Lease.Take, true)
		if err != nil {
			return err
		}
		it.added = added
	}
	return nil
}

// add stores a pair, with the states that its tune owes where it carries them.
func (r *run) add(ctx context.Context, p match.PairResult, take int, carries bool) (added bool, err error) {
	if !carries {
		return r.store.Add(ctx, p, take)
	}
	added, err = r.tune.store.AddStates(ctx, p, take, r.tune.course.Owed())
	if err == nil && added {
		r.tune.course.Settled()
	}
	return added, err
}

// stored says that a pair is on the disk, and all that was learnt before it.
func (t *tuned) stored(pair int) {
	delete(t.points, pair)
	t.carrier, t.drawable = nil, t.course.Drawable()
}

// learnt tells workers at once that there are pairs again, where some had to go without.
func (c *Coordinator) learnt(r *run, pair int) {
	before := r.tune.drawable
	r.tune.stored(pair)
	r.ledger.Until(r.tune.drawable)
	if r.tune.hungry && r.tune.drawable > before {
		r.tune.hungry = false
		c.hint(r)
	}
}

// brought learns a pair that was played elsewhere.
func (t *tuned) brought(p *match.Plan, r *match.PairResult) error {
	if t == nil {
		return nil
	}
	if t.broken != nil {
		return t.broken
	}
	_, err := t.take(p, r)
	return err
}

// forgive goes on though points fail.
func (t *tuned) forgive() {
	if t != nil {
		t.faulty = nil
		t.course.Watch()
	}
}

// examineTune pauses a tune that somebody has to look at.
func (c *Coordinator) examineTune(ctx context.Context, r *run) {
	if r.tune == nil || r.State != farm.Running {
		return
	}
	var why string
	state := farm.Paused
	switch {
	case r.tune.broken != nil:
		state, why = farm.Failed, r.tune.broken.Error()
	case r.tune.faulty != nil:
		why = r.tune.faulty.Error()
		if f, ok := errors.AsType[*tune.Faulty](r.tune.faulty); ok {
			why = f.What() + ": hand in a tune of narrower bounds, or resume it, which takes failing for losing"
		}
	default:
		return
	}
	if err := c.turn(ctx, r, state, "farm", why); err != nil {
		c.config.Log.Warn("a tune was not paused", "run", r.Name, "err", err)
	}
}

// status is the tune for others.
func (t *tuned) status() *farm.TuneStatus {
	if t == nil {
		return nil
	}
	st := t.course.State()
	out := &farm.TuneStatus{Blocks: st.Blocks, Of: t.settings.Blocks()}
	for i := range t.settings.Params {
		p := &t.settings.Params[i]
		if !p.Unused {
			out.Params = append(out.Params, farm.TuneParam{Name: p.Name, Start: p.Text(p.Start), Now: p.Text(st.Theta[i])})
		}
	}
	return out
}
