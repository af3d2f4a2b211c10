package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/match"
	"gogi/match/trust"
)

// An Auditor chooses the pairs that a worker of another owner plays again, and compares two results of a
// pair. Package match/trust has the rules. Its methods may be called by several goroutines.
type Auditor interface {
	// Exact reports whether the plan's players repeat their games move for move. Only such plans are audited.
	Exact(p *match.Plan) bool
	// Audits reports whether a pair is audited. A worker of this level plays it as its n-th pair, from 0.
	Audits(run string, pair int, level trust.Level, n int) bool
	// Differ returns the first difference between two results of a pair, "" if they are equal.
	Differ(a, b *match.PairResult) string
	// Verified returns after how many agreeing audits a worker is verified.
	Verified() int
}

// An audit is a pair that another worker plays again. Its result is compared and does not count. If it
// differs, a worker of a third owner plays the pair as well.
type audit struct {
	pair    int
	results []*match.PairResult // so far
	owners  []string
	// The worker that holds the lease of the next result; "" if the audit waits for one.
	worker, session string
	epoch           farm.Epoch
	deadline        time.Time
}

// maxAudits limits the open audits of a run.
const maxAudits = 256

// startAudit starts an audit of a stored pair if one is due.
func (c *Coordinator) startAudit(r *run, worker string, p *match.PairResult) {
	w := c.workers[worker]
	if c.config.Auditor == nil || !r.exact || len(r.audits) >= maxAudits {
		return
	}
	if w.Probation+w.Unlike == "" && !c.config.Auditor.Audits(r.digest, p.Pair.ID, w.Trust, w.Played) {
		return
	}
	r.audits = append(r.audits, &audit{pair: p.Pair.ID, results: []*match.PairResult{p}, owners: []string{w.Owner}})
}

// grantAudits grants up to n pairs that workers of other owners have played.
func (c *Coordinator) grantAudits(now time.Time, r *run, s *session, n int) (grants []farm.Grant) {
	for _, a := range r.audits {
		if len(grants) >= n {
			break
		}
		if a.worker != "" || slices.Contains(a.owners, s.owner) {
			continue
		}
		epoch, ok := c.epochs.Take()
		if !ok {
			break
		}
		a.worker, a.session, a.epoch, a.deadline = s.name, s.session, epoch, now.Add(c.config.Lease)
		g := farm.Grant{Held: farm.Held{Run: r.digest, Pair: a.pair, Epoch: epoch, Audit: true}}
		if r.tune != nil {
			setPoints(&g, a.results[0].Pair.Options)
		}
		g.Token = c.config.Secret.Token(s.name, g.Held)
		grants = append(grants, g)
	}
	return grants
}

// auditOf returns the audit that a worker holds under a lease, nil if there is none.
func (r *run) auditOf(worker string, h farm.Held) *audit {
	for _, a := range r.audits {
		if a.epoch == h.Epoch && a.pair == h.Pair && a.worker == worker {
			return a
		}
	}
	return nil
}

// extendAudits extends the audits in a list of a heartbeat, and returns the other leases.
func (c *Coordinator) extendAudits(now time.Time, s *session, list []farm.Held, reply *farm.BeatReply) (rest []farm.Held) {
	for _, h := range list {
		if !h.Audit {
			rest = append(rest, h)
			continue
		}
		var a *audit
		if r := c.runs[h.Run]; r != nil && c.config.Secret.Granted(s.name, h) && !r.State.Final() {
			a = r.auditOf(s.name, h)
		}
		if a == nil {
			reply.Drop = append(reply.Drop, h) // so the worker also deletes a sent result
			continue
		}
		a.session, a.deadline = s.session, now.Add(c.config.Lease)
	}
	return rest
}

// expireAudits frees the audits whose worker sent no heartbeat. It deletes all audits of an ended run.
func (r *run) expireAudits(now time.Time) {
	if r.State.Final() {
		r.audits = nil
	}
	for _, a := range r.audits {
		if a.worker != "" && !now.Before(a.deadline) {
			a.worker, a.epoch = "", 0
		}
	}
}

// audited compares a second or third result.
func (c *Coordinator) audited(ctx context.Context, r *run, m *message, it *item) {
	a := r.auditOf(m.worker, it.Lease)
	if a == nil {
		r.counts.Stale++
		return
	}
	a.results = append(a.results, &it.pair)
	a.owners = append(a.owners, m.key.Owner)
	a.worker, a.epoch = "", 0
	first, second := a.results[0], a.results[1]
	differ := c.config.Auditor.Differ(first, second)
	switch {
	case len(a.results) == 2 && differ != "":
		workers := []string{first.Played.Worker, second.Played.Worker}
		c.config.Log.Warn("two results of an audit differ, a third decides", "run", r.Name, "pair", a.pair, "where", differ, "workers", workers)
		return
	case len(a.results) == 2:
		r.counts.Agreed++
		c.agree(ctx, first.Played.Worker)
		c.agree(ctx, second.Played.Worker)
	default:
		r.counts.Differed++
		c.decideAudit(ctx, r, a, differ)
	}
	r.audits = slices.DeleteFunc(r.audits, func(b *audit) bool { return a == b })
}

// decideAudit quarantines the first or the second worker if the third result equals the other's. If all
// three differ, the players do not repeat their games, and it quarantines nobody.
func (c *Coordinator) decideAudit(ctx context.Context, r *run, a *audit, where string) {
	first, second, third := a.results[0], a.results[1], a.results[2]
	var wrong *match.PairResult
	switch {
	case c.config.Auditor.Differ(first, third) == "":
		wrong = second
	case c.config.Auditor.Differ(second, third) == "":
		wrong = first
	default:
		c.config.Log.Warn("three results of a pair differ: its players do not repeat their games", "run", r.Name, "pair", a.pair)
		return
	}
	name := wrong.Played.Worker
	w := c.worker(name, "")
	c.quarantine(ctx, w, name, fmt.Sprintf("audit of pair %d of %s: %s, and two others agree", a.pair, r.Name, where))
	c.keepOrWarn(ctx, name, w)
}

// agree counts an agreeing audit of a worker. After enough of them the worker is verified.
func (c *Coordinator) agree(ctx context.Context, name string) {
	w := c.worker(name, "")
	if w.Agreed++; w.Agreed >= c.config.Auditor.Verified() && w.Trust == trust.Untrusted {
		w.Trust = trust.Verified
		c.keepOrWarn(ctx, name, w)
	}
}
