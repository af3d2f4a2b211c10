package games_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report/stored"
	"gogi/results"
	"gogi/results/dump"
	"gogi/results/games"
	"gogi/results/resultstest"
	"gogi/results/segments"
	"gogi/results/tables"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/shogi/kifu/text"
	"gogi/stats"
)

var (
	flips = flag.Int("flips", 0, "how many bits are flipped; 0: 500, and 10000 with -long")
	swaps = flag.Int("swaps", 0, "how many pages change places; 0: 15, and 300 with -long")
	seed  = flag.Uint64("seed", 12, "repeats what was drawn")
)

// A reading is one way to read a run. The test compares its whole output.
type reading struct {
	name string
	read func(ctx context.Context, s *results.Store, w io.Writer) error
}

// readings returns the ways in which commands and pages read the run "r".
func readings() []reading {
	run := func(print func(context.Context, *results.Store, *results.RunInfo, io.Writer) error) func(context.Context,
		*results.Store, io.Writer) error {
		return func(ctx context.Context, s *results.Store, w io.Writer) error {
			info, err := s.FindRun(ctx, "r")
			if err != nil {
				return err
			}
			return print(ctx, s, info, w)
		}
	}
	values := func(print func(context.Context, *results.Store, *results.RunInfo) ([]any, error)) func(context.Context,
		*results.Store, io.Writer) error {
		return run(func(ctx context.Context, s *results.Store, info *results.RunInfo, w io.Writer) error {
			list, err := print(ctx, s, info)
			if err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(list)
		})
	}
	return []reading{
		{"report and gate", func(ctx context.Context, s *results.Store, w io.Writer) error {
			rep, err := stored.Report(ctx, s, "r")
			if err != nil {
				return err
			}
			return json.NewEncoder(w).Encode(rep)
		}},
		{"games", run(func(ctx context.Context, s *results.Store, info *results.RunInfo, w io.Writer) error {
			return stored.WriteGames(ctx, w, s, info, nil)
		})},
		{"export", run(func(ctx context.Context, s *results.Store, info *results.RunInfo, w io.Writer) error {
			_, err := (&games.Export{Format: text.Text()[0]}).Run(ctx, s, info, "-", w)
			return err
		})},
		{"export of wins", run(func(ctx context.Context, s *results.Store, info *results.RunInfo, w io.Writer) error {
			e := games.Export{Format: text.Text()[0]}
			e.Filter.Player, e.Filter.Result = "A", "win"
			_, err := e.Run(ctx, s, info, "-", w)
			return err
		})},
		{"dump", func(ctx context.Context, s *results.Store, w io.Writer) error {
			return dump.Write(ctx, s, w, "r", false)
		}},
		{"lists", values(listed)},
		{"states", values(kept)},
	}
}

// listed returns the games and counts that pages list for a run.
func listed(ctx context.Context, s *results.Store, run *results.RunInfo) ([]any, error) {
	white := shogi.White
	wins, err1 := s.Search(ctx, run.ID, results.Search{Player: "A", Colour: &white, Result: "win", Limit: 20})
	last, err2 := s.Search(ctx, run.ID, results.Search{Before: &results.GamePlace{Pair: math.MaxInt32}, Limit: 7})
	n, err3 := s.CountGames(ctx, run.ID, results.Search{Result: "draw"})
	all, err4 := s.CountGames(ctx, run.ID, results.Search{})
	openings, err5 := stored.OpeningTallies(ctx, s, run.ID)
	slots, err6 := stored.SlotTallies(ctx, s, run)
	repetitions, err7 := s.Search(ctx, run.ID, results.Search{Termination: match.Repetition})
	return []any{wins, last, n, all, openings, slots, repetitions}, errors.Join(err1, err2, err3, err4, err5, err6, err7)
}

// kept returns the other data of a run, which gogi uses to resume, copy or check it.
func kept(ctx context.Context, s *results.Store, info *results.RunInfo) ([]any, error) {
	run := info.ID
	finished, err1 := s.Finished(ctx, run)
	stored, err2 := results.StoredTimes(ctx, s, run)
	voided, err3 := s.Voided(ctx, run)
	attempts, err4 := s.Attempts(ctx, run)
	setting, err5 := s.FirstStored(ctx, run)
	settings, err6 := s.Settings(ctx, run)
	runs, err7 := s.Runs(ctx)
	sum, pairs, err8 := dump.StableSum(ctx, s, run, 2, 9)
	pair, err9 := s.Pair(ctx, run, 4)
	record, err10 := s.Record(ctx, run, 7, 1)
	return []any{slices.Sorted(maps.Keys(finished)), stored, voided, attempts, setting, settings, runs, sum, pairs, pair,
			movesOf(&record)},
		errors.Join(err1, err2, err3, err4, err5, err6, err7, err8, err9, err10)
}

func movesOf(r *kifu.Record) string { return fmt.Sprint(r.USIMoves()) }

// outputs returns the output of each reading of a file. A reading that fails has no output.
func outputs(t *testing.T, path string) map[string]string {
	t.Helper()
	printed := map[string]string{}
	s, err := results.OpenExisting(t.Context(), path)
	if err != nil {
		return printed
	}
	for _, r := range readings() {
		var out bytes.Buffer
		if err := r.read(t.Context(), s, &out); err == nil {
			printed[r.name] = out.String()
		}
	}
	_ = s.Close() // closing a damaged file may fail
	return printed
}

// A damaged is a database in which the test damages bits and pages.
type damaged struct {
	name  string
	path  string
	share int // its share of the damages, in percent
}

// damageable returns databases of the kinds that readers distinguish.
func damageable(t *testing.T) []damaged {
	t.Helper()
	return []damaged{
		{"rows", played(t, 16, 10, nil), 40},
		{"segments", played(t, segments.Least+3, 3, nil), 20},
		{"one opening", played(t, 16, 10, func(p *match.Plan) { p.Openings = p.Openings[:1] }), 40},
	}
}

// played returns the path of a database with pairs, voided pairs and attempts.
func played(t *testing.T, pairs, plies int, change func(*match.Plan)) string {
	t.Helper()
	path := resultstest.Path(t)
	s := resultstest.Open(t, path)
	plan := matchtest.Plan("r")
	plan.Pairs, plan.PVPlies, plan.Gate = 2*pairs, 3,
		stats.SPRT{Elo1: 40, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	if change != nil {
		change(plan)
	}
	run := resultstest.Begin(t, s, plan)
	for id := range pairs {
		pair := matchtest.Pair(plan, id, plies)
		if id%11 == 3 {
			pair.Attempts = []match.Attempt{{Pair: id, Ended: pair.Games[0].Started, Why: "slow"}}
		}
		if id%5 > 2 {
			pair.Played = matchtest.PlayedBy(id)
		}
		matchtest.Put(t, run, pair)
	}
	if n, err := run.Void(t.Context(), "slowed", "me",
		func(g match.Row) bool { return g.Pair == 5 || g.Pair == 6 }); len(n) != 2 || err != nil {
		t.Fatal(n, err)
	}
	again := matchtest.Pair(plan, 6, plies)
	for leg := range again.Games {
		again.Games[leg].Started = again.Games[leg].Started.Add(time.Hour)
	}
	matchtest.Put(t, run, again)
	testutil.OK(t, errors.Join(run.Close(), s.Close()))
	return path
}

// counts has the number of equal, rejected and wrong outputs.
type counts struct{ same, refused, wrong int }

// compare counts the outputs of all readings of a damaged file.
func (c *counts) compare(t *testing.T, path, what string, want map[string]string) {
	t.Helper()
	got := outputs(t, path)
	for _, r := range readings() {
		out, printed := got[r.name]
		switch {
		case !printed:
			c.refused++
		case out == want[r.name]:
			c.same++
		default:
			c.wrong++
			t.Errorf("%s: %s prints what is not stored, and no error (%d bytes, %d when undamaged)", what, r.name, len(out),
				len(want[r.name]))
		}
	}
}

// TestFlippedBits: a bit flips, or two pages change places, anywhere in a database. Each reader prints the same as for
// the undamaged database, or fails.
func TestFlippedBits(t *testing.T) {
	flips, swaps := cmp.Or(*flips, testutil.ByLength(20, 10_000)), cmp.Or(*swaps, testutil.ByLength(5, 300))
	t.Logf("seed %d, %d flipped bits, %d swapped pages", *seed, flips, swaps)
	files := damageable(t)
	for i, d := range files {
		t.Run(d.name, func(t *testing.T) {
			t.Parallel()
			whole := testutil.Must(os.ReadFile(d.path))(t)
			want := outputs(t, d.path)
			if len(want) != len(readings()) {
				t.Fatalf("of the undamaged file, %d readings of %d succeed", len(want), len(readings()))
			}
			r := rand.New(rand.NewPCG(*seed, uint64(i)))
			var flipped, swapped counts
			for n := range flips * d.share / 100 {
				bit := drawBit(r, len(whole))
				text := slices.Clone(whole)
				text[bit/8] ^= 1 << (bit % 8)
				flipped.compare(t, written(t, d.path, n, text),
					fmt.Sprintf("bit %d of byte %d of page %d", bit%8, bit/8%tables.PageSize, bit/8/tables.PageSize+1), want)
			}
			for n := range swaps * d.share / 100 {
				a, b := drawPages(r, len(whole)/tables.PageSize)
				text := slices.Clone(whole)
				copy(text[a*tables.PageSize:], whole[b*tables.PageSize:(b+1)*tables.PageSize])
				copy(text[b*tables.PageSize:], whole[a*tables.PageSize:(a+1)*tables.PageSize])
				swapped.compare(t, written(t, d.path, n, text), fmt.Sprintf("pages %d and %d", a+1, b+1), want)
			}
			t.Logf("outputs after flipped bits: %+v, after swapped pages: %+v", flipped, swapped)
			testutil.Check(t, flipped.refused != 0 && swapped.refused != 0, "nothing was damaged")
		})
	}
}

// drawBit draws a bit of a file. A quarter of the bits is in the header of a page. A quarter is in its first 300 bytes,
// which have the pointers of the tree.
func drawBit(r *rand.Rand, size int) int {
	page := r.IntN(size/tables.PageSize) * tables.PageSize
	switch r.IntN(4) {
	case 0:
		return 8*page + r.IntN(8*12)
	case 1:
		return 8*page + r.IntN(8*300)
	}
	return r.IntN(8 * size)
}

// drawPages draws two different pages, counted from 0.
func drawPages(r *rand.Rand, pages int) (a, b int) {
	a = r.IntN(pages)
	b = r.IntN(pages - 1)
	if b >= a {
		b++
	}
	return a, b
}

// written writes a damaged copy over an earlier one, and returns its path.
func written(t *testing.T, path string, n int, text []byte) string {
	t.Helper()
	damaged := filepath.Join(filepath.Dir(path), fmt.Sprintf("damaged-%d.db", n%2))
	for _, end := range []string{"-wal", "-shm", "-lock"} {
		_ = os.Remove(damaged + end) // most do not exist
	}
	testutil.OK(t, os.WriteFile(damaged, text, 0o600))
	return damaged
}
