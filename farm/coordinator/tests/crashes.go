package tests

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/ledger"
	"gogi/internal/lists"
)

// Standing returns how much the reports of a worker count that a pair of a test crashes its players. A worker decides
// if the farm trusts it, or if it belongs to the owner of the test.
func (s *Tests) Standing(r *Test, worker string) ledger.Standing {
	owner, w := s.config.Roster.OwnerOf(worker), s.config.Roster.Workers[worker]
	return ledger.Standing{Owner: owner, Decides: owner == r.Owner || w != nil && !s.config.Roster.Untrusted(w)}
}

// LogCrash adds a line to a test's log for the first pair that a worker reported as crashing. The line has no text of
// the worker, because everybody may read the log.
func (s *Tests) LogCrash(ctx context.Context, now time.Time, r *Test, worker string, pair int) {
	what := fmt.Sprintf("%s reported that %s %d crashes its players", called(s, worker), r.Word(), pair)
	if !s.Standing(r, worker).Decides {
		what += fmt.Sprintf("; a machine of %s, or a verified worker, decides whether it is given up", r.Owner)
	}
	s.LogOnce(ctx, now, r, "crash "+worker, what)
}

// called returns the name of a worker with its owner.
func called(s *Tests, worker string) string {
	return fmt.Sprintf("%s (%s)", worker, s.config.Roster.OwnerOf(worker))
}

// examineCrashes acts on the reports that pairs of a run crash their players. It pauses a run with too many pairs that
// were given up, and logs whose reports were false.
func examineCrashes(ctx context.Context, s *Tests, now time.Time, r *Test) {
	owners, refuted := r.Ledger.Distrusted()
	for _, owner := range owners {
		s.LogOnce(ctx, now, r, "false crashes "+owner,
			fmt.Sprintf("the workers of %s get no more %ss of this test: they reported that the %ss %v crash their players, and others played these without trouble",
				owner, r.Word(), r.Word(), refuted[owner]))
	}

	given := r.Ledger.Condemned()
	if len(given) <= len(r.Condemned) {
		return
	}
	before, last := r.Condemned, given[len(given)-1]
	r.Condemned = given
	by := strings.Join(lists.Map(r.Ledger.Reporters(last), func(name string) string { return called(s, name) }), ", ")
	state, why := farm.Running, fmt.Sprintf("%s %d was given up: it crashed on %s", r.Word(), last, by)
	if len(given) >= mayCondemn || r.Gate != nil || r.Tune != nil {
		state, why = farm.Paused, fmt.Sprintf("%ss %v crash their players; %d on %s", r.Word(), given, last, by)
	}
	if err := s.Turn(ctx, r, state, "farm", why); err != nil {
		r.Condemned = before // the next tick tries again
		s.config.Log.Error("a test was not paused", "run", r.Name, "err", err)
	}
}

// Suspicions describes the pairs that only a worker that decides can give up, or returns "" if there are none.
func (s *Tests) Suspicions(r *Test) string {
	if r.Ledger == nil || r.State != farm.Running {
		return ""
	}
	list := r.Ledger.Suspicions()
	if len(list) == 0 {
		return ""
	}
	var by []string
	for _, one := range list {
		for _, worker := range one.Workers {
			by = append(by, called(s, worker))
		}
	}
	slices.Sort(by)
	pairs := lists.Map(list, func(one ledger.Suspicion) int { return one.Pair })
	return fmt.Sprintf("%ss %v wait to be played alone: %s reported that they crash their players. A machine of %s, or a verified worker, decides",
		r.Word(), pairs, strings.Join(slices.Compact(by), ", "), r.Owner)
}
