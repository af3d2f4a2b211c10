// Package grants decides which pairs a worker gets. [Grants] follows the schedule of the tests, the ledgers of their
// leases, the quotas of their owners, and the limits for workers whom the farm does not trust.
package grants

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/lists"
)

// A Config is the input of New. All fields are necessary.
type Config struct {
	Roster   *roster.Roster
	Tests    *tests.Tests
	Audits   *audit.Audits
	Quotas   *Quotas
	Secret   farm.Secret
	Lease    time.Duration
	Beat     time.Duration // the interval of heartbeats
	OwnerMax float64       // see ledger.Schedule
	Log      *slog.Logger
}

// Grants grants the pairs of all tests. The caller guards it with a lock.
type Grants struct {
	config   Config
	schedule ledger.Schedule
	allowed  map[string]allowance // allowances by owner
	byTest   map[*tests.Test]*counted
}

// counted has the counts of one test that limit its grants.
type counted struct {
	crowd     crowd
	untrusted untrustedPairs
	trusted   time.Time // the last time when a trusted worker held a pair, or else the first time when one could get one
}

// New returns Grants that has granted nothing.
func New(c Config) *Grants {
	return &Grants{
		config: c, schedule: ledger.Schedule{OwnerMax: c.OwnerMax}, allowed: map[string]allowance{},
		byTest: map[*tests.Test]*counted{},
	}
}

// of returns the counts of a test.
func (s *Grants) of(r *tests.Test) *counted {
	t := s.byTest[r]
	if t == nil {
		t = &counted{}
		s.byTest[r] = t
	}
	return t
}

// mayHold returns how many unfinished pairs a worker with this number of slots may hold. It is far more than a
// worker requests in advance, but so few that no worker can hold most of a run's pairs.
func mayHold(slots int) int { return 64 + 16*slots }

// later reports whether some run has a free pair that the worker may play. The coordinator calls it if a request
// got no pair. If the result is true, the worker asks again soon.
func (s *Grants) later(now time.Time, w *roster.Session, ask *farm.Ask) bool {
	for _, r := range s.config.Tests.All {
		if r.State == farm.Running && s.mayPlayRun(r, w, ask) && ledger.FreeFor(r.Ledger, now, w.Name) {
			return true
		}
	}
	return false
}

// mayPlayRun reports whether a worker meets the needs of a run, has the right program and speed, and does not refuse
// the run.
func (s *Grants) mayPlayRun(r *tests.Test, w *roster.Session, ask *farm.Ask) bool {
	return s.config.Roster.Meets(r.Needs, w.Name, w.Hello.Labels) && !slices.Contains(ask.Refuse, r.Digest) &&
		s.unfit(r, w) == nil
}

// grantOver is the maximum number of ended runs in one reply.
const grantOver = 1000

// over returns at most grantOver runs of the list known, which has the runs that a worker knows. These runs have
// ended, or the coordinator does not know them. over leaves out a run of which the worker still holds an audit.
func (s *Grants) over(worker string, known []string) (over []string) {
	for _, digest := range known {
		if r := s.config.Tests.All[digest]; (r == nil || r.State.Final() && !s.config.Audits.HeldBy(r, worker)) &&
			len(over) < grantOver {
			over = append(over, digest)
		}
	}
	return over
}

// An answer is the reply to one request for pairs while it is made.
type answer struct {
	grants *Grants
	to     *roster.Session
	ask    *farm.Ask
	out    *farm.Grants
	size   int // total size of the plans in the reply
}

// fits reports whether a plan still fits into the reply, or is there or known already.
func (a *answer) fits(r *tests.Test) bool {
	return slices.Contains(a.ask.Known, r.Digest) || a.size+len(r.Plan) <= tests.MaxPlan
}

// plan adds a test's plan to the reply if the worker does not have it.
func (a *answer) plan(r *tests.Test) {
	there := func(t farm.Task) bool { return t.Run == r.Digest }
	if !slices.Contains(a.ask.Known, r.Digest) && !slices.ContainsFunc(a.out.Plans, there) {
		a.out.Plans = append(a.out.Plans, r.Task)
		a.size += len(r.Plan)
	}
}

// add adds leases of a test to the reply.
func (a *answer) add(r *tests.Test, leases []ledger.Lease) {
	for _, l := range leases {
		g := farm.Grant{Held: farm.Held{Run: r.Digest, Pair: l.Pair, Epoch: l.Epoch, Take: l.Take}}
		if r.Tune != nil && !r.Tune.Draw(&g) {
			continue // the pair is being stored now
		}
		g.Token = a.grants.config.Secret.Token(a.to.Name, g.Held)
		a.out.Grants = append(a.out.Grants, g)
	}
	if len(leases) > 0 {
		a.plan(r)
	}
}

// Lease answers a request for pairs. If granting is false, it grants nothing.
func (s *Grants) Lease(ctx context.Context, now time.Time, to *roster.Session, ask *farm.Ask,
	granting bool) farm.Grants {
	out := farm.Grants{Retry: s.config.Beat}
	w := s.config.Roster.Worker(to.Name, to.Owner)
	for _, b := range ask.Benches {
		if r := s.config.Tests.All[b.Run]; r != nil {
			s.config.Tests.NoteBench(ctx, now, r, to.Name, b)
		}
	}
	switch {
	case w.Draining || w.Quarantine != "":
		out.Drain = true
	case granting:
		if !slices.Equal(to.Refuses, ask.Refuse) {
			s.noteRefusals(to, w, ask)
			to.Refuses = ask.Refuse
			s.config.Roster.Changes++
		}
		to.Why = ask.Why
		s.grant(ctx, now, w, &answer{grants: s, to: to, ask: ask, out: &out})
		out.Later = len(out.Grants) == 0 && s.later(now, to, ask)
	}
	out.Over = s.over(to.Name, ask.Known)
	return out
}

// grant adds to an answer the pairs that the worker w may play now.
func (s *Grants) grant(ctx context.Context, now time.Time, w *roster.Worker, a *answer) {
	_, playing := s.config.Tests.HeldBy(a.to.Name)
	can := func(r *tests.Test) bool { return r.State == farm.Running && s.mayPlayRun(r, a.to, a.ask) }
	if s.alone(now, playing, a, can) {
		return
	}

	want := max(0, min(a.ask.Want, mayHold(s.config.Roster.Slots(a.to))-playing))
	if !s.config.Roster.Untrusted(w) {
		s.share(ctx, now, a, want, can)
		return
	}
	allowed := s.allowance(now, a.to.Owner, want)
	if want > allowed.left {
		want, a.out.Retry = max(0, allowed.left), min(a.out.Retry, crowdAge)
	}
	s.share(ctx, now, a, want, can)
	s.allowed[a.to.Owner] = allowance{allowed.left - len(a.out.Grants), allowed.counted}
}

// share grants up to want pairs: first audits, and then pairs of the tests that the schedule chooses.
func (s *Grants) share(ctx context.Context, now time.Time, a *answer, want int, can func(*tests.Test) bool) {
	all := s.config.Tests.InOrder()
	waiting := lists.Filter(all, func(r *tests.Test) bool { return r.Provisional != nil })
	for _, r := range slices.Concat(waiting, all) { // first the tests whose verdict waits for audits
		known := slices.Contains(a.ask.Known, r.Digest) || r.State.Final() && a.fits(r)
		audits := s.config.Audits.Waits(r) && known && (r.State == farm.Running || r.State.Final())
		if !audits || !s.mayPlayRun(r, a.to, a.ask) {
			continue
		}
		if grants := s.config.Audits.Grant(ctx, now, r, a.to, want-len(a.out.Grants)); len(grants) > 0 {
			a.out.Grants = append(a.out.Grants, grants...)
			a.plan(r)
		}
	}

	worker := ledger.Worker{Open: a.ask.Open, Can: func(digest string) bool { return can(s.config.Tests.All[digest]) }}
	s.schedule.Pick(worker, want-len(a.out.Grants), func(digest string, n int) int {
		r := s.config.Tests.All[digest]
		if !a.fits(r) {
			return 0 // a later reply has its plan
		}
		return s.take(now, r, a, n)
	})
}

// take grants up to n pairs of one test, and returns the number of leases.
func (s *Grants) take(now time.Time, r *tests.Test, a *answer, n int) int {
	n = min(n, s.fair(now, r, a.to)-r.Ledger.Playing(a.to.Name))
	n = min(n, s.untrustedLeft(now, r, a.to, n), s.config.Quotas.slotsLeft(r.Owner))
	leases := r.Ledger.Grant(now, a.to.Name, a.to.ID, n)
	if s.config.Roster.Untrusted(s.config.Roster.Workers[a.to.Name]) {
		s.of(r).untrusted.add(a.to.Owner, len(leases))
	}
	if r.Tune != nil && len(leases) < n {
		r.Tune.WantsMore = true
	}
	a.add(r, leases)
	return len(leases)
}

// alone grants a pair that must be played alone, if such a pair waits for this worker. playing is the number
// of pairs that the worker plays now. can reports whether the worker may play a test. If the result is true, the
// worker must get no other pairs.
func (s *Grants) alone(now time.Time, playing int, a *answer, can func(*tests.Test) bool) bool {
	for _, r := range s.config.Tests.InOrder() {
		if r.Ledger == nil || !can(r) {
			continue
		}
		l, granted, wait := r.Ledger.Solo(now, a.to.Name, a.to.ID, s.config.Tests.Standing(r, a.to.Name).Decides, playing)
		if granted {
			a.add(r, []ledger.Lease{l})
		}
		if granted || wait {
			return true
		}
	}
	return false
}

// Place adds a test to the schedule if its state is Running, and otherwise removes it from the schedule.
func (s *Grants) Place(r *tests.Test) {
	if r.State != farm.Running {
		s.schedule.Remove(r.Digest)
		return
	}
	spent := s.config.Quotas.Overspent(time.Now(), r.Owner) != ""
	s.schedule.Set(ledger.Test{
		Run: r.Digest, Owner: r.Owner, Priority: r.Priority, Share: r.Share, Cost: max(r.Cost, 1e-3), Spent: spent,
	})
	s.schedule.Held(r.Digest, r.Ledger.Held())
}

// Count counts the slots of the connected workers for the schedule.
func (s *Grants) Count(now time.Time) {
	s.schedule.Slots = 0
	for _, w := range s.config.Roster.Sessions {
		if now.Sub(w.Seen) < 2*s.config.Lease {
			s.schedule.Slots += s.config.Roster.Slots(w)
		}
	}
}

// TakeBack ends a lease that a worker returns unplayed. It returns the test if the pair has crashed its players, and
// otherwise nil.
func (s *Grants) TakeBack(now time.Time, from *roster.Session, back *farm.Back) (crashed *tests.Test) {
	r := s.config.Tests.All[back.Run]
	if r == nil || r.Ledger == nil || !s.config.Secret.Granted(from.Name, back.Held) {
		return nil
	}
	if s.config.Audits.Release(r, from.Name, back.Held) {
		return nil
	}
	// A repeated return, such as after a lost answer, ends no lease and counts no crash.
	fate := r.Ledger.Return(now, from.Name, LeaseOf(back.Held), back.Crashed)
	if !back.Crashed || fate == ledger.FateNone {
		return nil
	}

	why := fmt.Sprintf("%s %d did not start: %s", r.Word(), back.Pair, back.Why)
	s.config.Roster.Workers[from.Name].Failed(now, r.Name, why)
	return r
}

// welcomePlans is the maximum total size of the plans in a reply to Hello, in bytes.
const welcomePlans = 256 << 10

// Welcome returns the running tests that a worker may play, as many as fit in a reply to its Hello.
func (s *Grants) Welcome(name string, h *farm.Hello) (tasks []farm.Task) {
	size := 0
	for _, r := range s.config.Tests.InOrder() {
		size += len(r.Plan)
		plays := r.State == farm.Running && s.config.Roster.Meets(r.Needs, name, h.Labels) && r.Protocol <= h.Protocol
		if plays && size <= welcomePlans {
			tasks = append(tasks, r.Task)
		}
	}
	return tasks
}

// Extend sorts a heartbeat's leases by run, and passes them to the ledgers.
func (s *Grants) Extend(now time.Time, w *roster.Session, b *farm.Beat, reply *farm.BeatReply) {
	lists := map[string]*ledger.Listed{}
	sorted := func(list []farm.Held, into func(*ledger.Listed) *[]ledger.Lease) {
		for _, h := range list {
			r := s.config.Tests.All[h.Run]
			if r == nil || !s.config.Secret.Granted(w.Name, h) {
				reply.Drop = append(reply.Drop, h)
				continue
			}
			if lists[h.Run] == nil {
				lists[h.Run] = &ledger.Listed{}
			}
			to := into(lists[h.Run])
			*to = append(*to, LeaseOf(h))
		}
	}
	sorted(b.Held, func(l *ledger.Listed) *[]ledger.Lease { return &l.Held })
	sorted(b.Outbox, func(l *ledger.Listed) *[]ledger.Lease { return &l.Outbox })
	sorted(b.Sent, func(l *ledger.Listed) *[]ledger.Lease { return &l.Sent })
	heldOf := func(digest string, leases []ledger.Lease) (list []farm.Held) {
		for _, l := range leases {
			h := farm.Held{Run: digest, Pair: l.Pair, Epoch: l.Epoch, Take: l.Take, Points: l.Points}
			h.Token = s.config.Secret.Token(w.Name, h)
			list = append(list, h)
		}
		return list
	}
	for _, r := range s.config.Tests.InOrder() {
		list := lists[r.Digest]
		if list != nil && r.State.Final() && !s.config.Audits.HeldBy(r, w.Name) {
			reply.Over = append(reply.Over, r.Digest)
		}
		switch {
		case r.Ledger != nil:
			if list == nil {
				list = &ledger.Listed{} // the worker holds no pair of the run any more
			}
			outdated := r.Outdated(now, list)
			dropped, stored := r.Ledger.Beat(now, w.Name, w.ID, *list)
			reply.Drop = append(reply.Drop, heldOf(r.Digest, slices.Concat(outdated, dropped))...)
			reply.Stored = append(reply.Stored, heldOf(r.Digest, stored)...)
		case list != nil: // the run ended before this process started, so its unfinished pairs are not wanted
			reply.Drop = append(reply.Drop, heldOf(r.Digest, slices.Concat(list.Held, list.Sent))...)
		}
	}
}

// LeaseOf returns the lease in the form of a ledger.
func LeaseOf(h farm.Held) ledger.Lease {
	return ledger.Lease{Pair: h.Pair, Epoch: h.Epoch, Take: h.Take, Points: h.Points}
}

// unfit returns an error with the reason if the program of a worker or the speed of its machine excludes the worker
// from a run. Otherwise it returns nil.
func (s *Grants) unfit(r *tests.Test, w *roster.Session) error {
	if w.Hello.Protocol < r.Protocol {
		return fmt.Errorf("its gogi speaks protocol %d, and the test needs %d; update gogi", w.Hello.Protocol, r.Protocol)
	}
	if !r.Match.Scales() {
		return nil
	}
	if known := s.config.Roster.Workers[w.Name]; known != nil && known.Probation != "" {
		return errors.New("it is on probation: " + known.Probation)
	}
	_, err := r.Match.FactorOn(w.NPS, w.Hello.Reference)
	return err
}

// Unfit returns the running tests that a worker does not play, with the reasons: its program or its speed does
// not fit, or the worker refuses the test. A reason of the worker is there if who may read it.
func (s *Grants) Unfit(w *roster.Session, who roster.Key) (list []string) {
	for _, r := range s.config.Tests.InOrder() {
		if r.State != farm.Running || !s.config.Roster.Meets(r.Needs, w.Name, w.Hello.Labels) {
			continue
		}
		if err := s.unfit(r, w); err != nil {
			list = append(list, fmt.Sprintf("%s: %v", r.Name, err))
		} else if why, refuses := w.Refusal(r.Digest); refuses {
			list = append(list, r.Name+": "+who.Text(why, w.Owner, r.Owner))
		}
	}
	return list
}

// Refusals returns the connected workers that play no pair of a running test, with the reasons that who may read: those
// that refuse it, and those that get no free pair because of disputes. It returns at most roster.ShownRefusals.
func (s *Grants) Refusals(now time.Time, r *tests.Test, who roster.Key) []string {
	list := s.config.Roster.Refusals(now, r.Digest, r.Owner, who)
	if len(r.Disputes) == 0 || r.Ledger == nil || !r.Ledger.Free() {
		return list
	}
	for name, w := range s.config.Roster.Sessions {
		if now.Sub(w.Seen) < 2*s.config.Lease && s.mayPlayRun(r, w, &farm.Ask{Refuse: w.Refuses}) &&
			ledger.OnlyForOthers(r.Ledger, now, name) {
			list = append(list, fmt.Sprintf("%s: audits dispute its results, or its owner's, for all %ss that are free; "+
				"a worker of another owner must play them", name, r.Word()))
		}
	}
	slices.Sort(list)
	return list[:min(len(list), roster.ShownRefusals)]
}

// Begin starts the approved tests in the order of submission, within the quotas of their owners. If one test cannot
// start, the next tests still can.
func (s *Grants) Begin(ctx context.Context) (err error) {
	for _, r := range s.config.Tests.InOrder() {
		if r.State == farm.Approved && s.config.Quotas.Waits(time.Now(), r) == "" {
			err = errors.Join(err, s.config.Tests.Turn(ctx, r, farm.Running, "farm", ""))
		}
	}
	return err
}

// noteRefusals adds a line to the latest errors of a worker for each run that the worker has begun to refuse.
func (s *Grants) noteRefusals(of *roster.Session, w *roster.Worker, ask *farm.Ask) {
	for i, digest := range ask.Refuse {
		if r := s.config.Tests.All[digest]; r != nil && i < len(ask.Why) && !slices.Contains(of.Refuses, digest) {
			w.Failed(time.Now(), r.Name, "the worker does not play it: "+ask.Why[i])
		}
	}
}
