package coordinator

import (
	"context"
	"fmt"
	"slices"
	"time"

	"gogi/farm"
	"gogi/match"
)

// Auditor says which pairs are played a second time by a worker of another owner, and
// whether two playings are the same. Package farm/trust has the rules. Its methods may be
// called by many goroutines.
type Auditor interface {
	// Exact reports whether the plan's players repeat their games move for move; only
	// such plans are audited.
	Exact(p *match.Plan) bool
	// Audits reports whether a pair is audited that a worker of this trust plays as its
	// n-th, from 0.
	Audits(run string, pair int, trust string, n int) bool
	// Differ says where two playings of a pair part, "" where they are the same.
	Differ(a, b *match.PairResult) string
	// Verified is how often a worker's audits must have agreed, for it to be trusted more.
	Verified() int
}

// audit is a pair that is played again, and not counted: once to compare, and once more
// by a third owner where the two differ.
type audit struct {
	pair     int
	playings []*match.PairResult // so far; by their Played
	owners   []string
	// Who has the lease of the next playing; "": it waits.
	worker, session string
	epoch           farm.Epoch
	deadline        time.Time
}

// maxAudits of a run wait or are played; beyond, no more are drawn.
const maxAudits = 256

// draw begins an audit of a pair that was stored, where one is due.
func (c *Coordinator) draw(r *run, worker string, p *match.PairResult) {
	w := c.workers[worker]
	if c.config.Auditor == nil || !r.exact || len(r.audits) >= maxAudits {
		return
	}
	if w.Probation+w.Unlike == "" && !c.config.Auditor.Audits(r.digest, p.Pair.ID, w.Trust, w.Played) {
		return
	}
	r.audits = append(r.audits, &audit{pair: p.Pair.ID, playings: []*match.PairResult{p}, owners: []string{w.Owner}})
}

// grantAudits gives a worker pairs to play again that others have played.
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
		g := farm.Grant{Run: r.digest, Pair: a.pair, Epoch: epoch, Audit: true}
		if r.tune != nil {
			r.tune.again(&g, &a.playings[0].Pair)
		}
		g.Token = c.config.Secret.Token(s.name, g.Held())
		grants = append(grants, g)
	}
	return grants
}

// auditOf is the audit that a worker holds under a lease, nil where it is none of its.
func (r *run) auditOf(worker string, h farm.Held) *audit {
	for _, a := range r.audits {
		if a.epoch == h.Epoch && a.pair == h.Pair && a.worker == worker {
			return a
		}
	}
	return nil
}

// hearAudits keeps the audits of a beat alive, and takes them out of its lists.
func (c *Coordinator) hearAudits(now time.Time, s *session, list []farm.Held, told *farm.BeatReply) (rest []farm.Held) {
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
			told.Drop = append(told.Drop, h) // what it has sent is forgotten by that, too
			continue
		}
		a.session, a.deadline = s.session, now.Add(c.config.Lease)
	}
	return rest
}

// expireAudits lets others play what was not heard of. An audit that ends with its run
// has said nothing.
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

// audited compares a second or third playing.
func (c *Coordinator) audited(ctx context.Context, r *run, m *message, it *item) {
	a := r.auditOf(m.worker, it.Lease)
	if a == nil {
		r.counts.stale++
		return
	}
	a.playings = append(a.playings, &it.pair)
	a.owners = append(a.owners, m.key.Owner)
	a.worker, a.epoch = "", 0
	first, second := a.playings[0], a.playings[1]
	differ := c.config.Auditor.Differ(first, second)
	switch {
	case len(a.playings) == 2 && differ != "":
		c.config.Log.Warn("an audit differs, a third decides", "run", r.Name, "pair", a.pair, "where", differ, "workers", workersOf(a.playings))
		return
	case len(a.playings) == 2:
		r.counts.agreed++
		c.agree(ctx, first.Played.Worker)
		c.agree(ctx, second.Played.Worker)
	default:
		r.counts.differed++
		c.third(ctx, r, a, differ)
	}
	r.audits = slices.DeleteFunc(r.audits, func(b *audit) bool { return a == b })
}

// third blames whoever of three is alone.
func (c *Coordinator) third(ctx context.Context, r *run, a *audit, where string) {
	first, second, third := a.playings[0], a.playings[1], a.playings[2]
	var liar *match.PairResult
	switch {
	case c.config.Auditor.Differ(first, third) == "":
		liar = second
	case c.config.Auditor.Differ(second, third) == "":
		liar = first
	default:
		c.config.Log.Warn("three playings of a pair differ: its players do not repeat their games", "run", r.Name, "pair", a.pair)
		return
	}
	name := liar.Played.Worker
	w := c.worker(name, "")
	c.quarantine(ctx, w, name, fmt.Sprintf("audit of pair %d of %s: %s, and two others agree", a.pair, r.Name, where))
	c.keepOrTell(ctx, name, w)
}

// agree counts for a worker; enough of it makes it trusted more.
func (c *Coordinator) agree(ctx context.Context, name string) {
	w := c.worker(name, "")
	if w.Agreed++; w.Agreed >= c.config.Auditor.Verified() && w.Trust == trustNone {
		w.Trust = trustSome
		c.keepOrTell(ctx, name, w)
	}
}

func workersOf(playings []*match.PairResult) (names []string) {
	for _, p := range playings {
		names = append(names, p.Played.Worker)
	}
	return names
}
