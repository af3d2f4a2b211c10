package worker

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/match"
	"gogi/match/trust"
	"gogi/runner"
)

// Next implements runner.Source. It waits for a pair whose run is ready and leases the pair. It returns
// io.EOF if no more pairs will come.
func (w *Worker) Next(ctx context.Context) (runner.Lease, error) {
	for {
		if ctx.Err() != nil {
			return runner.Lease{}, context.Cause(ctx)
		}
		w.mu.Lock()
		l, over, changed := w.nextReady(), w.nothingMore(), w.changed
		w.mu.Unlock()
		switch {
		case l != nil:
			return w.play(l), nil
		case over:
			return runner.Lease{}, io.EOF
		}
		select {
		case <-changed:
		case <-ctx.Done():
		}
	}
}

// nextReady removes and returns the first waiting lease whose run is ready. It returns nil if there is none.
// The caller holds w.mu.
func (w *Worker) nextReady() *lease {
	for i, l := range w.waiting {
		if l.task.ready != nil {
			w.waiting = slices.Delete(w.waiting, i, i+1)
			l.began = time.Now()
			w.byLease[l.revoked] = l
			w.wake() // one more lease fits
			return l
		}
	}
	return nil
}

// nothingMore reports whether the worker will get no more pairs. The caller holds w.mu.
func (w *Worker) nothingMore() bool {
	return w.draining || w.config.Once && w.idle && len(w.leases) == 0
}

func (w *Worker) play(l *lease) runner.Lease {
	w.mu.Lock()
	defer w.mu.Unlock()
	given := runner.Lease{
		Plan: l.task.ready, Pair: l.pair(), Fresh: trust.FreshPairs(l.task.ready),
		Revoked: l.revoked, Return: func(why error) { w.returned(l, why) },
	}
	if w.watched[l.Run] || w.config.Show != nil {
		given.Events = l.task.listen(w)
	}
	return given
}

// pair returns the pair to play: the plan's pair with the granted options.
func (l *lease) pair() match.Pair {
	p := l.task.ready.Pair(l.Pair)
	p.Options = l.options
	return p
}

// Put implements runner.Sink. The pair is on disk when Put returns. Put discards a pair whose lease was revoked.
func (w *Worker) Put(_ context.Context, l runner.Lease, r match.PairResult) (added bool, err error) {
	ours := w.playing(l)
	if ours == nil {
		return false, nil
	}
	item := farm.Item{Lease: ours.Held}
	r.Played.Scale = ours.task.scale
	if item.Pair, err = match.EncodePair(r); err == nil {
		err = w.outbox.Append(item)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if errors.Is(err, errTooLong) { // the result would be too long on every other worker too
		w.giveBack(ours, err.Error(), true)
		w.refuse(ours.task, err)
		poke(w.beatNow)
		return false, nil
	}
	w.forget(ours)
	if err != nil {
		w.back = append(w.back, farm.Back{Held: ours.Held, Why: short(err.Error())})
		return false, err
	}
	w.played++
	w.pace.add(time.Since(ours.began))
	w.wake()
	poke(w.sendNow)
	return true, nil
}

// PutAttempt implements runner.Sink.
func (w *Worker) PutAttempt(_ context.Context, l runner.Lease, a match.Attempt) error {
	ours := w.playing(l)
	if ours == nil {
		return nil
	}
	err := w.outbox.Append(farm.Item{Lease: ours.Held, Attempt: &a})
	poke(w.sendNow)
	return err
}

// playing returns the lease of a pair in play, or nil if the lease was revoked.
func (w *Worker) playing(l runner.Lease) *lease {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.byLease[l.Revoked]
}

// returned ends a lease whose pair the runner gives back unplayed (runner.Lease.Return). If the pair's engines
// crashed, the worker stops playing the run for a while.
func (w *Worker) returned(l *lease, why error) {
	_, crashed := errors.AsType[*runner.Unplayable](why)
	if crashed && l.task.tune != nil && w.forfeits(l) {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byLease[l.revoked] == nil {
		return // it was revoked
	}
	if errors.Is(why, runner.ErrRevoked) {
		w.forget(l)
		return
	}
	w.giveBack(l, why.Error(), crashed)
	if crashed {
		w.refuse(l.task, why)
	}
	poke(w.beatNow)
}

// forfeits reports whether a player of a tune fails to start with the pair's parameters, although it starts with
// the tune's start values. In that case forfeits stores a loss of this player as the pair's result.
func (w *Worker) forfeits(l *lease) bool {
	w.mu.Lock()
	ctx, open := w.playCtx, w.open
	w.mu.Unlock()
	r, err := runner.TryOut(ctx, open(l.task.ready), l.task.ready, l.pair(), l.task.tune.Options(l.task.tune.Start()))
	if err != nil || r == nil {
		return false
	}
	added, err := w.Put(ctx, runner.Lease{Revoked: l.revoked}, *r)
	return added && err == nil
}

// giveBack ends a lease and returns the pair unplayed with the next heartbeat. crashed means that the worker tried
// to play the pair and failed. The caller holds w.mu.
func (w *Worker) giveBack(l *lease, why string, crashed bool) {
	w.forget(l)
	w.back = append(w.back, farm.Back{Held: l.Held, Why: short(why), Crashed: crashed})
}

// short cuts a reason to at most farm.MaxWhy bytes.
func short(why string) string {
	return strings.ToValidUTF8(why[:min(len(why), farm.MaxWhy)], "")
}

// forget ends a lease on this machine. The caller holds w.mu.
func (w *Worker) forget(l *lease) {
	delete(w.leases, keyOf(l.Held))
	delete(w.byLease, l.revoked)
	w.waiting = slices.DeleteFunc(w.waiting, func(other *lease) bool { return other == l })
	w.wake()
}

// revoke ends a lease. If its pair is in play, the runner stops playing it. The caller holds w.mu.
func (w *Worker) revoke(l *lease) {
	w.forget(l)
	close(l.revoked)
}

// drop revokes the leases that the coordinator has ended. The caller holds w.mu.
func (w *Worker) drop(leases []farm.Held) {
	for _, h := range leases {
		if l := w.leases[keyOf(h)]; l != nil {
			w.revoke(l)
		}
	}
}

// over revokes the leases of runs that have ended. The worker still sends their finished pairs. The caller
// holds w.mu.
func (w *Worker) over(runs []string) {
	for _, run := range runs {
		for _, l := range w.leases {
			if l.Run == run {
				w.revoke(l)
			}
		}
		if t := w.tasks[run]; t != nil {
			t.setWatched(false)
			t.close()
			delete(w.tasks, run)
		}
	}
}

// grant adds granted leases to the waiting pairs. It gives back a lease whose run this machine cannot play, with
// the reason. The caller holds w.mu.
func (w *Worker) grant(g farm.Grants) {
	w.learn(g.Plans)
	for _, granted := range g.Grants {
		h := granted.Held
		t := w.tasks[h.Run]
		switch {
		case w.leases[keyOf(h)] != nil:
		case w.draining:
			w.back = append(w.back, farm.Back{Held: h, Why: "the worker is being drained"})
		case t == nil:
			w.back = append(w.back, farm.Back{Held: h, Why: "the worker does not know the run's plan"})
		case t.refused != nil:
			w.back = append(w.back, farm.Back{Held: h, Why: short(t.refused.Error())})
		case t.plan != nil && h.Pair >= t.plan.Pairs || h.Pair < 0:
			w.back = append(w.back, farm.Back{Held: h, Why: "the plan has no such pair"})
		case t.wrong(granted.Options) != nil:
			w.back = append(w.back, farm.Back{Held: h, Why: t.wrong(granted.Options).Error()})
		default:
			l := &lease{Held: h, options: granted.Options, task: t, revoked: make(chan struct{})}
			w.leases[keyOf(h)] = l
			w.waiting = append(w.waiting, l)
			w.prepare(t)
		}
	}
	if len(w.back) > 0 {
		poke(w.beatNow)
	}
	w.wake()
}

// pace is the mean playing time of a pair on this machine, with most weight on the last ten pairs.
type pace struct{ mean time.Duration }

func (p *pace) add(took time.Duration) {
	if p.mean == 0 {
		p.mean = took
		return
	}
	p.mean += (took - p.mean) / 10
}

// ahead is the playing time for which a worker holds pairs in advance. aheadMost limits the number of these pairs,
// because a pair may take only milliseconds.
const (
	ahead     = time.Minute
	aheadMost = 1024
)

// target returns the number of leases that a worker holds, including the leases of pairs in play. It is twice
// the number of slots, or the number of slots plus the number of pairs played in a minute, whichever is
// larger.
func (p *pace) target(slots int) int {
	most := 2 * slots
	if p.mean > 0 {
		most = max(most, slots+int(min(float64(slots)*float64(ahead)/float64(p.mean), aheadMost)))
	}
	return most
}
