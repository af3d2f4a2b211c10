package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/entries"
	"gogi/internal/lists"
)

// A provisional is the stored part of a verdict that is not final. The verdict uses pairs of workers that the farm
// does not trust, and audits have not yet confirmed a sample of these pairs.
type provisional struct {
	End  int      `cbor:"end"`  // the verdict uses the pairs below End
	By   []string `cbor:"by"`   // the workers and keys whose pairs these are
	Text string   `cbor:"text"` // why the verdict is not final, and what to do
}

// provisional decides whether the verdict of a run that ends now is final. It returns nil if it is final, and
// otherwise the reason to store. In a farm without audits every verdict is final.
func (c *Coordinator) provisional(r *run) *provisional {
	if r.gate == nil || c.config.Auditor == nil {
		return nil
	}
	p := &provisional{End: r.gate.State().Judgement.Units}
	seen := map[string]bool{"": true}
	prove := false
	for _, name := range r.by[:min(p.End, len(r.by))] {
		if !seen[name] {
			seen[name] = true
			p.By = append(p.By, name)
			prove = prove || c.roster.Barred(name) || c.mustProve(r, name)
			c.voidDue = c.voidDue || c.roster.Barred(name)
		}
	}
	if !prove {
		return nil
	}
	r.unproved = true
	return p
}

// text returns why the verdict is not final, or "" for nil.
func (p *provisional) text() string {
	if p == nil {
		return ""
	}
	return cmp.Or(p.Text, "the audits of its pairs are being chosen")
}

// mustProve reports whether audits must confirm a sample of a worker's pairs. This is so if the farm does not trust
// the worker, or if the test's log accuses it.
func (c *Coordinator) mustProve(r *run, name string) bool {
	return !c.roster.Trusted(name) || slices.Contains(r.Logged, name)
}

// proveAgain makes the next tick examine all provisional verdicts again. The coordinator calls it after a change of
// the trust in a worker.
func (c *Coordinator) proveAgain() {
	for _, r := range c.runs {
		r.unproved = true
	}
}

// prove examines the provisional verdict of a run. It starts the audits that the verdict still needs. If the
// verdict needs no more audits, prove makes it final. It does nothing if nothing has changed since the last call.
func (c *Coordinator) prove(ctx context.Context, now time.Time, r *run) {
	if r.Provisional == nil {
		return
	}
	var barred, open []string
	for _, name := range r.Provisional.By {
		if c.roster.Barred(name) {
			barred = append(barred, name)
		} else if c.config.Auditor != nil && c.mustProve(r, name) {
			open = append(open, name)
		}
	}
	before := r.unprovedWorkers
	r.unprovedWorkers = len(barred) + len(open)
	if !r.unproved && r.unprovedWorkers == before { // without a change of trust, only the rights of a key may have changed
		return
	}
	of, missing := 0, 0
	var err error
	if r.exact && len(open) > 0 {
		of, missing, err = c.sample(ctx, now, r, open)
	}
	r.unproved = err != nil
	switch {
	case err != nil:
		c.mark(ctx, now, r, "the test cannot be opened: "+err.Error())
	case len(barred) > 0:
		c.mark(ctx, now, r, "pairs of "+someOf(barred)+" will be void and played again, because of a quarantine")
	case len(open) > 0 && !r.exact:
		c.mark(ctx, now, r, fmt.Sprintf("audits cannot check the pairs of %s, because the engines do not repeat their games (a limit of nodes or depth and one thread do). "+
			"If you trust the workers: gogi farm worker trust WORKER verified (for a key that pushed pairs: give it the right run). "+
			"Else: gogi farm worker void WORKER --run %s --why TEXT", someOf(open), r.Name))
	case missing > 0:
		c.mark(ctx, now, r, fmt.Sprintf("%d of %d audits are missing. They need a machine of the test's owner, or a trusted worker of another owner: gogi farm worker trust WORKER verified", missing, of))
	default:
		c.mark(ctx, now, r, "")
	}
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

// sample starts an audit for each pair of the workers' samples that needs one and has none. of is the number of
// pairs in the samples. missing is the number of these pairs that no audit by a trusted worker has confirmed.
func (c *Coordinator) sample(ctx context.Context, now time.Time, r *run, workers []string) (of, missing int, err error) {
	if err := c.open(ctx, r, now); err != nil {
		return 0, 0, err
	}
	if slices.ContainsFunc(workers, func(name string) bool { return r.samples[name] == nil }) {
		pairs := map[string][]int{}
		for pair, name := range r.by[:min(r.Provisional.End, len(r.by))] {
			pairs[name] = append(pairs[name], pair)
		}
		r.samples = map[string][]int{}
		for _, name := range workers {
			r.samples[name] = c.config.Auditor.Sample(r.digest, pairs[name])
		}
	}
	waiting := lists.Set(r.audits, func(a *audit) int { return a.Pair })
	for _, name := range workers {
		for _, pair := range r.samples[name] {
			of++
			if by, ok := r.agreed[pair]; ok && c.confirms(r, by, name) {
				continue
			}
			missing++
			if !waiting[pair] {
				r.addAudit(now, pair, name, c.roster.OwnerOf(name))
			}
		}
	}
	return of, missing, nil
}

// confirms reports whether an agreeing audit still counts for a worker's pair. It does not if the auditor, the
// worker that played the pair again, has lost its trust or is in quarantine.
func (c *Coordinator) confirms(r *run, auditor, worker string) bool {
	w := c.roster.Workers[auditor]
	return w != nil && w.Quarantine == "" && (!c.roster.Untrusted(w) || w.Owner == r.Owner && !c.roster.Trusted(worker))
}

// mark stores text, the reason why a verdict is provisional, in the games' database and in the test's record. An
// empty text makes the verdict final. After an error the next tick tries again.
func (c *Coordinator) mark(ctx context.Context, now time.Time, r *run, text string) {
	if text != "" && text == r.Provisional.Text {
		return
	}
	err := c.open(ctx, r, now)
	if err == nil {
		err = r.store.SetProvisional(ctx, text)
	}
	before := r.record
	if text == "" {
		r.Provisional = nil
		r.note(now, "farm", "the verdict "+r.Verdict+" is final")
	} else {
		p := *r.Provisional
		p.Text = text
		r.Provisional = &p
	}
	if err == nil {
		err = c.keep(ctx, r)
	}
	if err != nil {
		r.record, r.unproved = before, true
		entries.Warn(c.config.Log, err, "the state of a provisional verdict was not stored", "run", r.Name)
	}
}

// voidBarred makes the pairs of workers in quarantine void in tests with an SPRT, unless the verdict is final.
func (c *Coordinator) voidBarred(ctx context.Context) {
	c.mu.Lock()
	due := c.voidDue && c.broken == nil
	c.mu.Unlock()
	if !due {
		return
	}
	c.judging.Lock()
	defer c.judging.Unlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.voidDue = false
	for _, r := range c.inOrder() {
		if r.plan.Gate.IsZero() || r.Provisional == nil && (r.ledger == nil || r.State.Final()) {
			continue
		}
		names := map[string]bool{}
		if r.Provisional != nil {
			for _, name := range r.Provisional.By {
				names[name] = true
			}
		}
		for _, name := range r.by {
			names[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(names)) {
			if !c.roster.Barred(name) || r.State == farm.Failed {
				continue
			}
			o := &farm.Order{Run: r.digest, Worker: name, Why: c.roster.Workers[name].Quarantine}
			_, err := c.void(ctx, "farm", r, o)
			c.voidDue = c.voidDue || err != nil
			entries.Warn(c.config.Log, err, "the pairs of a worker in quarantine were not made void", "run", r.Name, "worker", name)
		}
	}
}
