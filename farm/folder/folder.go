// Package folder reads and writes the folder of a farm on the machine of the coordinator: its secrets, its keys and the
// state of the coordinator. [Open] opens a [Folder], also while a coordinator runs there. [Backup] copies a farm, and
// [Restore] creates a farm from a backup.
package folder

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"gogi/farm"
	"gogi/farm/keys"
	"gogi/internal/disk"
	"gogi/results/farmstate"
)

// A Folder is the folder of a farm with its secrets and keys. The folder also has the received messages that
// are not stored yet, the database of games, and the coordinator's state in SQLite.
type Folder struct {
	Dir    string
	Secret farm.Secret
	Public string // the coordinator's public key (nkey)
	Seed   string // the secret half of this key
	Sign   farm.Signer
	Ring   *keys.Ring
}

// These are the files of a Folder.
const (
	secretFile = "secret"           // the secret of tokens, in hex
	seedFile   = "coordinator.seed" // the key that signs tasks
	URLFile    = "url"              // the address of the last start
	lockFile   = "lock"
	KeysDir    = "keys"
	Games      = "farm.db"
)

// Open opens the folder of a farm, and creates missing files. It returns an error if other users can
// read the secrets.
func Open(dir string, now time.Time) (*Folder, error) {
	s := &Folder{Dir: dir}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	text, err := s.OwnFile(secretFile, func() (string, error) {
		var fresh [32]byte
		_, err := rand.Read(fresh[:])
		return hex.EncodeToString(fresh[:]), err
	})
	if err != nil {
		return nil, err
	}
	if n, err := hex.Decode(s.Secret[:], []byte(text)); err != nil || n != len(s.Secret) {
		return nil, fmt.Errorf("farm: %s is damaged: expected 64 hexadecimal digits", filepath.Join(dir, secretFile))
	}
	if s.Seed, err = s.OwnFile(seedFile, func() (string, error) {
		_, seed, err := keys.New("coordinator", "farm", []keys.Right{keys.Admin}, now, time.Time{})
		return seed, err
	}); err != nil {
		return nil, err
	}
	if s.Sign, s.Public, err = keys.Sign(s.Seed); err != nil {
		return nil, fmt.Errorf("farm: %s: %w", filepath.Join(dir, seedFile), err)
	}
	s.Ring, err = keys.Open(filepath.Join(dir, KeysDir))
	return s, err
}

// OwnFile returns the content of a file that only its owner can read. If the file is missing, OwnFile creates
// it with the text that fresh returns.
func (s *Folder) OwnFile(name string, fresh func() (string, error)) (string, error) {
	file := filepath.Join(s.Dir, name)
	text, err := disk.ReadSecret(file)
	if errors.Is(err, fs.ErrNotExist) {
		if text, err = fresh(); err == nil {
			return text, WriteFile(file, text+"\n")
		}
	}
	if err != nil {
		return "", fmt.Errorf("farm: %w", err)
	}
	return text, nil
}

// WriteFile writes a file that only its owner can read. The file is complete and on disk when WriteFile returns.
func WriteFile(file, text string) error {
	if err := disk.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("farm: %w", err)
	}
	return nil
}

// Lock locks the folder, so that no other process runs a coordinator in it.
func (s *Folder) Lock() (*os.File, error) {
	f, err := os.OpenFile(filepath.Join(s.Dir, lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("farm: %w", err)
	}
	if err := disk.LockFile(f); err != nil {
		if errors.Is(err, disk.ErrLocked) {
			err = errors.New("another process serves this farm; end that process, or give another folder with --state")
		}
		return nil, errors.Join(fmt.Errorf("farm: %s: %w", s.Dir, err), f.Close())
	}
	return f, nil
}

// URL returns the address of the farm at its last start, or "" before the first start.
func (s *Folder) URL() string {
	text, err := os.ReadFile(filepath.Join(s.Dir, URLFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// Log records an action on a key in the log of the farm. The action comes from a user on this machine. The
// coordinator may be running.
func (s *Folder) Log(ctx context.Context, name, what string) error {
	kept, err := OpenState(ctx, s.Dir)
	if err != nil {
		return err
	}
	return errors.Join(kept.Log(ctx, farmstate.Action{At: time.Now(), By: "console", On: "key", Name: name,
		What: what}), kept.Close())
}

// Issue generates a key, adds it to the ring of keys, and returns the credentials for the holder of the key.
func (s *Folder) Issue(name, owner string, rights []keys.Right, expires time.Time, url, ca string) (keys.Creds, error) {
	k, seed, err := keys.New(name, owner, rights, time.Now().UTC().Truncate(time.Second), expires)
	if err != nil {
		return keys.Creds{}, err
	}
	return keys.Creds{Name: name, URL: url, Coordinator: s.Public, Seed: seed, CA: ca}, s.Ring.Add(k)
}

// TrustedBy returns the certificate (PEM) with which holders of keys verify the coordinator at a URL. It is
// the content of file, or the farm's own certificate if file is "". TrustedBy generates the farm's
// certificate if it is missing. For a URL without TLS it returns "".
func (s *Folder) TrustedBy(url, file string) (string, error) {
	if file != "" {
		text, err := os.ReadFile(file)
		if err != nil {
			return "", fmt.Errorf("farm: %w", err)
		}
		return string(text), nil
	}
	if !strings.HasPrefix(url, "tls://") {
		return "", nil
	}
	authority, err := keys.OpenAuthority(s.Dir, time.Now())
	if err != nil {
		return "", err
	}
	return authority.PEM, nil
}

// StateFile is the SQLite file of the coordinator's state.
const StateFile = "state.db"

// OpenState opens the coordinator's state. If the farm was started before, OpenState returns an error for a missing
// state, because lease numbers would repeat if the count of boots began again.
func OpenState(ctx context.Context, dir string) (*farmstate.State, error) {
	file := filepath.Join(dir, StateFile)
	_, missing := os.Stat(file)
	if _, err := os.Stat(filepath.Join(dir, URLFile)); err == nil && errors.Is(missing, fs.ErrNotExist) {
		return nil,
			fmt.Errorf("%s not found, but this farm was served before; restore the latest backup with `gogi farm restore`", file)
	}
	return farmstate.Open(ctx, file)
}
