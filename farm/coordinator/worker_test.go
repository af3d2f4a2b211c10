package coordinator_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"gogi/farm"
	"gogi/match"
)

// hand is a minimal worker that follows the protocol. It wakes every second. Its finished pairs survive its process.
type hand struct {
	f     *theFarm
	name  string
	slots int
	// takes returns the duration of a pair, by its number.
	takes func(pair int) time.Duration
	// plays returns the result of a pair; nil means play.
	plays func(p *match.Plan, pair int) match.PairResult
	// tunes returns the result of a pair of a tune; nil means plays.
	tunes func(p *match.Plan, pair match.Pair) match.PairResult
	// dies returns whether the process ends during a pair; nil means never.
	dies func(pair int) bool
	// changes modifies a batch before it is signed; may be nil.
	changes func(b *farm.Batch)
	labels  map[string]string
	nps     float64       // the speed that the worker reports, with the engine "base"
	said    string        // the command of the latest heartbeat reply
	program string        // the program that the worker reports
	speaks  int           // its protocol; 0 means farm.Protocol
	release *farm.Release // the release that the worker must install

	mu      sync.Mutex
	start   uint64
	outbox  []farm.Item // durable
	sent    []farm.Held // durable
	done    atomic.Int64
	dropped atomic.Int64
	refused *farm.Refusal
	plans   map[string]*match.Plan
	end     context.CancelFunc // ends the process
	ended   chan struct{}
}

type play1 struct {
	grant farm.Grant
	until time.Time
}

func (f *theFarm) hand(name string, slots int) *hand { return f.begin(&hand{name: name, slots: slots}) }

// begin starts a worker. By default its pairs take 20 to 59 seconds.
func (f *theFarm) begin(h *hand) *hand {
	h.f, h.plans = f, map[string]*match.Plan{}
	if h.takes == nil {
		h.takes = func(pair int) time.Duration { return time.Duration(20+pair*7%40) * time.Second }
	}
	h.begin()
	return h
}

// seconds returns the same duration for every pair.
func seconds(n int) func(int) time.Duration {
	return func(int) time.Duration { return time.Duration(n) * time.Second }
}

// begin starts a process of the worker.
func (h *hand) begin() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.start++
	ctx, cancel := context.WithCancel(h.f.ctx)
	h.end, h.ended = cancel, make(chan struct{})
	ended, session := h.ended, fmt.Sprintf("%s-%d", h.name, h.start)
	h.f.working.Go(func() {
		defer close(ended)
		p := process{hand: h, session: session, way: h.f.broker.Connect(h.name)}
		p.run(ctx)
	})
}

// kill ends the process. Its pairs in play are lost.
func (h *hand) kill() {
	h.mu.Lock()
	end, ended := h.end, h.ended
	h.mu.Unlock()
	end()
	<-ended
}

// exit returns the refusal that the worker got, or nil.
func (h *hand) exit() *farm.Refusal {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.refused
}

func (h *hand) restart() {
	h.kill()
	h.begin()
}

// process is one process of a worker.
type process struct {
	*hand
	session string
	way     farm.Transport
	here    bool
	playing []play1
	beat    time.Time // the next heartbeat
	asks    time.Time // the next request
	number  uint64
	batches int
	drain   bool
}

func (p *process) run(ctx context.Context) {
	for ctx.Err() == nil {
		p.mu.Lock()
		dead := !p.step(ctx)
		refused := p.refused != nil
		p.mu.Unlock()
		if dead {
			p.playing, p.here, p.number = nil, false, 0
			p.mu.Lock()
			p.start++
			p.session = fmt.Sprintf("%s-%d", p.name, p.start)
			p.mu.Unlock()
		}
		if refused {
			return
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// step is one second of the process. It returns false if the process dies.
func (p *process) step(ctx context.Context) bool {
	if !p.here && !p.greet(ctx) {
		return true
	}
	now := time.Now()
	if !p.finish(now) {
		return false
	}
	p.publish(ctx)
	if !now.Before(p.beat) {
		p.tell(ctx, now)
	}
	if want := p.slots - len(p.playing); want > 0 && p.here && !p.drain && !now.Before(p.asks) {
		p.ask(ctx, now, want)
	}
	return true
}

func (p *process) greet(ctx context.Context) bool {
	var w farm.HelloReply
	err := p.way.Request(ctx, farm.SubjectHello+p.name, farm.Hello{
		Protocol: cmp.Or(p.speaks, farm.Protocol), Session: p.session, Start: p.start, Slots: p.slots, Labels: p.labels,
		Version: "test", NPS: p.nps, Reference: "base", Program: p.program,
	}, &w)
	if err != nil {
		return false
	}
	p.refused = w.Refusal
	p.learn(w.Plans)
	p.here = w.Refusal == nil
	return p.here
}

func (p *process) learn(tasks []farm.Task) {
	for _, t := range tasks {
		if err := t.Check(p.f.keys.public("coordinator")); err != nil {
			p.f.t.Errorf("%s is given an unsigned task: %v", p.name, err)
		}
		plan, err := match.DecodePlan(t.Plan)
		if err != nil {
			p.f.t.Errorf("%s is given a plan: %v", p.name, err)
			continue
		}
		p.plans[t.Run] = plan
	}
}

func (p *process) ask(ctx context.Context, now time.Time, want int) {
	var g farm.Grants
	known := []string{}
	for run := range p.plans {
		known = append(known, run)
	}
	if err := p.way.Request(ctx, farm.SubjectLease+p.name, farm.Ask{Session: p.session, Want: want, Known: known},
		&g); err != nil {
		return
	}
	if g.Unknown {
		p.here = false
		return
	}
	p.learn(g.Plans)
	p.drain = g.Drain
	if len(g.Grants) < want {
		p.asks = now.Add(g.Retry)
	}
	for _, grant := range g.Grants {
		p.f.history.Lock()
		p.f.granted[string(grant.Token)] = grant
		p.f.history.Unlock()
		p.playing = append(p.playing, play1{grant, now.Add(p.takes(grant.Pair))})
	}
}

// finish moves finished pairs to the outbox.
func (p *process) finish(now time.Time) bool {
	plays := p.plays
	if plays == nil {
		plays = play
	}
	var left []play1
	for _, x := range p.playing {
		switch {
		case p.dies != nil && p.dies(x.grant.Pair):
			return false
		case now.Before(x.until):
			left = append(left, x)
		default:
			plan := p.plans[x.grant.Run]
			var r match.PairResult
			if p.tunes == nil {
				r = plays(plan, x.grant.Pair)
			} else {
				pair := plan.Pair(x.grant.Pair)
				pair.Options = x.grant.Options
				r = p.tunes(plan, pair)
			}
			text, err := match.EncodePair(r)
			if err != nil {
				p.f.t.Error(err)
			}
			p.outbox = append(p.outbox, farm.Item{Lease: x.grant.Held, Pair: text})
			p.done.Add(1)
		}
	}
	p.playing = left
	return true
}

func (p *process) publish(ctx context.Context) {
	if len(p.outbox) == 0 {
		return
	}
	n := min(8, len(p.outbox))
	b := farm.Batch{Worker: p.name, Session: p.session, Items: slices.Clone(p.outbox[:n])}
	if p.changes != nil {
		p.changes(&b)
	}
	body, err := farm.Seal(&b, p.f.keys.signer(p.name))
	if err != nil {
		p.f.t.Error(err)
	}
	if err := p.way.Publish(ctx, farm.SubjectResults+p.name+".0", fmt.Sprintf("%s/%s/%d", p.name, p.session, p.batches),
		body); err != nil {
		if !errors.Is(err, farm.ErrAway) && !errors.Is(err, farm.ErrFull) && ctx.Err() == nil {
			p.f.t.Errorf("%s publishes: %v", p.name, err)
		}
		return // it tries again in a second
	}
	p.batches++
	for _, it := range p.outbox[:n] {
		p.sent = append(p.sent, it.Lease)
	}
	p.outbox = p.outbox[n:]
}

// tell sends a heartbeat.
func (p *process) tell(ctx context.Context, now time.Time) {
	p.number++
	b := farm.Beat{Session: p.session, Number: p.number, Sent: p.sent}
	for _, x := range p.playing {
		b.Held = append(b.Held, x.grant.Held)
	}
	for _, it := range p.outbox {
		b.Outbox = append(b.Outbox, it.Lease)
	}
	var told farm.BeatReply
	if err := p.way.Request(ctx, farm.SubjectBeat+p.name, b, &told); err != nil {
		return
	}
	if told.Unknown || told.Refusal != nil {
		p.here = false
		p.refused = told.Refusal
		return
	}
	p.beat = now.Add(lease / 3)
	p.drain = told.Say == farm.SayDrain
	p.said, p.release = told.Say, told.Release
	p.dropped.Add(int64(len(told.Drop)))
	gone := func(h farm.Held) bool {
		return slices.ContainsFunc(slices.Concat(told.Drop, told.Stored), func(d farm.Held) bool {
			return d.Run == h.Run && d.Epoch == h.Epoch
		})
	}
	p.playing = slices.DeleteFunc(p.playing, func(x play1) bool { return gone(x.grant.Held) })
	p.outbox = slices.DeleteFunc(p.outbox, func(it farm.Item) bool { return gone(it.Lease) })
	p.sent = slices.DeleteFunc(p.sent, gone)
}
