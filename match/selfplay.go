package match

import (
	"encoding/json"
	"fmt"
)

// Selfplay has the parameters of DesignSelfplay. A pair of this design is a block of games, which one process
// plays one after the other.
type Selfplay struct {
	Games int `json:"games"` // number of games in a pair

	// Each game begins with a random opening of the plan. Random legal moves follow; their number is random
	// for each game, from RandomMin to RandomMax plies. If the player's first score is more than Window
	// centipawns above or below 0, gogi selects a new beginning. With Window 0, gogi accepts every beginning.
	RandomMin int `json:"random_min"`
	RandomMax int `json:"random_max"`
	Window    int `json:"window"`

	// In the player's first TemperaturePlies plies, gogi plays a random move of the player's Lines best
	// moves. Each move has the weight exp(score/Temperature), with both in centipawns.
	TemperaturePlies int     `json:"temperature_plies"`
	Temperature      float64 `json:"temperature"`
	Lines            int     `json:"lines"`

	// In the player's first NoisePlies plies, gogi replaces the player's move by a random legal move with the
	// probability Noise.
	NoisePlies int     `json:"noise_plies"`
	Noise      float64 `json:"noise"`

	// the node limit of each search varies by up to this share, uniformly distributed
	NodeJitter float64 `json:"node_jitter"`
	Audit      float64 `json:"audit"` // share of games that continue although adjudication would end them
}

// The largest values of Selfplay. They limit the size of a pair, because gogi holds a pair in memory and
// plays an interrupted pair again from its start.
const (
	MaxLegs        = 1 << 16
	maxPlies       = 1000
	maxLines       = 500
	maxWindow      = 1_000_000
	maxTemperature = 10_000
)

// SelfplayFault is a parameter of Selfplay with an invalid value.
type SelfplayFault struct {
	Key string // the key in a settings file
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
			faults = append(faults, SelfplayFault{"temperature",
				fmt.Sprintf("%v is no number of centipawns above 0 and up to %d", d.Temperature, maxTemperature)})
		}
	}
	return faults
}

// canonical returns the JSON for the plan's canonical text. Its fields never change their names or places.
func (d *Selfplay) canonical() json.RawMessage {
	text, err := json.Marshal(d)
	if err != nil { // an invalid number, which Check rejects
		return json.RawMessage(`"` + err.Error() + `"`)
	}
	return text
}
