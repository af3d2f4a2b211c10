package worker

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"time"

	"gogi/farm"
	"gogi/match"
	"gogi/match/tune"
	"gogi/runner"
	"gogi/runner/events"
)

// A task is the state of a run on this machine. Worker.mu guards its fields.
type task struct {
	name      string
	run       string         // the plan's digest, the farm's name for the run
	plan      *match.Plan    // as the coordinator signed it
	tune      *tune.Settings // nil if the run is not a tune
	scale     float64        // the factor of clocks on this machine. It is 0 if the plan does not scale clocks.
	scaled    *match.Plan    // the plan with these clocks
	ready     *match.Plan    // the plan with this machine's paths. It is nil until the run is ready.
	preparing bool
	benches   []farm.Bench // of the engines built here; empty until the run is ready
	refused   error        // reason why this machine does not play the run
	until     time.Time    // when refused ends. The zero time means never.
	release   func()       // releases the resources of ready. It may be nil.
	events    *runner.Events
	watched   *atomic.Bool      // the worker forwards the events to the coordinator
	hub       *events.Hub       // hub of the run's events
	forward   func(match.Event) // forwards an event to the coordinator
	shown     bool              // Config.Show was called with the hub
	silence   func()            // ends the forwarding
	over      bool
}

// refusedFor is the time for which a worker does not play a run that failed to start. Afterwards it tries
// again, because a disk or a network may have recovered.
const refusedFor = 10 * time.Minute

// learn adds the tasks that the worker does not have. The caller holds w.mu.
func (w *Worker) learn(plans []farm.Task) {
	for i := range plans {
		t := &plans[i]
		if w.tasks[t.Run] != nil {
			continue
		}
		known, err := w.accept(t)
		known.refused = err
		w.tasks[t.Run] = known
		if err != nil {
			w.config.Log.Warn("a run is not played here", "run", t.Name, "digest", t.Run, "why", err)
		}
	}
}

// settingsOf returns the settings of a tune's plan, or nil if the plan is not a tune.
func settingsOf(plan *match.Plan) (*tune.Settings, error) {
	if plan.Tune == "" {
		return nil, nil
	}
	p, err := tune.ParsePlan(plan.Tune)
	if err != nil {
		return nil, err
	}
	return &p.Settings, nil
}

// tuning reports whether this machine plays a tune. In a tune, the coordinator may need this worker's results
// before it can grant more pairs. The caller holds w.mu.
func (w *Worker) tuning() bool {
	for _, t := range w.tasks {
		if t.tune != nil && t.refused == nil {
			return true
		}
	}
	return false
}

// starving reports whether slots may stay idle until the coordinator gets this worker's results, so that the worker
// must send them at once.
func (w *Worker) starving() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.waiting) == 0 && w.tuning()
}

// wrong returns an error if a pair may not have these options of its two players, because the signed plan does not
// allow them.
func (t *task) wrong(options [2][]match.Option) error {
	switch {
	case t.tune != nil:
		return t.tune.CheckPoints(options)
	case len(options[0])+len(options[1]) > 0:
		return errors.New("the pair was granted with options, and the run is no tune")
	}
	return nil
}

// accept checks a task and returns its state on this machine. It returns an error if the coordinator has not signed
// the task, the policy does not allow it, or this machine cannot scale its clocks. The returned task is never nil,
// even with an error.
func (w *Worker) accept(t *farm.Task) (_ *task, err error) {
	known := &task{name: t.Name, run: t.Run}
	if err := t.Check(w.config.Coordinator); err != nil {
		return known, err
	}
	if known.plan, err = match.DecodePlan(t.Plan); err != nil {
		return known, err
	}
	if digest := known.plan.Digest(); digest != t.Run {
		return known, fmt.Errorf("the plan has digest %s, the run is %s: programs of different versions?", digest, t.Run)
	}
	if err := w.config.Policy.check(t, known.plan); err != nil {
		return known, err
	}
	if known.tune, err = settingsOf(known.plan); err != nil {
		return known, err
	}
	return known, known.setClocks(w.config.NPS, w.config.Reference)
}

// setClocks scales the plan's clocks to the speed of this machine, if the plan requires it. nps is the speed of
// this machine in nodes per second, and reference the identity of the engine that measured it.
func (t *task) setClocks(nps float64, reference string) error {
	t.scaled = t.plan
	if !t.plan.Scales() {
		return nil
	}
	f, err := t.plan.FactorOn(nps, reference)
	if err == nil {
		t.scale = f
		t.scaled, err = t.plan.Scaled(f)
	}
	return err
}

// prepare starts to make a run ready, once for each run. The caller holds w.mu.
func (w *Worker) prepare(t *task) {
	if t.preparing || t.ready != nil {
		return
	}
	t.preparing = true
	w.loops.Go(func() {
		ready, release, err := w.ready(t.scaled)
		w.mu.Lock()
		defer w.mu.Unlock()
		t.preparing = false
		if err != nil {
			w.refuse(t, err)
			return
		}
		if w.tasks[t.run] != t { // the run has ended, so over cannot call release
			if release != nil {
				release()
			}
			return
		}
		t.ready, t.release = ready, release
		if w.config.Benches != nil {
			t.benches = w.config.Benches(t.scaled)
			w.hinted = len(t.benches) > 0 || w.hinted // the next Ask has them
		}
		w.wake()
	})
}

// ready calls Config.Ready, and calls it again if the coordinator cannot be reached.
func (w *Worker) ready(plan *match.Plan) (*match.Plan, func(), error) {
	for try := 1; ; try++ {
		ready, release, err := w.config.Ready(w.ctx, plan)
		if err == nil && ready.Digest() != plan.Digest() {
			err = errors.New("the plan that is ready to be played here has another digest")
		}
		if err == nil || !errors.Is(err, farm.ErrAway) || w.ctx.Err() != nil {
			return ready, release, err
		}
		if farm.Wait(w.ctx, farm.Backoff(try)) != nil {
			return nil, nil, err
		}
	}
}

// refuse stops playing a run for a while, and gives back its waiting leases. A worker with Config.Once does not end
// before it has asked again, so that the coordinator has the reasons of all refusals. The caller holds w.mu.
func (w *Worker) refuse(t *task, why error) {
	t.refused, t.until = why, time.Now().Add(refusedFor)
	w.config.Log.Warn("a run is not played here for a while", "run", t.name, "why", why)
	for i := 0; i < len(w.waiting); {
		if l := w.waiting[i]; l.task == t {
			w.giveBack(l, why.Error(), false)
			continue
		}
		i++
	}
	w.idle, w.hinted = false, true
	poke(w.beatNow)
	w.wake()
}

// standing returns the lists of an Ask: the runs whose plans the worker has, the runs in play, and the refused runs
// with the reasons. Each list is at most as long as an Ask allows. If a known run is left out, the coordinator
// sends its plan again. If a refused run is left out, the coordinator may grant its pairs, and the worker gives
// them back. The caller holds w.mu.
func (w *Worker) standing() (known, open, refused, why []string) {
	for run, t := range w.tasks {
		if t.refused != nil && !t.until.IsZero() && time.Now().After(t.until) {
			t.refused, t.until = nil, time.Time{}
		}
		if len(known) < farm.MaxRuns {
			known = append(known, run)
		}
		if t.refused != nil && len(refused) < farm.MaxRuns {
			refused = append(refused, run)
			text := t.refused.Error()
			why = append(why, strings.ToValidUTF8(text[:min(len(text), farm.MaxWord)], ""))
		}
	}
	seen := map[string]bool{}
	for _, l := range w.byLease {
		if !seen[l.Run] {
			seen[l.Run] = true
			open = append(open, l.Run)
		}
	}
	return known, open, refused, why
}

// benches returns the benches of the engines that this machine has built for the ready runs, as many as fit in an Ask.
// The caller holds w.mu.
func (w *Worker) benches() (all []farm.Bench) {
	for run, t := range w.tasks {
		for _, b := range t.benches[:min(len(t.benches), farm.MaxRuns-len(all))] {
			b.Run = run
			all = append(all, b)
		}
	}
	return all
}

// listen creates the run's events, and forwards them while a user watches the run. The caller holds Worker.mu.
func (t *task) listen(w *Worker) *runner.Events {
	if t.events != nil || t.over {
		return t.events
	}
	t.events, t.hub = runner.NewEvents(t.plan.Run, true), events.NewHub(t.plan.Run)
	t.watched = new(atomic.Bool)
	t.watched.Store(w.watched[t.run])
	stream, hub, watched, over := t.events, t.hub, t.watched, make(chan struct{})
	t.silence = func() { close(over) }
	t.forward = func(ev match.Event) {
		ev.Worker = w.config.Name
		if body, err := json.Marshal(ev); err == nil {
			_ = w.transport.Send(farm.SubjectEvents+t.run+"."+w.config.Name, body) // a lost event is not repeated
		}
	}
	see := func(ev match.Event) {
		if watched.Load() {
			t.forward(ev)
		}
		hub.Publish(ev)
	}
	w.forwarding.Go(func() {
		defer hub.Close()
		for {
			select {
			case ev := <-stream.Stream():
				see(ev)
				continue
			case <-over:
			}
			stream.Abandon() // games of the run may still be ending, and must not wait for a reader
			stream.Send(match.Event{Type: match.EventDone})
			for len(stream.Stream()) > 0 {
				see(<-stream.Stream())
			}
			return
		}
	})
	if t.shown = w.config.Show != nil; t.shown {
		w.config.Show(t.plan, hub, stream.Send)
		begun := match.RunEvent(t.plan, 0, nil)
		begun.Slots = w.config.Slots
		stream.Send(begun)
	}
	return t.events
}

// setWatched starts or stops the forwarding of the run's events. A new watcher first gets the boards of the games
// in play. The caller holds Worker.mu.
func (t *task) setWatched(watched bool) {
	if t.events == nil || t.watched.Swap(watched) == watched {
		return
	}
	if !t.shown { // with Config.Show the events always include moves
		t.events.Listen(watched)
		return
	}
	if state := t.hub.State(); watched {
		for _, at := range state.State.Slots {
			if at.Board != nil && at.Board.Outcome == "" {
				t.forward(match.Event{V: state.V, Seq: state.Seq, Time: state.Time, Run: state.Run, Type: match.EventBoard,
					Slot: &at.Slot, Board: at.Board})
			}
		}
	}
}

// close releases the resources of the run. Games of the run may still be ending; close discards their events.
func (t *task) close() {
	t.over = true
	if t.silence != nil {
		t.silence()
		t.silence = nil
	}
	if t.release != nil {
		t.release()
		t.release = nil
	}
}
