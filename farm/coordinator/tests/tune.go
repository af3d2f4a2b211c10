package tests

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/ledger"
	"gogi/match"
	"gogi/match/tune"
)

// A Tune is the tune of a run. The path of the tune (the sequence of its iterates) depends only on the results
// by pair. So it does not depend on the workers that play the pairs, the order of the results, or restarts of
// the coordinator. A nil *Tune means that the run is no tune. Comments mark the methods that may be called
// on nil.
type Tune struct {
	settings *tune.Settings
	course   *tune.Trajectory
	// drawable is the number of pairs that may be granted. It depends on the stored pairs only, but course also
	// includes the pairs that are about to be stored.
	drawable  int
	points    map[int]uint64    // for each granted pair, the hash of its points (perturbed parameter values); see pointsOf
	WantsMore bool              // a worker wanted more pairs than drawable allowed
	carrier   *match.PairResult // the pair of this batch together with which the new states are stored
	broken    error             // the reason why the tune cannot continue
	faulty    error             // the error if the engine fails at too many points
}

// settingsOf returns the settings of a tune's plan, or nil if the plan is not a tune.
func settingsOf(p *match.Plan) (*tune.Settings, error) {
	if p.Tune == "" {
		return nil, nil // most runs are no tunes
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

// newTune starts the tune of a run whose store is open. It returns nil if the run is no tune.
func newTune(ctx context.Context, r *Test) (*Tune, error) {
	settings, err := settingsOf(r.Match)
	if settings == nil || err != nil {
		return nil, err
	}
	t := &Tune{settings: settings, points: map[int]uint64{}}
	states, err := r.Store.States(ctx)
	if err == nil {
		t.course, err = tune.NewTrajectory(*settings, states)
	}
	if err == nil {
		err = r.Store.Points(ctx, func(pair int, options [2][]match.Option) error {
			t.course.Played(pair, options)
			return nil
		})
	}
	if err != nil {
		return nil, fmt.Errorf("coordinator: test %s: reading a tune: %w", r.Name, err)
	}
	return t, nil
}

// Resume adds a stored pair to the tune, when the run is opened. If a pair does not fit, this tune ends and all
// other runs continue. t may be nil.
func (t *Tune) resume(rows []match.Row) {
	if t != nil && t.broken == nil && len(rows) > 0 {
		_, t.broken = t.course.Resume(rows)
	}
}

// started prepares a tune for grants, after all stored pairs were added, and returns it. t may be nil.
func (t *Tune) started() *Tune {
	if t != nil {
		t.course.Watch()
		t.drawable = t.course.Drawable()
	}
	return t
}

// Draw sets the points (perturbed parameter values) of a grant. It returns false if the tune can no longer
// calculate the points of the pair.
func (t *Tune) Draw(g *farm.Grant) bool {
	if t.course.Known(g.Pair) {
		return false
	}
	points, err := t.course.Points(g.Pair)
	if err != nil {
		return false
	}
	SetPoints(g, points)
	t.points[g.Pair] = g.Points
	return true
}

// SetPoints sets the parameter values of a grant and their hash.
func SetPoints(g *farm.Grant, points [2][]match.Option) {
	g.Options, g.Points = points, tune.HashPoints(points)
}

// pointsOf returns the hash of the parameter values of a pair. ok is false if they cannot be calculated.
func (t *Tune) pointsOf(pair int) (hash uint64, ok bool) {
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

// Outdated searches the lists of a heartbeat for leases whose parameter values the tune no longer uses. It removes
// them from the lists and returns them. The values change after a purge, or with an older backup. The coordinator
// grants the pairs again with the new values.
func (r *Test) Outdated(now time.Time, list *ledger.Listed) (out []ledger.Lease) {
	if r.Tune == nil {
		return nil
	}
	for _, leases := range []*[]ledger.Lease{&list.Held, &list.Outbox, &list.Sent} {
		*leases = slices.DeleteFunc(*leases, func(l ledger.Lease) bool {
			if r.Ledger.IsStored(l.Pair) || r.Tune.course.Known(l.Pair) {
				return false
			}
			if want, ok := r.Tune.pointsOf(l.Pair); ok && want == l.Points {
				return false
			}
			r.Ledger.Refused(now, l)
			out = append(out, l)
			return true
		})
	}
	return out
}

// Learn adds a result to the tune before the result is stored. points is the hash of the parameter values of its lease.
// ok is false if the tune no longer uses these values. This does not count as an error of the worker. The order in
// which results arrive does not change the tune. t may be nil.
func (t *Tune) Learn(p *match.Plan, r *match.PairResult, points uint64) (ok bool) {
	if t == nil {
		return true
	}
	if want, ok := t.pointsOf(r.Pair.ID); t.broken != nil || !ok || want != points {
		return false
	}
	if t.broken = t.take(p, r); t.broken != nil {
		return false
	}

	t.carrier = r
	return true
}

func (t *Tune) take(p *match.Plan, r *match.PairResult) error {
	_, faulty, err := t.course.Learn(r.Pair.ID, r.Pair.Options, tune.ResultOf(p.Rules, *r))
	if faulty != nil {
		t.faulty = faulty
	}
	return err
}

// Carries reports whether the new states of the tune are stored together with this pair. It returns true for the
// last pair that the tune has learnt from this batch. This pair is stored after the others, so a state is never
// stored without the results on which it depends.
func (r *Test) Carries(p *match.PairResult) bool { return r.Tune != nil && r.Tune.carrier == p }

// Add stores a pair under its take number. If carries is true, it also stores the new states of the tune.
func (r *Test) Add(ctx context.Context, p match.PairResult, take int, carries bool) (added bool, err error) {
	if !carries {
		return r.Store.Add(ctx, p, take)
	}
	added, err = r.Store.Add(ctx, p, take, r.Tune.course.Owed()...)
	if err == nil && added {
		r.Tune.course.Settled()
	}
	return added, err
}

// CountTunePair updates the tune after a pair, and all pairs learnt before it, are on the disk. If workers
// had too few pairs, it sends a hint that more pairs are available.
func (s *Tests) CountTunePair(r *Test, pair int) {
	t := r.Tune
	before := t.drawable
	delete(t.points, pair)
	t.carrier, t.drawable = nil, t.course.Drawable()
	r.Ledger.Until(t.drawable)
	if t.WantsMore && t.drawable > before {
		t.WantsMore = false
		s.Hint(r)
	}
}

// LearnPushed adds a pair that was played outside the farm to the tune. t may be nil.
func (t *Tune) LearnPushed(p *match.Plan, r *match.PairResult) error {
	switch {
	case t == nil:
		return nil
	case t.broken != nil:
		return t.broken
	}
	return t.take(p, r)
}

// Forgive makes a tune continue after the engine has failed with too many parameter values. t may be nil.
func (t *Tune) Forgive() {
	if t != nil {
		t.faulty = nil
		t.course.Watch()
	}
}

// examineTune pauses a tune in which the engine fails too often, and ends a tune that cannot continue.
func examineTune(ctx context.Context, s *Tests, r *Test) {
	if r.Tune == nil || r.State != farm.Running {
		return
	}
	var why string
	state := farm.Paused
	switch {
	case r.Tune.broken != nil:
		state, why = farm.Failed, r.Tune.broken.Error()
	case r.Tune.faulty != nil:
		why = r.Tune.faulty.Error()
		if f, ok := errors.AsType[*tune.Faulty](r.Tune.faulty); ok {
			why = f.What() + ": submit a tune with narrower bounds, or resume it, which counts a failure as a loss"
		}
	default:
		return
	}
	entries.Warn(s.config.Log, s.Turn(ctx, r, state, "farm", why), "a tune was not paused", "run", r.Name)
}

// Status returns the status of the tune. t may be nil.
func (t *Tune) Status() *farm.TuneStatus {
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
