package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/match/trust"
	"gogi/results/farmstate"
)

// A session is the current process of a worker.
type session struct {
	name, owner string
	session     string
	start       uint64
	beat        uint64 // number of the latest heartbeat
	hello       farm.Hello
	slots       int
	load, nps   float64
	seen        time.Time
	refuses     []string // runs that the worker does not play, by its latest request for pairs
	why         []string // the reasons, in the order of refuses; may be shorter
}

// A worker is what the coordinator knows about a worker, apart from its session. State stores the exported fields in
// the bucket of workers.
type worker struct {
	Owner      string      `cbor:"owner"`
	Trust      trust.Level `cbor:"trust"`
	Quarantine string      `cbor:"quarantine"` // the reason, or "" if it is not in quarantine
	Since      time.Time   `cbor:"since"`
	Draining   bool        `cbor:"draining"`
	Agreed     int         `cbor:"agreed"`  // number of agreeing audits
	Played     int         `cbor:"played"`  // number of stored pairs; see keepCounts
	Refused    int         `cbor:"refused"` // number of rejected results, in total or since a pardon
	Claim      float64     `cbor:"claim"`   // the latest farm.Hello.NPS
	// Probation is the reason why the worker gets no runs with scaled clocks, and why all its other pairs are
	// audited. The reason is that the speed of its machine is not the claimed speed. Probation is "" if there is
	// no reason. A new claim ends the probation.
	Probation string `cbor:"probation"`
	// Unlike is the reason why all pairs of the worker are audited: the worker's machine differs from the other
	// machines. It is "" otherwise.
	Unlike string `cbor:"unlike,omitempty"`
	// Forgiven is the evidence from results that a pardon cancelled, by run, as logarithms of e-values.
	Forgiven map[string]float64 `cbor:"forgiven,omitempty"`
	// ForgivenMachine is the evidence about the worker's machine that a pardon cancelled, by run, as logarithms
	// of e-values.
	ForgivenMachine map[string]float64 `cbor:"forgiven_machine,omitempty"`

	// The next fields are from the worker's latest Hello.
	Version string            `cbor:"version,omitempty"`
	Labels  map[string]string `cbor:"labels,omitempty"`
	Slots   int               `cbor:"slots,omitempty"`
	Seen    time.Time         `cbor:"seen,omitzero"`    // when the worker was stored last while it was connected
	Errors  []farm.Change     `cbor:"errors,omitempty"` // the latest errors, the oldest first

	revision uint64
	actions  []farmstate.Action // for the log of the farm, when the worker is stored
	changed  bool               // it must be stored, but not at once
	stored   time.Time          // when it was stored last
	kept     int                // the sum of Played and Agreed that is stored
	rebench  string             // reason why its speed must be measured again, or ""
}

func (c *Coordinator) readWorkers(ctx context.Context) error {
	err := c.config.State.Each(ctx, bucketWorkers, func(name string, body []byte, revision uint64) error {
		w := &worker{}
		if err := farm.Decode(body, w); err != nil { // the worker may have been in quarantine
			*w = worker{Trust: trust.Untrusted, Quarantine: "its stored entry cannot be read: " + err.Error(), Since: time.Now().Round(0)}
			c.config.Log.Error("the entry of a worker cannot be read; the worker is in quarantine", "worker", name, "err", err)
		}
		w.revision, w.kept = revision, w.Played+w.Agreed
		c.workers[name] = w
		if w.Quarantine != "" {
			c.config.Bar(name, w.Quarantine)
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the workers: %w", err)
	}
	c.suspect()
	return nil
}

// suspect sets suspects from the workers. It is called after each change of a quarantine.
func (c *Coordinator) suspect() {
	c.suspects = map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(c.workers)) {
		if owner := c.ownerOf(name); owner != "" && c.workers[name].Quarantine != "" {
			c.suspects[owner] = name
		}
	}
}

// level returns the farm's trust in a worker. While another key of its owner is in quarantine, a verified worker counts
// as untrusted.
func (c *Coordinator) level(w *worker) trust.Level {
	if w.Trust == trust.Verified && c.suspects[w.Owner] != "" {
		return trust.Untrusted
	}
	return w.Trust
}

// earned returns the number of slots that an untrusted worker has earned by its stored pairs. It is 0 while a key of
// its owner is in quarantine.
func (c *Coordinator) earned(w *worker) int {
	if c.suspects[w.Owner] != "" {
		return 0
	}
	return w.Played
}

func (c *Coordinator) keepWorker(ctx context.Context, name string, w *worker) error {
	if s := c.sessions[name]; s != nil {
		w.Seen = s.seen.Round(0)
	}
	if err := c.save(ctx, bucketWorkers, name, w, &w.revision, w.actions...); err != nil {
		return fmt.Errorf("coordinator: worker %s: %w", name, err)
	}
	w.kept, w.actions, w.changed, w.stored = w.Played+w.Agreed, nil, false, time.Now()
	return nil
}

// keepCounts stores a worker after every 16 of its pairs and audits. So a crash loses at most 15 of them from the
// worker's counts.
func (c *Coordinator) keepCounts(ctx context.Context, name string, w *worker) {
	if w.kept == 0 || w.Played+w.Agreed-w.kept >= 16 {
		c.keepOrWarn(ctx, name, w)
	}
}

// keepOrWarn stores a worker. If that fails, it logs the error.
func (c *Coordinator) keepOrWarn(ctx context.Context, name string, w *worker) {
	c.warn(c.keepWorker(ctx, name, w), "a worker was not stored", "worker", name)
}

// worker returns the worker with a name, and creates it if necessary. It sets the owner unless owner is "".
func (c *Coordinator) worker(name, owner string) *worker {
	w := c.workers[name]
	if w == nil {
		w = &worker{Trust: trust.Untrusted}
		c.workers[name] = w
	}
	if owner != "" {
		w.Owner = owner
	}
	return w
}

// These are the exit codes of rejected processes.
const (
	exitRefused = 4
	exitUpdate  = 5
)

// refuse returns a rejection with the exit code exitRefused.
func refuse(format string, values ...any) *farm.Refusal {
	return &farm.Refusal{Why: fmt.Sprintf(format, values...), Exit: exitRefused}
}

// decode decodes a message, and checks the message if its type has a Check method. Its error is a rejection.
func decode[T any](body []byte) (*T, error) {
	v := new(T)
	err := farm.Decode(body, v)
	if c, ok := any(v).(interface{ Check() error }); ok && err == nil {
		err = c.Check()
	}
	if err != nil {
		return nil, refuse("%v", err)
	}
	return v, nil
}

// workKey returns the key of a worker, or a rejection if the worker has no valid key with the right to work.
func (c *Coordinator) workKey(name string) (Key, *farm.Refusal) {
	key, ok := c.config.Keys.Key(name)
	if !ok || !key.may(rightWork) {
		return key, refuse("%s has no valid key to work with", name)
	}
	return key, nil
}

// welcomePlans is the maximum total size of the plans in a reply to Hello, in bytes.
const welcomePlans = 256 << 10

// hello starts a worker's session. It does nothing if the session has started already.
func (c *Coordinator) hello(ctx context.Context, subject string, body []byte) (any, error) {
	var h farm.Hello
	if err := farm.Decode(body, &h); err != nil {
		return nil, refuse("%v", err)
	}
	name := farm.Sender(subject)
	key, refusal := c.workKey(name)
	switch err := h.Check(); {
	case refusal != nil:
	case h.Protocol < farm.Oldest:
		refusal = refuse("the worker speaks protocol %d, the farm %d to %d: a newer gogi is needed", h.Protocol, farm.Oldest, farm.Protocol)
		refusal.Exit = exitUpdate
	case err != nil:
		refusal = refuse("%v", err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if w := c.workers[name]; refusal == nil && w != nil && w.Quarantine != "" {
		refusal = refuse("%s is in quarantine: %s", name, w.Quarantine)
	}
	if old := c.sessions[name]; refusal == nil && old != nil && old.session != h.Session && h.Start < old.start {
		refusal = refuse("a newer process of %s is here (start %d, this one is start %d)", name, old.start, h.Start)
	}
	if refusal != nil {
		return farm.HelloReply{Refusal: refusal}, nil
	}
	c.changes++
	c.setSession(name, key.Owner, h)
	c.setClaim(ctx, name, h.NPS)
	w := farm.HelloReply{Protocol: min(h.Protocol, farm.Protocol), Lease: c.config.Lease, Beat: c.config.beat()}
	size := 0
	for _, r := range c.inOrder() {
		if size += len(r.Plan); r.State == farm.Running && c.fits(r, name, h.Labels) && r.protocol() <= h.Protocol && size <= welcomePlans {
			w.Plans = append(w.Plans, r.task)
		}
	}
	return w, nil
}

// setSession makes a process the current session of its worker.
func (c *Coordinator) setSession(name, owner string, h farm.Hello) {
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
	c.workers[name].describe(name, &h, s.seen)
}

// refusal reports whether the worker refuses to play a run, and why.
func (s *session) refusal(run string) (why string, refuses bool) {
	i := slices.Index(s.refuses, run)
	if i < 0 {
		return "", false
	}
	if i < len(s.why) {
		return s.why[i], true
	}
	return "it gave no reason", true
}

// refusals returns the connected workers that refuse a run, with the reasons that who may read. It returns at most
// shownRefusals.
func (c *Coordinator) refusals(now time.Time, r *run, who Key) (list []string) {
	for name, s := range c.sessions {
		if why, refuses := s.refusal(r.digest); refuses && now.Sub(s.seen) < 2*retryMost {
			list = append(list, name+": "+who.text(why, s.owner, r.Owner))
		}
	}
	slices.Sort(list)
	return list[:min(len(list), shownRefusals)]
}

// withheld replaces a text that its reader may not read.
const withheld = "the reason is only for the machine's owner, the test's owner and keys with the right approve, run or admin"

// text returns what a worker wrote about its engines, if the key may read it, and otherwise the constant withheld. Such a
// text can have the output of a build, or paths of the machine. owners are the owners of the machine and of the test. The
// zero Key is that of a reader without a key.
func (k Key) text(why string, owners ...string) string {
	if k.may(rightApprove) || k.may(rightRun) || k.Name != "" && slices.Contains(owners, k.Owner) {
		return why
	}
	return withheld
}

const (
	shownRefusals = 20          // maximum number of refusals in the status of a test
	retryMost     = time.Minute // longest time between two requests of a worker for pairs
)

// sessionOf returns the session of a request, or nil if the worker must send Hello first.
func (c *Coordinator) sessionOf(subject, session string) *session {
	s := c.sessions[farm.Sender(subject)]
	if s == nil || s.session != session {
		return nil
	}
	s.seen = time.Now()
	return s
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
	if _, refusal := c.workKey(farm.Sender(subject)); refusal != nil {
		return nil, refusal
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessionOf(subject, ask.Session)
	if s == nil {
		return farm.Grants{Unknown: true}, nil
	}
	out := farm.Grants{Retry: c.config.beat()}
	w := c.worker(s.name, s.owner)
	switch {
	case w.Draining || w.Quarantine != "":
		out.Drain = true
	case c.broken != nil:
	default:
		if !slices.Equal(s.refuses, ask.Refuse) {
			c.noteRefusals(s, w, ask)
			s.refuses = ask.Refuse
			c.changes++
		}
		s.why = ask.Why
		c.grant(ctx, time.Now(), s, w, ask, &out)
		out.Later = len(out.Grants) == 0 && c.later(s, ask)
	}
	out.Over = c.over(s.name, ask.Known)
	return out, nil
}

// later reports whether some run has a free pair that the worker may play. The coordinator calls it if a request
// got no pair. If the result is true, the worker asks again soon.
func (c *Coordinator) later(s *session, ask *farm.Ask) bool {
	for _, r := range c.runs {
		if r.State == farm.Running && c.mayPlayRun(r, s, ask) && r.ledger.Free() {
			return true
		}
	}
	return false
}

// mayPlayRun reports whether a worker meets the needs of a run, has the right speed, and does not refuse the run.
func (c *Coordinator) mayPlayRun(r *run, s *session, ask *farm.Ask) bool {
	return c.fits(r, s.name, s.hello.Labels) && r.protocol() <= s.hello.Protocol && !slices.Contains(ask.Refuse, r.digest) && c.unfit(r, s) == nil
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

func (c *Coordinator) grant(ctx context.Context, now time.Time, s *session, w *worker, ask *farm.Ask, out *farm.Grants) {
	_, playing := c.heldBy(s.name)
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
			g.Token = c.config.Secret.Token(s.name, g.Held)
			out.Grants = append(out.Grants, g)
		}
		if len(leases) > 0 {
			plan(r)
		}
	}
	if c.grantAlone(now, s, w, playing, can, add) {
		return
	}
	want := max(0, min(ask.Want, mayHold(c.slots(s))-playing))
	if c.level(w) == trust.Untrusted {
		a := c.allowance(now, s.owner, want)
		if want > a.left {
			want, out.Retry = max(0, a.left), min(out.Retry, crowdAge)
		}
		defer func() { c.allowed[s.owner] = allowance{a.left - len(out.Grants), a.counted} }()
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
		n = min(n, c.fair(now, r, s)-r.ledger.Playing(s.name))
		n = min(n, c.untrustedLeft(now, r, s, n), c.slotsLeft(r.Owner))
		leases := r.ledger.Grant(now, s.name, s.session, n)
		if c.level(w) == trust.Untrusted {
			r.untrusted.add(s.owner, len(leases))
		}
		if r.tune != nil && len(leases) < n {
			r.tune.wantsMore = true
		}
		add(r, leases)
		return len(leases)
	})
}

// fair returns how many unfinished pairs of a run a worker may hold, see ledger.Fair.
func (c *Coordinator) fair(now time.Time, r *run, s *session) int {
	changed := r.crowd.version != c.changes && now.Sub(r.crowd.counted) >= crowdPause(len(c.sessions))
	if changed || r.crowd.slots == 0 || now.Sub(r.crowd.counted) >= crowdAge {
		r.crowd = c.slotsFor(now, r, s)
	}
	slots := c.slots(s)
	if of := r.crowd.owners[s.owner]; of.all > slots && c.level(c.workers[s.name]) == trust.Untrusted {
		fair := ledger.Fair(r.ledger.Remaining(), of.count(), r.crowd.slots)
		return (fair*slots + of.all - 1) / of.all // the owner's keys share what one worker may hold
	}
	return ledger.Fair(r.ledger.Remaining(), slots, max(r.crowd.slots, slots))
}

// newSlots is the number of slots that count for an untrusted worker without stored pairs, see Coordinator.slots.
const newSlots = 8

// slots returns how many of a worker's slots count. If the worker is trusted, all its slots count. If it is not, at
// most newSlots count, and one more for each of its stored pairs, see earned.
func (c *Coordinator) slots(s *session) int {
	if w := c.workers[s.name]; c.level(w) == trust.Untrusted {
		return min(s.slots, newSlots+c.earned(w))
	}
	return s.slots
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
	claimed, most, held, playing := 0, newSlots, 0, 0
	for name, w := range c.workers {
		if w.Owner != owner || c.level(w) != trust.Untrusted {
			continue
		}
		most += c.earned(w)
		h, p := c.heldBy(name)
		held, playing = held+h, playing+p
		if s := c.sessions[name]; s != nil {
			claimed += s.slots
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
func (c *Coordinator) untrustedLeft(now time.Time, r *run, s *session, want int) int {
	if r.gate == nil || !r.crowd.trusted || c.level(c.workers[s.name]) != trust.Untrusted {
		return math.MaxInt
	}
	if age := now.Sub(r.untrusted.counted); age >= crowdAge || age >= crowdAge/20 && r.untrusted.left(s.owner, r.window) < want {
		r.untrusted = c.countUntrusted(now, r)
	}
	return r.untrusted.left(s.owner, r.window)
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
		if name != "" && !c.trusted(name) { // "" is a pair that is not stored
			out.add(c.ownerOf(name), n)
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
func (o ownerSlots) count() int { return min(o.all, newSlots+o.earned) }

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
func (c *Coordinator) slotsFor(now time.Time, r *run, s *session) crowd {
	out := crowd{counted: now, version: c.changes, owners: map[string]ownerSlots{}}
	for name, other := range c.sessions {
		w := c.workers[name]
		here := now.Sub(other.seen) < c.config.Lease && w.Quarantine == "" && !w.Draining
		if name == s.name || here && c.fits(r, name, other.hello.Labels) && !slices.Contains(other.refuses, r.digest) && c.unfit(r, other) == nil {
			if c.level(w) == trust.Untrusted {
				of := out.owners[other.owner]
				out.owners[other.owner] = ownerSlots{of.all + c.slots(other), of.earned + c.earned(w)}
				continue
			}
			out.slots += c.slots(other)
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
func (c *Coordinator) grantAlone(now time.Time, s *session, w *worker, playing int, can func(string) bool, add func(*run, []ledger.Lease)) bool {
	for _, r := range c.inOrder() {
		if r.ledger == nil || !can(r.digest) {
			continue
		}
		l, granted, wait := r.ledger.Solo(now, s.name, s.session, w.Trust == trust.Owner, playing)
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
	if _, refusal := c.workKey(farm.Sender(subject)); refusal != nil {
		return farm.BeatReply{Refusal: refusal}, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.sessionOf(subject, b.Session)
	if s == nil {
		return farm.BeatReply{Unknown: true}, nil
	}
	reply := farm.BeatReply{Lease: c.config.Lease}
	if b.Number < s.beat {
		return reply, nil // a later heartbeat came first
	}
	s.beat, s.load = b.Number, b.Load
	if b.NPS > 0 {
		s.nps = b.NPS
		c.setClaim(ctx, s.name, b.NPS)
	}
	now := time.Now()
	for _, list := range []*[]farm.Held{&b.Held, &b.Outbox, &b.Sent} {
		*list = c.extendAudits(now, s, *list, list != &b.Held, &reply)
	}
	for _, r := range c.runs {
		for _, a := range r.audits {
			if a.worker == s.name && a.session != s.session { // it belongs to an older session, which has ended
				a.release()
			}
		}
	}
	for _, back := range b.Back {
		c.takeBack(ctx, now, s, &back)
	}
	w := c.workers[s.name]
	if w.Quarantine != "" {
		reply.Drop = slices.Concat(b.Held, b.Outbox, b.Sent) // none of these leases counts any more
		reply.Refusal = refuse("%s is in quarantine: %s", s.name, w.Quarantine)
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
	case w.rebench != "" || w.Probation != "":
		reply.Say = farm.SayBench
	}
	return reply, nil
}

// takeBack ends a lease that a worker returns unplayed.
func (c *Coordinator) takeBack(ctx context.Context, now time.Time, s *session, back *farm.Back) {
	r := c.runs[back.Run]
	if r == nil || r.ledger == nil || !c.config.Secret.Granted(s.name, back.Held) {
		return
	}
	if a := r.auditOf(s.name, back.Held); a != nil {
		a.release()
		return
	}
	// A repeated return, such as after a lost answer, ends no lease and counts no crash.
	if fate := r.ledger.Return(now, s.name, leaseOf(back.Held), back.Crashed); back.Crashed && fate != ledger.FateNone {
		c.workers[s.name].failed(now, r.Name, fmt.Sprintf("%s %d did not start: %s", r.word(), back.Pair, back.Why))
		c.countTry(ctx, r, s.name, false, true)
	}
}

// extend sorts a heartbeat's leases by run, and passes them to the ledgers.
func (c *Coordinator) extend(now time.Time, s *session, b *farm.Beat, reply *farm.BeatReply) {
	lists := map[string]*ledger.Listed{}
	sorted := func(list []farm.Held, into func(*ledger.Listed) *[]ledger.Lease) {
		for _, h := range list {
			r := c.runs[h.Run]
			if r == nil || !c.config.Secret.Granted(s.name, h) {
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
			h.Token = c.config.Secret.Token(s.name, h)
			list = append(list, h)
		}
		return list
	}
	for _, r := range c.inOrder() {
		list := lists[r.digest]
		if list != nil && r.State.Final() && !r.auditedBy(s.name) {
			reply.Over = append(reply.Over, r.digest)
		}
		switch {
		case r.ledger != nil:
			if list == nil {
				list = &ledger.Listed{} // the worker holds no pair of the run any more
			}
			outdated := r.outdated(now, list)
			dropped, stored := r.ledger.Beat(now, s.name, s.session, *list)
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
func (c *Coordinator) workerStatus(name string, now time.Time, who Key) farm.WorkerStatus {
	w := c.workers[name]
	out := farm.WorkerStatus{
		Name: name, Owner: w.Owner, Trust: string(c.level(w)), Suspect: c.suspects[w.Owner], Quarantine: w.Quarantine, Draining: w.Draining, Added: w.Played,
		Refused: w.Refused, Agreed: w.Agreed, Probation: cmp.Or(w.Probation, w.Unlike), Rebench: w.rebench,
		Slots: w.Slots, NPS: w.Claim, Version: w.Version, Labels: w.Labels, Seen: w.Seen, Errors: slices.Clone(w.Errors),
	}
	for i, e := range out.Errors {
		owners := []string{w.Owner}
		if r := c.find(e.By); r != nil {
			owners = append(owners, r.Owner)
		}
		out.Errors[i].What = who.text(e.What, owners...)
	}
	out.Held, _ = c.heldBy(name)
	if s := c.sessions[name]; s != nil {
		out.Here = now.Sub(s.seen) < c.config.Lease
		out.Slots, out.Load, out.NPS = s.slots, s.load, s.nps
		out.Seen, out.Unfit = s.seen.Round(0), c.unfitFor(s, who)
	}
	return out
}
