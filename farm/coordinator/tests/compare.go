package tests

import (
	"cmp"
	"context"
	"slices"
	"time"

	"gogi/farm/coordinator/entries"
	"gogi/match"
	"gogi/match/trust"
)

// RuleResiduals is the rule that a worker is quarantined if its results differ too much from those of the others,
// see trust.Residuals. The coordinator stores this name in a test's record before the first grant. The results of a
// test without this rule accuse no worker.
const RuleResiduals = "residuals"

// ruleText is the text about the rule in a test's log.
const ruleText = "rule: a worker whose results differ from the others (e-values, at most 1% false accusations among all workers) is quarantined; its results stay. Speed alone quarantines no worker"

// newLine returns an empty comparison of a run's workers. The comparison leaves out workers that are in quarantine.
func newLine(s *Tests) *trust.Line {
	l := &trust.Line{Without: map[string]bool{}}
	for name, w := range s.config.Roster.Workers {
		l.Without[name] = w.Quarantine != ""
	}
	return l
}

// Compares reports whether gogi compares the workers of a run by their results. In a tune it does not, because the
// pairs have different parameters. It does not in self-play either.
func (r *Test) Compares() bool {
	return r.Rule == RuleResiduals && r.Match.Tune == "" && !r.Selfplays()
}

// PutRows adds the data of a stored pair to the comparison of the run's workers.
func (r *Test) PutRows(rows []match.Row) error {
	if !r.Compares() || len(rows) == 0 {
		return nil
	}
	p := trust.OfRows(rows)
	p.Worker = cmp.Or(p.Worker, NoWorker)
	players := r.Match.Players
	_, err := r.Line.Put(rows[0].Pair, p, len(players) > 1 && rows[0].PairA == players[0].Name &&
		rows[0].PairB == players[1].Name)
	return err
}

// NoWorker is the name under which pairs without a worker are compared.
const NoWorker = "\x00"

// LogOnce adds the line what to a test's log, unless it has added a line with the same subject before. subject is a
// key and not a part of the line.
func (s *Tests) LogOnce(ctx context.Context, now time.Time, r *Test, subject, what string) {
	if slices.Contains(r.Logged, subject) {
		return
	}
	r.Logged = append(r.Logged, subject)
	r.AddLine(now, "farm", what)
	entries.Warn(s.config.Log, s.Keep(ctx, r), "a line of a test's log was not stored", "run", r.Name)
}

// CompareAgain starts all comparisons again from the stored pairs.
func (s *Tests) CompareAgain(ctx context.Context) {
	for _, r := range s.All {
		if r.Line == nil || r.Store == nil {
			continue
		}
		r.Line = newLine(s)
		entries.Warn(s.config.Log, r.Store.Rows(ctx, r.PutRows), "the stored pairs cannot be compared", "run", r.Name)
	}
}

// EvidenceOf returns what the comparison of a run's workers shows about one of them. Without pairs of it, the evidence
// is 0.
func EvidenceOf(r *Test, worker string) trust.Evidence {
	for _, e := range r.Line.Evidence() {
		if e.Worker == worker {
			return e
		}
	}
	return trust.Evidence{Worker: worker}
}

// CurrentEvidence returns the evidence about a run's workers, as logarithms of e-values. If the run is not open, it
// returns the stored evidence.
func (r *Test) CurrentEvidence() map[string]float64 {
	if r.Line == nil {
		return r.Evidence
	}
	out := map[string]float64{}
	for _, e := range r.Line.Evidence() {
		out[e.Worker] = e.LogE
	}
	return out
}
