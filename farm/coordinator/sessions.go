package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
)

// session is the process of a worker that is here.
type session struct {
	name, owner string
	session     string
	start       uint64
	beat        uint64 // the latest one's number
	hello       farm.Hello
	slots       int
	load, nps   float64
	seen        time.Time
	refuses     []string // runs that it will not play, as of its latest ask
}

// worker is what is kept of a worker, in the bucket of workers.
type worker struct {
	Owner      string    `cbor:"owner"`
	Trust      string    `cbor:"trust"`
	Quarantine string    `cbor:"quarantine"` // why; "": it is not
	Since      time.Time `cbor:"since"`
	Draining   bool      `cbor:"draining"`
	Agreed     int       `cbor:"agreed"`  // audits
	Played     int       `cbor:"played"`  // pairs that counted, as of when this was kept last, and since
	Refused    int       `cbor:"refused"` // results that were not counted, of all time or since a pardon
	Claim      float64   `cbor:"claim"`   // the latest farm.Hello.NPS that it told
	// Probation is why it plays nothing with scaled clocks, and all its pairs elsewhere are
	// audited: its speed is not what it claims. "": it is on none. It ends with another claim.
	Probation string `cbor:"probation"`
	// Unlike is why all its pairs are audited: its machine is unlike the others'. "": it is not.
	Unlike string `cbor:"unlike,omitempty"`
	// Forgiven is the evidence of residuals, by run, that somebody has pardoned: logarithms
	// of e-values.
	Forgiven map[string]float64 `cbor:"forgiven,omitempty"`
	// ForgivenMachine is the same of the evidence about its machine.
	ForgivenMachine map[string]float64 `cbor:"forgiven_machine,omitempty"`

	revision uint64
	added    int    // since the start
	rebench  string // why it is to be measured anew; "": it is not
}

// The words of Worker.Trust; farm/trust has their meaning.
const (
	trustNone  = "untrusted"
	trustSome  = "verified"
	trustOwner = "owner"
)

func (c *Coordinator) readWorkers(ctx context.Context) error {
	err := c.config.State.Each(ctx, bucketWorkers, func(name string, body []byte, revision uint64) error {
		w := &worker{}
		err := farm.Decode(body, w)
		w.revision = revision
		c.workers[name] = w
		return err
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the workers: %w", err)
	}
	return nil
}

// keepWorker writes down what is known of a worker.
func (c *Coordinator) keepWorker(ctx context.Context, name string, w *worker) error {
	if err := c.save(ctx, bucketWorkers, name, w, &w.revision); err != nil {
		return fmt.Errorf("coordinator: worker %s: %w", name, err)
	}
	return nil
}

// worker finds or begins what is known of a worker.
func (c *Coordinator) worker(name, owner string) *worker {
	w := c.workers[name]
	if w == nil {
		w = &worker{Trust: trustNone}
		c.workers[name] = w
	}
	if owner != "" {
		w.Owner = owner
	}
	return w
}

// refuse is an answer that no repetition changes; exit is the process'.
func refuse(exit int, format string, values ...any) *farm.Refusal {
	return &farm.Refusal{Why: fmt.Sprintf(format, values...), Exit: exit}
}

// The exit codes of refused processes.
const (
	exitRefused = 4
	exitUpdate  = 5
)

// welcomePlans is how many bytes of plans a welcome has.
const welcomePlans = 256 << 10

// hello begins a worker's session, or finds that it has begun.
func (c *Coordinator) hello(ctx context.Context, subject string, body []byte) (any, error) {
	var h farm.Hello
	if err := farm.Decode(body, &h); err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	name := farm.Speaker(subject)
	key, ok := c.config.Keys.Key(name)
	switch {
	case !ok || !key.may(rightWork):
		return farm.HelloReply{Refusal: refuse(exitRefused, "%s has no valid key to work with", name)}, nil
	case h.Protocol < farm.Oldest:
		return farm.HelloReply{Refusal: refuse(exitUpdate, "the worker speaks protocol %d, the farm %d to %d: a newer gogi is needed", h.Protocol, farm.Oldest, farm.Protocol)}, nil
	}
	if err := h.Check(); err != nil {
		return farm.HelloReply{Refusal: refuse(exitRefused, "%v", err)}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if old := c.sessions[name]; old != nil && old.session != h.Session && h.Start < old.start {
		return farm.HelloReply{Refusal: refuse(exitRefused, "a newer process of %s is here (start %d, this one is start %d)", name, old.start, h.Start)}, nil
	}
	c.sit(name, key.Owner, h)
	c.claimed(ctx, name, h.NPS)
	w := farm.HelloReply{Protocol: min(h.Protocol, farm.Protocol), Lease: c.config.Lease, Beat: c.config.beat()}
	size := 0
	for _, r := range c.inOrder() {
		if size += len(r.Plan); r.State == farm.Running && c.fits(r, name, h.Labels) && r.protocol() <= h.Protocol && size <= welcomePlans {
			w.Plans = append(w.Plans, r.task)
		}
	}
	return w, nil
}

// sit makes a process the one of its worker.
func (c *Coordinator) sit(name, owner string, h farm.Hello) {
	c.worker(name, owner)
	s := c.sessions[name]
	if s == nil || s.session != h.Session {
		s = &session{name: name, session: h.Session}
		c.sessions[name] = s
		for _, r := range c.runs {
			if r.ledger != nil {
				r.ledger.Enter(name, h.Session)
			}
		}
	}
	s.owner, s.start, s.hello, s.slots, s.nps, s.seen = owner, h.Start, h, h.Slots, h.NPS, time.Now()
}

// here is the session of whoever asks, nil where it has to say hello.
func (c *Coordinator) here(subject, session string) *session {
	s := c.sessions[farm.Speaker(subject)]
	if s == nil || s.session != session {
		return nil
	}
	s.seen = time.Now()
	return s
}

// mayHold is how many pairs a worker of so many slots may hold that are not finished:
// far more than it prefetches, and too few to hoard.
func mayHold(slots int) int { return 64 + 16*slots }

// grantPlans is how many bytes of plans come with grants.
const grantPlans = 256 << 10

// lease grants pairs.
func (c *Coordinator) lease(_ context.Context, subject string, body []byte) (any, error) {
	var ask farm.Ask
	err := farm.Decode(body, &ask)
	if err == nil {
		err = ask.Check()
	}
	if err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	key, ok := c.config.Keys.Key(farm.Speaker(subject))
	if !ok || !key.may(rightWork) {
		return nil, refuse(exitRefused, "%s has no valid key to work with", farm.Speaker(subject))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.here(subject, ask.Session)
	if s == nil {
		return farm.Grants{Unknown: true}, nil
	}
	out := farm.Grants{Retry: c.config.beat(), Over: c.over(ask.Known)}
	w := c.worker(s.name, s.owner)
	switch {
	case w.Draining || w.Quarantine != "":
		out.Drain = true
	case c.broken != nil:
	default:
		s.refuses = ask.Refuse
		c.grant(time.Now(), s, w, &ask, &out)
	}
	return out, nil
}

// grantOver is how many runs one answer says to be over.
const grantOver = 1000

// over are the runs of a worker that want nothing more, as many as are told at once.
func (c *Coordinator) over(known []string) (over []string) {
	for _, digest := range known {
		if r := c.runs[digest]; (r == nil || r.State.Final()) && len(over) < grantOver {
			over = append(over, digest)
		}
	}
	return over
}

// grant fills an answer with pairs.
func (c *Coordinator) grant(now time.Time, s *session, w *worker, ask *farm.Ask, out *farm.Grants) {
	playing := 0
	for _, r := range c.runs {
		if r.ledger != nil {
			playing += r.ledger.Playing(s.name)
		}
	}
	can := func(digest string) bool {
		r := c.runs[digest]
		return r.State == farm.Running && c.fits(r, s.name, s.hello.Labels) && r.protocol() <= s.hello.Protocol && !slices.Contains(ask.Refuse, digest) && c.unfit(r, s) == nil
	}
	add := func(r *run, leases []ledger.Lease) {
		for _, l := range leases {
			g := farm.Grant{Run: r.digest, Pair: l.Pair, Epoch: l.Epoch, Take: l.Take}
			if r.tune != nil && !r.tune.draw(&g) {
				continue // it is being stored just now
			}
			g.Token = c.config.Secret.Token(s.name, g.Held())
			out.Grants = append(out.Grants, g)
		}
		known := slices.Contains(ask.Known, r.digest) || slices.ContainsFunc(out.Plans, func(t farm.Task) bool { return t.Run == r.digest })
		if len(leases) > 0 && !known {
			out.Plans = append(out.Plans, r.task)
		}
	}
	if c.alone(now, s, w, playing, can, add) {
		return
	}
	want := max(0, min(ask.Want, mayHold(s.slots)-playing))
	for _, r := range c.inOrder() {
		if can(r.digest) && slices.Contains(ask.Known, r.digest) {
			audits := c.grantAudits(now, r, s, want-len(out.Grants))
			out.Grants = append(out.Grants, audits...)
		}
	}
	size := 0
	c.schedule.Pick(ledger.Worker{Open: ask.Open, Can: can}, want-len(out.Grants), func(digest string, n int) int {
		r := c.runs[digest]
		if !slices.Contains(ask.Known, digest) && size+len(r.Plan) > grantPlans {
			return 0 // its plan is for another answer
		}
		n = min(n, c.fair(now, r, s)-r.ledger.Playing(s.name))
		leases := r.ledger.Grant(now, s.name, s.session, n)
		if r.tune != nil && len(leases) < n {
			r.tune.hungry = true
		}
		if before := len(out.Plans); len(leases) > 0 {
			if add(r, leases); len(out.Plans) > before {
				size += len(r.Plan)
			}
		}
		return len(leases)
	})
}

// fair is how many unfinished pairs of a run a worker may hold: see ledger.Fair.
func (c *Coordinator) fair(now time.Time, r *run, s *session) int {
	all := 0
	for name, other := range c.sessions {
		w := c.workers[name]
		here := now.Sub(other.seen) < c.config.Lease && w.Quarantine == "" && !w.Draining
		if name == s.name || here && c.fits(r, name, other.hello.Labels) && !slices.Contains(other.refuses, r.digest) && c.unfit(r, other) == nil {
			all += other.slots
		}
	}
	return ledger.Fair(r.ledger.Remaining(), s.slots, all)
}

// alone grants a pair that has to be played alone, where one waits for this worker, and
// reports whether the worker is to have nothing beside.
func (c *Coordinator) alone(now time.Time, s *session, w *worker, playing int, can func(string) bool, add func(*run, []ledger.Lease)) bool {
	for _, r := range c.inOrder() {
		if r.ledger == nil || !can(r.digest) {
			continue
		}
		l, granted, wait := r.ledger.Solo(now, s.name, s.session, w.Trust == trustOwner, playing)
		if granted {
			add(r, []ledger.Lease{l})
		}
		if granted || wait {
			return true
		}
	}
	return false
}

// beat keeps leases alive, and tells what has become of them.
func (c *Coordinator) beat(ctx context.Context, subject string, body []byte) (any, error) {
	var b farm.Beat
	err := farm.Decode(body, &b)
	if err == nil {
		err = b.Check()
	}
	if err != nil {
		return nil, refuse(exitRefused, "%v", err)
	}
	if key, ok := c.config.Keys.Key(farm.Speaker(subject)); !ok || !key.may(rightWork) {
		return farm.BeatReply{Refusal: refuse(exitRefused, "%s has no valid key to work with any more", farm.Speaker(subject))}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.here(subject, b.Session)
	if s == nil {
		return farm.BeatReply{Unknown: true}, nil
	}
	told := farm.BeatReply{Lease: c.config.Lease}
	if b.Number < s.beat {
		return told, nil // one that was overtaken: it knows less
	}
	s.beat, s.load = b.Number, b.Load
	if b.NPS > 0 {
		s.nps = b.NPS
		c.claimed(ctx, s.name, b.NPS)
	}
	now := time.Now()
	for _, list := range []*[]farm.Held{&b.Held, &b.Outbox, &b.Sent} {
		*list = c.hearAudits(now, s, *list, &told)
	}
	for _, back := range b.Back {
		if r := c.runs[back.Run]; r != nil && r.ledger != nil && c.config.Secret.Granted(s.name, back.Held) {
			if a := r.auditOf(s.name, back.Held); a != nil {
				a.worker, a.epoch = "", 0
				continue
			}
			// One that comes again, as after an answer that was lost, is none.
			if fate := r.ledger.Return(now, s.name, leaseOf(back.Held), back.Crashed); back.Crashed && fate != ledger.FateNone {
				c.tried(ctx, r, s.name, false, true)
			}
		}
	}
	w := c.workers[s.name]
	if w.Quarantine != "" {
		told.Drop, b.Held = b.Held, nil // what is finished may still count
	}
	c.hear(now, s, &b, &told)
	told.Watched = c.watched(s)
	due := c.update.Due(c.member(s, now))
	switch {
	case w.Draining || w.Quarantine != "":
		told.Say = farm.SayDrain
	case due != nil:
		told.Say, told.Update, told.Release = farm.SayUpdate, due.SHA256, due
	case w.rebench != "" || w.Probation != "":
		told.Say = farm.SayBench
	}
	return told, nil
}

// hear sorts a beat's leases by run, and asks the ledgers.
func (c *Coordinator) hear(now time.Time, s *session, b *farm.Beat, told *farm.BeatReply) {
	lists := map[string]*ledger.Listed{}
	sorted := func(list []farm.Held, into func(*ledger.Listed) *[]ledger.Lease) {
		for _, h := range list {
			r := c.runs[h.Run]
			if r == nil || !c.config.Secret.Granted(s.name, h) {
				told.Drop = append(told.Drop, h)
				continue
			}
			if lists[h.Run] == nil {
				lists[h.Run] = &ledger.Listed{}
			}
			to := into(lists[h.Run])
			*to = append(*to, leaseOf(h))
		}
	}
	sorted(b.Held, func(l *ledger.Listed) *[]ledger.Lease { return &l.Held })
	sorted(b.Outbox, func(l *ledger.Listed) *[]ledger.Lease { return &l.Outbox })
	sorted(b.Sent, func(l *ledger.Listed) *[]ledger.Lease { return &l.Sent })
	heldOf := func(digest string, leases []ledger.Lease) (list []farm.Held) {
		for _, l := range leases {
			h := farm.Held{Run: digest, Pair: l.Pair, Epoch: l.Epoch, Take: l.Take, Points: l.Points}
			h.Token = c.config.Secret.Token(s.name, h)
			list = append(list, h)
		}
		return list
	}
	for _, r := range c.inOrder() {
		list := lists[r.digest]
		if list != nil && r.State.Final() {
			told.Over = append(told.Over, r.digest)
		}
		switch {
		case r.ledger != nil:
			if list == nil {
				list = &ledger.Listed{} // it has nothing of it any more
			}
			astray := r.astray(now, list)
			told.Drop = append(told.Drop, heldOf(r.digest, astray)...)
			dropped, stored := r.ledger.Beat(now, s.name, s.session, *list)
			told.Drop = append(told.Drop, heldOf(r.digest, dropped)...)
			told.Stored = append(told.Stored, heldOf(r.digest, stored)...)
		case list != nil: // it ended before this process began; what is unfinished of it is not wanted
			told.Drop = append(told.Drop, heldOf(r.digest, slices.Concat(list.Held, list.Sent))...)
		}
	}
}

func leaseOf(h farm.Held) ledger.Lease {
	return ledger.Lease{Pair: h.Pair, Epoch: h.Epoch, Take: h.Take, Points: h.Points}
}

// workerStatus is a worker for others.
func (c *Coordinator) workerStatus(name string, now time.Time) farm.WorkerStatus {
	w := c.workers[name]
	out := farm.WorkerStatus{Name: name, Owner: w.Owner, Trust: w.Trust, Quarantine: w.Quarantine, Draining: w.Draining, Added: w.added, Refused: w.Refused, Agreed: w.Agreed, Probation: cmp.Or(w.Probation, w.Unlike), Rebench: w.rebench}
	for _, r := range c.runs {
		if r.ledger != nil {
			out.Held += r.ledger.HeldBy(name)
		}
	}
	if s := c.sessions[name]; s != nil {
		out.Here = now.Sub(s.seen) < c.config.Lease
		out.Slots, out.Load, out.NPS, out.Version, out.Labels, out.Seen = s.slots, s.load, s.nps, strings.ToValidUTF8(s.hello.Version, "?"), s.hello.Labels, s.seen.Round(0)
		out.Unfit = c.unfitFor(s)
	}
	return out
}
