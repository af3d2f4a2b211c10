// Package audit has workers of other owners play pairs again, and compares the results. [Audits] knows which pairs of
// each test wait for another playing, and which pairs such a playing has confirmed. An SPRT that rests on pairs of
// workers whom the farm does not trust has a provisional verdict. [Audits.Prove] makes it final when a sample of
// these pairs is confirmed.
package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/ledger"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/format"
	"gogi/internal/lists"
	"gogi/match"
	"gogi/match/trust"
)

// A Config is the input of New. Without an Auditor nothing is audited.
type Config struct {
	State   entries.State
	Roster  *roster.Roster
	Tests   *tests.Tests
	Epochs  *ledger.Epochs
	Secret  farm.Secret
	Lease   time.Duration
	Auditor Auditor
	Log     *slog.Logger
}

// Audits has the audits of all tests. The caller guards it with a lock.
type Audits struct {
	config Config
	byTest map[*tests.Test]*list
}

// A list has the audits of one test.
type list struct {
	due      []*audit
	changed  bool   // due has changed since it was stored
	revision uint64 // the revision of the stored audits

	// agreed maps each pair whose result a second playing has confirmed to the worker of that playing. It has
	// only pairs that a verdict needs, see tests.Tests.MustProve.
	agreed         map[int]string
	agreedChanged  bool
	agreedRevision uint64

	verdict  *tests.Provisional // the provisional verdict to which the next fields apply
	unproved bool               // the next call of Prove examines the provisional verdict
	// unprovedWorkers is the number of workers that prevented a final verdict when it was last examined.
	unprovedWorkers int
	// samples holds the pairs that audits must confirm, by worker. A sample of 100,000 pairs takes 0.2 s. It is nil
	// before the first examination of a provisional verdict.
	samples map[string][]int
	settled []Settled // the disputes that the last examination settled, until their pairs are void
}

// These are the buckets with the waiting audits and the agreed audits, by the test's digest.
const (
	bucketAudits = "audits"
	bucketAgreed = "agreed"
)

// New returns the audits of a farm, of which none waits.
func New(c Config) *Audits { return &Audits{config: c, byTest: map[*tests.Test]*list{}} }

// of returns the audits of a test.
func (s *Audits) of(r *tests.Test) *list {
	l := s.byTest[r]
	if l == nil {
		l = &list{unproved: true}
		s.byTest[r] = l
	}
	return l
}

// An Auditor chooses the pairs that a worker of another owner plays again, and compares the two results of
// such a pair. Package match/trust implements the rules. Its methods may be called by several goroutines.
type Auditor interface {
	// Exact reports whether the plan's players repeat their games move for move. The coordinator audits only
	// such plans.
	Exact(p *match.Plan) bool
	// Audits reports whether a pair is audited. The pair is the n-th pair, from 0, of a worker with this level
	// of trust.
	Audits(run string, pair int, level trust.Level, n int) bool
	// Differ returns the first difference between two results of a pair, or "" if they are equal.
	Differ(a, b *match.PairResult) string
	// Print returns a hash of a result. Two results of a pair have the same hash if and only if Differ returns "".
	Print(p *match.PairResult) []byte
	// Verified returns the number of agreeing audits after which a worker is verified.
	Verified() int
	// Sample returns those pairs of one worker in a run that must be audited before a verdict is final.
	Sample(run string, pairs []int) []int
}

// An audit is a second playing of a pair by another worker. The coordinator compares the second result with the
// first, and never counts the second result. If the results differ, a trusted worker of a third owner plays the
// pair as well, see Audits.mayPlay. The end of the run does not end an audit.
type audit struct {
	dueAudit

	owners []string // owners of the workers that played the results so far, including the first
	// worker and session hold the lease of the next result. They are "" if the audit waits for a worker.
	worker, session string
	epoch           farm.Epoch
	deadline        time.Time
	finished        time.Time // the first heartbeat that listed the result as finished
	undecided       bool      // as Audits.undecided has reported in the last tick
}

// release ends the lease of the next result.
func (a *audit) release() { a.worker, a.epoch, a.finished = "", 0, time.Time{} }

// A dueAudit is the stored part of an audit. State stores it in the bucket of audits under the run's digest.
type dueAudit struct {
	Pair   int       `cbor:"pair"`
	Worker string    `cbor:"worker"` // the worker that played the pair first
	Owner  string    `cbor:"owner"`  // the owner of that worker
	Since  time.Time `cbor:"since"`
	Second *second   `cbor:"second,omitempty"` // the second result, which differs from the first; nil before it
}

// A second is the second result of an audited pair. The state has its hash only, because results are long.
type second struct {
	Worker string `cbor:"worker"`
	Owner  string `cbor:"owner"`
	Print  []byte `cbor:"print"` // see Auditor.Print
	Where  string `cbor:"where"` // the first difference from the first result
	// Epoch is the epoch of the result's lease. It is 0 if an earlier gogi has stored the result.
	Epoch farm.Epoch `cbor:"epoch,omitempty"`
	// At is the time of the result. It is zero in audits that an earlier version stored.
	At time.Time `cbor:"at,omitzero"`
	// Repeated means that the worker has played the pair once more, with the same result.
	Repeated bool `cbor:"repeated,omitempty"`
	// Denied means that the worker of the first result has played the pair once more, with the first result.
	Denied bool `cbor:"denied,omitempty"`
}

// soleDisputes is the number of pairs of one worker with other results at which one trusted worker proves that the
// results are false, if it got its own results twice. Pairs count that became void in the last tests.DisputeKept. The
// untrusted workers of an owner hold and contradict together at most as many audits of a run, so that they do not use
// up maxAudits.
const soleDisputes = 3

// disputeAge is the age of an undecided dispute at which its pair can become void, see Audits.undecided.
const disputeAge = 24 * time.Hour

// newAudit returns the audit of a stored entry.
func newAudit(due dueAudit) *audit {
	a := &audit{dueAudit: due, owners: []string{due.Owner}}
	if due.Second != nil {
		a.owners = append(a.owners, due.Second.Owner)
	}
	return a
}

const (
	// maxAudits limits the open audits of a run. Those that a provisional verdict needs have the same limit of their own.
	maxAudits = 256
	// auditsKept is the time for which an ended run waits for its audits, unless its verdict is provisional.
	auditsKept = 7 * 24 * time.Hour
)

// Start starts an audit of a pair if the Auditor selects the pair. It is the n-th pair, from 0, of the worker
// w called name. All pairs of a worker with a disputed result are audited, and pairs that became void because of a
// dispute. Start runs before the pair is stored, so that after a crash no stored pair lacks its audit.
func (s *Audits) Start(now time.Time, r *tests.Test, name string, w *roster.Worker, pair, n int) {
	if s.config.Auditor == nil || !r.Exact {
		return
	}
	if w.Probation+w.Unlike == "" && !s.config.Auditor.Audits(r.Digest, pair, s.config.Roster.Level(w), n) &&
		!r.InDispute(pair) && !s.disputed(now, r, name) {
		return
	}

	l := s.of(r)
	// A pair that was not stored before a crash comes again.
	l.due = slices.DeleteFunc(l.due, func(a *audit) bool { return a.Pair == pair })
	if len(l.due) < maxAudits {
		l.add(now, pair, name, w.Owner)
	}
}

// disputed reports whether a result of an untrusted worker is in dispute: in the test r a worker whose agreement would
// confirm it has got another result, or a trusted worker has in any test in the last tests.DisputeKept. The untrusted
// worker may have played the pair first or have audited it.
func (s *Audits) disputed(now time.Time, r *tests.Test, name string) bool {
	if s.config.Roster.Trusted(name) {
		return false
	}
	for _, x := range s.config.Tests.All {
		if slices.ContainsFunc(x.Disputes, func(d tests.Dispute) bool {
			return d.Worker == name && (x == r || d.Proved && d.Recent(now))
		}) {
			return true
		}
	}
	for x, l := range s.byTest {
		for _, a := range l.due {
			if a.Second == nil {
				continue
			}
			recent := now.Sub(a.disputedAt()) < tests.DisputeKept
			played := a.Worker == name && (x == r && s.confirms(r, a.Second.Worker, name) ||
				s.config.Roster.Trusted(a.Second.Worker) && recent)
			if played || a.Second.Worker == name && s.config.Roster.Trusted(a.Worker) && recent {
				return true
			}
		}
	}
	return false
}

// disputedAt returns the time of the second result of an audit.
func (a *audit) disputedAt() time.Time {
	if a.Second.At.IsZero() {
		return a.Since
	}
	return a.Second.At
}

func (l *list) add(now time.Time, pair int, worker, owner string) {
	l.due = append(l.due, newAudit(dueAudit{Pair: pair, Worker: worker, Owner: owner, Since: now.Round(0)}))
	l.changed = true
}

// Keep stores the audits of a run if they have changed. After an error the next call tries again. It
// stores the agreed audits before the due audits. After a crash in between, some agreed audits are still
// stored as due, which does no harm.
func (s *Audits) Keep(ctx context.Context, r *tests.Test) {
	l := s.of(r)
	if l.agreedChanged {
		err := entries.Save(ctx, s.config.State, bucketAgreed, r.Digest, l.agreed, &l.agreedRevision)
		l.agreedChanged = err != nil
		entries.Warn(s.config.Log, err, "the agreed audits of a test were not stored", "run", r.Name)
	}
	if !l.changed || l.agreedChanged {
		return
	}
	due := make([]dueAudit, len(l.due))
	for i, a := range l.due {
		due[i] = a.dueAudit
	}
	err := entries.Save(ctx, s.config.State, bucketAudits, r.Digest, due, &l.revision)
	l.changed = err != nil
	entries.Warn(s.config.Log, err, "the audits of a test were not stored", "run", r.Name)
}

// Read reads the audits of all runs, unless the farm has no Auditor. It logs an entry that cannot be
// read; the next change of the run's audits replaces such an entry.
func (s *Audits) Read(ctx context.Context) error {
	if s.config.Auditor == nil {
		return nil
	}
	err := s.config.State.Each(ctx, bucketAudits, func(digest string, body []byte, revision uint64) error {
		r := s.config.Tests.All[digest]
		if r == nil {
			return nil
		}
		var all []dueAudit
		l := s.of(r)
		entries.Warn(s.config.Log, farm.Decode(body, &all), "the stored audits of a test cannot be read", "run", r.Name)
		l.revision = revision
		for _, due := range all {
			if due.Second != nil && (!s.fresh(r, due.Second.Epoch) || s.config.Roster.Barred(due.Second.Worker)) {
				due.Second = nil // its engines may have kept data of earlier pairs, or its worker is in quarantine
			}
			l.due = append(l.due, newAudit(due))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the audits: %w", err)
	}
	return s.config.State.Each(ctx, bucketAgreed, func(digest string, body []byte, revision uint64) error {
		if r := s.config.Tests.All[digest]; r != nil {
			l := s.of(r)
			l.agreed, l.agreedRevision = map[int]string{}, revision
			entries.Warn(s.config.Log, farm.Decode(body, &l.agreed),
				"the agreed audits of a test cannot be read; they are played again", "run", r.Name)
			if r.Ledger != nil { // a pair that the store of a former leader had is played again, perhaps by another worker
				before := len(l.agreed)
				maps.DeleteFunc(l.agreed, func(pair int, _ string) bool { return !r.Ledger.IsStored(pair) })
				l.agreedChanged = len(l.agreed) < before
			}
		}
		return nil
	})
}

// end removes an audit.
func (l *list) end(a *audit) {
	l.due = slices.DeleteFunc(l.due, func(b *audit) bool { return a == b })
	l.changed, l.unproved = true, true
}

// mayPlay reports whether a worker may play the next result of an audit. Only a trusted worker may play the third
// result, which decides a dispute. Only a trusted worker may check a pair on which a provisional verdict rests. The
// machines of the test's owner may play these results too, unless the farm trusts the audited worker. A trusted worker
// may repeat its own second result, see Audits.repeats.
func (s *Audits) mayPlay(r *tests.Test, a *audit, name, owner string) bool {
	w := s.config.Roster.Workers[name]
	switch {
	case a.worker != "":
		return false
	case s.repeats(a, name):
		return true
	case slices.Contains(a.owners, owner):
		return false
	case !s.config.Roster.Untrusted(w) || a.Second == nil &&
		(r.Match.Gate.IsZero() || !s.config.Tests.MustProve(r, a.Worker)):
		return true
	}
	return owner == r.Owner && !s.config.Roster.Trusted(a.Worker)
}

// repeats reports whether a worker may play the pair of an audit again, of which one of the two results is its own. It
// may if the farm trusts it more than the other worker. If it gets the same result again, the players repeat their
// games, so the other result is false. One owner alone proves this only with several pairs, see soleDisputes.
func (s *Audits) repeats(a *audit, name string) bool {
	x := a.Second
	if x == nil || !s.config.Roster.Trusted(name) {
		return false
	}
	return x.Worker == name && !x.Repeated && !s.config.Roster.Trusted(a.Worker) || a.Worker == name && !x.Denied &&
		!s.config.Roster.Trusted(x.Worker)
}

// mayContradict reports whether a result of a worker may contradict one more pair of a run. If the worker is untrusted,
// at most soleDisputes contradictions by workers of its owner wait for a decision at a time.
func (s *Audits) mayContradict(r *tests.Test, worker, owner string) bool {
	return !s.config.Roster.Untrusted(s.config.Roster.Workers[worker]) || soleDisputes > len(lists.Filter(s.of(r).due,
		func(a *audit) bool { return a.Second != nil && a.Second.Owner == owner }))
}

// another reports whether a trusted worker of a third owner is connected that can decide an audit, as far as mayPlay
// and the requests of that worker show.
func (s *Audits) another(now time.Time, r *tests.Test, a *audit) bool {
	for name, x := range s.config.Roster.Sessions {
		w := s.config.Roster.Workers[name]
		if w == nil || s.config.Roster.Untrusted(w) || w.Quarantine != "" || w.Draining {
			continue
		}
		_, refuses := x.Refusal(r.Digest)
		if now.Sub(x.Seen) < 2*s.config.Lease && !slices.Contains(a.owners, x.Owner) && !refuses &&
			s.config.Roster.Meets(r.Needs, name, x.Hello.Labels) && r.Protocol <= x.Hello.Protocol {
			return true
		}
	}
	return false
}

// heldBy reports whether a worker holds a lease for an audit of the run.
func (l *list) heldBy(worker string) bool {
	return slices.ContainsFunc(l.due, func(a *audit) bool { return a.worker == worker })
}

// Grant grants up to n audits: pairs that a worker of another owner has played first. It opens an ended run
// if necessary. An untrusted worker gets few audits, see soleDisputes, unless a verdict needs
// them: then it is a machine of the test's owner.
func (s *Audits) Grant(ctx context.Context, now time.Time, r *tests.Test, to *roster.Session,
	n int) (grants []farm.Grant) {
	l, free := s.of(r), s.mayContradict(r, to.Name, to.Owner)
	for _, a := range s.inOrder(r) {
		if len(grants) >= n {
			break
		}
		if !free && !s.needed(r, a) || !s.mayPlay(r, a, to.Name, to.Owner) ||
			s.repeats(a, to.Name) && s.another(now, r, a) {
			continue
		}
		if err := s.config.Tests.Open(ctx, r, now); err != nil {
			entries.Warn(s.config.Log, err, "the audits of a test that cannot be opened are dropped", "run", r.Name)
			l.due, l.changed, l.unproved = nil, true, true
			break
		}
		g := farm.Grant{Held: farm.Held{Run: r.Digest, Pair: a.Pair, Audit: true}}
		if r.Tune != nil {
			first, err := s.firstResult(ctx, r, a)
			if err != nil {
				l.end(a)
				continue
			}
			tests.SetPoints(&g, first.Pair.Options)
		}
		epoch, ok := s.config.Epochs.Take()
		if !ok {
			break
		}
		a.worker, a.session, a.epoch, a.deadline = to.Name, to.ID, epoch, now.Add(s.config.Lease)
		g.Epoch = epoch
		g.Token = s.config.Secret.Token(to.Name, g.Held)
		grants = append(grants, g)
	}
	return grants
}

// inOrder returns the audits of a test, first those for which a provisional verdict waits.
func (s *Audits) inOrder(r *tests.Test) []*audit {
	var first, others []*audit
	for _, a := range s.of(r).due {
		if s.needed(r, a) {
			first = append(first, a)
		} else {
			others = append(others, a)
		}
	}
	return append(first, others...)
}

// needed reports whether the provisional verdict of a test waits for an audit.
func (s *Audits) needed(r *tests.Test, a *audit) bool {
	return r.Provisional != nil && a.Pair < r.Provisional.End && s.config.Tests.MustProve(r, a.Worker)
}

// firstResult reads the result that an audit checks. It returns an error if the result was voided.
func (s *Audits) firstResult(ctx context.Context, r *tests.Test, a *audit) (*match.PairResult, error) {
	if r.Store == nil {
		return nil, fmt.Errorf("test %s is not open", r.Name)
	}
	first, err := r.Store.Pair(ctx, a.Pair)
	if err == nil && first.Played.Worker != a.Worker {
		err = fmt.Errorf("pair %d of %s is not stored as played by %s", a.Pair, r.Name, a.Worker)
	}
	return &first, err
}

// held returns the audit that a worker plays under the lease h, or nil if there is none.
func (l *list) held(worker string, h farm.Held) *audit {
	for _, a := range l.due {
		if a.epoch == h.Epoch && a.Pair == h.Pair && a.worker == worker {
			return a
		}
	}
	return nil
}

// unsentAudit limits how long a worker may keep a finished audit without sending it, in lease lifetimes. It is long,
// because the stream may be full.
const unsentAudit = 30

// Extend extends the leases of the audits in one list of a heartbeat, and returns the other leases of the
// list. finished is true for the lists of finished pairs. The results of finished pairs may be lost, so their
// leases end after unsentAudit.
func (s *Audits) Extend(now time.Time, of *roster.Session, list []farm.Held, finished bool,
	reply *farm.BeatReply) (rest []farm.Held) {
	for _, h := range list {
		if !h.Audit {
			rest = append(rest, h)
			continue
		}
		var a *audit
		if r := s.config.Tests.All[h.Run]; r != nil && s.config.Secret.Granted(of.Name, h) {
			a = s.of(r).held(of.Name, h)
		}
		if a == nil {
			reply.Drop = append(reply.Drop, h) // so the worker also deletes a sent result
			continue
		}
		if finished && a.finished.IsZero() {
			a.finished = now
		}
		a.session = of.ID
		if a.finished.IsZero() || now.Sub(a.finished) < unsentAudit*s.config.Lease {
			a.deadline = now.Add(s.config.Lease)
		}
	}
	return rest
}

// Expire ends the leases of audits whose worker has sent no heartbeat in time, so that another worker can
// play them. It also deletes the old audits of an ended run, and notes which disputes no worker will decide.
func (s *Audits) Expire(now time.Time, r *tests.Test) {
	l := s.of(r)
	for _, a := range slices.Clone(l.due) {
		if r.State.Final() && r.Provisional == nil && now.Sub(a.Since) > auditsKept {
			l.end(a)
		}
		if a.worker != "" && !now.Before(a.deadline) {
			a.release()
		}
		if undecided := s.undecided(now, r, a); undecided != a.undecided {
			a.undecided, l.unproved = undecided, true
		}
	}
}

// A Played is the second or third result of an audited pair.
type Played struct {
	Worker, Owner string
	Lease         farm.Held
	Pair          *match.PairResult
}

// An Accusation names a worker whose result an audit has disproved. The zero value accuses no worker.
type Accusation struct {
	Worker, Why string
	// Kept is the test of the result if the engines may have kept data of earlier pairs when it was played, see
	// Audits.fresh. Then the worker may be honest, and only its pairs in this test become void. Otherwise Kept is nil.
	Kept *tests.Test
}

// fresh reports whether the engines of a pair have kept no data of earlier pairs, so that another playing must have the
// same result. epoch is that of the pair's lease. A pair that was pushed has none.
func (s *Audits) fresh(r *tests.Test, epoch farm.Epoch) bool {
	return r.Protocol < farm.ProtocolFresh || epoch >= s.config.Epochs.Fresh
}

// Count processes the second or third result of an audited pair. If the first two results agree, the audit ends.
// If they differ, the audit waits for a third result, and decide decides. The caller quarantines the accused worker.
func (s *Audits) Count(ctx context.Context, r *tests.Test, p Played) (accused Accusation) {
	l := s.of(r)
	a := l.held(p.Worker, p.Lease)
	if a == nil {
		r.Counts.Stale++
		return accused
	}
	a.release()
	if !s.mayPlay(r, a, p.Worker, p.Owner) { // the worker has lost its trust since the grant
		r.Counts.Stale++
		return accused
	}
	first, err := s.firstResult(ctx, r, a)
	if err != nil {
		entries.Warn(s.config.Log, err, "an audit has ended")
		l.end(a)
		return accused
	}
	if a.Second == nil {
		s.countSecond(ctx, r, a, first, p)
		return accused
	}
	fresh := s.fresh(r, farm.Epoch(first.Played.Epoch))
	switch p.Worker {
	case a.Second.Worker:
		return s.countRepeat(ctx, r, a, p, fresh)
	case a.Worker:
		return s.countDenial(ctx, r, a, first, p, fresh)
	}

	a.owners = append(a.owners, p.Owner)
	accused, decided := s.decide(ctx, r, a, first, p, fresh)
	if decided {
		r.Counts.Differed++
		l.end(a)
	}
	if accused.Worker == a.Worker && !fresh {
		accused.Kept = r
	}
	return accused
}

// countSecond processes the second result of an audited pair.
func (s *Audits) countSecond(ctx context.Context, r *tests.Test, a *audit, first *match.PairResult, p Played) {
	l, where := s.of(r), s.config.Auditor.Differ(first, p.Pair)
	if where == "" {
		r.Counts.Agreed++
		s.agree(ctx, r, a, p.Worker)
		l.end(a)
		return
	}
	if !s.needed(r, a) && !s.mayContradict(r, p.Worker, p.Owner) {
		r.Counts.Stale++ // another worker plays it
		return
	}
	a.Second = &second{Worker: p.Worker, Owner: p.Owner, Print: s.config.Auditor.Print(p.Pair), Where: where,
		Epoch: p.Lease.Epoch, At: time.Now().Round(0)}
	a.owners = append(a.owners, p.Owner)
	l.changed = true
	s.ProveAgain() // verdicts of other tests may now need more audits of the worker
	s.config.Log.Warn("two results of an audit differ, a third decides", "run", r.Name, "pair", a.Pair, "where", where,
		"workers", []string{a.Worker, p.Worker})
	s.config.Tests.LogOnce(ctx, time.Now(), r, "differs "+a.Worker+" "+p.Worker,
		fmt.Sprintf("%s got another result than %s for %s %d: %s", p.Worker, a.Worker, r.Word(), a.Pair, where))
}

// countRepeat processes a result of the worker that has also played the second result. fresh is that of the first
// result.
func (s *Audits) countRepeat(ctx context.Context, r *tests.Test, a *audit, p Played, fresh bool) (accused Accusation) {
	l := s.of(r)
	l.changed, l.unproved = true, true
	if !slices.Equal(s.config.Auditor.Print(p.Pair), a.Second.Print) {
		s.notExact(ctx, r, a.Pair)
		l.end(a)
		return accused
	}
	if !fresh {
		r.Counts.Differed++
		l.end(a)
		why := fmt.Sprintf("audit of pair %d of %s: %s; %s got another result, twice the same", a.Pair, r.Name,
			a.Second.Where, p.Worker)
		return Accusation{Worker: a.Worker, Why: why, Kept: r}
	}
	a.Second.Repeated = true
	refuted := s.refuted(time.Now(), a.Worker, p.Owner)
	pairs, texts := 0, []string{}
	for _, of := range refuted {
		pairs += len(of.pairs)
		texts = append(texts, fmt.Sprintf("%ss %v of %s", of.test.Word(), of.pairs, of.test.Name))
	}
	if pairs < soleDisputes && !s.config.Roster.Barred(a.Worker) {
		return accused
	}
	for _, of := range refuted {
		for _, other := range of.audits {
			s.of(of.test).end(other)
		}
		of.test.Counts.Differed += len(of.audits)
	}
	if s.config.Roster.Barred(a.Worker) { // by the pairs before
		return accused
	}
	return Accusation{Worker: a.Worker,
		Why: fmt.Sprintf("audits of %s: %s; %s got other results, twice the same", strings.Join(texts, ", "), a.Second.Where,
			p.Worker)}
}

// countDenial processes a second result of the worker that has played the first one. The farm trusts this worker, and
// does not trust the one that contradicts it. fresh is that of the first result.
func (s *Audits) countDenial(ctx context.Context, r *tests.Test, a *audit, first *match.PairResult, p Played,
	fresh bool) (accused Accusation) {
	l, where := s.of(r), s.config.Auditor.Differ(first, p.Pair)
	l.changed = true
	if where != "" {
		l.end(a)
		if fresh {
			s.notExact(ctx, r, a.Pair)
			return accused
		}
		r.Counts.Differed++
		return Accusation{Worker: a.Worker,
			Why: fmt.Sprintf("audit of pair %d of %s: %s; the worker itself got another result", a.Pair, r.Name, where), Kept: r}
	}
	a.Second.Denied = true
	denied := func(x *audit) bool {
		return x.Second != nil && x.Second.Denied && x.Second.Owner == a.Second.Owner && !s.config.Roster.Barred(x.Worker)
	}
	n := 0
	for _, list := range s.byTest {
		n += len(lists.Filter(list.due, denied))
	}
	if n < soleDisputes {
		return accused
	}
	for test, list := range s.byTest {
		for _, other := range lists.Filter(list.due, denied) {
			test.Counts.Differed++
			list.end(other)
		}
	}
	why := fmt.Sprintf("audits by the workers of %s: %s of trusted workers have other results, the last one pair %d of %s: %s; %s got its own results again",
		a.Second.Owner, format.NumberOf(n, "pair"), a.Pair, r.Name, a.Second.Where, p.Worker)
	return Accusation{Worker: a.Second.Worker, Why: why}
}

// refutedIn has the pairs of one test for which the workers of one owner got another result than a worker, twice the
// same.
type refutedIn struct {
	test   *tests.Test
	audits []*audit // the open audits
	pairs  []int    // in ascending order, also those that are void because of it
}

// refuted returns the pairs of a worker in all tests for which workers of an owner got another result, twice the same.
// A worker that lies now and then may have few such pairs in each test.
func (s *Audits) refuted(now time.Time, worker, owner string) (all []refutedIn) {
	for _, r := range s.config.Tests.InOrder() {
		of := refutedIn{test: r, audits: lists.Filter(s.of(r).due, func(a *audit) bool {
			return a.Worker == worker && a.Second != nil && a.Second.Repeated && a.Second.Owner == owner
		})}
		of.pairs = lists.Map(of.audits, func(a *audit) int { return a.Pair })
		for _, d := range r.Disputes {
			if d.Worker == worker && d.ByOwner == owner && d.Proved && d.Recent(now) {
				of.pairs = append(of.pairs, d.Pair)
			}
		}
		slices.Sort(of.pairs)
		if of.pairs = slices.Compact(of.pairs); len(of.pairs) > 0 {
			all = append(all, of)
		}
	}
	return all
}

// notExact records that the players of a test do not repeat their games. The test gets no further audits.
func (s *Audits) notExact(ctx context.Context, r *tests.Test, pair int) {
	s.config.Log.Warn("results of a pair differ: its players do not repeat their games", "run", r.Name, "pair", pair)
	r.Inexact, r.Exact = true, false
	entries.Warn(s.config.Log, s.config.Tests.Keep(ctx, r), "it was not stored that a test's games do not repeat", "run",
		r.Name)
}

// decide decides an audit with three results of three owners, of which the first two differ. third is the last one.
//
// If the third result equals one of them, decide accuses the worker of the other one. If all three differ,
// the players do not repeat their games. Then it accuses no worker, and the run gets no further audits. decided
// is true in both cases. If the first result is not fresh, three results prove nothing about the players, and decide
// names the first worker.
//
// The third result may be from an untrusted machine of the test's owner. The owner may know the audited worker, so
// such a result decides nothing against a trusted second worker. decide then returns false. The owners of all results
// still play no other result of the pair.
func (s *Audits) decide(ctx context.Context, r *tests.Test, a *audit, first *match.PairResult, third Played,
	fresh bool) (accused Accusation, decided bool) {
	var wrong string
	agree := ", and two others agree"
	switch {
	case slices.Equal(s.config.Auditor.Print(third.Pair), a.Second.Print):
		wrong = a.Worker
	case s.config.Roster.Trusted(a.Second.Worker) && !s.config.Roster.Trusted(third.Worker):
		return accused, false
	case s.config.Auditor.Differ(first, third.Pair) == "":
		wrong = a.Second.Worker
		s.agree(ctx, r, a, third.Worker)
	case !fresh: // the second result may be false, and the first is none to compare with
		wrong, agree = a.Worker, ""
	default:
		s.notExact(ctx, r, a.Pair)
		return accused, true
	}
	why := fmt.Sprintf("audit of pair %d of %s: %s", a.Pair, r.Name, a.Second.Where+agree)
	return Accusation{Worker: wrong, Why: why}, true
}

// agree counts an audit in which two results agree: that of the audited worker, and that of the worker called by,
// which has played the pair again. If the farm trusts this second worker, both workers come nearer to the trust
// level verified. They get this level after enough such audits. The agreement of an untrusted worker earns no
// trust, because two keys of one person always agree.
func (s *Audits) agree(ctx context.Context, r *tests.Test, a *audit, by string) {
	if !r.Match.Gate.IsZero() && s.config.Tests.MustProve(r, a.Worker) {
		l := s.of(r)
		if l.agreed == nil {
			l.agreed = map[int]string{}
		}
		l.agreed[a.Pair], l.agreedChanged = by, true
	}
	if s.config.Roster.Untrusted(s.config.Roster.Workers[by]) {
		return
	}
	for _, name := range []string{a.Worker, by} {
		w := s.config.Roster.Workers[name]
		if w == nil || s.config.Roster.Suspect(w.Owner) != "" || s.disputed(time.Now(), r, name) {
			continue // a key that only pushes pairs earns no trust, nor a suspect owner, nor a worker whose results are disputed
		}
		if w.Agreed++; w.Agreed >= s.config.Auditor.Verified() && w.Trust == trust.Untrusted {
			w.Trust = trust.Verified
			s.config.Roster.Changes++
			s.ProveAgain()
			s.config.Roster.KeepOrWarn(ctx, name, w)
		}
		s.config.Roster.KeepCounts(ctx, name, w)
	}
}

// ProveAgain makes the next tick examine all provisional verdicts again. The coordinator calls it after a change of
// the trust in a worker.
func (s *Audits) ProveAgain() {
	for _, l := range s.byTest {
		l.unproved = true
	}
}

// Prove examines the provisional verdict of a run. It starts the audits that the verdict still needs. If the
// verdict needs no more audits, Prove makes it final. It does nothing if nothing has changed since the last call.
func (s *Audits) Prove(ctx context.Context, now time.Time, r *tests.Test) {
	if r.Provisional == nil {
		return
	}
	l := s.of(r)
	if l.verdict != r.Provisional { // the test has ended again
		l.verdict, l.samples, l.unproved = r.Provisional, nil, true
	}
	var barred, open []string
	for _, name := range r.Provisional.By {
		if tests.VoidReason(s.config.Tests, r, name) != "" {
			barred = append(barred, name)
		} else if s.config.Auditor != nil && s.config.Tests.MustProve(r, name) {
			open = append(open, name)
		}
	}
	before := l.unprovedWorkers
	l.unprovedWorkers = len(barred) + len(open)
	if !l.unproved && l.unprovedWorkers == before { // without a change of trust, only the rights of a key may have changed
		return
	}
	of, missing := 0, 0
	var err error
	l.settled = nil
	if r.Exact && len(open) > 0 {
		of, missing, err = s.sample(ctx, now, r, open)
	}
	s.config.Tests.VoidDue = s.config.Tests.VoidDue || len(l.settled) > 0
	text := ""
	switch {
	case err != nil:
		text = "the test cannot be opened: " + err.Error()
	case len(barred) > 0:
		why := "audits that contradict them"
		if slices.ContainsFunc(barred, s.config.Roster.Barred) {
			why = "a quarantine"
		}
		text = "pairs of " + someOf(barred) + " will be void and played again, because of " + why
	case len(open) > 0 && !r.Exact:
		text = fmt.Sprintf("audits cannot check the pairs of %s, because %s. "+
			"If you trust the workers: gogi farm worker trust WORKER verified (for a key that pushed pairs: give it the right run). "+
			"Else: gogi farm worker void WORKER --run %s --why TEXT", someOf(open), whyInexact(r), farm.ShortDigest(r.Digest))
	case len(l.settled) > 0:
		text = textOf(l.settled, r.Word())
	case missing > 0:
		text = s.missing(now, r, open, of, missing)
	}
	marked := s.config.Tests.Mark(ctx, now, r, text)
	l.verdict, l.unproved = r.Provisional, err != nil || marked != nil
}

// missing describes the audits that a verdict still needs: the disputes about pairs that audits have contradicted, and
// the pairs that no trusted worker has played again. open has the workers that played the pairs.
func (s *Audits) missing(now time.Time, r *tests.Test, open []string, of, missing int) string {
	var first, second []string
	disputes, repeating, proved, trusted := 0, false, true, true
	for _, a := range s.of(r).due {
		if x := a.Second; x != nil && s.needed(r, a) {
			disputes++
			first, second = append(first, a.Worker), append(second, x.Worker)
			repeating = repeating || s.repeats(a, x.Worker) && !s.another(now, r, a)
			proved, trusted = proved && x.Repeated, trusted && s.config.Roster.Trusted(x.Worker)
		}
	}
	if disputes == 0 {
		return fmt.Sprintf("%d of %d audits are missing. They need a connected machine of %s that did not play these pairs (for a new one: gogi farm key new NAME --may work --owner %s), or a worker of another owner that an admin trusts: gogi farm worker trust WORKER verified. "+
			"To trust %s itself makes the verdict final without an audit", missing, of, r.Owner, r.Owner, someOf(open))
	}

	names := func(list []string) string {
		slices.Sort(list)
		return someOf(slices.Compact(list))
	}
	differ := "differ"
	if disputes == 1 {
		differ = "differs"
	}
	text := fmt.Sprintf("%s of %s %s from the results of %s, of %d that the verdict needs",
		format.NumberOf(disputes, "audit"), names(first), differ, names(second), of)
	switch {
	case repeating:
		return text + fmt.Sprintf(", which plays these %ss again to prove its results", r.Word())
	case proved && trusted && missing > disputes:
		return text + fmt.Sprintf(". If a trusted worker confirms the other %ss, these become void and are played again",
			r.Word())
	}
	text += fmt.Sprintf(". A trusted worker of another owner must decide: gogi farm worker trust WORKER verified. Or make the pairs void: gogi farm worker void WORKER --run %s --why TEXT",
		farm.ShortDigest(r.Digest))
	if trusted {
		text += fmt.Sprintf(". If nobody decides in %s, they become void if the other %ss are confirmed", hours(disputeAge),
			r.Word())
	}
	return text
}

// whyInexact returns the reason why audits cannot repeat the games of a test.
func whyInexact(r *tests.Test) string {
	if r.Inexact {
		return "an audit has shown that the engines do not repeat their games, even in new processes"
	}
	return cmp.Or(trust.Inexact(trust.WithOneThread(r.Match, r.OneThread)), "the engines do not repeat their games")
}

// someOf returns a text with at most shownWorkers of the names.
func someOf(names []string) string {
	if more := len(names) - shownWorkers; more > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:shownWorkers], ", "), more)
	}
	return strings.Join(names, ", ")
}

// shownWorkers is the maximum number of workers in the text about a verdict.
const shownWorkers = 20

// sample starts an audit for each pair of the workers' samples that needs one and has none. The sample of a worker has
// all its pairs of the verdict if a result of it is in dispute: a worker that lies now and then has few false pairs in
// a smaller sample. The verdict also waits for the audits of its pairs that wait for another reason, such as a new
// worker, and of pairs that became void because of a dispute. of is the number of pairs in the samples. missing is the
// number of these pairs that no audit by a trusted worker has confirmed. sample also settles disputes, see settle.
func (s *Audits) sample(ctx context.Context, now time.Time, r *tests.Test, workers []string) (of, missing int,
	err error) {
	if err := s.config.Tests.Open(ctx, r, now); err != nil {
		return 0, 0, err
	}
	l := s.of(r)
	pairs := map[string][]int{}
	for pair, name := range r.PlayedBy.Between(0, r.Provisional.End) {
		pairs[name] = append(pairs[name], pair)
	}
	if slices.ContainsFunc(workers, func(name string) bool { return l.samples[name] == nil }) {
		l.samples = map[string][]int{}
		for _, name := range workers {
			l.samples[name] = s.config.Auditor.Sample(r.Digest, pairs[name])
		}
	}
	disputed := lists.Set(r.Disputes, func(d tests.Dispute) int { return d.Pair })
	waiting := map[int]*audit{}
	room := maxAudits // audits of no verdict leave room for those that it needs
	for _, a := range l.due {
		waiting[a.Pair] = a
		if s.needed(r, a) {
			room--
		}
	}
	for _, name := range workers {
		sampled, all := lists.Set(l.samples[name], func(pair int) int { return pair }), s.disputed(now, r, name)
		var open []int
		for _, pair := range pairs[name] {
			if !sampled[pair] && waiting[pair] == nil && !all && !disputed[pair] {
				continue
			}
			of++
			if by, ok := l.agreed[pair]; ok && s.confirms(r, by, name) {
				continue
			}
			open = append(open, pair)
			if waiting[pair] == nil && (sampled[pair] || room > 0) {
				l.add(now, pair, name, s.config.Roster.OwnerOf(name))
				room--
			}
		}
		missing += len(open)
		l.settle(name, lists.Map(open, func(pair int) *audit { return waiting[pair] }), func(a *audit) bool {
			return s.undecided(now, r, a)
		})
	}
	if r.Decided() == "" { // pairs became void, and then the process ended
		l.resettle(r)
	}
	return of, missing, nil
}

// confirms reports whether an agreeing audit still counts for a worker's pair. It does not if the auditor, the
// worker that played the pair again, has lost its trust or is in quarantine.
func (s *Audits) confirms(r *tests.Test, auditor, worker string) bool {
	w := s.config.Roster.Workers[auditor]
	return w != nil && w.Quarantine == "" &&
		(!s.config.Roster.Untrusted(w) || w.Owner == r.Owner && !s.config.Roster.Trusted(worker))
}

// Waits reports whether pairs of a test wait for another playing.
func (s *Audits) Waits(r *tests.Test) bool { return len(s.of(r).due) > 0 }

// HeldBy reports whether a worker holds a lease for an audit of the test.
func (s *Audits) HeldBy(r *tests.Test, worker string) bool { return s.of(r).heldBy(worker) }

// Release ends the lease of an audit. ok is false if the worker does not hold it.
func (s *Audits) Release(r *tests.Test, worker string, h farm.Held) (ok bool) {
	a := s.of(r).held(worker, h)
	if a != nil {
		a.release()
	}
	return a != nil
}

// Leave ends the leases of a worker, except those of the session that is given. Without a session it ends all.
func (s *Audits) Leave(worker, session string) {
	for _, l := range s.byTest {
		for _, a := range l.due {
			if a.worker == worker && (session == "" || a.session != session) {
				a.release()
			}
		}
	}
}

// Bar ends the leases of a worker that is in quarantine from now on. Its results with which it contradicted others
// count no more, so these audits wait for another worker.
func (s *Audits) Bar(worker string) {
	s.Leave(worker, "")
	for _, l := range s.byTest {
		for _, a := range l.due {
			if a.Second != nil && a.Second.Worker == worker {
				a.Second, a.owners, a.undecided = nil, []string{a.Owner}, false
				l.changed = true
			}
		}
	}
}

// Doubt makes pairs unconfirmed before they become void, and stores that. Otherwise the agreed audits would confirm
// later playings of these pairs after a crash.
func (s *Audits) Doubt(ctx context.Context, r *tests.Test, pairs []int) error {
	l := s.of(r)
	for _, pair := range pairs {
		delete(l.agreed, pair)
	}
	l.agreedChanged = l.agreedChanged || len(pairs) > 0 && l.agreedRevision > 0

	s.Keep(ctx, r)
	if l.agreedChanged {
		return errors.New("coordinator: the agreed audits of the pairs were not stored")
	}
	return nil
}

// Void ends the audits of pairs that have become void.
func (s *Audits) Void(r *tests.Test, pairs []int) {
	if len(pairs) == 0 {
		return
	}
	l := s.of(r)
	l.due = slices.DeleteFunc(l.due, func(a *audit) bool { return slices.Contains(pairs, a.Pair) })
	l.changed = true
}

// Again makes the next call of Prove examine the provisional verdict of a test.
func (s *Audits) Again(r *tests.Test) { s.of(r).unproved = true }

// SetTrust sets the level of trust in a worker as an admin requests. The caller stores the worker.
func (s *Audits) SetTrust(_ context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error {
	if err := roster.CheckLevel(o.Level); err != nil {
		return err
	}
	w.Trust = trust.Level(o.Level)
	w.Act(who.Name, name, "trust "+o.Level)
	s.ProveAgain()
	return nil
}
