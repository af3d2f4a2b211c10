package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gogi/match"
	"gogi/match/trust"
)

// ruleResiduals is the rule by which a farm quarantines workers by itself. It is written
// into a test's record before its first pair is granted; a test without it accuses nobody.
const ruleResiduals = "residuals"

// saysRule is the line of a test's log that tells of it.
const saysRule = "a worker whose results are not those of the others (e-values, at most 1% false accusations among all workers) is quarantined; its results stay. Speed alone quarantines no worker"

// leastAccusers is how many workers must have been compared, where more and less than usual
// are alike.
const leastAccusers = 3

// newLine begins to compare a run's workers: with all but those in quarantine.
func (c *Coordinator) newLine() *trust.Line {
	l := &trust.Line{Without: map[string]bool{}}
	for name, w := range c.workers {
		l.Without[name] = w.Quarantine != ""
	}
	return l
}

// compares reports whether a run's workers are compared: of a tune no two pairs are alike.
func (r *run) compares() bool { return r.Rule == ruleResiduals && r.plan.Tune == "" && !r.selfplays() }

// putRows puts a stored pair into the run's line.
func (r *run) putRows(rows []match.Row) error {
	if !r.compares() || len(rows) == 0 {
		return nil
	}
	p := trust.OfRows(rows)
	p.Worker = cmp.Or(p.Worker, nobody)
	players := r.plan.Players
	_, err := r.line.Put(rows[0].Pair, p, len(players) > 1 && rows[0].PairA == players[0].Name && rows[0].PairB == players[1].Name)
	return err
}

// nobody stands for who is no worker, where residuals need a name.
const nobody = "\x00"

// suspect compares a pair that was stored just now with the others of its run, and looks
// at everybody's evidence when there is more of it. mu is held.
func (c *Coordinator) suspect(ctx context.Context, now time.Time, r *run, p *match.PairResult) {
	if !r.compares() || r.line == nil {
		return
	}
	pair := trust.OfResult(r.plan, p)
	pair.Worker = cmp.Or(pair.Worker, nobody)
	closed, err := r.line.Put(p.Pair.ID, pair, p.Pair.Players == [2]int{0, 1})
	if err != nil {
		c.config.Log.Warn("a pair cannot be compared with others", "run", r.Name, "err", err)
	}
	if closed {
		c.look(ctx, now, r)
		c.lookAtMachines(ctx)
	}
}

// cells are everybody's evidence in all tests, less what was forgiven. A worker without
// any counts as one of so many.
func (c *Coordinator) cells() (cells []trust.Cell) {
	known := map[string]bool{}
	add := func(r *run, name string, logE float64) {
		w := c.workers[name]
		if w == nil {
			return // of a key that only brought pairs
		}
		known[name] = true
		cells = append(cells, trust.Cell{Worker: name, Owner: w.Owner, Test: r.digest, LogE: logE - w.Forgiven[r.digest]})
	}
	for _, r := range c.inOrder() {
		if r.line == nil {
			for name, logE := range r.Evidence {
				add(r, name, logE)
			}
			continue
		}
		for _, e := range r.line.Evidence() {
			add(r, e.Worker, e.LogE)
		}
	}
	for name, w := range c.workers {
		if !known[name] {
			cells = append(cells, trust.Cell{Worker: name, Owner: w.Owner})
		}
	}
	return cells
}

// look quarantines whoever the evidence of all tests accuses most, by the rule that these
// tests began with.
func (c *Coordinator) look(ctx context.Context, now time.Time, r *run) {
	accused := slices.DeleteFunc(trust.Attribute(c.cells(), trust.Alpha), func(a trust.Attribution) bool {
		return a.Cause == trust.Nobody || c.workers[a.Worker].Quarantine != ""
	})
	if len(accused) == 0 {
		return
	}
	worst := slices.MaxFunc(accused, func(a, b trust.Attribution) int { return cmp.Compare(a.LogE, b.LogE) })
	of := c.runs[worst.Test]
	if of == nil || of.line == nil {
		of = r
	}
	what := evidenceOf(of, worst.Worker)
	what.LogE = worst.LogE
	advice := trust.Advise(trust.Record{Worker: worst.Worker, Evidence: &what})
	switch {
	case worst.Cause == trust.Patch:
		c.tellOnce(ctx, now, of, string(trust.Patch), "workers of several owners differ in this test: it plays unalike on unlike machines, and nobody is quarantined for that")
	case what.Kind.TwoSided() && of.line.Compared() < leastAccusers:
		c.tellOnce(ctx, now, of, worst.Worker, fmt.Sprintf("%s: %s; of so few workers nobody can say which is wrong", worst.Worker, advice.Why))
	default:
		w := c.workers[worst.Worker]
		c.quarantine(ctx, w, worst.Worker, fmt.Sprintf("in %s, %s", of.Name, advice.Why))
		c.config.Log.Warn("a worker is quarantined", "worker", worst.Worker, "why", w.Quarantine)
		c.keepOrTell(ctx, worst.Worker, w)
		c.sayDrain(worst.Worker, w)
		c.tellOnce(ctx, now, of, worst.Worker, fmt.Sprintf("%s is quarantined: %s", worst.Worker, advice.Why))
	}
}

// lookAtMachines puts workers on probation whose moves are slowed or whose speed ratio is not
// the others': all their pairs are audited from now on. Machines differ for honest reasons,
// so nothing else follows from that.
func (c *Coordinator) lookAtMachines(ctx context.Context) {
	sums, worst := map[string]trust.Evidence{}, map[string]float64{}
	for name := range c.workers {
		sums[name] = trust.Evidence{Worker: name}
	}
	for _, r := range c.inOrder() {
		if r.line == nil || r.line.Compared() < leastAccusers {
			continue
		}
		for _, e := range r.line.Evidence() {
			w := c.workers[e.Worker]
			if w == nil {
				continue
			}
			sum := sums[e.Worker]
			logE := e.Machine - w.ForgivenMachine[r.digest]
			if sum.Pairs == 0 || logE > worst[e.Worker] {
				worst[e.Worker], sum.MachineKind = logE, e.MachineKind
			}
			sum.Machine, sum.Pairs = sum.Machine+logE, sum.Pairs+e.Pairs
			sums[e.Worker] = sum
		}
	}
	for _, e := range trust.Unlike(slices.Collect(maps.Values(sums)), trust.Alpha) {
		w := c.workers[e.Worker]
		if w.Unlike != "" {
			continue
		}
		w.Unlike = e.Why()
		c.config.Log.Warn("a worker is on probation", "worker", e.Worker, "why", w.Unlike)
		c.keepOrTell(ctx, e.Worker, w)
	}
}

// evidenceOf is what a run's pairs say of a worker.
func evidenceOf(r *run, worker string) trust.Evidence {
	for _, e := range r.line.Evidence() {
		if e.Worker == worker {
			return e
		}
	}
	return trust.Evidence{Worker: worker}
}

// tellOnce adds a line to a test's log, if it has none about that, also of a process before.
func (c *Coordinator) tellOnce(ctx context.Context, now time.Time, r *run, about, what string) {
	if slices.Contains(r.Told, about) {
		return
	}
	r.Told = append(r.Told, about)
	r.note(now, "farm", what)
	if err := c.keep(ctx, r); err != nil {
		c.config.Log.Warn("a line of a test's log was not kept", "run", r.Name, "err", err)
	}
}

// compareAnew begins all comparisons again from what is stored.
func (c *Coordinator) compareAnew(ctx context.Context) {
	for _, r := range c.runs {
		if r.line == nil || r.store == nil {
			continue
		}
		r.line = c.newLine()
		if err := r.store.Rows(ctx, r.putRows); err != nil {
			c.config.Log.Warn("what is stored cannot be compared", "run", r.Name, "err", err)
		}
	}
}

// pardon ends a quarantine and a probation by residuals: what was evidence until now counts no more.
func (c *Coordinator) pardon(ctx context.Context, name string, w *worker) {
	w.Quarantine, w.Unlike, w.Refused = "", "", 0
	c.compareAnew(ctx)
	w.Forgiven, w.ForgivenMachine = map[string]float64{}, map[string]float64{}
	for _, r := range c.runs {
		logE := r.Evidence[name]
		if r.line != nil {
			e := evidenceOf(r, name)
			logE = e.LogE
			w.ForgivenMachine[r.digest] = e.Machine
		}
		if logE != 0 {
			w.Forgiven[r.digest] = logE
		}
	}
}

// evidence is what remains of a run's comparisons when it has ended.
func (r *run) evidence() map[string]float64 {
	if r.line == nil {
		return r.Evidence
	}
	out := map[string]float64{}
	for _, e := range r.line.Evidence() {
		out[e.Worker] = e.LogE
	}
	return out
}

// log10E is the evidence against each worker in all tests together.
func (c *Coordinator) log10E() map[string]float64 {
	sums := map[string]float64{}
	for _, cell := range c.cells() {
		sums[cell.Worker] += cell.LogE / math.Ln10
	}
	return sums
}
