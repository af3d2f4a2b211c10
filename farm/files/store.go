// Package files stores files (artefacts) under the SHA-256 of their content. [Open] opens a [Store]. The
// coordinator has a Store of the files that runs need, and each worker has one as a cache.
package files

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/internal/disk"
)

// These are the errors of the methods of a Store.
var (
	ErrUnknown = errors.New("artefacts: it is not here")
	ErrHash    = errors.New("artefacts: the bytes have another SHA-256")
	ErrTooBig  = errors.New("artefacts: it is larger than allowed")
	ErrFull    = errors.New("artefacts: no room is left")
)

// A Store is a folder of artefacts: files that are named by the SHA-256 of their content. Other processes may read
// it.
type Store struct {
	dir    string
	max    int64 // maximum size of all artefacts in bytes
	evicts bool

	mu       sync.Mutex
	sizes    map[string]int64     // size of each artefact, by SHA-256
	used     map[string]time.Time // time of the last use
	pins     map[string]int
	verified map[string]bool // artefacts that this process has verified
	total    int64           // bytes of sizes and of unfinished artefacts
}

var hexSHA256 = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{64}$`) })

// Open opens a folder of artefacts, or creates it, and removes unfinished files. maximum is the largest total
// size of the artefacts in bytes. If evicts is true, a full Store removes the unpinned artefact that was used
// longest ago. If evicts is false, a full Store returns ErrFull.
func Open(dir string, maximum int64, evicts bool) (*Store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("artefacts: %w", err)
	}
	s := &Store{
		dir: dir, max: maximum, evicts: evicts, sizes: map[string]int64{}, used: map[string]time.Time{},
		pins: map[string]int{}, verified: map[string]bool{},
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("artefacts: %w", err)
	}
	for _, e := range entries {
		if err := s.find(e); err != nil {
			return nil, fmt.Errorf("artefacts: %w", err)
		}
	}
	return s, nil
}

func (s *Store) find(e fs.DirEntry) error {
	info, err := e.Info()
	switch {
	case err != nil:
		return err
	case hexSHA256().MatchString(e.Name()) && info.Mode().IsRegular():
		s.sizes[e.Name()], s.used[e.Name()] = info.Size(), info.ModTime()
		s.total += info.Size()
	case strings.HasPrefix(e.Name(), partialPrefix):
		return os.Remove(filepath.Join(s.dir, e.Name()))
	}
	return nil
}

const partialPrefix = ".part-"

// Has reports whether the Store has an artefact.
func (s *Store) Has(sum string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, ok := s.sizes[sum]
	return ok
}

// List returns the size in bytes of each artefact, by SHA-256.
func (s *Store) List() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.sizes)
}

// Recent returns the hashes of at most n artefacts, the most recently used first.
func (s *Store) Recent(n int) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := slices.Collect(maps.Keys(s.sizes))
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(s.used[b].Compare(s.used[a]), cmp.Compare(a, b)) })
	return all[:min(n, len(all))]
}

// Put stores the bytes of r, at most limit bytes, and returns their SHA-256. If want is not "" and the
// SHA-256 differs from want, Put returns ErrHash. When Put returns, the artefact is on disk and is
// executable.
func (s *Store) Put(r io.Reader, want string, limit int64) (sum string, err error) {
	f, err := os.CreateTemp(s.dir, partialPrefix)
	if err != nil {
		return "", s.failed(err)
	}
	w := &writing{store: s, file: f}
	defer func() {
		if err != nil {
			_ = f.Close() // it may be closed already
			_ = os.Remove(f.Name())
			s.release(w.size)
		}
	}()
	hash := sha256.New()
	if _, err = io.Copy(io.MultiWriter(w, hash), io.LimitReader(r, limit+1)); err != nil {
		return "", s.failed(err)
	}
	if w.size > limit {
		return "", fmt.Errorf("%w: more than %d bytes", ErrTooBig, limit)
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	if want != "" && sum != want {
		return "", fmt.Errorf("%w: %s instead of %s", ErrHash, sum, want)
	}
	if err = errors.Join(f.Chmod(0o500), f.Sync(), f.Close()); err != nil {
		return "", s.failed(err)
	}
	return sum, s.adopt(f.Name(), sum, w.size)
}

// adopt gives a finished file its final name.
func (s *Store) adopt(file, sum string, size int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := os.Rename(file, filepath.Join(s.dir, sum)); err != nil {
		return s.failed(err)
	}
	if err := disk.SyncDir(s.dir); err != nil {
		return fmt.Errorf("artefacts: %w", err)
	}
	s.total -= s.sizes[sum] // another goroutine may have stored the same bytes
	s.sizes[sum], s.used[sum], s.verified[sum] = size, time.Now(), true
	return nil
}

// failed returns ErrFull if err means that the disk is full. Otherwise it returns err with a text before it.
func (s *Store) failed(err error) error {
	if disk.IsFull(err) {
		return fmt.Errorf("%w: %w", ErrFull, err)
	}
	if errors.Is(err, ErrFull) {
		return err
	}
	return fmt.Errorf("artefacts: %w", err)
}

// writing is a file that reserves space as it grows.
type writing struct {
	store *Store
	file  *os.File
	size  int64
}

func (w *writing) Write(b []byte) (int, error) {
	if err := w.store.reserve(int64(len(b))); err != nil {
		return 0, err
	}
	w.size += int64(len(b))
	n, err := w.file.Write(b)
	if disk.IsFull(err) && n == 0 && w.store.evict(int64(len(b))) {
		n, err = w.file.Write(b)
	}
	return n, err
}

func (s *Store) reserve(n int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.total+n > s.max {
		if !s.evictOne() {
			return fmt.Errorf("%w: %d bytes of %d are kept", ErrFull, s.total, s.max)
		}
	}
	s.total += n
	return nil
}

func (s *Store) release(n int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.total -= n
}

// evict removes unpinned artefacts until it has freed at least n bytes. It returns false if it cannot free so
// much.
func (s *Store) evict(n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for before := s.total; before-s.total < n; {
		if !s.evictOne() {
			return false
		}
	}
	return true
}

// evictOne removes the unpinned artefact that has not been used for the longest time. It returns false if no artefact
// can be removed.
func (s *Store) evictOne() bool {
	if !s.evicts {
		return false
	}
	oldest := ""
	for sum := range s.sizes {
		if s.pins[sum] == 0 && (oldest == "" || s.used[sum].Before(s.used[oldest])) {
			oldest = sum
		}
	}
	if oldest == "" {
		return false
	}
	return s.forget(oldest) == nil
}

func (s *Store) forget(sum string) error {
	if err := os.Remove(filepath.Join(s.dir, sum)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("artefacts: %w", err)
	}
	s.total -= s.sizes[sum]
	delete(s.sizes, sum)
	delete(s.used, sum)
	delete(s.verified, sum)
	return nil
}

// Pin protects an artefact from eviction until release is called. The Store need not have the artefact yet.
func (s *Store) Pin(sum string) (release func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pins[sum]++
	return sync.OnceFunc(func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.pins[sum]--; s.pins[sum] == 0 {
			delete(s.pins, sum)
		}
	})
}

// Path returns the path of an artefact. At its first call for an artefact in this process, Path verifies the
// content. If the content is damaged, Path removes the artefact and returns ErrHash.
func (s *Store) Path(sum string) (string, error) {
	s.mu.Lock()
	_, ok := s.sizes[sum]
	verified := s.verified[sum]
	s.mu.Unlock()
	path := filepath.Join(s.dir, sum)
	if !ok {
		return "", fmt.Errorf("%w: %s", ErrUnknown, sum)
	}
	if !verified {
		if err := s.verify(path, sum); err != nil {
			return "", err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.sizes[sum]; !ok {
		return "", fmt.Errorf("%w: %s", ErrUnknown, sum)
	}
	s.used[sum], s.verified[sum] = time.Now(), true
	if err := os.Chtimes(path, time.Time{}, s.used[sum]); err != nil {
		return "", fmt.Errorf("artefacts: %w", err)
	}
	return path, nil
}

func (s *Store) verify(path, sum string) error {
	got, _, err := Sum(path)
	if err != nil {
		return fmt.Errorf("artefacts: %w", err)
	}
	if got != sum {
		s.mu.Lock()
		defer s.mu.Unlock()
		return errors.Join(fmt.Errorf("%w: %s instead of %s; it is removed", ErrHash, got, sum), s.forget(sum))
	}
	return nil
}

// Sum returns the SHA-256 (hex) and the size of a file.
func Sum(file string) (sum string, size int64, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", 0, err
	}
	defer f.Close() //nolint:errcheck // it was only read
	h := sha256.New()
	size, err = io.Copy(h, f)
	return hex.EncodeToString(h.Sum(nil)), size, err
}

// ReadAt reads a piece of an artefact and returns the artefact's size. The piece is shorter than b only at the end.
func (s *Store) ReadAt(sum string, b []byte, offset int64) (n int, size int64, err error) {
	s.mu.Lock()
	size, ok := s.sizes[sum]
	s.mu.Unlock()
	if !ok {
		return 0, 0, fmt.Errorf("%w: %s", ErrUnknown, sum)
	}
	f, err := os.Open(filepath.Join(s.dir, sum))
	if err != nil {
		return 0, 0, fmt.Errorf("artefacts: %w", err)
	}
	defer f.Close() //nolint:errcheck // it was only read
	n, err = f.ReadAt(b, offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, 0, fmt.Errorf("artefacts: %w", err)
	}
	return n, size, nil
}
