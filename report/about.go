package report

import (
	"time"

	"gogi/match"
)

// About holds the facts of a run beyond its games. All forms of a report print from it the plan and how
// the run was played.
type About struct {
	Digest  string
	Rules   string
	Created time.Time
	Plan    *match.CanonicalPlan
	Engines []Engine // in the order of the report's players
}

// Start is one start of the run, with the changes since the previous start.
type Start struct {
	At      time.Time
	Changes []match.Difference
	Late    bool // a pair was stored before it
}

// Engine is one player as the plan has it.
type Engine struct {
	Name, Identity, Limits string
	Options                []match.Option
	Profile, Restart       string
	Files                  []match.FileHash
}
