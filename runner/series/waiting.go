package series

import (
	"context"
	"fmt"
	"io"
	"sync"

	"gogi/match"
	"gogi/match/tournament"
	"gogi/runner"
)

// source hands out a plan's pairs, as many as there are to be.
type source interface {
	runner.Source
	SetTarget(pairs int)
}

// waiting hands out the pairs of a design that pairs by results. Next waits where these
// are not in yet; whatever may lead to a pair, or to the end, wakes all that wait: a
// result, a pair that is given back, another target. What it hands out depends on the
// results alone, and not on their order.
type waiting struct {
	plan *match.Plan

	mu       sync.Mutex
	schedule *tournament.Schedule
	next     int           // in the schedule's drawn pairs
	returned []int         // pairs that were given back unplayed
	changed  chan struct{} // closed, and made anew, when there may be something new
	broken   error         // why no pair can be found any more
	players  map[string]int
}

func newWaiting(plan *match.Plan) (*waiting, error) {
	schedule, err := tournament.New(tournament.Of(plan))
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	w := &waiting{plan: plan, schedule: schedule, changed: make(chan struct{}), players: map[string]int{}}
	for i := range plan.Players {
		w.players[plan.Players[i].Name] = i
	}
	return w, nil
}

// Next waits for a pair that the results lead to.
func (w *waiting) Next(ctx context.Context) (runner.Lease, error) {
	for {
		if err := context.Cause(ctx); err != nil {
			return runner.Lease{}, err
		}
		lease, changed, err := w.take()
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
func (w *waiting) take() (l runner.Lease, wait <-chan struct{}, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.broken != nil:
		return l, nil, w.broken
	case w.schedule.Over():
		return l, nil, io.EOF
	case len(w.returned) > 0:
		id := w.returned[0]
		w.returned = w.returned[1:]
		slot, _ := w.schedule.Slot(id)
		return w.lease(slot), nil, nil
	}
	for drawn := w.schedule.Drawn(); w.next < len(drawn); {
		slot := drawn[w.next]
		if slot.Pair >= w.schedule.Target() {
			break
		}
		w.next++
		if !w.schedule.Finished(slot.Pair) {
			return w.lease(slot), nil, nil
		}
	}
	return l, w.changed, nil
}

func (w *waiting) lease(slot tournament.Slot) runner.Lease {
	return runner.Lease{Pair: w.pair(slot), Return: func(error) { w.giveBack(slot.Pair) }}
}

func (w *waiting) pair(slot tournament.Slot) match.Pair {
	return w.plan.PairOf(slot.Pair, slot.Players, slot.Opening)
}

// giveBack puts a pair up again: others wait for its result.
func (w *waiting) giveBack(id int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.returned = append(w.returned, id)
	w.wake()
}

func (w *waiting) wake() {
	close(w.changed)
	w.changed = make(chan struct{})
}

// SetTarget makes the design end after so many pairs; it counts those of a knockout
// itself.
func (w *waiting) SetTarget(pairs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// The pairs that this leads to are looked at when they are played: Control has
	// asked mayEndAt, and what is stored fits them or not as in another session.
	w.broken = w.schedule.SetTarget(pairs)
	w.wake()
}

// mayEndAt says why the design cannot end after so many pairs.
func (w *waiting) mayEndAt(pairs int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedule.CheckTarget(pairs)
}

// learn takes a pair that was played and stored, and refuses one that was not handed out.
func (w *waiting) learn(r match.PairResult) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	defer w.wake()
	slot, ok := w.schedule.Slot(r.Pair.ID)
	if !ok || !r.Pair.Equal(w.pair(slot)) {
		return fmt.Errorf("series: pair %d is not one that the results so far lead to", r.Pair.ID)
	}
	o := tournament.Outcome{Pair: r.Pair.ID, Players: r.Pair.Players}
	for _, g := range r.Games {
		points := w.plan.Rules.Points(g.Verdict)
		a := g.Leg % 2
		o.Points[0] += points[a]
		o.Points[1] += points[1-a]
	}
	return w.schedule.Learn(o)
}

// known says why a pair that was stored before is not one whose result is known: those
// that wait for it would wait for ever.
func (w *waiting) known(id int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.schedule.Finished(id) {
		return fmt.Errorf("series: pair %d was stored by somebody else while this session played it", id)
	}
	return nil
}

// resume takes a pair that an earlier session stored.
func (w *waiting) resume(rows []match.Row) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	o, err := tournament.OutcomeOf(rows, w.players)
	if err == nil {
		err = w.schedule.Learn(o)
	}
	if err != nil {
		return fmt.Errorf("series: what is stored does not fit the design: %w", err)
	}
	if slot, ok := w.schedule.Slot(o.Pair); ok && rows[0].OpeningHash != w.pair(slot).Opening.Hash() {
		return fmt.Errorf("series: pair %d is stored with another opening than the results before it lead to", o.Pair)
	}
	return nil
}

// over and left are the schedule's.
func (w *waiting) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedule.Over()
}

func (w *waiting) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedule.Left()
}
