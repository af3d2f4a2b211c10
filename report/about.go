package report

import (
	"slices"
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
	Starts  []Start  // oldest first
}

// Start is one start of the run, and what had changed since the one before.
type Start struct {
	At      time.Time
	Changes []match.Difference
}

// Retargeted is how often a run's target was changed.
func (a About) Retargeted() int {
	n := 0
	for _, s := range a.Starts {
		if slices.ContainsFunc(s.Changes, func(c match.Difference) bool { return slices.Equal(c.Path, []string{"pairs"}) }) {
			n++
		}
	}
	return n
}

// Engine is one player as the plan has it.
type Engine struct {
	Name, Identity, Limits string
	Options                []match.Option
	Profile, Restart       string
	Files                  []match.FileHash
}
