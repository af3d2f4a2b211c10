package crash

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

	"gogi/internal/version"
	"gogi/usi/transcript"
)

// What is kept of one run at most, over all its sessions, so that a farm of
// crashing engines does not fill a disk. The first failures are kept: later ones
// of the same player and kind are mostly the same. A bundle is as large as its
// dialogue, ordinarily some 100 kB and at most about 10 MB (2 MB of nothing but
// control characters).
const (
	KeptPerKind = 5
	KeptPerRun  = 200
)

// Suffix is what the names of bundles end with.
const Suffix = ".jsonl"

// Dir is the folder with the bundles of a run in a database.
func Dir(db, run string) string { return folderOf(db+"-faults", run) }

// folderOf returns the folder of a run; one that an earlier gogi has made stays in use.
func folderOf(dir, run string) string {
	folder := filepath.Join(dir, transcript.FileName(run))
	old := filepath.Join(dir, transcript.OldFileName(run))
	if _, err := os.Stat(folder); err == nil {
		return folder
	}
	if _, err := os.Stat(old); err == nil {
		return old
	}
	return folder
}

// List is the bundles in a folder, sorted by name; none where there is no folder.
func List(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil // what cannot be read is of no use to anybody
	}
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), Suffix) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	slices.Sort(names)
	return names
}

// Keeper keeps the bundles of a run in a folder. Whoever tells it of a failure does
// not wait for the disk, and learns the name of the file at once. It is safe for
// concurrent use.
type Keeper struct {
	dir, run string
	versions Versions

	mu       sync.Mutex
	taken    map[string]int // the highest number in use, by player and kind
	total    int
	closed   bool
	problem  error         // of the first bundle that could not be written
	told     bool          // the listener has heard of a problem
	listener func(Problem) // may be nil

	// jobs gets bundles under mu, and nobody waits: it has room for as many as a run
	// may keep. Close closes it.
	jobs chan job
	done chan struct{} // the writer closes it
}

type job struct {
	path   string
	bundle *Bundle
}

// Problem is a record that could not be kept.
type Problem struct {
	Path string
	Err  error
}

// NewKeeper keeps bundles in a folder, which it makes with the first of them. It
// goes on with what earlier sessions have kept there, and takes away what they have left
// unfinished.
func NewKeeper(dir, run string) *Keeper {
	k := &Keeper{
		dir: dir, run: run, versions: ownVersions(), taken: map[string]int{},
		jobs: make(chan job, KeptPerRun), done: make(chan struct{}),
	}
	for _, path := range List(dir) {
		k.total++
		name := strings.TrimSuffix(filepath.Base(path), Suffix)
		if i := strings.LastIndexByte(name, '-'); i >= 0 {
			n := 0
			if _, err := fmt.Sscanf(name[i+1:], "%d", &n); err == nil {
				k.taken[name[:i]] = max(k.taken[name[:i]], n)
			}
		}
	}
	go k.write()
	return k
}

// Listen says who is told of the first record that cannot be written, a bundle or a
// transcript; nil: nobody.
func (k *Keeper) Listen(f func(Problem)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.listener = f
}

// reserve is the name of the next bundle of a player and kind; "": enough are kept.
func (k *Keeper) reserve(player, kind string) string {
	k.mu.Lock()
	defer k.mu.Unlock()
	key := transcript.FileName(player) + "-" + transcript.FileName(kind)
	if k.closed || k.total >= KeptPerRun || k.taken[key] >= KeptPerKind {
		return ""
	}
	k.total++
	k.taken[key]++
	return filepath.Join(k.dir, fmt.Sprintf("%s-%d%s", key, k.taken[key], Suffix))
}

// keep hands a bundle to the writer, under a name that was reserved.
func (k *Keeper) keep(path string, b *Bundle) {
	b.Version, b.Run, b.Versions = Version, k.run, k.versions
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.jobs <- job{path, b} // there is room, see reserve
	}
}

func (k *Keeper) write() {
	defer close(k.done)
	sweep(k.dir)
	for j := range k.jobs {
		j.bundle.lookBack()
		if err := writeFile(j.path, j.bundle); err != nil {
			k.mu.Lock()
			k.problem = cmp.Or(k.problem, err)
			k.mu.Unlock()
			k.failed(Problem{j.path, err})
		}
	}
}

func (k *Keeper) failed(p Problem) {
	k.mu.Lock()
	listener := k.listener
	if k.told {
		listener = nil
	}
	k.told = k.told || listener != nil
	k.mu.Unlock()
	if listener != nil {
		listener(p)
	}
}

// unfinished begins the names of bundles that are being written.
const unfinished = ".bundle-"

// staleAfter is when a bundle that is being written and does not grow is nobody's any
// more: a write takes seconds.
const staleAfter = 10 * time.Minute

// sweep takes away what a process left that was killed while it wrote a bundle. What
// cannot be swept does no harm.
func sweep(dir string) {
	entries, _ := os.ReadDir(dir) // there may be none
	for _, e := range entries {
		info, err := e.Info()
		if err == nil && strings.HasPrefix(e.Name(), unfinished) && info.Mode().IsRegular() && time.Since(info.ModTime()) > staleAfter {
			_ = os.Remove(filepath.Join(dir, e.Name()))
		}
	}
}

// writeFile writes beside and renames: a bundle is there whole or not at all.
func writeFile(path string, b *Bundle) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { //nolint:gosec // as the database beside it
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), unfinished+"*")
	if err != nil {
		return err
	}
	err = errors.Join(b.Write(f), f.Chmod(0o644), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, ignoreMissing(os.Remove(f.Name())))
	}
	return nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// closeWait bounds how long Close waits for a disk that does not answer.
const closeWait = 10 * time.Second

// Close waits until everything is written, not for ever, and returns the first
// error of a write. Failures that come later are not kept.
func (k *Keeper) Close() error {
	k.mu.Lock()
	if !k.closed {
		k.closed = true
		close(k.jobs)
	}
	k.mu.Unlock()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-k.done:
	case <-timer.C:
		return fmt.Errorf("faults: %s: the disk has not taken all bundles within %v", k.dir, closeWait)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.problem != nil {
		return fmt.Errorf("faults: keeping a bundle: %w", k.problem)
	}
	return nil
}

// ownVersions are those of this program and its kernel, as far as they can be known.
func ownVersions() Versions {
	own := version.Own()
	v := Versions{Gogi: own.String(), Go: own.Go, Kernel: "unknown"}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		v.Kernel = "Linux " + strings.TrimSpace(string(b))
	}
	return v
}
