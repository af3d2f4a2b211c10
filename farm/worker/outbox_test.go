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
}, dir string) (*worker.Outbox, int64) {
	t.Helper()
	o, dropped, err := worker.OpenOutbox(dir, 1<<30)
	testutil.OK(t, err)
	return o, dropped
}

func item(pair int) farm.Item {
	return farm.Item{Lease: farm.Held{Run: "r", Pair: pair, Epoch: farm.Epoch(pair + 1)},
		Pair: []byte(strings.Repeat("x", 100+pair))}
}

// pairs returns the pairs that the outbox would publish, in order.
func pairs(o *worker.Outbox) (all []int) {
	items, _ := o.Batch(1 << 30)
	for _, i := range items {
		all = append(all, i.Lease.Pair)
	}
	return all
}

// TestATornTailIsDropped: if a part of the last record is missing, the outbox drops this record and has the others.
func TestATornTailIsDropped(t *testing.T) {
	dir := t.TempDir()
	o, _ := openOutbox(t, dir)
	for pair := range 3 {
		testutil.OK(t, o.Append(item(pair)))
	}
	testutil.OK(t, o.Close())
	name := filepath.Join(dir, "0000000000000001.out")
	whole := testutil.Must(os.ReadFile(name))(t)
	last := len(whole) * 2 / 3 // within the third record, which is slightly more than a third of the file
	for cut := last + 10; cut < len(whole); cut += 7 {
		again := t.TempDir()
		testutil.OK(t, os.WriteFile(filepath.Join(again, filepath.Base(name)), whole[:cut], 0o600))
		o, dropped := openOutbox(t, again)
		if got := pairs(o); !slices.Equal(got, []int{0, 1}) || dropped == 0 {
			t.Fatalf("cut at %d of %d: %v, %d bytes dropped", cut, len(whole), got, dropped)
		}
		testutil.OK(t, o.Append(item(9)))
		testutil.OK(t, o.Close())
		o, _ = openOutbox(t, again)
		if got := pairs(o); !slices.Equal(got, []int{0, 1, 9}) {
			t.Fatalf("cut at %d, then one more: %v", cut, got)
		}
	}
	for at := range whole { // a flipped bit damages only its record and the records after it
		again := t.TempDir()
		flipped := slices.Clone(whole)
		flipped[at] ^= 4
		testutil.OK(t, os.WriteFile(filepath.Join(again, filepath.Base(name)), flipped, 0o600))
		o, dropped := openOutbox(t, again)
		got := pairs(o)
		testutil.Require(t, slices.Equal(got, []int{0, 1, 2}[:len(got)]) && len(got) != 3 && dropped != 0,
			"bit of byte %d flipped: %v", at, got)
		testutil.OK(t, o.Close())
	}
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
				var dropped int64
				if o, dropped = openOutbox(t, dir); dropped != 0 {
					t.Fatalf("%d bytes dropped", dropped)
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

// TestFilesGoWhenTheirItemsAreDone: the outbox deletes files whose items are done. It has all items that were appended
// at the same time.
func TestFilesGoWhenTheirItemsAreDone(t *testing.T) {
	dir := t.TempDir()
	o, _, err := worker.OpenOutbox(dir, 20<<20)
	testutil.OK(t, err)
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
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	if n, bytes := o.Left(); n != 32 || bytes < 32*900_000 || len(files) < 3 || !o.Full() {
		t.Errorf("%d items in %d bytes of %d files, full %v", n, bytes, len(files), o.Full())
	}
	items, _ := o.Batch(1 << 20)
	testutil.Check(t, len(items) == 1, "%d items of 900 kB in a batch of 1 MB", len(items))
	o.Done(all[:30])
	testutil.Check(t, !o.Full(), "it is full with two items")
	o.Done(all[30:])
	files, _ = filepath.Glob(filepath.Join(dir, "*"))
	if n, bytes := o.Left(); n != 0 || bytes > 9<<20 || len(files) > 1 {
		t.Errorf("%d items in %d bytes of %d files", n, bytes, len(files))
	}
	it := item(1)
	it.Pair = make([]byte, farm.MaxBody)
	testutil.Fails(t, o.Append(it), "", "an item is taken that no message can carry")
}

// TestNoRoomForAnotherFile: an outbox without pending items that cannot start a new file continues in its file. It
// starts a new one when there is room.
func TestNoRoomForAnotherFile(t *testing.T) {
	dir := t.TempDir()
	o, _ := openOutbox(t, dir)
	var all []farm.Held
	for pair := range 10 {
		it := item(pair)
		it.Pair = []byte(strings.Repeat("x", 900_000))
		testutil.OK(t, o.Append(it))
		all = append(all, it.Lease)
	}
	o.Done(all[:9])
	if got := pairs(o); !slices.Equal(got, []int{9}) {
		t.Fatalf("%v are left", got)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*"))
	testutil.Require(t, len(files) == 1, "%q", files)
	next := filepath.Join(dir, "0000000000000002.out")
	if err := os.Mkdir(next, 0o700); err != nil { // as on a full disk, the file cannot be made
		t.Fatal(err)
	}
	o.Done(all[9:])
	if _, bytes := o.Left(); bytes < 8<<20 {
		t.Errorf("it has begun anew with %d bytes", bytes)
	}
	testutil.OK(t, o.Append(item(20)), "it takes nothing any more")
	testutil.Slices(t, pairs(o), []int{20}, "pairs that are left")
	o.Done([]farm.Held{item(20).Lease})
	if _, bytes := o.Left(); bytes > 1<<20 {
		t.Errorf("it has %d bytes when there is room", bytes)
	}
	testutil.OK(t, errors.Join(os.Remove(next), o.Close()))
	o, dropped := openOutbox(t, dir)
	if got := pairs(o); len(got) != 0 || dropped != 0 {
		t.Errorf("%v after a restart, %d bytes dropped", got, dropped)
	}
	testutil.OK(t, o.Close())
}
