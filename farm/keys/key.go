// Package keys defines the permissions in a farm: the keys of workers and owners, their rights, the files
// that contain them, and the certificate of the coordinator. [NewAuthority] makes the certificate authority,
// and [New] a key. A [Ring] has all keys of a farm; [Open] reads them from a folder. [Creds] is the
// credentials file that a worker or an owner gets.
//
// A key is an ed25519 key pair in the notation of NATS (nkey). The coordinator has only the public half. The
// Creds file of the holder contains the secret half as a seed.
package keys

import (
	"crypto/ed25519"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nkeys"

	"gogi/farm"
)

// A Key is the public part of a worker's or an owner's key, with its rights.
type Key struct {
	Name    string    `toml:"name"`   // see CheckName; unique, also among revoked keys
	Public  string    `toml:"public"` // nkey, U…
	Owner   string    `toml:"owner"`  // the person responsible for it
	Rights  []Right   `toml:"rights"`
	Issued  time.Time `toml:"issued"`           // time at which the key was made
	Expires time.Time `toml:"expires,omitzero"` // the zero time if it never expires
	Revoked time.Time `toml:"revoked,omitzero"` // the zero time if it is not revoked
	Why     string    `toml:"why,omitempty"`    // the reason for Revoked
}

// names matches strings that are safe as a part of a subject, as a file name and as a word in a report.
var names = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]{0,39}$`) })

// CheckName returns an error if name is not allowed as the name of a key or an owner.
func CheckName(name string) error {
	if !names().MatchString(name) {
		return fmt.Errorf("%q is not a name: expected 1 to 40 of a-z, 0-9, - and _, beginning with a letter or digit", name)
	}
	return nil
}

// New generates a key pair. It returns the public part with its rights, and the seed, which is the secret
// part. gogi does not store the seed.
func New(name, owner string, rights []Right, issued, expires time.Time) (k Key, seed string, err error) {
	seed, public, err := NewSeed()
	if err != nil {
		return Key{}, "", err
	}
	k = Key{Name: name, Public: public, Owner: owner, Rights: rights, Issued: issued, Expires: expires}
	return k, seed, k.check()
}

// check returns an error if a field of the key is malformed. Valid checks whether the key may be used.
func (k Key) check() error {
	if err := CheckName(k.Name); err != nil {
		return err
	}
	if err := CheckName(k.Owner); err != nil {
		return fmt.Errorf("owner of %s: %w", k.Name, err)
	}
	if !nkeys.IsValidPublicUserKey(k.Public) {
		return fmt.Errorf("%s: %q is not a public key of a user (U and 55 more)", k.Name, k.Public)
	}
	if len(k.Rights) == 0 {
		return fmt.Errorf("%s has no rights: expected some of %s", k.Name, strings.Join(Words(All), ", "))
	}
	for _, r := range k.Rights {
		if !slices.Contains(All, r) {
			return fmt.Errorf("%s: %q is not a right: expected some of %s", k.Name, r, strings.Join(Words(All), ", "))
		}
	}
	if slices.Contains(k.Rights, Work) && len(k.Rights) > 1 {
		return fmt.Errorf("%s: the right work excludes the others: the key is on machines that run other people's programs",
			k.Name)
	}
	return nil
}

// Valid returns an error if the key is revoked or has expired.
func (k Key) Valid(now time.Time) error {
	switch {
	case !k.Revoked.IsZero():
		return fmt.Errorf("the key of %s was revoked on %s: %s", k.Name, k.Revoked.Format(time.DateOnly), k.Why)
	case !k.Expires.IsZero() && !now.Before(k.Expires):
		return fmt.Errorf("the key of %s expired on %s", k.Name, k.Expires.Format(time.DateOnly))
	}
	return nil
}

// May reports whether the key has a right. Admin includes all rights except Work.
func (k Key) May(r Right) bool {
	return slices.Contains(k.Rights, r) || r != Work && slices.Contains(k.Rights, Admin)
}

// Ed25519 returns the public key in the form of package crypto/ed25519.
func (k Key) Ed25519() ed25519.PublicKey { return publicBytes(k.Public) }

// publicBytes decodes a public key (nkey). It returns nil if the key is malformed.
func publicBytes(public string) ed25519.PublicKey {
	raw, err := nkeys.Decode(nkeys.PrefixByteUser, []byte(public))
	if err != nil || len(raw) != ed25519.PublicKeySize {
		return nil
	}
	return raw
}

// Verifies reports whether signature is a signature of text by the public key (nkey).
func Verifies(public string, text, signature []byte) bool {
	key := publicBytes(public)
	return key != nil && ed25519.Verify(key, text, signature)
}

// Sign returns a Signer that signs with a seed, and the public key (nkey) of the seed.
func Sign(seed string) (sign farm.Signer, public string, err error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return nil, "", fmt.Errorf("keys: the seed is damaged: %w", err)
	}
	if public, err = pair.PublicKey(); err != nil {
		return nil, "", fmt.Errorf("keys: %w", err)
	}
	if !nkeys.IsValidPublicUserKey(public) {
		return nil, "", fmt.Errorf("keys: the seed is of another kind of key than a user's")
	}
	return pair.Sign, public, nil
}
