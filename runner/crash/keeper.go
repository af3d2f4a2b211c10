package crash

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/internal/disk"
	"gogi/internal/version"
	"gogi/usi/transcript"
)

// These are the maximum numbers of bundles of one run over all its sessions, so that crashing engines do not fill the
// disk. gogi keeps the first failures, because later ones of the same player and kind are mostly the same. A
// bundle is as large as its dialogue: usually about 100 kB, and at most about 10 MB.
const (
	KeptPerKind = 5
	KeptPerRun  = 200
)

// Suffix is the suffix of the file names of bundles.
const Suffix = ".jsonl"

// Dir returns the folder for the bundles of a run. It is next to the database db.
func Dir(db, run string) string { return filepath.Join(db+"-faults", transcript.FileName(run)) }

// list returns the paths of the bundles in a folder, sorted by name. It returns nil if the folder cannot be read.
func list(dir string) []string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
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

// InGames returns the paths of the bundles in a folder, sorted by name, without those of engines that failed before
// their first search of a game. Such a failure ends no game: gogi plays the pair again. InGames keeps bundles that it
// cannot read.
func InGames(dir string) []string {
	return slices.DeleteFunc(list(dir), func(path string) bool {
		file, err := os.Open(path)
		if err != nil {
			return false
		}
		defer func() { _ = file.Close() }()
		b, err := Read(file)
		return err == nil && (b.Pair == nil || b.Go == "")
	})
}

// Keeper writes the bundles of a run to a folder. A caller gets the file name of its bundle at once and does not wait
// for the disk. A Keeper is safe for concurrent use.
type Keeper struct {
	dir, run string
	versions Versions

	mu       sync.Mutex
	taken    map[string]int // the highest used number, by player and kind
	total    int
	closed   bool
	problem  error         // the first error of a write
	reported bool          // the listener was called
	listener func(Problem) // may be nil

	// jobs receives bundles under mu. Its capacity is KeptPerRun, so no sender waits. Close closes it.
	jobs chan job
	done chan struct{} // the writer closes it
}

type job struct {
	path   string
	bundle *Bundle
}

// Problem is a crash dump or a transcript that gogi could not write, with the error.
type Problem struct {
	Path string
	Err  error
}

// NewKeeper returns a Keeper that writes to the folder dir. It creates the folder when it writes the first
// bundle. Bundles that are already in the folder count towards the maximum numbers.
func NewKeeper(dir, run string) *Keeper {
	k := &Keeper{
		dir: dir, run: run, versions: ownVersions(), taken: map[string]int{},
		jobs: make(chan job, KeptPerRun), done: make(chan struct{}),
	}
	for _, path := range list(dir) {
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

// Listen sets the function f, which is called at most once: when the first bundle or transcript cannot be
// written. f may be nil.
func (k *Keeper) Listen(f func(Problem)) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.listener = f
}

// reserve returns the path of the next bundle of a player and kind, or "" if the folder has the maximum
// number of bundles.
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

// keep sends a bundle to the writer, with a path from reserve.
func (k *Keeper) keep(path string, b *Bundle) {
	b.Version, b.Run, b.Versions = Version, k.run, k.versions
	k.mu.Lock()
	defer k.mu.Unlock()
	if !k.closed {
		k.jobs <- job{path, b} // never blocks, see reserve
	}
}

func (k *Keeper) write() {
	defer close(k.done)
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
	if k.reported {
		listener = nil
	}
	k.reported = k.reported || listener != nil
	k.mu.Unlock()
	if listener != nil {
		listener(p)
	}
}

// writeFile writes a bundle to a temporary file, and renames the complete file to path.
func writeFile(path string, b *Bundle) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil { // the rights of the database
		return err
	}
	part, err := disk.NewPart(path)
	if err != nil {
		return err
	}
	if err := b.Write(part.File); err != nil {
		return errors.Join(err, part.Discard())
	}
	return part.Publish(false)
}

// closeWait is the maximum time for which Close waits for the disk.
const closeWait = 10 * time.Second

// Close waits until all bundles are written, for at most closeWait (ten seconds). It returns the first error
// of a write. The Keeper ignores failures of engines after Close.
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

func ownVersions() Versions {
	own := version.Own()
	v := Versions{Gogi: own.String(), Go: own.Go, Kernel: "unknown"}
	if b, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		v.Kernel = "Linux " + strings.TrimSpace(string(b))
	}
	return v
}
