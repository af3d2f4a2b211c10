package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"

	"gogi/match"
)

// Design is the parameters of the blocks.
type Design = match.Selfplay

// MaxGames is the largest number of games in a block.
const MaxGames = match.MaxLegs

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
