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
	Plan    Plan
	Engines []Engine // in the order of the report's players
	Starts  []Start  // oldest first
}

// Start is one start of the run, and what had changed since the one before.
type Start struct {
	At         time.Time
	Changes    []string // a line each
	Retargeted bool     // the number of pairs is among them
}

// Retargeted is how often a run's target was changed.
func (a About) Retargeted() int {
	n := 0
	for _, s := range a.Starts {
		if s.Retargeted {
			n++
		}
	}
	return n
}

// Plan is what the page tells of the plan; the field names are those of
// match.Plan.Canonical.
type Plan struct {
	Design   string `json:"design"`
	Swap     bool   `json:"swap"`
	Seed     uint64 `json:"seed"`
	Ponder   string `json:"ponder"`
	Slowed   string `json:"slowed"`
	Openings struct {
		Count  int    `json:"count"`
		SHA256 string `json:"sha256"`
	} `json:"openings"`
	Clocks map[string]string `json:"clocks"`
}

// Engine is one player as the plan has it.
type Engine struct {
	Name, Identity, Limits string
	Options                []match.Option
	Profile, Restart       string
	Files                  []match.FileHash
}
