package worker_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// blockPlan is a plan of blocks, which fields play in three seconds each.
func blockPlan(name string, blocks int) *match.Plan {
	p := plan(name, blocks)
	p.Players, p.Design, p.Selfplay = p.Players[:1], match.Design{}, `{"version":1}`
	return p
}

// playBlocks makes a field's worker one that plays blocks.
func (f *field) playBlocks(play func(ctx context.Context, number int) error) {
	f.wire.uploads = map[string]string{}
	f.config.Block = func(ctx context.Context, _ *match.Plan, number int) ([]byte, farm.Block, error) {
		if err := play(ctx, number); err != nil {
			return nil, farm.Block{}, err
		}
		data := fmt.Appendf(nil, "block %d", number)
		sum := sha256.Sum256(data)
		return data, farm.Block{SHA256: hex.EncodeToString(sum[:]), Size: int64(len(data)), Games: number}, nil
	}
}

func threeSeconds(ctx context.Context, _ int) error {
	select {
	case <-time.After(3 * time.Second):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// files are those of blocks that the machine keeps.
func (f *field) files(t *testing.T) []string {
	t.Helper()
	names := testutil.Must(filepath.Glob(filepath.Join(f.config.Dir, "blocks", "*")))(t)
	return names
}

// arrived holds what came against what was played.
func (f *field) cameWhole(t *testing.T, blocks int) {
	t.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	seen := map[int]bool{}
	for _, it := range f.blocks {
		seen[it.Lease.Pair] = true
		if got, want := f.wire.uploads[it.Block.SHA256], fmt.Sprintf("block %d", it.Lease.Pair); got != want || it.Block.Games != it.Lease.Pair || it.Block.Seconds != 3 {
			t.Errorf("%+v is told of an upload %q, expected %q", it.Block, got, want)
		}
	}
	if len(seen) != blocks {
		t.Errorf("%d blocks have come, expected %d", len(seen), blocks)
	}
}

// TestBlocks: each is played in a slot, beside pairs; its file is uploaded before it is
// told of, and is gone when it is stored.
func TestBlocks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newField(t)
		var now, most atomic.Int32
		f.playBlocks(func(ctx context.Context, n int) error {
			if k := now.Add(1); k > most.Load() {
				most.Store(k)
			}
			defer now.Add(-1)
			return threeSeconds(ctx, n)
		})
		blocks, pairs := f.add(blockPlan("blocks", 7)), f.add(plan("pairs", 5))
		w := f.join(t)
		done := playing(t.Context(), w, time.Second)
		f.until(t.Context(), "all stored", func() bool { return len(f.stored[blocks]) == 7 && len(f.stored[pairs]) == 5 })
		w.Drain()
		if err := errors.Join(<-done, w.Close(t.Context())); err != nil {
			t.Error(err)
		}
		f.cameWhole(t, 7)
		if most.Load() != 2 || len(f.back) != 0 || len(f.files(t)) != 0 {
			t.Errorf("%d at a time, expected the two slots; %d given back; files: %v", most.Load(), len(f.back), f.files(t))
		}
	})
}

// TestBlocksOutliveTheirProcess: what was played while the coordinator was away is sent by
// the next process; a file that was damaged meanwhile is given back, and played again.
func TestBlocksOutliveTheirProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newField(t)
		f.playBlocks(threeSeconds)
		run := f.add(blockPlan("blocks", 4))
		w := f.join(t)
		done := playing(t.Context(), w, time.Second)
		f.until(t.Context(), "leases", func() bool { return len(f.held[run]) == 4 })
		f.wire.set(func() { f.wire.away = true })
		time.Sleep(10 * time.Second)
		if n := len(f.files(t)); n != 4 {
			t.Fatalf("%d files wait, expected 4", n)
		}
		w.Drain()
		ending, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := errors.Join(<-done, w.Close(ending)); err != nil {
			t.Error(err)
		}
		testutil.OK(t, os.WriteFile(f.files(t)[1], []byte("damage"), 0o600))
		stray := filepath.Join(f.config.Dir, "blocks", "ab-1-2.block")
		testutil.OK(t, os.WriteFile(stray, nil, 0o600))
		f.wire.set(func() { f.wire.away = false })
		w = f.join(t)
		if _, err := os.Stat(stray); err == nil {
			t.Error("a file that nothing is told of stays")
		}
		done = playing(t.Context(), w, time.Second)
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 4))
		w.Drain()
		if err := errors.Join(<-done, w.Close(t.Context())); err != nil {
			t.Error(err)
		}
		f.cameWhole(t, 4)
		if len(f.files(t)) != 0 {
			t.Errorf("files: %v", f.files(t))
		}
	})
}

// TestBlocksThatAreNotPlayed: one that cannot be played here is given back as crashed, one
// that is broken off as not; where its lease is taken away, it ends at once.
func TestBlocksThatAreNotPlayed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newField(t)
		f.config.Slots = 1
		ended := make(chan error, 10)
		f.playBlocks(func(ctx context.Context, n int) error {
			if n == 0 {
				return errors.New("it does not start")
			}
			<-ctx.Done()
			ended <- context.Cause(ctx)
			return context.Cause(ctx)
		})
		bad := f.add(blockPlan("bad", 1))
		ctx, cancel := context.WithCancel(t.Context())
		w := f.join(t)
		done := playing(ctx, w, time.Second)
		f.until(ctx, "given back", func() bool { return len(f.coordinator.back) == 1 })
		if b := f.back[0]; !b.Crashed || b.Run != bad || w.Status().Refused[bad] == "" {
			t.Errorf("%+v, refused: %v", b, w.Status().Refused)
		}
		f.mu.Lock()
		f.stored[bad][0] = true
		f.mu.Unlock()
		good := blockPlan("good", 2)
		run := f.add(good)
		f.mu.Lock()
		f.stored[run][0] = true // only block 1 is left
		f.mu.Unlock()
		f.until(ctx, "a lease", func() bool { return len(f.held[run]) == 1 })
		time.Sleep(time.Second)
		f.mu.Lock()
		f.told.Drop = []farm.Held{f.held[run][1]}
		f.mu.Unlock()
		<-ended
		f.mu.Lock()
		f.told.Drop = nil
		delete(f.held[run], 1)
		f.mu.Unlock()
		f.until(ctx, "another lease", func() bool { return len(f.held[run]) == 1 })
		time.Sleep(time.Second)
		cancel()
		<-ended
		<-done // how a play that is ended ends
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
		if len(f.back) != 2 || f.back[1].Crashed || f.back[1].Run != run {
			t.Errorf("%+v", f.back)
		}
		if len(f.blocks) != 0 || len(f.files(t)) != 0 {
			t.Errorf("%v, %v", f.blocks, f.files(t))
		}
	})
}

// TestADiskHereSaysNothingOfABlock: one that was played and cannot be kept here is given
// back, and nobody hears that it crashes what plays it.
func TestADiskHereSaysNothingOfABlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newField(t)
		f.config.Slots = 1
		f.playBlocks(func(context.Context, int) error { return os.RemoveAll(filepath.Join(f.config.Dir, "blocks")) })
		run := f.add(blockPlan("blocks", 1))
		w := f.join(t)
		done := playing(t.Context(), w, time.Second)
		f.until(t.Context(), "given back", func() bool { return len(f.coordinator.back) == 1 })
		if b := f.back[0]; b.Crashed || b.Run != run || w.Status().Refused[run] == "" {
			t.Errorf("%+v, refused: %v", b, w.Status().Refused)
		}
		w.Drain()
		if err := errors.Join(<-done, w.Close(t.Context())); err != nil {
			t.Error(err)
		}
	})
}
