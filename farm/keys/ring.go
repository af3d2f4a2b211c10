package keys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"gogi/internal/disk"
)

// Ring is all keys of a farm: one file NAME.toml each in a directory, which other
// processes may change, see Refresh.
type Ring struct {
	dir string

	mu       sync.Mutex
	byName   map[string]Key
	byPublic map[string]string // name
}

// Open reads a directory of keys; it is made where there is none.
func Open(dir string) (*Ring, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	r := &Ring{dir: dir}
	return r, r.Refresh()
}

// Refresh reads the directory again. Where a file is damaged nothing changes.
func (r *Ring) Refresh() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	files, err := filepath.Glob(filepath.Join(r.dir, "*.toml"))
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	byName, byPublic := map[string]Key{}, map[string]string{}
	for _, f := range files {
		k, err := read(f)
		if err != nil {
			return err
		}
		if other, ok := byPublic[k.Public]; ok {
			return fmt.Errorf("keys: %s and %s are the same key", other, k.Name)
		}
		byName[k.Name], byPublic[k.Public] = k, k.Name
	}
	r.byName, r.byPublic = byName, byPublic
	return nil
}

func read(file string) (Key, error) {
	var k Key
	meta, err := toml.DecodeFile(file, &k)
	if err != nil {
		return k, fmt.Errorf("keys: %s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return k, fmt.Errorf("keys: %s: %q is no field of a key", file, unknown[0])
	}
	if err := k.check(); err != nil {
		return k, fmt.Errorf("keys: %s: %w", file, err)
	}
	if name := strings.TrimSuffix(filepath.Base(file), ".toml"); name != k.Name {
		return k, fmt.Errorf("keys: %s: it is named %q inside", file, k.Name)
	}
	return k, nil
}

// ErrUnknown is the error where no key has the name.
var ErrUnknown = errors.New("keys: there is no key of this name")

// Add keeps a new key.
func (r *Ring) Add(k Key) error {
	if err := k.check(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.byName[k.Name]; ok {
		return fmt.Errorf("keys: there is a key named %s; names are not used twice, since results carry them", k.Name)
	}
	if other, ok := r.byPublic[k.Public]; ok {
		return fmt.Errorf("keys: it is the key of %s already", other)
	}
	return r.keep(k)
}

// Revoke ends a key for good; revoking it again changes nothing.
func (r *Ring) Revoke(name, why string, now time.Time) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.byName[name]
	if !ok {
		return fmt.Errorf("%w: %q", ErrUnknown, name)
	}
	if !k.Revoked.IsZero() {
		return nil
	}
	k.Revoked, k.Why = now.UTC().Truncate(time.Second), why
	return r.keep(k)
}

// keep stores a key durably, and then adds it to the ring.
func (r *Ring) keep(k Key) error {
	var text strings.Builder
	if err := toml.NewEncoder(&text).Encode(k); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if err := writeFile(filepath.Join(r.dir, k.Name+".toml"), text.String(), 0o600); err != nil {
		return err
	}
	r.byName[k.Name], r.byPublic[k.Public] = k, k.Name
	return nil
}

// Named finds a key by its name.
func (r *Ring) Named(name string) (Key, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.byName[name]
	return k, ok
}

// Find finds a key by its public half (nkey).
func (r *Ring) Find(public string) (Key, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.byName[r.byPublic[public]]
	return k, ok
}

// Keys are all, by name.
func (r *Ring) Keys() []Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := make([]Key, 0, len(r.byName))
	for _, k := range r.byName {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b Key) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// writeFile replaces a file whole, and is on the disk when it returns.
func writeFile(name, text string, mode fs.FileMode) (err error) {
	f, err := os.CreateTemp(filepath.Dir(name), ".new-*")
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(f.Name()) // the error before it is returned
		}
	}()
	_, err = f.WriteString(text)
	err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	if err := disk.SyncDir(filepath.Dir(name)); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}
