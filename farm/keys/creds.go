package keys

import (
	"crypto/ed25519"
	"crypto/x509"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/BurntSushi/toml"

	"gogi/farm"
	"gogi/internal/disk"
)

// A Creds is the credentials file of a worker or an owner: the address and key of the coordinator, and the holder's
// secret.
type Creds struct {
	Name        string `toml:"name"`
	URL         string `toml:"url"`         // tls://HOST:PORT, or a list with commas of a cluster's servers
	Coordinator string `toml:"coordinator"` // public key (nkey) that signs tasks
	Seed        string `toml:"seed"`
	CA          string `toml:"ca,omitempty"` // PEM; the only accepted authority. "" means no TLS, on loopback only
}

const credsHead = "# Credentials of a gogi farm. Whoever reads this file can speak in its name.\n\n"

// Write writes the credentials to a file that only its owner can read.
func (c Creds) Write(file string) error {
	if err := c.check(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	var text strings.Builder
	text.WriteString(credsHead)
	if err := toml.NewEncoder(&text).Encode(c); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return writeFile(file, text.String(), 0o600)
}

// WriteNew writes the credentials to a new file, as Write does. It returns an error if the file exists,
// because overwriting the file would destroy the key in it.
func (c Creds) WriteNew(file string) error {
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("keys: %s exists: overwriting it would destroy a key", file)
	}
	return c.Write(file)
}

// ReadCreds reads a credentials file. It returns an error for a file that other users can read.
func ReadCreds(file string) (Creds, error) {
	var c Creds
	info, err := os.Stat(file)
	if err != nil {
		return c, fmt.Errorf("keys: %w", err)
	}
	if disk.OthersMayRead(info) {
		return c, fmt.Errorf("keys: %s can be read by others (mode %04o): chmod 600 it, or better get a new key", file,
			info.Mode().Perm())
	}
	meta, err := toml.DecodeFile(file, &c)
	if err != nil {
		return c, fmt.Errorf("keys: %s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return c, fmt.Errorf("keys: %s: %q is not a field of credentials", file, unknown[0])
	}
	if err := c.check(); err != nil {
		return c, fmt.Errorf("keys: %s: %w", file, err)
	}
	return c, nil
}

func (c Creds) check() error {
	if err := CheckName(c.Name); err != nil {
		return err
	}
	if _, _, err := Sign(c.Seed); err != nil {
		return err
	}
	if publicBytes(c.Coordinator) == nil {
		return fmt.Errorf("coordinator: %q is not a public key", c.Coordinator)
	}
	if c.CA != "" {
		_, err := c.Roots()
		return err
	}
	for server := range strings.SplitSeq(c.URL, ",") {
		u, err := url.Parse(server)
		if err != nil {
			return err
		}
		if h := u.Hostname(); h != "127.0.0.1" && h != "::1" && h != "localhost" {
			return fmt.Errorf("no ca: a coordinator beyond this machine (%s) needs a certificate", h)
		}
	}
	return nil
}

// Roots returns the certificate pool for TLS with the only accepted authority, or nil if the farm has no TLS.
func (c Creds) Roots() (*x509.CertPool, error) {
	if c.CA == "" {
		return nil, nil
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(c.CA)) {
		return nil, errors.New("ca: no certificate (PEM) in it")
	}
	return pool, nil
}

// Sign returns a Signer that signs with the secret of these credentials.
func (c Creds) Sign() (farm.Signer, error) {
	sign, _, err := Sign(c.Seed)
	return sign, err
}

// CoordinatorKey returns the coordinator's public key, with which a worker verifies tasks.
func (c Creds) CoordinatorKey() ed25519.PublicKey { return publicBytes(c.Coordinator) }
