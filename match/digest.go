package match

import (
	"crypto/sha256"
	"encoding/hex"
)

// Digest returns the SHA-256 of Canonical in hexadecimal. Two pairs with the same digest and the same ID are
// the same pair.
func (p *Plan) Digest() string {
	sum := sha256.Sum256(p.Canonical())
	return hex.EncodeToString(sum[:])
}
