package keys

import (
	"crypto/ed25519"
	"fmt"
	"os"

	"github.com/nats-io/nkeys"
)

// NewSeed generates a key pair, and returns its secret part (the seed) and its public part (nkey).
func NewSeed() (seed, public string, err error) {
	pair, err := nkeys.CreateUser()
	if err != nil {
		return "", "", fmt.Errorf("keys: %w", err)
	}
	if public, err = pair.PublicKey(); err != nil {
		return "", "", fmt.Errorf("keys: %w", err)
	}
	secret, err := pair.Seed()
	if err != nil {
		return "", "", fmt.Errorf("keys: %w", err)
	}
	return string(secret), public, nil
}

// WriteSeed writes a seed to a new file that only its owner can read.
func WriteSeed(file, seed string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("keys: %s exists: overwriting it would destroy a key", file)
	}
	return writeFile(file, seed+"\n", 0o600)
}

// Public decodes a public key (nkey) into the form of package crypto/ed25519.
func Public(nkey string) (ed25519.PublicKey, error) {
	if key := publicBytes(nkey); key != nil {
		return key, nil
	}
	return nil, fmt.Errorf("keys: %.80q is not a public key: expected U and 55 more letters and digits", nkey)
}
