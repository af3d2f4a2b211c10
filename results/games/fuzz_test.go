package games

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/shogi/kifu"
)

// FuzzSources reads any content as each of the kinds that a file name can have. Nothing panics and no file is left
// behind. A returned game can be stored and comes back unchanged. A rejected game is named.
func FuzzSources(f *testing.F) {
	game := []byte("V2.2\nPI\n+\n+7776FU\nT1\n%TORYO\n")
	var zipped, squeezed bytes.Buffer
	z := zip.NewWriter(&zipped)
	for _, name := range []string{"a.csa", "b/c.kif", "d.zip"} {
		w, err := z.Create(name)
		if err == nil {
			_, err = w.Write(game)
		}
		testutil.OK(f, err)
	}
	g := gzip.NewWriter(&squeezed)
	_, err := g.Write(game)
	year, yearErr := os.ReadFile("testdata/floodgate.zip")
	if err = errors.Join(err, g.Close(), z.Close(), yearErr); err != nil {
		f.Fatal(err)
	}
	kinds := []string{"x", "x.csa", "x.kif", "x.jkf", "x.zip", "x.7z", "x.gz", "x.zip.gz", "x.hcpe3", "x.pack"}
	for i := range kinds {
		for _, seed := range [][]byte{game, zipped.Bytes(), squeezed.Bytes(), year, nil} {
			f.Add(uint8(i), seed)
		}
	}
	f.Add(uint8(3), []byte(`[{"header":{},"moves":[{},{"special":"TORYO"}]}]`))
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		dir := t.TempDir()
		t.Setenv("TMPDIR", dir)
		path := filepath.Join(dir, kinds[int(kind)%len(kinds)])
		testutil.OK(t, os.WriteFile(path, data, 0o600))
		first, refused := readOnce(t, path)
		again, refusedAgain := readOnce(t, path)
		testutil.Require(t, len(first) == len(again) && refused == refusedAgain,
			"%d games and %d refused, then %d and %d", len(first), refused, len(again), refusedAgain)
		for i, r := range first {
			testutil.Equal(t, r, again[i], "game %d", i+1)
		}
		left, err := os.ReadDir(dir)
		testutil.Check(t, err == nil && len(left) == 1, "left behind: %v, %v", left, err)
	})
}

// readOnce returns the games of a file as lines, and the number of rejected games.
func readOnce(t *testing.T, path string) (games []string, refused int) {
	t.Helper()
	err := Each(context.Background(), []string{path}, nil, func(r Refusal) {
		refused++
		testutil.Check(t, r.File != "" && r.Why != "", "a refusal says nothing: %+v", r)
	}, func(r *kifu.Record, at Refusal) error {
		testutil.Check(t, at.File != "" && at.Game >= 1, "a game has no place: %+v", at)
		games = append(games, r.USI()+" "+r.Result+" "+r.Winner)
		testutil.Check(t, len(r.Moves) <= kifu.MaxPlies, "a game of %d plies", len(r.Moves))
		if packed, err := kifu.Pack(r.Moves, 1<<20); err != nil {
			t.Errorf("a game that cannot be stored: %v", err)
		} else if moves, err := kifu.Unpack(packed); err != nil || len(moves) != len(r.Moves) {
			t.Errorf("a game that cannot be read back: %v", err)
		}
		return nil
	})
	testutil.Check(t, err == nil, "what a file has in it stopped the reading: %v", err)
	return games, refused
}
