package site_test

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"gogi/farm"
	"gogi/farm/site"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/selfplay"
	"gogi/shogi/kifu/packed"
)

// unit is blocks of one game, which nobody plays.
func unit(t *testing.T) *selfplay.Unit {
	t.Helper()
	format := testutil.Must(packed.Find("psv"))(t)
	p := plan()
	p.Players, p.Design, p.Pairs = p.Players[:1], match.Design{}, 0
	return &selfplay.Unit{Plan: p, Design: selfplay.Design{Games: 1}, Blocks: 3, Data: selfplay.Data{Format: format}}
}

// resignedBlock is a block whose game is resigned at once.
func resignedBlock(t *testing.T, u *selfplay.Unit, n int) []byte {
	t.Helper()
	digest, err := u.Digest()
	testutil.OK(t, err)
	data, err := (&selfplay.Block{Number: n, Games: []selfplay.Game{{Start: "startpos", Result: "resign", Winner: "white"}}}).Encode(digest)
	testutil.OK(t, err)
	return data
}

// TestAStoreOfBlocks: what is added once, void by worker, and counted as takes, in a folder
// that is opened again; a block that was not noted down, or was being made void, is none.
func TestAStoreOfBlocks(t *testing.T) {
	t.Parallel()
	ctx, u, dir := context.Background(), unit(t), t.TempDir()
	var s *site.Blocks
	open := func() {
		t.Helper()
		if s != nil {
			testutil.OK(t, s.Close())
		}
		var err error
		if s, err = site.OpenBlocks(dir, u); err != nil {
			t.Fatal(err)
		}
	}
	add := func(n, take int, worker string) (bool, error) {
		b := farm.StoredBlock{Number: n, Take: take, Worker: worker, Proof: []byte{1}}
		b.Games = 1
		return s.AddBlock(ctx, b, resignedBlock(t, u, n))
	}
	stored := func(want ...int) {
		t.Helper()
		got, err := s.Finished(ctx)
		if err != nil || !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
			t.Errorf("%v are stored, %v: expected %v", got, err, want)
		}
	}
	open()
	for n, worker := range []string{"w", "v", "w"} {
		if added, err := add(n, 0, worker); !added || err != nil {
			t.Fatal(added, err)
		}
	}
	if added, err := add(1, 0, "w"); added || err != nil {
		t.Errorf("once more: %v, %v", added, err)
	}
	if _, err := s.AddBlock(ctx, farm.StoredBlock{Number: 5}, resignedBlock(t, u, 4)); err == nil {
		t.Error("a file of another block is kept")
	}
	row, data, err := s.FirstBlock(ctx, 1)
	if err != nil || row == nil || row.Number != 1 || row.Worker != "v" || row.Games != 1 || string(data) != string(resignedBlock(t, u, 1)) {
		t.Errorf("%+v, %v", row, err)
	}
	if row, _, err := s.FirstBlock(ctx, 3); row != nil || err != nil {
		t.Errorf("%+v, %v", row, err)
	}
	open()
	stored(0, 1, 2)

	before := filepath.Join(dir, "rows", "0.json")
	text, err := os.ReadFile(before)
	testutil.OK(t, err)
	if got, err := s.By(ctx, "w"); err != nil || !slices.Equal(got, []int{0, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	if got, err := s.Void(ctx, "w", "x", "boss"); err != nil || !slices.Equal(got, []int{0, 2}) {
		t.Errorf("%v, %v", got, err)
	}
	stored(1)
	if err := os.WriteFile(before, text, 0o600); err != nil { // as of a power cut in between
		t.Fatal(err)
	}
	open()
	stored(1)
	if takes, err := s.Takes(ctx); err != nil || !maps.Equal(takes, map[int]int{0: 1, 2: 1}) {
		t.Errorf("%v, %v", takes, err)
	}
	if _, err := add(0, 0, "w"); err == nil {
		t.Error("an old take is stored")
	}
	if added, err := add(0, 1, "w"); !added || err != nil {
		t.Errorf("%v, %v", added, err)
	}
	if _, err := s.By(ctx, ""); err == nil {
		t.Error("the blocks of nobody are told")
	}
	if err := os.Remove(filepath.Join(dir, "rows", "1.json")); err != nil { // a block, and no row yet
		t.Fatal(err)
	}
	open()
	stored(0)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
