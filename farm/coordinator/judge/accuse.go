package judge

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/entries"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/match"
	"gogi/match/trust"
)

// blame adds a number of results to the worker's count of rejected results. why is the reason. When the count
// reaches refusalsToQuarantine, the coordinator quarantines the worker.
func (s *Judge) blame(ctx context.Context, name, why string, results int) {
	w := s.config.Roster.Worker(name, "")
	w.Refused += results
	w.Failed(time.Now(), "farm", "a result was rejected: "+why)
	s.config.Log.Warn("a result was rejected", "worker", name, "why", why)
	if w.Refused >= refusalsToQuarantine && w.Quarantine == "" {
		s.Quarantine(ctx, w, name, fmt.Sprintf("%d results were refused, the latest: %s", w.Refused, why), "farm")
	}
	s.config.Roster.KeepOrWarn(ctx, name, w)
}

// Quarantine ends a worker's grants and leases. The worker's stored results stay. The coordinator compares
// the other workers again without this worker, because the errors of this worker would count as evidence
// against them. For the same reason the disputes end that results of the worker have caused. by is "farm" or the name
// of a key.
func (s *Judge) Quarantine(ctx context.Context, w *roster.Worker, name, why, by string) {
	s.config.Roster.Quarantine(w, name, why, by)
	s.config.Tests.VoidDue = true
	s.config.Audits.ProveAgain()
	now := time.Now()
	s.config.Audits.Bar(name)
	s.config.Tests.Leave(now, name)
	s.config.Tests.CompareAgain(ctx)
	for _, r := range s.config.Tests.All {
		if r.Retract(name) {
			entries.Warn(s.config.Log, s.config.Tests.Keep(ctx, r), "the end of disputes was not stored", "run", r.Name)
		}
	}
}

// leastAccusers is the smallest number of compared workers with which gogi accuses one of them because of a
// two-sided quantity: one of which a large and a small value are both suspect. With two workers it is unknown which
// one is wrong.
const leastAccusers = 3

// compare adds a stored pair to the comparison of the run's workers. If the evidence has changed, compare examines the
// evidence about all workers.
func (s *Judge) compare(ctx context.Context, now time.Time, r *tests.Test, p *match.PairResult) {
	if !r.Compares() || r.Line == nil {
		return
	}
	pair := trust.OfResult(r.Match, p)
	pair.Worker = cmp.Or(pair.Worker, tests.NoWorker)
	closed, err := r.Line.Put(p.Pair.ID, pair, p.Pair.Players == [2]int{0, 1})
	entries.Warn(s.config.Log, err, "a pair cannot be compared with others", "run", r.Name)
	if closed {
		s.lookAtResults(ctx, now, r)
		s.lookAtMachines(ctx)
	}
}

// cells returns the evidence (log e-value) against each worker in each test, without the evidence that a pardon
// cancelled. A worker without evidence also has one cell, because the threshold depends on the number of workers.
func (s *Judge) cells() (cells []trust.Cell) {
	known := map[string]bool{}
	add := func(r *tests.Test, name string, logE float64) {
		w := s.config.Roster.Workers[name]
		if w == nil {
			return // the key only pushed pairs
		}
		known[name] = true
		cells = append(cells, trust.Cell{Worker: name, Owner: w.Owner, Test: r.Digest, LogE: logE - w.Forgiven[r.Digest]})
	}
	for _, r := range s.config.Tests.InOrder() {
		for name, logE := range r.CurrentEvidence() {
			add(r, name, logE)
		}
	}
	for name, w := range s.config.Roster.Workers {
		if !known[name] {
			cells = append(cells, trust.Cell{Worker: name, Owner: w.Owner})
		}
	}
	return cells
}

// lookAtResults quarantines the worker with the strongest evidence in all tests, if that evidence is strong
// enough for an accusation.
func (s *Judge) lookAtResults(ctx context.Context, now time.Time, r *tests.Test) {
	accused := slices.DeleteFunc(trust.Attribute(s.cells(), trust.Alpha), func(a trust.Attribution) bool {
		return a.Cause == trust.Nobody || s.config.Roster.Workers[a.Worker].Quarantine != ""
	})
	if len(accused) == 0 {
		return
	}
	worst := slices.MaxFunc(accused, func(a, b trust.Attribution) int { return cmp.Compare(a.LogE, b.LogE) })
	of := s.config.Tests.All[worst.Test]
	e := trust.Evidence{Worker: worst.Worker, LogE: worst.LogE}
	why := fmt.Sprintf("its results differ from the others: e = 10^%.1f over all tests", worst.LogE/math.Ln10)
	if of != nil {
		why = "in " + of.Name + ", " + why // the test with the strongest evidence, which may have ended long ago
	}
	if of != nil && of.Line != nil {
		e = tests.EvidenceOf(of, worst.Worker)
		e.LogE = worst.LogE
		why = "in " + of.Name + ", " + e.Why()
	} else {
		of = r
	}
	switch {
	case worst.Cause == trust.Patch:
		s.config.Tests.LogOnce(ctx, now, of, string(trust.Patch),
			"workers of several owners differ in this test: it plays differently on different machines, and quarantines no worker")
	case e.Kind.TwoSided() && of.Line.Compared() < leastAccusers:
		s.config.Tests.LogOnce(ctx, now, of, worst.Worker,
			fmt.Sprintf("%s: %s; with so few workers it is unknown which is wrong", worst.Worker, why))
	default:
		w := s.config.Roster.Workers[worst.Worker]
		s.Quarantine(ctx, w, worst.Worker, why, "farm")
		s.config.Log.Warn("a worker is quarantined", "worker", worst.Worker, "why", w.Quarantine)
		s.config.Roster.KeepOrWarn(ctx, worst.Worker, w)
		s.config.Tests.Drain(worst.Worker, w)
		s.config.Tests.LogOnce(ctx, now, of, worst.Worker, fmt.Sprintf("%s is quarantined: %s", worst.Worker, why))
	}
}

// lookAtMachines puts a worker on probation if its machine delays moves, or if its speed ratio differs from the ratio
// of other workers. All later pairs of this worker are audited. This is the only consequence, because honest machines
// differ too.
func (s *Judge) lookAtMachines(ctx context.Context) {
	sums, worst := map[string]trust.Evidence{}, map[string]float64{}
	for name := range s.config.Roster.Workers {
		sums[name] = trust.Evidence{Worker: name}
	}
	for _, r := range s.config.Tests.InOrder() {
		if r.Line == nil || r.Line.Compared() < leastAccusers {
			continue
		}
		for _, e := range r.Line.Evidence() {
			w := s.config.Roster.Workers[e.Worker]
			if w == nil {
				continue
			}
			sum := sums[e.Worker]
			logE := e.Machine - w.ForgivenMachine[r.Digest]
			if sum.Pairs == 0 || logE > worst[e.Worker] {
				worst[e.Worker], sum.MachineKind = logE, e.MachineKind
			}
			sum.Machine, sum.Pairs = sum.Machine+logE, sum.Pairs+e.Pairs
			sums[e.Worker] = sum
		}
	}
	for _, e := range trust.Unlike(slices.Collect(maps.Values(sums)), trust.Alpha) {
		w := s.config.Roster.Workers[e.Worker]
		if w.Unlike != "" {
			continue
		}
		w.Unlike = e.Why()
		s.config.Log.Warn("a worker is on probation", "worker", e.Worker, "why", w.Unlike)
		s.config.Roster.KeepOrWarn(ctx, e.Worker, w)
	}
}

// Pardon ends a worker's quarantine and the audits of all its pairs. The evidence collected so far does not
// count any more.
func (s *Judge) Pardon(ctx context.Context, name string, w *roster.Worker) {
	s.config.Roster.Pardon(w, name)
	s.config.Audits.ProveAgain()
	s.config.Tests.CompareAgain(ctx)
	w.Forgiven, w.ForgivenMachine = map[string]float64{}, map[string]float64{}
	for _, r := range s.config.Tests.All {
		changed := r.Absolve(name)
		if i := slices.Index(r.Logged, name); i >= 0 {
			r.Logged, changed = slices.Delete(slices.Clone(r.Logged), i, i+1), true
		}
		if changed {
			entries.Warn(s.config.Log, s.config.Tests.Keep(ctx, r), "a pardon was not stored in a test", "run", r.Name)
		}
		logE := r.Evidence[name]
		if r.Line != nil {
			e := tests.EvidenceOf(r, name)
			logE = e.LogE
			w.ForgivenMachine[r.Digest] = e.Machine
		}
		if logE != 0 {
			w.Forgiven[r.Digest] = logE
		}
	}
}

// Log10E returns the evidence against each worker from all tests together, as the decimal logarithm of an
// e-value.
func (s *Judge) Log10E() map[string]float64 {
	sums := map[string]float64{}
	for _, cell := range s.cells() {
		sums[cell.Worker] += cell.LogE / math.Ln10
	}
	return sums
}

// SetClaim records nps, the speed that a worker claims for its machine. A changed claim comes from a new
// measurement, so setClaim deletes the evidence against the old claim.
func (s *Judge) SetClaim(ctx context.Context, name string, nps float64) {
	w := s.config.Roster.Worker(name, "")
	if nps == 0 || nps == w.Claim {
		return
	}
	w.Claim, w.Probation, w.Rebench = nps, "", ""
	for _, r := range s.config.Tests.All {
		if r.Claims != nil {
			r.Claims.Forget(name)
		}
	}
	s.config.Roster.KeepOrWarn(ctx, name, w)
}

// checkClaim compares the speed of the base engine in a worker's pair with the claimed speed, by which the worker
// scaled the clocks. If they differ too often, the worker is measured again or put on probation.
func (s *Judge) checkClaim(ctx context.Context, r *tests.Test, name string, p *match.PairResult) {
	if r.Claims == nil || !r.Claims.Add(name, trust.BaseSpeed(p), p.Played.Scale) {
		return
	}
	w := s.config.Roster.Worker(name, "")
	switch act, why := r.Claims.Action(name); {
	case act == trust.Probation && w.Probation == "":
		w.Probation = fmt.Sprintf("in %s, %s", r.Name, why)
		s.config.Log.Warn("a worker is on probation", "worker", name, "why", w.Probation)
		s.config.Roster.KeepOrWarn(ctx, name, w)
	case act == trust.Rebench && w.Rebench == "":
		w.Rebench = fmt.Sprintf("in %s, %s", r.Name, why)
		s.config.Log.Warn("a worker must be measured again", "worker", name, "why", w.Rebench)
	}
}

// accuse quarantines a worker whose result an audit has disproved. The first reason for a quarantine stays. If the
// engines may have kept data of earlier pairs, only the worker's pairs in the test become void.
func (s *Judge) accuse(ctx context.Context, a audit.Accusation) {
	if a.Kept != nil { // also if the worker is in quarantine, because the quarantine can end
		tests.Doubt(ctx, s.config.Tests, a.Kept, a.Worker, a.Why)
		return
	}
	if s.config.Roster.Barred(a.Worker) {
		return
	}
	w := s.config.Roster.Worker(a.Worker, s.config.Roster.OwnerOf(a.Worker))
	s.Quarantine(ctx, w, a.Worker, a.Why, "farm")
	s.config.Roster.KeepOrWarn(ctx, a.Worker, w)
}

// SetQuarantine begins or ends a quarantine as an admin requests. The caller stores the worker.
func (s *Judge) SetQuarantine(ctx context.Context, who roster.Key, name string, w *roster.Worker, o *farm.Order) error {
	switch {
	case o.Off:
		s.Pardon(ctx, name, w)
		w.Act(who.Name, name, "the quarantine ended")
	case o.Why == "":
		return farm.Refusef("a quarantine needs a reason")
	default:
		s.Quarantine(ctx, w, name, o.Why+" ("+who.Name+")", who.Name)
	}
	return nil
}
