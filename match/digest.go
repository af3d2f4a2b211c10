package match

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns the SHA-256 of the plan's canonical text (see Canonical) in hexadecimal. If two plans have the
// same digest, their pairs with the same ID are the same pair.
func (p *Plan) Digest() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}
