package worker_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"gogi/farm"
	"gogi/farm/worker"
	"gogi/internal/lists"
	"gogi/internal/testutil"
)

func openOutbox(t interface {
	Helper()
	Fatal(...any)
}, dir string) (*worker.Outbox, int) {
	t.Helper()
	o, lost, err := worker.OpenOutbox(dir, 1<<30)
	testutil.OK(t, err)
	return o, lost
}

func item(pair int) farm.Item {
	return farm.Item{Lease: farm.Held{Run: "r", Pair: pair, Epoch: farm.Epoch(pair + 1)}, Pair: []byte(strings.Repeat("x", 100+pair))}
}

// pairs returns the pairs that the outbox would publish, in order.
func pairs(o *worker.Outbox) (all []int) {
	items, _ := o.Batch(1 << 30)
	for _, i := range items {
		all = append(all, i.Lease.Pair)
	}
	return all
}

// inMemory returns a temporary folder in memory if the system has one, where waiting for the disk is free.
func inMemory(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "outbox")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestACutLog: a kill of the system can leave any beginning of the log. The outbox then has the first items, and takes
// further ones.
func TestACutLog(t *testing.T) {
	dir := inMemory(t)
	o, _ := openOutbox(t, dir)
	for pair := range 3 {
		testutil.OK(t, o.Append(item(pair)))
	}
	file := testutil.Must(os.ReadFile(filepath.Join(dir, "outbox.db")))(t)
	log := testutil.Must(os.ReadFile(filepath.Join(dir, "outbox.db-wal")))(t)
	testutil.OK(t, o.Close())
	most, least := 0, 3
	for cut := len(log); cut > 0; cut -= 511 {
		again := inMemory(t)
		testutil.OK(t, os.WriteFile(filepath.Join(again, "outbox.db"), file, 0o600))
		testutil.OK(t, os.WriteFile(filepath.Join(again, "outbox.db-wal"), log[:cut], 0o600))
		o, lost := openOutbox(t, again)
		got := pairs(o)
		testutil.Require(t, slices.Equal(got, []int{0, 1, 2}[:len(got)]) && lost == 0, "cut at %d of %d: %v, %d lost", cut, len(log), got, lost)
		testutil.OK(t, o.Append(item(9)))
		testutil.OK(t, o.Close())
		o, _ = openOutbox(t, again)
		testutil.Slices(t, pairs(o), append(got, 9), "after one more")
		testutil.OK(t, o.Close())
		most, least = max(most, len(got)), min(least, len(got))
	}
	testutil.Check(t, most == 3 && least == 0, "the cuts left %d to %d items", least, most)
}

// TestDamagedOutbox: bits of the file are flipped. The outbox has only items that were put into it, says that it has
// lost something if one is missing, and takes further ones.
func TestDamagedOutbox(t *testing.T) {
	dir := inMemory(t)
	o, _ := openOutbox(t, dir)
	for pair := range 20 {
		long := item(pair)
		long.Pair = []byte(strings.Repeat("x", 900+pair)) // several pages
		testutil.OK(t, o.Append(long))
	}
	testutil.OK(t, o.Close())
	whole := testutil.Must(os.ReadFile(filepath.Join(dir, "outbox.db")))(t)
	missing, rescued := 0, 0
	for at := 0; at < len(whole); at += 101 {
		again := inMemory(t)
		flipped := slices.Clone(whole)
		flipped[at] ^= 4
		testutil.OK(t, os.WriteFile(filepath.Join(again, "outbox.db"), flipped, 0o600))
		o, lost := openOutbox(t, again)
		items, _ := o.Batch(1 << 30)
		for _, i := range items {
			testutil.Require(t, string(i.Pair) == strings.Repeat("x", 900+i.Lease.Pair), "byte %d: pair %d was never put", at, i.Lease.Pair)
		}
		if len(items) < 20 {
			missing++
			testutil.Require(t, lost > 0, "byte %d: %d items, and none counts as lost", at, len(items))
		}
		if _, err := os.Stat(filepath.Join(again, "outbox.db.damaged")); err == nil && len(items) > 0 {
			rescued++
		}
		testutil.OK(t, o.Append(item(50)))
		testutil.OK(t, o.Close())
	}
	testutil.Check(t, missing > 0 && rescued > 0, "items are missing in %d of the files, and %d of them were moved aside with some items saved", missing, rescued)
}

// TestTheOutboxIsWhatWasPutAndNotDone: the outbox has exactly the appended items that are not done. This holds for any
// order of operations, and across restarts.
func TestTheOutboxIsWhatWasPutAndNotDone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		dir, err := os.MkdirTemp("/dev/shm", "outbox") // memory, where syncing is free
		if err != nil {
			dir, err = os.MkdirTemp("", "outbox")
		}
		testutil.OK(t, err)
		defer os.RemoveAll(dir)
		o, _ := openOutbox(t, dir)
		var left []int // not done
		published := map[int]bool{}
		t.Repeat(map[string]func(*rapid.T){
			"append": func(t *rapid.T) {
				pair := rapid.IntRange(0, 1000).Draw(t, "pair")
				if slices.Contains(left, pair) {
					t.Skip("it is there")
				}
				testutil.OK(t, o.Append(item(pair)))
				left = append(left, pair)
			},
			"publish": func(t *rapid.T) {
				items, numbers := o.Batch(rapid.IntRange(0, 1000).Draw(t, "bytes"))
				testutil.Require(t, len(items) != 0 || len(published) >= len(left), "nothing to publish")
				o.Published(numbers)
				for _, i := range items {
					published[i.Lease.Pair] = true
				}
			},
			"done": func(t *rapid.T) {
				if len(left) == 0 {
					t.Skip("empty")
				}
				at := rapid.IntRange(0, len(left)-1).Draw(t, "at")
				o.Done([]farm.Held{item(left[at]).Lease})
				delete(published, left[at])
				left = slices.Delete(left, at, at+1)
			},
			"restart": func(t *rapid.T) {
				testutil.OK(t, o.Close())
				var lost int
				if o, lost = openOutbox(t, dir); lost != 0 {
					t.Fatalf("%d items lost", lost)
				}
				clear(published)
			},
			"": func(t *rapid.T) {
				waiting := lists.Filter(left, func(p int) bool { return !published[p] })
				got := pairs(o)
				testutil.Require(t, slices.Equal(got, waiting), "to publish: %v, want %v", got, waiting)
				w, p := o.Leases()
				testutil.Require(t, len(w) == len(waiting) && len(p) == len(published),
					"%d and %d leases, want %d and %d", len(w), len(p), len(waiting), len(published))
			},
		})
		o.Close()
	})
}

// TestAttemptsAreDoneWhenPublished: the outbox removes a published attempt, because the coordinator does not answer
// attempts.
func TestAttemptsAreDoneWhenPublished(t *testing.T) {
	dir := t.TempDir()
	o, _ := openOutbox(t, dir)
	attempt := item(1)
	attempt.Pair, attempt.Attempt = nil, &attemptOf1
	testutil.OK(t, errors.Join(o.Append(attempt), o.Append(item(2))))
	waiting, _ := o.Leases()
	testutil.Check(t, len(waiting) == 1, "%d leases of finished pairs", len(waiting))
	_, numbers := o.Batch(1 << 20)
	o.Published(numbers)
	n, _ := o.Left()
	testutil.Check(t, n == 1, "%d are left", n)
	testutil.OK(t, o.Close())
	o, _ = openOutbox(t, dir)
	got := pairs(o)
	testutil.Check(t, slices.Equal(got, []int{2}), "after a restart: %v", got)
}

// TestTheFileShrinks: the outbox gives the disk back what items took that are done. It has all items that were appended
// at the same time.
func TestTheFileShrinks(t *testing.T) {
	dir := inMemory(t)
	o, _, err := worker.OpenOutbox(dir, 20<<20)
	testutil.OK(t, err)
	size := func() (all int64) {
		files, _ := filepath.Glob(filepath.Join(dir, "*"))
		for _, f := range files {
			all += testutil.Must(os.Stat(f))(t).Size()
		}
		return all
	}
	big := strings.Repeat("x", 900_000)
	var all []farm.Held
	var mu sync.Mutex
	var group sync.WaitGroup
	for slot := range 4 {
		group.Go(func() {
			for i := range 8 {
				it := item(slot*100 + i)
				it.Pair = []byte(big)
				if err := o.Append(it); err != nil {
					t.Error(err)
				}
				mu.Lock()
				all = append(all, it.Lease)
				mu.Unlock()
			}
		})
	}
	group.Wait()
	if n, bytes := o.Left(); n != 32 || bytes < 32*900_000 || size() < bytes || !o.Full() {
		t.Errorf("%d items in %d bytes, files of %d, full %v", n, bytes, size(), o.Full())
	}
	items, _ := o.Batch(1 << 20)
	testutil.Check(t, len(items) == 1, "%d items of 900 kB in a batch of 1 MB", len(items))
	o.Done(all[:30])
	testutil.Check(t, !o.Full(), "it is full with two items")
	o.Done(all[30:])
	it := item(1)
	it.Pair = make([]byte, farm.MaxBody)
	testutil.Fails(t, o.Append(it), "", "an item is taken that no message can carry")
	testutil.OK(t, o.Close())
	o, lost := openOutbox(t, dir)
	n, bytes := o.Left()
	testutil.Check(t, n == 0 && bytes == 0 && lost == 0 && size() < 1<<20, "%d items in %d bytes, files of %d", n, bytes, size())
	testutil.OK(t, o.Close())
	testutil.Fails(t, o.Append(item(1)), "it is closed", "a closed outbox takes an item")
}
