package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/match/trust"
)

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
	// Verified returns the number of agreeing audits after which a worker is verified.
	Verified() int
	// Sample returns those pairs of one worker in a run that must be audited before a verdict is final.
	Sample(run string, pairs []int) []int
}

// An audit is a second playing of a pair by another worker. The coordinator compares the second result with the
// first, and never counts the second result. If the results differ, a trusted worker of a third owner plays the
// pair as well, see Coordinator.mayAudit. The end of the run does not end an audit.
type audit struct {
	dueAudit

	results []*match.PairResult // the results so far. The first is read from the store when the second arrives
	owners  []string            // owners of the workers that played the results so far, including the first
	// worker and session hold the lease of the next result. They are "" if the audit waits for a worker.
	worker, session string
	epoch           farm.Epoch
	deadline        time.Time
	finished        time.Time // the first heartbeat that listed the result as finished
}

// release ends the lease of the next result.
func (a *audit) release() { a.worker, a.epoch, a.finished = "", 0, time.Time{} }

// A dueAudit is the stored part of an audit. State stores it in the bucket of audits under the run's digest.
type dueAudit struct {
	Pair   int       `cbor:"pair"`
	Worker string    `cbor:"worker"` // the worker that played the pair first
	Owner  string    `cbor:"owner"`  // the owner of that worker
	Since  time.Time `cbor:"since"`
}

const (
	// maxAudits limits the open audits of a run.
	maxAudits = 256
	// auditsKept is the time for which an ended run waits for its audits, unless its verdict is provisional.
	auditsKept = 7 * 24 * time.Hour
)

// startAudit starts an audit of a pair if the Auditor selects the pair. It is the n-th pair, from 0, of the worker
// w called name. startAudit runs before the pair is stored, so that after a crash no stored pair lacks its audit.
func (c *Coordinator) startAudit(now time.Time, r *run, name string, w *roster.Worker, pair, n int) {
	if c.config.Auditor == nil || !r.exact {
		return
	}
	if w.Probation+w.Unlike == "" && !c.config.Auditor.Audits(r.digest, pair, c.roster.Level(w), n) {
		return
	}
	// A pair that was not stored before a crash comes again.
	r.audits = slices.DeleteFunc(r.audits, func(a *audit) bool { return a.Pair == pair })
	if len(r.audits) < maxAudits {
		r.addAudit(now, pair, name, w.Owner)
	}
}

func (r *run) addAudit(now time.Time, pair int, worker, owner string) {
	r.audits = append(r.audits, &audit{dueAudit: dueAudit{pair, worker, owner, now.Round(0)}, owners: []string{owner}})
	r.auditsChanged = true
}

// keepAudits stores the audits of a run if they have changed. After an error the next call tries again. It
// stores the agreed audits before the due audits. After a crash in between, some agreed audits are still
// stored as due, which does no harm.
func (c *Coordinator) keepAudits(ctx context.Context, r *run) {
	if r.agreedChanged {
		err := entries.Save(ctx, c.config.State, bucketAgreed, r.digest, r.agreed, &r.agreedRevision)
		r.agreedChanged = err != nil
		entries.Warn(c.config.Log, err, "the agreed audits of a test were not stored", "run", r.Name)
	}
	if !r.auditsChanged || r.agreedChanged {
		return
	}
	list := make([]dueAudit, len(r.audits))
	for i, a := range r.audits {
		list[i] = a.dueAudit
	}
	err := entries.Save(ctx, c.config.State, bucketAudits, r.digest, list, &r.auditsRevision)
	r.auditsChanged = err != nil
	entries.Warn(c.config.Log, err, "the audits of a test were not stored", "run", r.Name)
}

// readAudits reads the audits of all runs, unless the farm has no Auditor. It logs an entry that cannot be
// read; the next change of the run's audits replaces such an entry.
func (c *Coordinator) readAudits(ctx context.Context) error {
	if c.config.Auditor == nil {
		return nil
	}
	err := c.config.State.Each(ctx, bucketAudits, func(digest string, body []byte, revision uint64) error {
		r := c.runs[digest]
		if r == nil {
			return nil
		}
		var list []dueAudit
		entries.Warn(c.config.Log, farm.Decode(body, &list), "the stored audits of a test cannot be read", "run", r.Name)
		r.auditsRevision = revision
		for _, due := range list {
			r.audits = append(r.audits, &audit{dueAudit: due, owners: []string{due.Owner}})
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("coordinator: reading the audits: %w", err)
	}
	return c.config.State.Each(ctx, bucketAgreed, func(digest string, body []byte, revision uint64) error {
		if r := c.runs[digest]; r != nil {
			r.agreed, r.agreedRevision = map[int]string{}, revision
			entries.Warn(c.config.Log, farm.Decode(body, &r.agreed), "the agreed audits of a test cannot be read; they are played again", "run", r.Name)
			if r.ledger != nil { // a pair that the store of a former leader had is played again, perhaps by another worker
				before := len(r.agreed)
				maps.DeleteFunc(r.agreed, func(pair int, _ string) bool { return !r.ledger.IsStored(pair) })
				r.agreedChanged = len(r.agreed) < before
			}
		}
		return nil
	})
}

// endAudit removes an audit.
func (r *run) endAudit(a *audit) {
	r.audits = slices.DeleteFunc(r.audits, func(b *audit) bool { return a == b })
	r.auditsChanged, r.unproved = true, true
}

// mayAudit reports whether a worker may play the next result of an audit. Only a trusted worker may play the third
// result, which decides a dispute. Only a trusted worker may check a pair on which a provisional verdict rests. The
// machines of the test's owner may play these results too, unless the farm trusts the audited worker.
func (c *Coordinator) mayAudit(r *run, a *audit, name, owner string) bool {
	w := c.roster.Workers[name]
	switch {
	case a.worker != "" || slices.Contains(a.owners, owner):
		return false
	case !c.roster.Untrusted(w) || len(a.results) < 2 && (r.plan.Gate.IsZero() || !c.mustProve(r, a.Worker)):
		return true
	}
	return owner == r.Owner && !c.roster.Trusted(a.Worker)
}

// auditedBy reports whether a worker holds a lease for an audit of the run.
func (r *run) auditedBy(worker string) bool {
	return slices.ContainsFunc(r.audits, func(a *audit) bool { return a.worker == worker })
}

// grantAudits grants up to n audits: pairs that a worker of another owner has played first. It opens an ended run
// if necessary.
func (c *Coordinator) grantAudits(ctx context.Context, now time.Time, r *run, s *roster.Session, n int) (grants []farm.Grant) {
	for _, a := range slices.Clone(r.audits) {
		if len(grants) >= n {
			break
		}
		if !c.mayAudit(r, a, s.Name, s.Owner) {
			continue
		}
		if err := c.open(ctx, r, now); err != nil {
			entries.Warn(c.config.Log, err, "the audits of a test that cannot be opened are dropped", "run", r.Name)
			r.audits, r.auditsChanged, r.unproved = nil, true, true
			break
		}
		g := farm.Grant{Held: farm.Held{Run: r.digest, Pair: a.Pair, Audit: true}}
		if r.tune != nil {
			first, err := c.firstResult(ctx, r, a)
			if err != nil {
				r.endAudit(a)
				continue
			}
			setPoints(&g, first.Pair.Options)
		}
		epoch, ok := c.epochs.Take()
		if !ok {
			break
		}
		a.worker, a.session, a.epoch, a.deadline = s.Name, s.ID, epoch, now.Add(c.config.Lease)
		g.Epoch = epoch
		g.Token = c.config.Secret.Token(s.Name, g.Held)
		grants = append(grants, g)
	}
	return grants
}

// firstResult reads the result that an audit checks. It returns an error if the result was voided.
func (c *Coordinator) firstResult(ctx context.Context, r *run, a *audit) (*match.PairResult, error) {
	if r.store == nil {
		return nil, fmt.Errorf("test %s is not open", r.Name)
	}
	first, err := r.store.Pair(ctx, a.Pair)
	if err == nil && first.Played.Worker != a.Worker {
		err = fmt.Errorf("pair %d of %s is not stored as played by %s", a.Pair, r.Name, a.Worker)
	}
	return &first, err
}

// auditOf returns the audit that a worker plays under the lease h, or nil if there is none.
func (r *run) auditOf(worker string, h farm.Held) *audit {
	for _, a := range r.audits {
		if a.epoch == h.Epoch && a.Pair == h.Pair && a.worker == worker {
			return a
		}
	}
	return nil
}

// unsentAudit limits how long a worker may keep a finished audit without sending it, in lease lifetimes. The limit
// for other pairs is the same.
const unsentAudit = 30

// extendAudits extends the leases of the audits in one list of a heartbeat, and returns the other leases of the
// list. finished is true for the lists of finished pairs. The results of finished pairs may be lost, so their
// leases end after unsentAudit.
func (c *Coordinator) extendAudits(now time.Time, s *roster.Session, list []farm.Held, finished bool, reply *farm.BeatReply) (rest []farm.Held) {
	for _, h := range list {
		if !h.Audit {
			rest = append(rest, h)
			continue
		}
		var a *audit
		if r := c.runs[h.Run]; r != nil && c.config.Secret.Granted(s.Name, h) {
			a = r.auditOf(s.Name, h)
		}
		if a == nil {
			reply.Drop = append(reply.Drop, h) // so the worker also deletes a sent result
			continue
		}
		if finished && a.finished.IsZero() {
			a.finished = now
		}
		if a.session = s.ID; a.finished.IsZero() || now.Sub(a.finished) < unsentAudit*c.config.Lease {
			a.deadline = now.Add(c.config.Lease)
		}
	}
	return rest
}

// expireAudits ends the leases of audits whose worker has sent no heartbeat in time, so that another worker can
// play them. It also deletes the old audits of an ended run.
func (r *run) expireAudits(now time.Time) {
	for _, a := range slices.Clone(r.audits) {
		if r.State.Final() && r.Provisional == nil && now.Sub(a.Since) > auditsKept {
			r.endAudit(a)
		}
		if a.worker != "" && !now.Before(a.deadline) {
			a.release()
		}
	}
}

// audited processes the second or third result of an audited pair. If the first two results agree, the audit ends.
// If they differ, the audit waits for a third result, and decideAudit decides.
func (c *Coordinator) audited(ctx context.Context, r *run, m *message, it *item) {
	a := r.auditOf(m.worker, it.Lease)
	if a == nil {
		r.counts.Stale++
		return
	}
	a.release()
	if !c.mayAudit(r, a, m.worker, m.key.Owner) { // the worker has lost its trust since the grant
		r.counts.Stale++
		return
	}
	if len(a.results) == 0 {
		first, err := c.firstResult(ctx, r, a)
		if err != nil {
			entries.Warn(c.config.Log, err, "an audit has ended")
			r.endAudit(a)
			return
		}
		a.results = append(a.results, first)
	}
	a.results = append(a.results, &it.pair)
	a.owners = append(a.owners, m.key.Owner)
	first, second := a.results[0], a.results[1]
	differ := c.config.Auditor.Differ(first, second)
	switch {
	case len(a.results) == 2 && differ != "":
		workers := []string{first.Played.Worker, second.Played.Worker}
		c.config.Log.Warn("two results of an audit differ, a third decides", "run", r.Name, "pair", a.Pair, "where", differ, "workers", workers)
		return
	case len(a.results) == 2:
		r.counts.Agreed++
		c.agree(ctx, r, a, m.worker)
	default:
		if !c.decideAudit(ctx, r, a, differ) {
			return
		}
		r.counts.Differed++
	}
	r.endAudit(a)
}

// decideAudit decides an audit with three results, of which the first two differ. where is the first difference
// between these two.
//
// If the third result equals one of them, decideAudit quarantines the worker of the other one. If all three differ,
// the players do not repeat their games. Then it quarantines no worker, and the run gets no further audits. decided
// is true in both cases.
//
// The third result may be from an untrusted machine of the test's owner. The owner may know the audited worker, so
// such a result decides nothing against a trusted second worker. decideAudit removes it and returns false.
func (c *Coordinator) decideAudit(ctx context.Context, r *run, a *audit, where string) (decided bool) {
	first, second, third := a.results[0], a.results[1], a.results[2]
	var wrong *match.PairResult
	switch {
	case c.config.Auditor.Differ(second, third) == "":
		wrong = first
	case c.roster.Trusted(second.Played.Worker) && !c.roster.Trusted(third.Played.Worker):
		a.results = a.results[:2] // the owners of all results still play no other result of the pair
		return false
	case c.config.Auditor.Differ(first, third) == "":
		wrong = second
		c.agree(ctx, r, a, third.Played.Worker)
	default:
		c.config.Log.Warn("three results of a pair differ: its players do not repeat their games", "run", r.Name, "pair", a.Pair)
		r.Inexact, r.exact = true, false
		entries.Warn(c.config.Log, c.keep(ctx, r), "it was not stored that a test's games do not repeat", "run", r.Name)
		return true
	}
	name := wrong.Played.Worker
	w := c.roster.Worker(name, c.roster.OwnerOf(name))
	c.quarantine(ctx, w, name, fmt.Sprintf("audit of pair %d of %s: %s, and two others agree", a.Pair, r.Name, where), "farm")
	c.roster.KeepOrWarn(ctx, name, w)
	return true
}

// agree counts an audit in which two results agree: that of the audited worker, and that of the worker called by,
// which has played the pair again. If the farm trusts this second worker, both workers come nearer to the trust
// level verified. They get this level after enough such audits. The agreement of an untrusted worker earns no
// trust, because two keys of one person always agree.
func (c *Coordinator) agree(ctx context.Context, r *run, a *audit, by string) {
	if !r.plan.Gate.IsZero() && c.mustProve(r, a.Worker) {
		if r.agreed == nil {
			r.agreed = map[int]string{}
		}
		r.agreed[a.Pair], r.agreedChanged = by, true
	}
	if c.roster.Untrusted(c.roster.Workers[by]) {
		return
	}
	for _, name := range []string{a.Worker, by} {
		w := c.roster.Workers[name]
		if w == nil || c.roster.Suspect(w.Owner) != "" {
			continue // a key that only pushes pairs earns no trust, and neither does one of a suspect owner
		}
		if w.Agreed++; w.Agreed >= c.config.Auditor.Verified() && w.Trust == trust.Untrusted {
			w.Trust = trust.Verified
			c.roster.Changes++
			c.proveAgain()
			c.roster.KeepOrWarn(ctx, name, w)
		}
		c.roster.KeepCounts(ctx, name, w)
	}
}
