package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"gogi/match"
)

// Design says, beside a plan, what a block is.
type Design struct {
	Games int `json:"games"` // of a block

	// Each game begins with an opening of the plan, drawn at random, and a number of
	// plies from RandomMin to RandomMax, drawn anew for each game, that are drawn among
	// all legal moves. Where the player's first score is further than Window centipawns
	// from equal, the beginning is drawn again; 0: any will do.
	RandomMin int `json:"random_min"`
	RandomMax int `json:"random_max"`
	Window    int `json:"window"`

	// In the first TemperaturePlies plies of the player, a move is drawn among the Lines
	// best, each with a weight of exp(score/Temperature), in centipawns.
	TemperaturePlies int     `json:"temperature_plies"`
	Temperature      float64 `json:"temperature"`
	Lines            int     `json:"lines"`

	// In the first NoisePlies plies of the player, with the chance Noise, any legal move
	// is played in the place of the player's.
	NoisePlies int     `json:"noise_plies"`
	Noise      float64 `json:"noise"`

	NodeJitter float64 `json:"node_jitter"` // the nodes of each search vary evenly by up to this share
	Audit      float64 `json:"audit"`       // share of games that go on where scores would end them
}

// The limits of a design. A block is played again from its start where it was broken off,
// and is held in memory.
const (
	MaxGames       = 1 << 16
	maxPlies       = 1000
	maxLines       = 500
	maxWindow      = 1_000_000
	maxTemperature = 10_000
)

// Fault is what cannot be of a design.
type Fault struct {
	Key string // as a file has it
	Why string // what it is and what was expected
}

// Faults are what cannot be; none is a good design.
func (d *Design) Faults() []Fault {
	var faults []Fault
	within := func(key string, n, least, most int) {
		if n < least || n > most {
			faults = append(faults, Fault{key, fmt.Sprintf("%d is outside %d to %d", n, least, most)})
		}
	}
	share := func(key string, x, most float64) {
		if !(x >= 0 && x <= most) {
			faults = append(faults, Fault{key, fmt.Sprintf("%v is outside 0 to %v", x, most)})
		}
	}
	within("block", d.Games, 1, MaxGames)
	within("random_min", d.RandomMin, 0, maxPlies)
	within("random_max", d.RandomMax, max(0, d.RandomMin), maxPlies)
	within("window", d.Window, 0, maxWindow)
	within("temperature_plies", d.TemperaturePlies, 0, maxPlies)
	within("noise_plies", d.NoisePlies, 0, maxPlies)
	share("noise", d.Noise, 1)
	share("node_jitter", d.NodeJitter, 0.9)
	share("audit", d.Audit, 1)
	if d.TemperaturePlies > 0 {
		within("multipv", d.Lines, 2, maxLines)
		if !(d.Temperature > 0 && d.Temperature <= maxTemperature) {
			faults = append(faults, Fault{"temperature", fmt.Sprintf("%v is no number of centipawns above 0 and up to %d", d.Temperature, maxTemperature)})
		}
	}
	return faults
}

// settings are what decides the blocks, as a folder keeps it.
type settings struct {
	Version int             `json:"version"`
	Plan    json.RawMessage `json:"plan"` // canonical
	Design  Design          `json:"design"`
}

const settingsVersion = 1

// settingsText is what decides the blocks. The digest is over it.
func settingsText(plan *match.Plan, d Design) ([]byte, error) {
	return json.Marshal(settings{settingsVersion, plan.Canonical(), d})
}

// Digest is the identity of the blocks: equal for plans and designs that decide equal ones.
func Digest(plan *match.Plan, d Design) (string, error) {
	text, err := settingsText(plan, d)
	return sum(text), err
}

func sum(b []byte) string {
	s := sha256.Sum256(b)
	return hex.EncodeToString(s[:])
}
