package match

import (
	"encoding/json"
	"fmt"
)

// Selfplay is the parameters of DesignSelfplay. A pair of that design is a block of games, which one
// process plays one after the other.
type Selfplay struct {
	Games int `json:"games"` // games of a pair

	// Each game begins with an opening of the plan, drawn at random. A number of plies from RandomMin to
	// RandomMax, drawn for each game, follow; they are drawn among all legal moves. If the player's first
	// score is more than Window centipawns from equal, the beginning is drawn again; 0: no bound.
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
	Audit      float64 `json:"audit"`       // share of games that continue when scores would end them
}

// The limits of Selfplay. A pair that was interrupted is played again from its start, and is held in
// memory.
const (
	MaxLegs        = 1 << 16
	maxPlies       = 1000
	maxLines       = 500
	maxWindow      = 1_000_000
	maxTemperature = 10_000
)

// SelfplayFault is a parameter of Selfplay that cannot be.
type SelfplayFault struct {
	Key string // as a file has it
	Why string // the error, with the expected value
}

// Faults returns the parameters that are out of range.
func (d *Selfplay) Faults() []SelfplayFault {
	var faults []SelfplayFault
	within := func(key string, n, least, most int) {
		if n < least || n > most {
			faults = append(faults, SelfplayFault{key, fmt.Sprintf("%d is outside %d to %d", n, least, most)})
		}
	}
	share := func(key string, x, most float64) {
		if !(x >= 0 && x <= most) {
			faults = append(faults, SelfplayFault{key, fmt.Sprintf("%v is outside 0 to %v", x, most)})
		}
	}
	within("block", d.Games, 1, MaxLegs)
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
			faults = append(faults, SelfplayFault{"temperature", fmt.Sprintf("%v is no number of centipawns above 0 and up to %d", d.Temperature, maxTemperature)})
		}
	}
	return faults
}

// canonical returns the JSON that a digest covers; the fields never change their names or places.
func (d *Selfplay) canonical() json.RawMessage {
	text, err := json.Marshal(d)
	if err != nil { // an invalid number, which Check rejects
		return json.RawMessage(`"` + err.Error() + `"`)
	}
	return text
}
