package machine

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/internal/disk"
)

// ErrNoMaintainers is the error of Program if this machine does not have the maintainers' public key.
var ErrNoMaintainers = errors.New("worker: this machine takes no programs: this build names no maintainers, and --updates names no key")

// Program downloads a release of gogi and returns the path of the program. The file has the name gogi and is
// in a folder of its own, which the cache does not evict. Program returns an error if the release is for
// another kind of machine, or if the maintainers did not sign it. It removes earlier programs except the
// running one.
func (m *Machine) Program(ctx context.Context, r *farm.Release, maintainers ed25519.PublicKey) (string, error) {
	switch {
	case r == nil:
		return "", errors.New("worker: the coordinator does not say who made the program that it wants")
	case len(maintainers) == 0:
		return "", ErrNoMaintainers
	}
	if err := r.Check(maintainers); err != nil {
		return "", err
	}
	if r.OS != runtime.GOOS || r.Arch != runtime.GOARCH {
		return "", fmt.Errorf("worker: release %.12s is for %s %s, this machine is %s %s", r.SHA256, r.OS, r.Arch,
			runtime.GOOS, runtime.GOARCH)
	}
	unpin := m.store.Pin(r.SHA256)
	defer unpin()
	path, err := m.fetcher.Fetch(ctx, r.SHA256)
	if err != nil {
		return "", err
	}
	programs := filepath.Join(m.config.Dir, "program")
	file := filepath.Join(programs, r.SHA256, programName())
	if err := place(path, file, r); err != nil {
		return "", fmt.Errorf("worker: %w", err)
	}
	if err := clean(programs, r.SHA256); err != nil {
		m.config.Log.Warn("older programs are still there", "err", err)
	}
	return file, nil
}

func programName() string {
	if runtime.GOOS == "windows" {
		return "gogi.exe"
	}
	return "gogi"
}

// place copies a release to the path where it will run, unless the file already exists there.
func place(from, to string, r *farm.Release) (err error) {
	if sum, _, err := files.Sum(to); err == nil && sum == r.SHA256 {
		return os.Chmod(to, 0o700)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close() //nolint:errcheck // it was only read
	out, err := os.CreateTemp(filepath.Dir(to), ".new-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			_ = os.Remove(out.Name()) // the error before it is returned
		}
	}()
	hash := sha256.New()
	n, err := io.Copy(io.MultiWriter(out, hash), in)
	if err = errors.Join(err, out.Sync(), out.Close()); err != nil {
		return err
	}
	if sum := hex.EncodeToString(hash.Sum(nil)); n != r.Size || sum != r.SHA256 {
		return fmt.Errorf("the program has %d bytes of SHA-256 %s: expected %d of %s", n, sum, r.Size, r.SHA256)
	}
	if err := os.Chmod(out.Name(), 0o700); err != nil {
		return err
	}
	if err := os.Rename(out.Name(), to); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(to))
}

// clean removes all programs except keep and the running one.
func clean(programs, keep string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("worker: finding this program: %w", err)
	}
	all, err := os.ReadDir(programs)
	for _, e := range all {
		if e.Name() != keep && filepath.Join(programs, e.Name()) != filepath.Dir(self) {
			err = errors.Join(err, os.RemoveAll(filepath.Join(programs, e.Name())))
		}
	}
	if err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}

// Own returns the SHA-256 (hex) of the running program. On Linux it reads the program that runs, even if the
// file at its path was replaced.
func Own() (string, error) {
	self := "/proc/self/exe"
	if runtime.GOOS != "linux" {
		var err error
		if self, err = os.Executable(); err != nil {
			return "", fmt.Errorf("worker: finding this program: %w", err)
		}
	}
	sum, _, err := files.Sum(self)
	if err != nil {
		return "", fmt.Errorf("worker: reading this program: %w", err)
	}
	return sum, nil
}
