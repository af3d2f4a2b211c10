package report

import (
	"time"

	"gogi/match"
	"gogi/results"
)

// About holds the facts of a run beyond its games. All forms of a report print from it the plan and how the
// run was played.
type About struct {
	*results.RunInfo                      // its engines have their limits with the clocks of the plan
	Plan             *match.CanonicalPlan // the parsed RunInfo.Plan
}

// Start is one start of the run, with the changes since the previous start.
type Start struct {
	At      time.Time
	Changes []match.Difference
	Late    bool // a pair was stored before it
}
