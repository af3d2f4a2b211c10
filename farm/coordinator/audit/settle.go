package audit

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gogi/farm/coordinator/tests"
	"gogi/internal/lists"
)

// A Settled has the disputes about one worker's pairs of a test that no third worker decides. The pairs become void,
// other workers play them again, and no worker is accused.
type Settled struct {
	Worker string
	Pairs  []int  // in ascending order; none if they have become void before
	Why    string // whose results differ from those of the worker, and why no worker has decided
	of     []*audit
}

// undecided reports whether the farm stops waiting for the decision of a dispute, so that its pair can become void. The
// farm must trust the second worker: otherwise a test's owner could remove the pairs of others that it does not like.
// Also, the dispute is old, or the second worker has proved its result and no other trusted worker is connected.
func (s *Audits) undecided(now time.Time, r *tests.Test, a *audit) bool {
	return a.Second != nil && s.config.Roster.Trusted(a.Second.Worker) &&
		(now.Sub(a.disputedAt()) >= disputeAge || a.Second.Repeated && !s.another(now, r, a))
}

// settle settles the disputes about a worker's pairs if the provisional verdict needs nothing else of the worker. open
// has the audits of all pairs that no trusted worker has confirmed, nil for those without an audit.
func (l *list) settle(worker string, open []*audit, undecided func(*audit) bool) {
	if len(open) == 0 || slices.ContainsFunc(open, func(a *audit) bool { return a == nil || !undecided(a) }) {
		return
	}

	second := lists.Map(open, func(a *audit) string { return a.Second.Worker })
	slices.Sort(second)
	by, where := someOf(slices.Compact(second)), open[0].Second.Where
	why := fmt.Sprintf("%s got another result (%s), and no trusted worker of another owner decided in %s", by, where,
		hours(disputeAge))
	if !slices.ContainsFunc(open, func(a *audit) bool { return !a.Second.Repeated }) {
		why = fmt.Sprintf("%s twice got another result (%s), and no other trusted worker can decide", by, where)
	}
	l.settled = append(l.settled, Settled{worker, lists.Map(open, func(a *audit) int { return a.Pair }),
		why + "; no worker is accused", open})
}

// resettle settles disputes again whose pairs are void already.
func (l *list) resettle(r *tests.Test) {
	void := lists.Filter(r.Disputes, func(d tests.Dispute) bool { return !r.Ledger.IsStored(d.Pair) })
	pairs := map[string][]int{}
	for _, d := range void {
		pairs[d.Worker] = append(pairs[d.Worker], d.Pair)
	}
	for _, d := range void {
		if list := pairs[d.Worker]; list != nil {
			l.settled = append(l.settled, Settled{Worker: d.Worker, Why: fmt.Sprintf("%s got other results for %v", d.By, list)})
			delete(pairs, d.Worker)
		}
	}
}

// Settled returns the disputes of a test whose pairs must become void now, and stores them in the record of the test.
// Then a crash loses none of them. Settled returns none if Prove has to examine the verdict again.
func (s *Audits) Settled(ctx context.Context, now time.Time, r *tests.Test) ([]Settled, error) {
	l := s.of(r)
	// another result has come since, or the test runs again
	if l.unproved || r.Provisional == nil || l.verdict != r.Provisional {
		return nil, nil
	}
	var disputes []tests.Dispute
	for _, x := range l.settled {
		for _, a := range x.of {
			disputes = append(disputes, tests.Dispute{
				Pair: a.Pair, Worker: a.Worker, Owner: a.Owner, By: a.Second.Worker, ByOwner: a.Second.Owner,
				Proved: a.Second.Repeated, At: now.Round(0),
			})
		}
	}
	if err := tests.AddDisputes(ctx, s.config.Tests, r, disputes); err != nil {
		return nil, err
	}
	return l.settled, nil
}

// textOf describes pairs that become void because of disputes.
func textOf(settled []Settled, word string) string {
	return strings.Join(lists.Map(settled, func(x Settled) string {
		if len(x.Pairs) == 0 {
			return fmt.Sprintf("%ss of %s are void and are played again: %s", word, x.Worker, x.Why)
		}
		return fmt.Sprintf("%ss %v of %s will be void and played again: %s", word, x.Pairs, x.Worker, x.Why)
	}), "; ")
}

// hours returns a duration in hours.
func hours(d time.Duration) string { return fmt.Sprintf("%.0f h", d.Hours()) }
