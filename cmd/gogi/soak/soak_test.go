//go:build linux

package soak

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/usi/usitest"
)

// TestMain lets this binary also run as the fake engine.
func TestMain(m *testing.M) { usitest.RunTests(m) }

// world has the folders, the programs and the counts of one soak.
type world struct {
	t    *testing.T
	tag  string // follows mark in the environment of this test's processes
	seed uint64
	gogi string // the program

	dir   string // the programs' working directory, with the match files
	said  string // their output
	temp  string // their folder for temporary files, which must be empty in the end
	disk  string // for the databases of short matches; a separate file system, if possible
	long  string // for the database of the long session
	rough string // for the databases of the match rough
	full  bool   // whether disk is a separate file system, which the test can fill

	faults  string // a file with a line for each fault that an engine played by its script
	started atomic.Int64

	mu    sync.Mutex
	tally map[string]int // how often each class of events has happened
}

// happened counts events of a class. Call it only with evidence.
func (w *world) happened(class string, n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.tally[class] += n
}

// TestSoak disturbs runs for the duration SOAK, with the seed SOAK_SEED.
func TestSoak(t *testing.T) {
	if os.Getenv("SOAK") == "" {
		t.Skip("SOAK does not say how long: see make soak")
	}
	length := testutil.Must(time.ParseDuration(os.Getenv("SOAK")))(t)
	w := newWorld(t)
	t.Logf("SOAK=%v SOAK_SEED=%d; the disk can be filled: %v", length, w.seed, w.full)
	w.build()
	ctx, cancel := context.WithTimeout(t.Context(), length)
	defer cancel()
	references := w.references()
	l := w.newLong()
	var actors sync.WaitGroup
	actors.Go(func() { w.exactly(w.shift(ctx, "exact: ", "engine: "), references, l) })
	actors.Go(func() { w.roughly(w.shift(ctx, "rough: ")) })
	actors.Go(func() { l.play(ctx) })
	over := time.AfterFunc(length, func() { t.Logf("the time is over; still to happen: %q", w.missing("")) })
	defer over.Stop()
	actors.Wait()
	w.nothingLeft()
	w.count()
}

// shift is the working time of an actor. It lasts until the soak's time is over and each of the actor's classes has
// happened. So a slow machine makes the soak longer and does not fail it.
type shift struct {
	*world
	ctx      context.Context
	owes     []string // the beginnings of its classes
	overtime int      // calls of on since the time is over
}

// longestOvertime limits the overtime if a class never happens. A class takes one turn or, if it depends on chance, a
// few.
const longestOvertime = 500

func (w *world) shift(ctx context.Context, owes ...string) *shift {
	return &shift{world: w, ctx: ctx, owes: owes}
}

// on reports whether the actor must continue.
func (s *shift) on() bool {
	switch {
	case s.t.Context().Err() != nil:
		return false
	case s.ctx.Err() == nil:
		return true
	}
	s.overtime++
	return s.overtime <= longestOvertime && s.lacks(s.owes)
}

// lacks reports whether a class with one of the beginnings has not happened yet.
func (w *world) lacks(beginnings []string) bool { return len(w.missing(beginnings...)) > 0 }

// missing returns the classes with one of the beginnings that have not happened yet.
func (w *world) missing(beginnings ...string) []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.DeleteFunc(slices.Sorted(maps.Keys(w.classes())), func(class string) bool {
		return w.tally[class] > 0 || !slices.ContainsFunc(beginnings, func(b string) bool {
			return strings.HasPrefix(class, b)
		})
	})
}

func newWorld(t *testing.T) *world {
	t.Helper()
	seed := uint64(time.Now().UnixNano()) % 1_000_000
	if text := os.Getenv("SOAK_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	dir := t.TempDir()
	w := &world{
		t: t, seed: seed, tag: fmt.Sprintf("%d-%d", os.Getpid(), seed), tally: map[string]int{},
		gogi: filepath.Join(dir, "bin", "gogi"), dir: filepath.Join(dir, "work"), said: filepath.Join(dir, "said"),
		temp: filepath.Join(dir, "temp"), disk: filepath.Join(dir, "disk"), faults: filepath.Join(dir, "faults"),
		long: filepath.Join(dir, "long"), rough: filepath.Join(dir, "rough"),
	}
	for _, folder := range []string{filepath.Dir(w.gogi), w.dir, w.said, w.temp, w.disk, w.long, w.rough} {
		testutil.OK(t, os.Mkdir(folder, 0o700))
	}
	if os.Geteuid() == 0 && syscall.Mount("none", w.disk, "tmpfs", 0, "size=48m") == nil {
		w.full = true
		t.Cleanup(func() {
			if err := syscall.Unmount(w.disk, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	}
	return w
}

func (w *world) build() {
	cmd := exec.CommandContext(w.t.Context(), "go", "build", "-o", w.gogi, "gogi/cmd/gogi")
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("building gogi: %v: %s", err, out)
	}
}

// random returns a separate stream for each actor, so that no actor depends on the speed of another.
func (w *world) random(actor uint64) *rand.Rand { return rand.New(rand.NewPCG(w.seed, actor)) }

// deck deals the disturbances in random order. It deals all of them before it repeats one.
type deck struct {
	random *rand.Rand
	all    []string
	left   []string
	vain   map[string]int // failed attempts of each card in this round
}

func newDeck[V any](random *rand.Rand, all map[string]V) *deck {
	return &deck{random: random, all: slices.Sorted(maps.Keys(all))}
}

func (d *deck) deal() string {
	if len(d.left) == 0 {
		d.left, d.vain = slices.Clone(d.all), map[string]int{}
		d.random.Shuffle(len(d.left), func(i, j int) { d.left[i], d.left[j] = d.left[j], d.left[i] })
	}
	card := d.left[0]
	d.left = d.left[1:]
	return card
}

// again puts a card under the deck, because its disturbance was not possible. After a few times the card waits for the
// next round, and the others continue.
func (d *deck) again(card string) {
	if d.vain[card]++; d.vain[card] < 4 {
		d.left = append(d.left, card)
	}
}

// between returns a random duration.
func between(r *rand.Rand, from, to time.Duration) time.Duration {
	return from + time.Duration(r.Int64N(int64(to-from)))
}

// count prints how often each class has happened. It fails the test for each class that never happened.
func (w *world) count() {
	for _, class := range slices.Sorted(maps.Keys(w.tally)) {
		w.t.Logf("%6d × %s", w.tally[class], class)
	}
	for _, class := range w.missing("") {
		w.t.Errorf("it never happened: %s", class)
	}
}

// classes returns the events that must happen at least once.
func (w *world) classes() map[string]bool {
	all := map[string]bool{}
	for class := range exactDisturbances {
		all[class] = class != fillTheDisk || w.full
	}
	for class := range roughDisturbances {
		all[class] = true
	}
	for class := range longDisturbances {
		all[class] = true
	}
	for class := range readers {
		all[class] = true
	}
	for _, class := range slices.Concat(scripted, observed) {
		all[class] = true
	}
	maps.DeleteFunc(all, func(_ string, wanted bool) bool { return !wanted })
	return all
}

// observed lists consequences of disturbances that the stored data show.
var observed = []string{
	"exact: plain ended as if nobody had disturbed it",
	"exact: ponder ended as if nobody had disturbed it",
	"exact: council ended as if nobody had disturbed it",
	"exact: a pair was played again after a standstill",
	"rough: a series ended with every loss explained",
	"rough: a game was lost by a crash",
	"rough: a bundle was said to its engine again",
}

// nothingLeft asserts that no process and no file of the soak is left.
func (w *world) nothingLeft() {
	within(waitLimit, func() bool { return len(living(mark+w.tag)) == 0 })
	for _, pid := range living(mark + w.tag) {
		line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)) // it may just have ended
		w.t.Errorf("process %d is left: %q", pid, line)
	}
	w.holdsOnly(w.temp)
	w.holdsOnly(w.disk)
	w.holdsOnly(w.dir, "plain.toml", "ponder.toml", "council.toml", "rough.toml", "long.toml", "gate.toml")
}

// holdsOnly checks that a folder contains no other files.
func (w *world) holdsOnly(dir string, names ...string) {
	entries, err := os.ReadDir(dir)
	testutil.Check(w.t, err == nil || errors.Is(err, os.ErrNotExist), "%v", err)
	for _, e := range entries {
		if !slices.Contains(names, e.Name()) {
			w.t.Errorf("a file is left: %s", filepath.Join(dir, e.Name()))
		}
	}
}
