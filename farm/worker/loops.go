package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gogi/farm"
)

// The waits after something that failed: they double, and each is drawn from a half to
// the whole, so that ten thousand workers do not ask at once.
const (
	firstWait   = 50 * time.Millisecond
	longestWait = 60 * time.Second
)

// backoff is the wait after the try with this number, from 1.
func backoff(try int) time.Duration {
	d := longestWait
	if try <= 10 { // 50 ms << 11 is above a minute
		d = firstWait << (try - 1)
	}
	return d/2 + rand.N(d/2+1)
}

// requestDeadline is how long an answer is waited for.
const requestDeadline = 10 * time.Second

func (w *Worker) request(ctx context.Context, subject string, in, out any) error {
	ctx, cancel := context.WithTimeout(ctx, requestDeadline)
	defer cancel()
	err := w.transport.Request(ctx, subject+w.config.Name, in, out)
	if err == nil {
		w.mu.Lock()
		w.heard = time.Now()
		w.mu.Unlock()
	}
	return err
}

// refusal is what ends a worker, where an error is that.
func refusal(err error, told *farm.Refusal) *End {
	if r, ok := errors.AsType[*farm.Refusal](err); ok {
		told = r
	}
	if told == nil {
		return nil
	}
	exit := told.Exit
	if exit != ExitUpdate {
		exit = ExitRefused
	}
	return &End{Exit: exit, Why: told.Why}
}

// away is the End of a worker whose coordinator was away for too long, else nil.
func (w *Worker) away(err error) *End {
	w.mu.Lock()
	defer w.mu.Unlock()
	if away := time.Since(w.heard); w.config.GiveUp > 0 && away >= w.config.GiveUp {
		return &End{Exit: ExitUnreachable, Why: fmt.Sprintf("the coordinator has not answered for %v: %v", away.Round(time.Second), err)}
	}
	return nil
}

// hello says hello until it is answered.
func (w *Worker) hello(ctx context.Context) error {
	for try := 1; ; try++ {
		err := w.helloOnce(ctx)
		if err == nil {
			return nil
		}
		if end, ok := errors.AsType[*End](err); ok {
			return end
		}
		if end := w.away(err); end != nil {
			return end
		}
		if try == 1 {
			w.config.Log.Warn("the coordinator does not answer; trying again", "err", err)
		}
		d := backoff(try)
		if w.config.GiveUp > 0 {
			d = min(d, w.config.GiveUp)
		}
		if err := wait(ctx, d); err != nil {
			return err
		}
	}
}

func (w *Worker) helloOnce(ctx context.Context) error {
	h := farm.Hello{
		Protocol: farm.Protocol, Version: w.config.Version, Session: w.session, Start: w.start, Slots: w.config.Slots,
		Labels: w.config.Labels, NPS: w.config.NPS, Reference: w.config.Reference, Program: w.config.Program,
	}
	if w.config.Artefacts != nil {
		h.Artefacts = w.config.Artefacts()
		h.Artefacts = h.Artefacts[:min(len(h.Artefacts), farm.MaxArtefactsTold)]
	}
	var welcome farm.HelloReply
	err := w.request(ctx, farm.SubjectHello, h, &welcome)
	if end := refusal(err, welcome.Refusal); end != nil {
		return end
	}
	if err != nil {
		return err
	}
	if welcome.Protocol > farm.Protocol || welcome.Protocol < farm.Oldest {
		return &End{Exit: ExitUpdate, Why: fmt.Sprintf("the coordinator speaks protocol %d, this program %d to %d", welcome.Protocol, farm.Oldest, farm.Protocol)}
	}
	if welcome.Lease <= 0 || welcome.Beat <= 0 || welcome.Beat > welcome.Lease {
		return &End{Exit: ExitRefused, Why: fmt.Sprintf("the coordinator wants a beat every %v for a lease of %v", welcome.Beat, welcome.Lease)}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.welcome, w.joined = welcome, true
	w.learn(welcome.Plans)
	w.wake()
	return nil
}

// interval is the time to the next beat: give or take a fifth.
func (w *Worker) interval() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return jitter(w.welcome.Beat)
}

func jitter(d time.Duration) time.Duration {
	fifth := d / 5
	return d - fifth + rand.N(2*fifth+1)
}

// beatLoop beats for as long as the session lasts, also while nobody hears it. What is
// to be told at once is, but not more than ten times in the time of a beat.
func (w *Worker) beatLoop() {
	for {
		interval := w.interval()
		if wait(w.ctx, interval/10) != nil {
			return
		}
		timer := time.NewTimer(interval - interval/10)
		select {
		case <-timer.C:
		case <-w.beatNow:
		case <-w.ctx.Done():
			timer.Stop()
			return
		}
		timer.Stop()
		err := w.beat(w.ctx)
		if err == nil || w.ctx.Err() != nil {
			continue
		}
		if end := w.away(err); end != nil {
			w.mu.Lock()
			w.end(end, false)
			w.mu.Unlock()
		}
	}
}

// beat says once what is held, and does what it is told.
func (w *Worker) beat(ctx context.Context) error {
	if !w.known() {
		if err := w.helloOnce(ctx); err != nil {
			w.endBy(err)
			return err
		}
	}
	b := w.state()
	var told farm.BeatReply
	err := w.request(ctx, farm.SubjectBeat, b, &told)
	if end := refusal(err, told.Refusal); end != nil {
		w.endBy(end)
		return end
	}
	if err == nil {
		w.outbox.Done(told.Stored)
		w.outbox.Done(told.Drop)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || told.Unknown {
		w.back = append(b.Back, w.back...) // it was not heard, or not understood
		w.joined = w.joined && !told.Unknown
		if told.Unknown {
			poke(w.beatNow)
		}
		return err
	}
	w.heed(told)
	return nil
}

func (w *Worker) known() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.joined
}

// endBy ends the worker where an error says so.
func (w *Worker) endBy(err error) {
	if end, ok := errors.AsType[*End](err); ok {
		w.mu.Lock()
		w.end(end, end.Exit == ExitRefused)
		w.mu.Unlock()
	}
}

// A beat fits into a message: of more than these it tells the first, which are the
// oldest.
const listedMost = 2000

// state is the next beat. What it gives back is taken out of the list of that.
func (w *Worker) state() farm.Beat {
	outbox, sent := w.outbox.Leases()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.beats++
	b := farm.Beat{Session: w.session, Number: w.beats, Outbox: first(outbox), Sent: first(sent), NPS: w.config.NPS}
	if w.config.Load != nil {
		b.Load = w.config.Load()
	}
	for _, l := range w.leases {
		b.Held = append(b.Held, l.Held)
	}
	b.Back, w.back = w.back[:min(len(w.back), listedMost)], w.back[min(len(w.back), listedMost):]
	return b
}

func first(leases []farm.Held) []farm.Held { return leases[:min(len(leases), listedMost)] }

// heed does what the coordinator says; mu is held.
func (w *Worker) heed(told farm.BeatReply) {
	w.drop(told.Drop)
	w.over(told.Over)
	clear(w.watched)
	for _, run := range told.Watched {
		w.watched[run] = true
	}
	for run, t := range w.tasks {
		t.heed(w.watched[run])
	}
	if told.Lease > 0 && w.welcome.Lease != told.Lease {
		w.welcome.Beat = w.welcome.Beat * told.Lease / w.welcome.Lease
		w.welcome.Lease = told.Lease
	}
	switch {
	case told.Say == farm.SayDrain:
		w.drain("the coordinator drains this worker")
	case w.leaving: // it does not begin anew, and is not said to
	case told.Say == farm.SayUpdate:
		w.end(&End{Exit: ExitUpdate, Why: "the coordinator wants another version of this program", Update: told.Update, Release: told.Release}, false)
	case told.Say == farm.SayBench:
		if w.config.Measures {
			w.end(&End{Why: "the coordinator wants this machine measured again", Measure: true}, false)
		} else if !w.measureSay {
			w.config.Log.Warn("the coordinator wants this machine measured again: gogi farm bench, and then --nps-file")
		}
		w.measureSay = true
	}
	w.wake()
}

// The waits of the loop that asks for pairs.
const retryMost = time.Minute

// askLoop asks for pairs whenever there is room for some.
func (w *Worker) askLoop() {
	for failed := 0; ; {
		want := w.room()
		if want < 0 {
			return
		}
		retry, err := w.ask(want)
		switch {
		case w.ctx.Err() != nil:
			return
		case err != nil:
			failed++
			retry = backoff(failed)
		default:
			failed = 0
		}
		if retry > 0 && !w.pause(retry) {
			return
		}
	}
}

// room waits until pairs are wanted, and says how many; -1: none any more.
func (w *Worker) room() int {
	for {
		full := w.outbox.Full()
		w.mu.Lock()
		full = full || w.streamFull
		target := w.pace.target(w.config.Slots)
		want, changed, over := target-len(w.leases), w.changed, w.draining
		joined := w.joined
		w.mu.Unlock()
		switch {
		case over || w.ctx.Err() != nil:
			return -1
		case joined && !full && want > 0 && 4*want >= target:
			return want
		}
		select {
		case <-changed:
		case <-w.ctx.Done():
		}
	}
}

// ask asks once, and says when to ask again; 0: as soon as there is room.
func (w *Worker) ask(want int) (retry time.Duration, err error) {
	w.mu.Lock()
	w.hinted = false
	a := farm.Ask{Session: w.session, Want: want}
	a.Known, a.Open, a.Refuse = w.standing()
	tuning := w.tuning()
	leads := tuning && len(w.leases) > 0
	w.mu.Unlock()
	if unstored, _ := w.outbox.Left(); tuning && unstored > 0 {
		leads = true
	}
	var g farm.Grants
	err = w.request(w.ctx, farm.SubjectLease, a, &g)
	if end := refusal(err, nil); end != nil {
		w.endBy(end)
		return 0, end
	}
	if err != nil {
		return 0, err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if g.Unknown {
		w.joined = false
		poke(w.beatNow)
		return 0, nil // room waits until it is known again
	}
	w.idle = len(g.Grants) == 0 && !leads // what is in play or on its way may lead to more
	w.over(g.Over)
	w.grant(g)
	if g.Drain {
		w.drain("the coordinator drains this worker")
	}
	if len(g.Grants) >= want {
		return 0, nil
	}
	return jitter(min(max(g.Retry, firstWait), retryMost)), nil
}

// pause waits before the next question, shorter where a hint says that there is work;
// false: the session is over.
func (w *Worker) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	for {
		w.mu.Lock()
		changed, hinted := w.changed, w.hinted
		over := w.draining
		w.mu.Unlock()
		if over || hinted {
			return !over
		}
		select {
		case <-timer.C:
			return true
		case <-changed:
		case <-w.ctx.Done():
			return false
		}
	}
}

// batchBytes is how much one message carries, if not one item is longer.
const batchBytes = 512 << 10

// publishLoop sends what the outbox has, in batches.
func (w *Worker) publishLoop() {
	for w.gather() {
		if w.publishAll(w.ctx) != nil {
			return
		}
	}
}

// gather waits until there is something to send, and then for what may go with it;
// false: the session is over.
func (w *Worker) gather() bool {
	for w.outbox.Waiting() == 0 {
		select {
		case <-w.sendNow:
		case <-w.ctx.Done():
			return false
		}
	}
	timer := time.NewTimer(w.config.BatchWait)
	defer timer.Stop()
	for !w.outbox.Enough(batchBytes) && !w.starving() {
		select {
		case <-timer.C:
			return true
		case <-w.sendNow:
		case <-w.ctx.Done():
			return false
		}
	}
	return true
}

// publishAll sends everything, and tries as long as it takes; its error is the end of
// ctx, or of the worker.
func (w *Worker) publishAll(ctx context.Context) error {
	for try := 1; ; {
		items, numbers := w.outbox.Batch(batchBytes)
		if len(items) == 0 {
			return nil
		}
		err := w.publish(ctx, items, numbers)
		if end := refusal(err, nil); end != nil {
			w.endBy(end)
			return end
		}
		w.setFull(errors.Is(err, farm.ErrFull))
		if err == nil {
			w.outbox.Published(numbers)
			try = 1
			continue
		}
		if err := wait(ctx, backoff(try)); err != nil {
			return err
		}
		try++
	}
}

// setFull notes whether the coordinator's stream takes no more: then no pairs are asked
// for either.
func (w *Worker) setFull(full bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if full == w.streamFull {
		return
	}
	w.streamFull = full
	w.config.Log.Warn("the coordinator's stream of results", "full", full)
	w.wake()
}

// publish sends one message. Its ID says what is in it: the same items have the same.
func (w *Worker) publish(ctx context.Context, items []farm.Item, numbers []uint64) error {
	body, err := farm.Seal(&farm.Batch{Worker: w.config.Name, Session: w.session, Items: items}, w.config.Sign)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestDeadline)
	defer cancel()
	id := fmt.Sprintf("%s/%s/%d-%d", w.config.Name, w.session, numbers[0], numbers[len(numbers)-1])
	return w.transport.Publish(ctx, farm.SubjectResults+w.config.Name+".0", id, body)
}
