package worker

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"gogi/farm"
)

// requestDeadline is the longest wait for an answer.
const requestDeadline = 10 * time.Second

// dialogue is the part of a worker that talks to the coordinator: its loops and their messages.
type dialogue struct{ *Worker }

// request sends a request on this worker's subject and waits for the answer.
func (w dialogue) request(ctx context.Context, subject string, in, out any) error {
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

// refusal returns the End of the worker that a refusal of the coordinator causes, or nil without a refusal. A
// refusal comes either as the error err (a *farm.Refusal), or in the reply as refused, which may be nil.
func refusal(err error, refused *farm.Refusal) *End {
	if r, ok := errors.AsType[*farm.Refusal](err); ok {
		refused = r
	}
	if refused == nil {
		return nil
	}
	exit := refused.Exit
	if exit != ExitUpdate {
		exit = ExitRefused
	}
	return &End{Exit: exit, Why: refused.Why}
}

// away returns an End if the coordinator has not answered for the time Config.GiveUp, and nil otherwise. err is the
// error of the last request.
func (w dialogue) away(err error) *End {
	w.mu.Lock()
	defer w.mu.Unlock()
	if away := time.Since(w.heard); w.config.GiveUp > 0 && away >= w.config.GiveUp {
		return &End{Exit: ExitUnreachable,
			Why: fmt.Sprintf("the coordinator has not answered for %v: %v", away.Round(time.Second), err)}
	}
	return nil
}

// hello sends a Hello until the coordinator answers it.
func (w dialogue) hello(ctx context.Context) error {
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
		d := farm.Backoff(try)
		if w.config.GiveUp > 0 {
			d = min(d, w.config.GiveUp)
		}
		if err := farm.Wait(ctx, d); err != nil {
			return err
		}
	}
}

func (w dialogue) helloOnce(ctx context.Context) error {
	h := w.config.Hello
	h.Protocol, h.Session, h.Start = farm.Protocol, w.session, w.start
	if w.config.Cached != nil {
		h.Artefacts = w.config.Cached()
		h.Artefacts = h.Artefacts[:min(len(h.Artefacts), farm.MaxArtefacts)]
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
		return &End{Exit: ExitUpdate, Why: fmt.Sprintf("the coordinator speaks protocol %d, this program %d to %d",
			welcome.Protocol, farm.Oldest, farm.Protocol)}
	}
	if welcome.Lease <= 0 || welcome.Beat <= 0 || welcome.Beat > welcome.Lease {
		return &End{Exit: ExitRefused,
			Why: fmt.Sprintf("the coordinator wants a beat every %v for a lease of %v", welcome.Beat, welcome.Lease)}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.welcome, w.joined = welcome, true
	w.learn(welcome.Plans)
	w.wake()
	return nil
}

// interval returns the time to the next heartbeat: Beat plus or minus a fifth.
func (w dialogue) interval() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	return jitter(w.welcome.Beat)
}

func jitter(d time.Duration) time.Duration {
	fifth := d / 5
	return d - fifth + rand.N(2*fifth+1)
}

// beatLoop sends heartbeats until the session ends, also while the coordinator cannot be reached. A value in
// beatNow makes it send the next heartbeat early. It sends at most ten early heartbeats in one interval.
func (w dialogue) beatLoop() {
	for {
		interval := w.interval()
		if farm.Wait(w.ctx, interval/10) != nil {
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

// beat sends one heartbeat and processes the answer.
func (w dialogue) beat(ctx context.Context) error {
	if !w.known() {
		if err := w.helloOnce(ctx); err != nil {
			w.endBy(err)
			return err
		}
	}
	b := w.state()
	var reply farm.BeatReply
	err := w.request(ctx, farm.SubjectBeat, b, &reply)
	if end := refusal(err, reply.Refusal); end != nil {
		w.endBy(end)
		return end
	}
	if err == nil {
		w.outbox.Done(reply.Stored)
		w.outbox.Done(reply.Drop)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if err != nil || reply.Unknown {
		w.back = append(b.Back, w.back...) // the coordinator did not process the heartbeat
		w.joined = w.joined && !reply.Unknown
		if reply.Unknown {
			poke(w.beatNow)
		}
		return err
	}
	w.take(reply)
	return nil
}

func (w dialogue) known() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.joined
}

// endBy ends the worker if err is an *End, and otherwise does nothing.
func (w dialogue) endBy(err error) {
	if end, ok := errors.AsType[*End](err); ok {
		w.mu.Lock()
		w.end(end, end.Exit == ExitRefused)
		w.mu.Unlock()
	}
}

// listedMost bounds each list of a heartbeat, so that it fits in a message. The worker lists the oldest leases first.
const listedMost = 2000

// state returns the contents of the next heartbeat. It moves the returned pairs from w.back into the heartbeat.
func (w dialogue) state() farm.Beat {
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

// take processes the coordinator's answer to a heartbeat. It revokes leases, deletes stored results, and does what
// reply.Say demands. The caller holds w.mu.
func (w dialogue) take(reply farm.BeatReply) {
	w.listed = true
	w.drop(reply.Drop)
	w.over(reply.Over)
	clear(w.watched)
	for _, run := range reply.Watched {
		w.watched[run] = true
	}
	for run, t := range w.tasks {
		t.setWatched(w.watched[run])
	}
	if reply.Lease > 0 && w.welcome.Lease != reply.Lease {
		w.welcome.Beat = w.welcome.Beat * reply.Lease / w.welcome.Lease
		w.welcome.Lease = reply.Lease
	}
	switch {
	case reply.Say == farm.SayDrain:
		w.drain("the coordinator drains this worker")
	case w.leaving: // a leaving worker neither updates nor measures
	case reply.Say == farm.SayUpdate:
		w.end(&End{Exit: ExitUpdate, Why: "the coordinator wants another version of this program", Update: reply.Update,
			Release: reply.Release}, false)
	case reply.Say == farm.SayBench:
		if w.config.Measures {
			w.end(&End{Why: "the coordinator wants this machine measured again", Measure: true}, false)
		} else if !w.measureSay {
			w.config.Log.Warn("the coordinator wants this machine measured again: gogi farm bench, and then --nps-file")
		}
		w.measureSay = true
	}
	w.wake()
}

// retryMost is the longest wait between two Asks.
const retryMost = time.Minute

// askLoop requests pairs while the worker can hold more.
func (w dialogue) askLoop() {
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
			retry = farm.Backoff(failed)
		default:
			failed = 0
		}
		if retry > 0 && !w.pause(retry) {
			return
		}
	}
}

// room waits until the worker may hold more pairs, and returns how many more. It returns -1 after the end of the
// session.
func (w dialogue) room() int {
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

// ask sends one Ask, and returns the wait before the next Ask. A wait of 0 means that the next Ask follows as
// soon as the worker can hold more pairs.
func (w dialogue) ask(want int) (retry time.Duration, err error) {
	w.mu.Lock()
	w.hinted = false
	a := farm.Ask{Session: w.session, Want: want}
	a.Known, a.Open, a.Refuse, a.Why = w.standing()
	a.Benches = w.benches()
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
		return 0, nil // room waits until the coordinator knows the session again
	}
	w.idle = len(g.Grants) == 0 && !leads && !g.Later && w.listed // unstored results of a tune may lead to more pairs
	w.over(g.Over)
	w.grant(g)
	if g.Drain {
		w.drain("the coordinator drains this worker")
	}
	if len(g.Grants) >= want {
		return 0, nil
	}
	return jitter(min(max(g.Retry, farm.FirstWait), retryMost)), nil
}

// pause waits before the next Ask. A hint that pairs are available ends the wait. pause returns false if the session
// is over.
func (w dialogue) pause(d time.Duration) bool {
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

// batchBytes is the maximum size of one message. Only a message with a single longer item is larger.
const batchBytes = 512 << 10

// publishLoop sends the items of the outbox in batches.
func (w dialogue) publishLoop() {
	for w.gather() {
		if w.publishAll(w.ctx) != nil {
			return
		}
	}
}

// gather waits until the outbox has an unpublished item, and then a while for further items of the same message. It
// returns false if the session is over.
func (w dialogue) gather() bool {
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

// publishAll sends every item, and repeats a failed message without limit. It returns an error if ctx ends or
// the worker ends.
func (w dialogue) publishAll(ctx context.Context) error {
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
		if err != nil {
			poke(w.beatNow) // the answer has the reason if the coordinator accepts no more results of this worker
		}
		if err == nil {
			w.outbox.Published(numbers)
			try = 1
			continue
		}
		if err := farm.Wait(ctx, farm.Backoff(try)); err != nil {
			return err
		}
		try++
	}
}

// setFull stores whether the coordinator's stream is full. While the stream is full, the worker requests no
// pairs.
func (w dialogue) setFull(full bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if full == w.streamFull {
		return
	}
	w.streamFull = full
	w.config.Log.Warn("the coordinator's stream of results", "full", full)
	w.wake()
}

// publish sends one message with items. Messages with equal items have the same id, so that the stream can
// detect a repetition.
func (w dialogue) publish(ctx context.Context, items []farm.Item, numbers []uint64) error {
	body, err := farm.Seal(&farm.Batch{Worker: w.config.Name, Session: w.session, Items: items}, w.config.Sign)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, requestDeadline)
	defer cancel()
	id := fmt.Sprintf("%s/%s/%d-%d", w.config.Name, w.session, numbers[0], numbers[len(numbers)-1])
	return w.transport.Publish(ctx, farm.SubjectResults+w.config.Name+".0", id, body)
}
