package keys

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/BurntSushi/toml"

	"gogi/internal/disk"
)

// A Ring is the set of all keys of a farm. A folder has one file NAME.toml for each key. Other processes may
// change the folder, see Refresh. The methods are safe for concurrent use.
type Ring struct {
	dir string

	mu       sync.Mutex
	byName   map[string]Key
	byPublic map[string]string // name
}

// Open reads a folder of keys, or creates it.
func Open(dir string) (*Ring, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	r := &Ring{dir: dir}
	return r, r.Refresh()
}

// Refresh reads the folder again. If a file is damaged, Refresh returns an error and the ring does not
// change.
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
	text, err := os.ReadFile(file)
	if err != nil {
		return Key{}, fmt.Errorf("keys: %w", err)
	}
	return Parse(file, string(text))
}

// Parse returns the key in the text of a file of a Ring. It returns an error if a field is malformed, or if the file is
// not called NAME.toml.
func Parse(file, text string) (Key, error) {
	var k Key
	meta, err := toml.Decode(text, &k)
	if err != nil {
		return k, fmt.Errorf("keys: %s: %w", file, err)
	}
	if unknown := meta.Undecoded(); len(unknown) > 0 {
		return k, fmt.Errorf("keys: %s: %q is not a field of a key", file, unknown[0])
	}
	if err := k.check(); err != nil {
		return k, fmt.Errorf("keys: %s: %w", file, err)
	}
	if name := strings.TrimSuffix(filepath.Base(file), ".toml"); name != k.Name {
		return k, fmt.Errorf("keys: %s: its name inside is %q", file, k.Name)
	}
	return k, nil
}

// ErrUnknown is the error for a key name that does not exist.
var ErrUnknown = errors.New("keys: there is no key of this name")

// Add stores a new key in the folder and adds it to the ring.
func (r *Ring) Add(k Key) error {
	if err := k.check(); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, ok := r.byName[k.Name]; ok {
		return fmt.Errorf("keys: a key named %s exists; a name is never used twice, because results contain it", k.Name)
	}
	if other, ok := r.byPublic[k.Public]; ok {
		return fmt.Errorf("keys: %s has the same key", other)
	}
	return r.keep(k)
}

// Revoke revokes a key for ever. A second call changes nothing.
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

// Named returns the key with a name, or false if no key has the name.
func (r *Ring) Named(name string) (Key, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.byName[name]
	return k, ok
}

// Find returns the key with this public part (nkey), or false if the ring has no such key.
func (r *Ring) Find(public string) (Key, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k, ok := r.byName[r.byPublic[public]]
	return k, ok
}

// Keys returns all keys, sorted by name.
func (r *Ring) Keys() []Key {
	r.mu.Lock()
	defer r.mu.Unlock()
	all := slices.Collect(maps.Values(r.byName))
	slices.SortFunc(all, func(a, b Key) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// writeFile replaces a file. The new file is complete and on disk when writeFile returns.
func writeFile(name, text string, mode fs.FileMode) error {
	if err := disk.WriteFile(name, []byte(text), mode); err != nil {
		return fmt.Errorf("keys: %w", err)
	}
	return nil
}
