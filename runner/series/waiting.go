package series

import (
	"context"
	"fmt"
	"io"

	"gogi/match"
	"gogi/match/tournament"
	"gogi/runner"
)

// waiting hands out the pairs of a design whose pairings depend on results. Next waits for missing results. A result, a
// returned pair or another target ends the wait. The pairs depend only on the results, and not on their order.
type waiting struct {
	queue
	plan     *match.Plan
	schedule *tournament.Schedule
	players  map[string]int
}

func newWaiting(plan *match.Plan) (*waiting, error) {
	schedule, err := tournament.New(tournament.Of(plan))
	if err != nil {
		return nil, fmt.Errorf("series: %w", err)
	}
	w := &waiting{queue: newQueue(), plan: plan, schedule: schedule, players: map[string]int{}}
	for i := range plan.Players {
		w.players[plan.Players[i].Name] = i
	}
	return w, nil
}

// Next returns a lease for the next pair. It waits until the results so far determine this pair.
func (w *waiting) Next(ctx context.Context) (runner.Lease, error) { return w.wait(ctx, w.take) }

// take returns a playable pair, or the channel to wait for, or io.EOF if no pair is left. The caller holds
// w.mu.
func (w *waiting) take() (l runner.Lease, wait <-chan struct{}, err error) {
	switch {
	case w.broken != nil:
		return l, nil, w.broken
	case w.schedule.Over():
		return l, nil, io.EOF
	case len(w.returned) > 0:
		slot, _ := w.schedule.Slot(w.takeReturned())
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

// SetTarget sets the number of pairs after which the design ends. The number of pairs of a knockout cannot
// change.
func (w *waiting) SetTarget(pairs int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	// Control has called mayEndAt. The resulting pairs are checked when they are played, as in a new session.
	w.broken = w.schedule.SetTarget(pairs)
	w.wake()
}

// mayEndAt returns an error if the design cannot end after this number of pairs.
func (w *waiting) mayEndAt(pairs int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedule.CheckTarget(pairs)
}

// learn adds the result of a stored pair. It returns an error if the pair was not handed out.
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

// known returns an error if the pair id is stored but waiting has not received its result. Pairs that depend on the
// missing result would wait forever.
func (w *waiting) known(id int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.schedule.Finished(id) {
		return fmt.Errorf("series: pair %d was stored by another program while this session played it", id)
	}
	return nil
}

// resume adds a pair that an earlier session stored.
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

// over reports whether the schedule has ended.
func (w *waiting) over() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedule.Over()
}

// left returns the number of pairs that the schedule still needs.
func (w *waiting) left() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.schedule.Left()
}
