package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/match/trust"
)

// decode decodes a message, and checks the message if its type has a Check method. Its error is a rejection.
func decode[T any](body []byte) (*T, error) {
	v := new(T)
	err := farm.Decode(body, v)
	if c, ok := any(v).(interface{ Check() error }); ok && err == nil {
		err = c.Check()
	}
	if err != nil {
		return nil, farm.Refusef("%v", err)
	}
	return v, nil
}

// welcomePlans is the maximum total size of the plans in a reply to Hello, in bytes.
const welcomePlans = 256 << 10

// hello starts a worker's session. It does nothing if the session has started already.
func (c *Coordinator) hello(ctx context.Context, subject string, body []byte) (any, error) {
	var h farm.Hello
	if err := farm.Decode(body, &h); err != nil {
		return nil, farm.Refusef("%v", err)
	}
	name := farm.Sender(subject)
	c.mu.Lock()
	defer c.mu.Unlock()

	owner, refusal := c.roster.Admit(name, &h)
	if refusal != nil {
		return farm.HelloReply{Refusal: refusal}, nil
	}
	if _, created := c.roster.Join(name, owner, h); created {
		for _, r := range c.runs {
			if r.ledger != nil {
				r.ledger.Enter(name, h.Session)
			}
		}
	}
	c.setClaim(ctx, name, h.NPS)

	reply := farm.HelloReply{Protocol: min(h.Protocol, farm.Protocol), Lease: c.config.Lease, Beat: c.config.beat()}
	size := 0
	for _, r := range c.inOrder() {
		size += len(r.Plan)
		plays := r.State == farm.Running && c.roster.Meets(r.Needs, name, h.Labels) && r.protocol() <= h.Protocol
		if plays && size <= welcomePlans {
			reply.Plans = append(reply.Plans, r.task)
		}
	}
	return reply, nil
}

// mayHold returns how many unfinished pairs a worker with this number of slots may hold. It is far more than a
// worker requests in advance, but so few that no worker can hold most of a run's pairs.
func mayHold(slots int) int { return 64 + 16*slots }

// grantPlans is the maximum total size of the plans in a reply with grants, in bytes.
const grantPlans = 256 << 10

// lease answers a request for pairs.
func (c *Coordinator) lease(ctx context.Context, subject string, body []byte) (any, error) {
	ask, err := decode[farm.Ask](body)
	if err != nil {
		return nil, err
	}
	if _, refusal := c.roster.WorkKey(farm.Sender(subject)); refusal != nil {
		return nil, refusal
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.roster.SessionOf(farm.Sender(subject), ask.Session)
	if s == nil {
		return farm.Grants{Unknown: true}, nil
	}
	out := farm.Grants{Retry: c.config.beat()}
	w := c.roster.Worker(s.Name, s.Owner)
	switch {
	case w.Draining || w.Quarantine != "":
		out.Drain = true
	case c.broken != nil:
	default:
		if !slices.Equal(s.Refuses, ask.Refuse) {
			c.noteRefusals(s, w, ask)
			s.Refuses = ask.Refuse
			c.roster.Changes++
		}
		s.Why = ask.Why
		c.grant(ctx, time.Now(), s, w, ask, &out)
		out.Later = len(out.Grants) == 0 && c.later(s, ask)
	}
	out.Over = c.over(s.Name, ask.Known)
	return out, nil
}

// later reports whether some run has a free pair that the worker may play. The coordinator calls it if a request
// got no pair. If the result is true, the worker asks again soon.
func (c *Coordinator) later(s *roster.Session, ask *farm.Ask) bool {
	for _, r := range c.runs {
		if r.State == farm.Running && c.mayPlayRun(r, s, ask) && r.ledger.Free() {
			return true
		}
	}
	return false
}

// mayPlayRun reports whether a worker meets the needs of a run, has the right speed, and does not refuse the run.
func (c *Coordinator) mayPlayRun(r *run, s *roster.Session, ask *farm.Ask) bool {
	return c.roster.Meets(r.Needs, s.Name, s.Hello.Labels) && r.protocol() <= s.Hello.Protocol && !slices.Contains(ask.Refuse, r.digest) && c.unfit(r, s) == nil
}

// grantOver is the maximum number of ended runs in one reply.
const grantOver = 1000

// over returns at most grantOver runs of the list known, which has the runs that a worker knows. These runs have
// ended, or the coordinator does not know them. over leaves out a run of which the worker still holds an audit.
func (c *Coordinator) over(worker string, known []string) (over []string) {
	for _, digest := range known {
		if r := c.runs[digest]; (r == nil || r.State.Final() && !r.auditedBy(worker)) && len(over) < grantOver {
			over = append(over, digest)
		}
	}
	return over
}

func (c *Coordinator) grant(ctx context.Context, now time.Time, s *roster.Session, w *roster.Worker, ask *farm.Ask, out *farm.Grants) {
	_, playing := c.heldBy(s.Name)
	fits := func(r *run) bool { return c.mayPlayRun(r, s, ask) }
	can := func(digest string) bool { return c.runs[digest].State == farm.Running && fits(c.runs[digest]) }
	size := 0
	plan := func(r *run) { // adds the run's plan to the reply if the worker does not have it
		if !slices.Contains(ask.Known, r.digest) && !slices.ContainsFunc(out.Plans, func(t farm.Task) bool { return t.Run == r.digest }) {
			out.Plans = append(out.Plans, r.task)
			size += len(r.Plan)
		}
	}
	add := func(r *run, leases []ledger.Lease) {
		for _, l := range leases {
			g := farm.Grant{Held: farm.Held{Run: r.digest, Pair: l.Pair, Epoch: l.Epoch, Take: l.Take}}
			if r.tune != nil && !r.tune.draw(&g) {
				continue // the pair is being stored now
			}
			g.Token = c.config.Secret.Token(s.Name, g.Held)
			out.Grants = append(out.Grants, g)
		}
		if len(leases) > 0 {
			plan(r)
		}
	}
	if c.grantAlone(now, s, w, playing, can, add) {
		return
	}
	want := max(0, min(ask.Want, mayHold(c.roster.Slots(s))-playing))
	if c.roster.Untrusted(w) {
		a := c.allowance(now, s.Owner, want)
		if want > a.left {
			want, out.Retry = max(0, a.left), min(out.Retry, crowdAge)
		}
		defer func() { c.allowed[s.Owner] = allowance{a.left - len(out.Grants), a.counted} }()
	}
	for _, r := range c.inOrder() {
		known := slices.Contains(ask.Known, r.digest) || r.State.Final() && size+len(r.Plan) <= grantPlans
		if len(r.audits) == 0 || !known || r.State != farm.Running && !r.State.Final() || !fits(r) {
			continue
		}
		if grants := c.grantAudits(ctx, now, r, s, want-len(out.Grants)); len(grants) > 0 {
			out.Grants = append(out.Grants, grants...)
			plan(r)
		}
	}
	c.schedule.Pick(ledger.Worker{Open: ask.Open, Can: can}, want-len(out.Grants), func(digest string, n int) int {
		r := c.runs[digest]
		if !slices.Contains(ask.Known, digest) && size+len(r.Plan) > grantPlans {
			return 0 // a later reply has its plan
		}
		n = min(n, c.fair(now, r, s)-r.ledger.Playing(s.Name))
		n = min(n, c.untrustedLeft(now, r, s, n), c.slotsLeft(r.Owner))
		leases := r.ledger.Grant(now, s.Name, s.ID, n)
		if c.roster.Untrusted(w) {
			r.untrusted.add(s.Owner, len(leases))
		}
		if r.tune != nil && len(leases) < n {
			r.tune.wantsMore = true
		}
		add(r, leases)
		return len(leases)
	})
}

// fair returns how many unfinished pairs of a run a worker may hold, see ledger.Fair.
func (c *Coordinator) fair(now time.Time, r *run, s *roster.Session) int {
	changed := r.crowd.version != c.roster.Changes && now.Sub(r.crowd.counted) >= crowdPause(len(c.roster.Sessions))
	if changed || r.crowd.slots == 0 || now.Sub(r.crowd.counted) >= crowdAge {
		r.crowd = c.slotsFor(now, r, s)
	}
	slots := c.roster.Slots(s)
	if of := r.crowd.owners[s.Owner]; of.all > slots && c.roster.Untrusted(c.roster.Workers[s.Name]) {
		fair := ledger.Fair(r.ledger.Remaining(), of.count(), r.crowd.slots)
		return (fair*slots + of.all - 1) / of.all // the owner's keys share what one worker may hold
	}
	return ledger.Fair(r.ledger.Remaining(), slots, max(r.crowd.slots, slots))
}

// heldBy returns the number of a worker's leases in all runs, and the number of leases that the worker has
// not reported as finished.
func (c *Coordinator) heldBy(name string) (held, playing int) {
	for _, r := range c.runs {
		if r.ledger != nil {
			held += r.ledger.HeldBy(name)
			playing += r.ledger.Playing(name)
		}
	}
	return held, playing
}

// An allowance is the number of further pairs that the coordinator may grant to the untrusted workers of one owner
// together. Together they may hold as many unfinished pairs as one worker with all their slots (see mayHold). With
// their finished pairs they may hold four times as many.
type allowance struct {
	left    int
	counted time.Time
}

// allowance returns the allowance of an owner. To count it, gogi must walk over all workers, so it counts at most
// once per crowdAge. If the last count leaves fewer pairs than want, it counts again after a twentieth of crowdAge.
func (c *Coordinator) allowance(now time.Time, owner string, want int) allowance {
	a, ok := c.allowed[owner]
	if age := now.Sub(a.counted); ok && age < crowdAge && (a.left >= want || age < crowdAge/20) {
		return a
	}
	claimed, most, held, playing := 0, roster.CountedSlots(0), 0, 0
	for name, w := range c.roster.Workers {
		if w.Owner != owner || !c.roster.Untrusted(w) {
			continue
		}
		most += c.roster.Earned(w)
		h, p := c.heldBy(name)
		held, playing = held+h, playing+p
		if s := c.roster.Sessions[name]; s != nil {
			claimed += s.Slots
		}
	}
	may := mayHold(min(claimed, most))
	a = allowance{min(may-playing, 4*may-held), now}
	c.allowed[owner] = a
	return a
}

// untrustedLeft returns how many more pairs of a run an untrusted worker may get. There is a limit only in a run
// with an SPRT that a trusted worker plays too. untrustedLeft looks at the pairs of the window and at as many pairs
// before it. Of these, untrusted workers may hold or have stored at most half the window's size, and those of one
// owner at most a quarter. So they have at most this part of any range of pairs as long as the window.
func (c *Coordinator) untrustedLeft(now time.Time, r *run, s *roster.Session, want int) int {
	if r.gate == nil || !r.crowd.trusted || !c.roster.Untrusted(c.roster.Workers[s.Name]) {
		return math.MaxInt
	}
	if age := now.Sub(r.untrusted.counted); age >= crowdAge || age >= crowdAge/20 && r.untrusted.left(s.Owner, r.window) < want {
		r.untrusted = c.countUntrusted(now, r)
	}
	return r.untrusted.left(s.Owner, r.window)
}

// untrustedPairs counts those pairs of untrusted workers to which Coordinator.untrustedLeft applies. A count is a
// walk over the window and all leases. So gogi adds new grants to the numbers, and counts again after crowdAge. If
// the numbers leave too few pairs, it counts again after a twentieth of crowdAge.
type untrustedPairs struct {
	all     int
	byOwner map[string]int
	counted time.Time
}

// left returns how many more pairs the workers of an owner may get. window is the size of the ledger's window.
func (n *untrustedPairs) left(owner string, window int) int {
	return min(window/4-n.byOwner[owner], window/2-n.all)
}

// add counts granted pairs of a worker. Before the first count it does nothing.
func (n *untrustedPairs) add(owner string, pairs int) {
	if n.byOwner != nil {
		n.all += pairs
		n.byOwner[owner] += pairs
	}
}

// countUntrusted counts the pairs of the untrusted workers of a run in the window, and in as many pairs before it.
func (c *Coordinator) countUntrusted(now time.Time, r *run) untrustedPairs {
	pairs := map[string]int{}
	count := func(worker string) { pairs[worker]++ }
	prefix := r.ledger.State().Prefix
	for _, name := range r.by[max(0, prefix-r.window):min(prefix+r.window, len(r.by))] {
		count(name)
	}
	r.ledger.EachHeld(count)
	out := untrustedPairs{byOwner: map[string]int{}, counted: now}
	for name, n := range pairs {
		if name != "" && !c.roster.Trusted(name) { // "" is a pair that is not stored
			out.add(c.roster.OwnerOf(name), n)
		}
	}
	return out
}

// trustedWait is the time for which a trusted worker that holds no pair of a run still limits the untrusted
// workers.
const trustedWait = 10 * time.Minute

// A crowd is the result of a count: the number of slots of all workers that could play a run at that time.
type crowd struct {
	slots   int
	trusted bool // a trusted worker holds a pair of the run, or has not waited long for one
	counted time.Time
	version int // the value of Coordinator.changes
	owners  map[string]ownerSlots
}

// ownerSlots has the slots of the untrusted workers of one owner. If the owner has many keys, fewer of them count.
type ownerSlots struct {
	all    int // of all these workers, see Coordinator.slots
	earned int // see Coordinator.earned
}

// count returns how many of the slots count together: as many as for one worker.
func (o ownerSlots) count() int { return min(o.all, roster.CountedSlots(o.earned)) }

// crowdAge is the time after which the slots that may play a run are counted again. With 10,000 workers, a walk over
// all sessions for each grant would need a CPU core. Within this time only a session that expires can change
// the count.
const crowdAge = time.Second

// crowdPause returns the shortest time between two counts of a crowd in a farm with this number of sessions.
// Without it, the coordinator would read all sessions for every grant in two cases: if one worker sends a Hello
// before each request, or if many workers join at the same time.
func crowdPause(sessions int) time.Duration {
	return min(time.Duration(sessions/100)*10*time.Millisecond, crowdAge)
}

// slotsFor counts the slots of the workers that may play a run now, including the slots of s.
func (c *Coordinator) slotsFor(now time.Time, r *run, s *roster.Session) crowd {
	out := crowd{counted: now, version: c.roster.Changes, owners: map[string]ownerSlots{}}
	for name, other := range c.roster.Sessions {
		w := c.roster.Workers[name]
		here := now.Sub(other.Seen) < c.config.Lease && w.Quarantine == "" && !w.Draining
		if name == s.Name || here && c.roster.Meets(r.Needs, name, other.Hello.Labels) && !slices.Contains(other.Refuses, r.digest) && c.unfit(r, other) == nil {
			if c.roster.Untrusted(w) {
				of := out.owners[other.Owner]
				out.owners[other.Owner] = ownerSlots{of.all + c.roster.Slots(other), of.earned + c.roster.Earned(w)}
				continue
			}
			out.slots += c.roster.Slots(other)
			out.trusted = true
			if r.trusted.IsZero() || r.ledger.HeldBy(name) > 0 {
				r.trusted = now
			}
		}
	}
	for _, of := range out.owners {
		out.slots += of.count()
	}
	out.trusted = out.trusted && now.Sub(r.trusted) < trustedWait
	return out
}

// grantAlone grants a pair that must be played alone, if such a pair waits for this worker. playing is the number
// of pairs that the worker plays now. can reports whether the worker may play a run. add adds granted leases to the
// reply. If the result is true, the worker must get no other pairs.
func (c *Coordinator) grantAlone(now time.Time, s *roster.Session, w *roster.Worker, playing int, can func(string) bool, add func(*run, []ledger.Lease)) bool {
	for _, r := range c.inOrder() {
		if r.ledger == nil || !can(r.digest) {
			continue
		}
		l, granted, wait := r.ledger.Solo(now, s.Name, s.ID, w.Trust == trust.Owner, playing)
		if granted {
			add(r, []ledger.Lease{l})
		}
		if granted || wait {
			return true
		}
	}
	return false
}

// beat answers a heartbeat. It extends the leases of a worker, and reports the leases that are invalid or
// stored.
func (c *Coordinator) beat(ctx context.Context, subject string, body []byte) (any, error) {
	b, err := decode[farm.Beat](body)
	if err != nil {
		return nil, err
	}
	if _, refusal := c.roster.WorkKey(farm.Sender(subject)); refusal != nil {
		return farm.BeatReply{Refusal: refusal}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.roster.SessionOf(farm.Sender(subject), b.Session)
	if s == nil {
		return farm.BeatReply{Unknown: true}, nil
	}
	reply := farm.BeatReply{Lease: c.config.Lease}
	if b.Number < s.Beat {
		return reply, nil // a later heartbeat came first
	}
	s.Beat, s.Load = b.Number, b.Load
	if b.NPS > 0 {
		s.NPS = b.NPS
		c.setClaim(ctx, s.Name, b.NPS)
	}
	now := time.Now()
	for _, list := range []*[]farm.Held{&b.Held, &b.Outbox, &b.Sent} {
		*list = c.extendAudits(now, s, *list, list != &b.Held, &reply)
	}
	for _, r := range c.runs {
		for _, a := range r.audits {
			if a.worker == s.Name && a.session != s.ID { // it belongs to an older session, which has ended
				a.release()
			}
		}
	}
	for _, back := range b.Back {
		c.takeBack(ctx, now, s, &back)
	}
	w := c.roster.Workers[s.Name]
	if w.Quarantine != "" {
		reply.Drop = slices.Concat(b.Held, b.Outbox, b.Sent) // none of these leases counts any more
		reply.Refusal = farm.Refusef("%s is in quarantine: %s", s.Name, w.Quarantine)
		return reply, nil
	}
	c.extend(now, s, b, &reply)
	reply.Watched = c.watched(s)
	due := c.update.Due(c.member(s, now))
	switch {
	case w.Draining:
		reply.Say = farm.SayDrain
	case due != nil:
		reply.Say, reply.Update, reply.Release = farm.SayUpdate, due.SHA256, due
	case w.Rebench != "" || w.Probation != "":
		reply.Say = farm.SayBench
	}
	return reply, nil
}

// takeBack ends a lease that a worker returns unplayed.
func (c *Coordinator) takeBack(ctx context.Context, now time.Time, s *roster.Session, back *farm.Back) {
	r := c.runs[back.Run]
	if r == nil || r.ledger == nil || !c.config.Secret.Granted(s.Name, back.Held) {
		return
	}
	if a := r.auditOf(s.Name, back.Held); a != nil {
		a.release()
		return
	}
	// A repeated return, such as after a lost answer, ends no lease and counts no crash.
	if fate := r.ledger.Return(now, s.Name, leaseOf(back.Held), back.Crashed); back.Crashed && fate != ledger.FateNone {
		c.roster.Workers[s.Name].Failed(now, r.Name, fmt.Sprintf("%s %d did not start: %s", r.word(), back.Pair, back.Why))
		c.countTry(ctx, r, s.Name, false, true)
	}
}

// extend sorts a heartbeat's leases by run, and passes them to the ledgers.
func (c *Coordinator) extend(now time.Time, s *roster.Session, b *farm.Beat, reply *farm.BeatReply) {
	lists := map[string]*ledger.Listed{}
	sorted := func(list []farm.Held, into func(*ledger.Listed) *[]ledger.Lease) {
		for _, h := range list {
			r := c.runs[h.Run]
			if r == nil || !c.config.Secret.Granted(s.Name, h) {
				reply.Drop = append(reply.Drop, h)
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
			h.Token = c.config.Secret.Token(s.Name, h)
			list = append(list, h)
		}
		return list
	}
	for _, r := range c.inOrder() {
		list := lists[r.digest]
		if list != nil && r.State.Final() && !r.auditedBy(s.Name) {
			reply.Over = append(reply.Over, r.digest)
		}
		switch {
		case r.ledger != nil:
			if list == nil {
				list = &ledger.Listed{} // the worker holds no pair of the run any more
			}
			outdated := r.outdated(now, list)
			dropped, stored := r.ledger.Beat(now, s.Name, s.ID, *list)
			reply.Drop = append(reply.Drop, heldOf(r.digest, slices.Concat(outdated, dropped))...)
			reply.Stored = append(reply.Stored, heldOf(r.digest, stored)...)
		case list != nil: // the run ended before this process started, so its unfinished pairs are not wanted
			reply.Drop = append(reply.Drop, heldOf(r.digest, slices.Concat(list.Held, list.Sent))...)
		}
	}
}

func leaseOf(h farm.Held) ledger.Lease {
	return ledger.Lease{Pair: h.Pair, Epoch: h.Epoch, Take: h.Take, Points: h.Points}
}

// workerStatus returns the status of a worker, with the texts that who may read.
func (c *Coordinator) workerStatus(name string, now time.Time, who roster.Key) farm.WorkerStatus {
	w := c.roster.Workers[name]
	out := farm.WorkerStatus{
		Name: name, Owner: w.Owner, Trust: string(c.roster.Level(w)), Suspect: c.roster.Suspect(w.Owner), Quarantine: w.Quarantine, Draining: w.Draining, Added: w.Played,
		Refused: w.Refused, Agreed: w.Agreed, Probation: cmp.Or(w.Probation, w.Unlike), Rebench: w.Rebench,
		Slots: w.Slots, NPS: w.Claim, Version: w.Version, Labels: w.Labels, Seen: w.Seen, Errors: slices.Clone(w.Errors),
	}
	for i, e := range out.Errors {
		owners := []string{w.Owner}
		if r := c.find(e.By); r != nil {
			owners = append(owners, r.Owner)
		}
		out.Errors[i].What = who.Text(e.What, owners...)
	}
	out.Held, _ = c.heldBy(name)
	if s := c.roster.Sessions[name]; s != nil {
		out.Here = now.Sub(s.Seen) < c.config.Lease
		out.Slots, out.Load, out.NPS = s.Slots, s.Load, s.NPS
		out.Seen, out.Unfit = s.Seen.Round(0), c.unfitFor(s, who)
	}
	return out
}
