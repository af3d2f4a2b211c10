package report

import (
	"time"

	"gogi/match"
)

// About is what is known of a run beside its games: all that its forms tell of the
// plan and of how it was played.
type About struct {
	Digest  string
	Rules   string
	Created time.Time
	Plan    *match.CanonicalPlan
	Engines []Engine // in the order of the report's players
}

// Start is one start of the run, and what had changed since the one before.
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
