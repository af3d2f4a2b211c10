package coordinator

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/match"
	"gogi/match/trust"
)

// ruleResiduals is the rule that a worker is quarantined if its results differ too much from those of the others,
// see trust.Residuals. The coordinator stores this name in a test's record before the first grant. The results of a
// test without this rule accuse no worker.
const ruleResiduals = "residuals"

// ruleText is the text about the rule in a test's log.
const ruleText = "a worker whose results differ from the others (e-values, at most 1% false accusations among all workers) is quarantined; its results stay. Speed alone quarantines no worker"

// leastAccusers is the smallest number of compared workers with which gogi accuses one of them because of a
// two-sided quantity: one of which a large and a small value are both suspect. With two workers it is unknown which
// one is wrong.
const leastAccusers = 3

// newLine returns an empty comparison of a run's workers. The comparison leaves out workers that are in quarantine.
func (c *Coordinator) newLine() *trust.Line {
	l := &trust.Line{Without: map[string]bool{}}
	for name, w := range c.roster.Workers {
		l.Without[name] = w.Quarantine != ""
	}
	return l
}

// compares reports whether gogi compares the workers of a run by their results. In a tune it does not, because the
// pairs have different parameters. It does not in self-play either.
func (r *run) compares() bool { return r.Rule == ruleResiduals && r.plan.Tune == "" && !r.selfplays() }

// putRows adds the data of a stored pair to the comparison of the run's workers.
func (r *run) putRows(rows []match.Row) error {
	if !r.compares() || len(rows) == 0 {
		return nil
	}
	p := trust.OfRows(rows)
	p.Worker = cmp.Or(p.Worker, noWorker)
	players := r.plan.Players
	_, err := r.line.Put(rows[0].Pair, p, len(players) > 1 && rows[0].PairA == players[0].Name && rows[0].PairB == players[1].Name)
	return err
}

// noWorker is the name under which pairs without a worker are compared.
const noWorker = "\x00"

// compare adds a stored pair to the comparison of the run's workers. If the evidence has changed, compare examines the
// evidence about all workers. The caller holds mu.
func (c *Coordinator) compare(ctx context.Context, now time.Time, r *run, p *match.PairResult) {
	if !r.compares() || r.line == nil {
		return
	}
	pair := trust.OfResult(r.plan, p)
	pair.Worker = cmp.Or(pair.Worker, noWorker)
	closed, err := r.line.Put(p.Pair.ID, pair, p.Pair.Players == [2]int{0, 1})
	entries.Warn(c.config.Log, err, "a pair cannot be compared with others", "run", r.Name)
	if closed {
		c.lookAtResults(ctx, now, r)
		c.lookAtMachines(ctx)
	}
}

// cells returns the evidence (log e-value) against each worker in each test, without the evidence that a pardon
// cancelled. A worker without evidence also has one cell, because the threshold depends on the number of workers.
func (c *Coordinator) cells() (cells []trust.Cell) {
	known := map[string]bool{}
	add := func(r *run, name string, logE float64) {
		w := c.roster.Workers[name]
		if w == nil {
			return // the key only pushed pairs
		}
		known[name] = true
		cells = append(cells, trust.Cell{Worker: name, Owner: w.Owner, Test: r.digest, LogE: logE - w.Forgiven[r.digest]})
	}
	for _, r := range c.inOrder() {
		for name, logE := range r.evidence() {
			add(r, name, logE)
		}
	}
	for name, w := range c.roster.Workers {
		if !known[name] {
			cells = append(cells, trust.Cell{Worker: name, Owner: w.Owner})
		}
	}
	return cells
}

// lookAtResults quarantines the worker with the strongest evidence in all tests, if that evidence is strong
// enough for an accusation.
func (c *Coordinator) lookAtResults(ctx context.Context, now time.Time, r *run) {
	accused := slices.DeleteFunc(trust.Attribute(c.cells(), trust.Alpha), func(a trust.Attribution) bool {
		return a.Cause == trust.Nobody || c.roster.Workers[a.Worker].Quarantine != ""
	})
	if len(accused) == 0 {
		return
	}
	worst := slices.MaxFunc(accused, func(a, b trust.Attribution) int { return cmp.Compare(a.LogE, b.LogE) })
	of := c.runs[worst.Test]
	e := trust.Evidence{Worker: worst.Worker, LogE: worst.LogE}
	why := fmt.Sprintf("its results differ from the others: e = 10^%.1f over all tests", worst.LogE/math.Ln10)
	if of != nil {
		why = "in " + of.Name + ", " + why // the test with the strongest evidence, which may have ended long ago
	}
	if of != nil && of.line != nil {
		e = evidenceOf(of, worst.Worker)
		e.LogE = worst.LogE
		why = "in " + of.Name + ", " + e.Why()
	} else {
		of = r
	}
	switch {
	case worst.Cause == trust.Patch:
		c.logOnce(ctx, now, of, string(trust.Patch), "workers of several owners differ in this test: it plays differently on different machines, and quarantines no worker")
	case e.Kind.TwoSided() && of.line.Compared() < leastAccusers:
		c.logOnce(ctx, now, of, worst.Worker, fmt.Sprintf("%s: %s; with so few workers it is unknown which is wrong", worst.Worker, why))
	default:
		w := c.roster.Workers[worst.Worker]
		c.quarantine(ctx, w, worst.Worker, why, "farm")
		c.config.Log.Warn("a worker is quarantined", "worker", worst.Worker, "why", w.Quarantine)
		c.roster.KeepOrWarn(ctx, worst.Worker, w)
		c.hintDrain(worst.Worker, w)
		c.logOnce(ctx, now, of, worst.Worker, fmt.Sprintf("%s is quarantined: %s", worst.Worker, why))
	}
}

// lookAtMachines puts a worker on probation if its machine delays moves, or if its speed ratio differs from the ratio
// of other workers. All later pairs of this worker are audited. This is the only consequence, because honest machines
// differ too.
func (c *Coordinator) lookAtMachines(ctx context.Context) {
	sums, worst := map[string]trust.Evidence{}, map[string]float64{}
	for name := range c.roster.Workers {
		sums[name] = trust.Evidence{Worker: name}
	}
	for _, r := range c.inOrder() {
		if r.line == nil || r.line.Compared() < leastAccusers {
			continue
		}
		for _, e := range r.line.Evidence() {
			w := c.roster.Workers[e.Worker]
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
		w := c.roster.Workers[e.Worker]
		if w.Unlike != "" {
			continue
		}
		w.Unlike = e.Why()
		c.config.Log.Warn("a worker is on probation", "worker", e.Worker, "why", w.Unlike)
		c.roster.KeepOrWarn(ctx, e.Worker, w)
	}
}

func evidenceOf(r *run, worker string) trust.Evidence {
	for _, e := range r.line.Evidence() {
		if e.Worker == worker {
			return e
		}
	}
	return trust.Evidence{Worker: worker}
}

// logOnce adds the line what to a test's log, unless it has added a line with the same subject before. subject is a
// key and not a part of the line.
func (c *Coordinator) logOnce(ctx context.Context, now time.Time, r *run, subject, what string) {
	if slices.Contains(r.Logged, subject) {
		return
	}
	r.Logged = append(r.Logged, subject)
	r.note(now, "farm", what)
	entries.Warn(c.config.Log, c.keep(ctx, r), "a line of a test's log was not stored", "run", r.Name)
}

// compareAgain starts all comparisons again from the stored pairs.
func (c *Coordinator) compareAgain(ctx context.Context) {
	for _, r := range c.runs {
		if r.line == nil || r.store == nil {
			continue
		}
		r.line = c.newLine()
		entries.Warn(c.config.Log, r.store.Rows(ctx, r.putRows), "the stored pairs cannot be compared", "run", r.Name)
	}
}

// pardon ends a worker's quarantine and the audits of all its pairs. The evidence collected so far does not
// count any more.
func (c *Coordinator) pardon(ctx context.Context, name string, w *roster.Worker) {
	c.roster.Pardon(w, name)
	c.proveAgain()
	c.compareAgain(ctx)
	w.Forgiven, w.ForgivenMachine = map[string]float64{}, map[string]float64{}
	for _, r := range c.runs {
		if i := slices.Index(r.Logged, name); i >= 0 {
			r.Logged = slices.Delete(slices.Clone(r.Logged), i, i+1)
			entries.Warn(c.config.Log, c.keep(ctx, r), "a pardon was not stored in a test", "run", r.Name)
		}
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

// evidence returns the evidence about a run's workers, as logarithms of e-values. If the run is not open, it
// returns the stored evidence.
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

// log10E returns the evidence against each worker from all tests together, as the decimal logarithm of an
// e-value.
func (c *Coordinator) log10E() map[string]float64 {
	sums := map[string]float64{}
	for _, cell := range c.cells() {
		sums[cell.Worker] += cell.LogE / math.Ln10
	}
	return sums
}
