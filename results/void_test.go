package results_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gogi/internal/fakepairs"
	"gogi/match"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// What was added comes back whole.
func TestPair(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := fakepairs.Plan("r")
	run := resultstest.Begin(t, s, plan)
	for id := range 4 { // both openings
		want := fakepairs.Pair(plan, id, 40)
		want.Games[0].Record.Final = []byte("{}")
		want.Games[1].Sides[0].WorstOverrun = time.Millisecond
		want.Attempts = []match.Attempt{{Pair: id, Ended: time.UnixMicro(7).UTC(), Why: "slow"}, {Pair: id, Ended: time.UnixMicro(8).UTC(), Why: "slow"}}
		fakepairs.Put(t, run, want)
		got, err := s.Pair(t.Context(), run.ID(), id)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("pair %d (-added +got):\n%s", id, diff)
		}
	}
	if _, err := s.Pair(t.Context(), run.ID(), 9); !errors.Is(err, results.ErrNoGame) {
		t.Errorf("a pair that is not stored: %v", err)
	}
}

func TestVoid(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := fakepairs.Plan("r")
	run := resultstest.Begin(t, s, plan)
	other := resultstest.Begin(t, s, fakepairs.Plan("other"))
	pairs := map[int]match.PairResult{}
	for id := range 5 {
		pairs[id] = fakepairs.Pair(plan, id, 20)
		for leg := range 2 {
			pairs[id].Games[leg].Slot = id % 2 * leg // slot 1 in one game of each odd pair
		}
		fakepairs.Put(t, run, pairs[id])
		fakepairs.Put(t, other, pairs[id])
	}
	kept := slices.DeleteFunc(resultstest.Games(t, s, run.ID()), func(g match.Row) bool { return g.Pair%2 == 1 })
	slot1 := func(g match.Row) bool { return g.Slot == 1 }
	if n, err := other.Void(t.Context(), "of another run", "me", slot1); !slices.Equal(n, []int{1, 3}) || err != nil {
		t.Fatalf("pairs %v, %v", n, err)
	}
	before := resultstest.Dump(t, s, "other", false)
	if n, err := run.Void(t.Context(), "slot 1 was slow", "me", slot1); !slices.Equal(n, []int{1, 3}) || err != nil {
		t.Fatalf("pairs %v, %v", n, err)
	}
	if diff := cmp.Diff(kept, resultstest.Games(t, s, run.ID())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	checkWhole(t, s, run.ID())
	if finished, err := run.Finished(t.Context()); err != nil || !cmp.Equal(finished, map[int]bool{0: true, 2: true, 4: true}) {
		t.Errorf("finished %v, %v", finished, err)
	}
	if info, err := s.FindRun(t.Context(), "r"); err != nil || info.Finished != 3 {
		t.Errorf("%+v, %v", info, err)
	}
	if resultstest.Dump(t, s, "other", false) != before {
		t.Error("another run was changed")
	}
	if _, err := s.Record(t.Context(), run.ID(), 1, 0); !errors.Is(err, results.ErrNoGame) {
		t.Errorf("the record of a voided game: %v", err)
	}
	fakepairs.Put(t, run, pairs[1]) // played anew
	if n, err := run.Void(t.Context(), "again", "you", slot1); !slices.Equal(n, []int{1}) || err != nil {
		t.Fatalf("pairs %v, %v", n, err)
	}
	if n, err := run.Void(t.Context(), "again", "you", slot1); len(n) != 0 || err != nil {
		t.Fatalf("nothing to void: pairs %v, %v", n, err)
	}
	checkVoided(t, s, run.ID(), pairs)
}

func checkVoided(t *testing.T, s *results.Store, run int64, pairs map[int]match.PairResult) {
	t.Helper()
	list, err := s.Voided(t.Context(), run)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range list {
		got = append(got, strings.Join([]string{string(rune('0' + v.Pair)), string(rune('0' + v.Take)), v.Why, v.By}, " "))
		body, err := match.DecodePair(v.Body, 1<<20)
		if diff := cmp.Diff(pairs[v.Pair], body, cmpopts.EquateEmpty()); diff != "" || err != nil {
			t.Errorf("pair %d: %v (-added +kept):\n%s", v.Pair, err, diff)
		}
		if v.At.Year() < 2026 {
			t.Errorf("voided at %v", v.At)
		}
	}
	if want := []string{"1 1 slot 1 was slow me", "1 2 again you", "3 1 slot 1 was slow me"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if text := resultstest.Dump(t, s, "r", true); strings.Contains(text, "void") || strings.Contains(text, "slow\"") {
		t.Errorf("the stable dump:\n%s", text)
	}
	if text := resultstest.Dump(t, s, "r", false); strings.Count(text, `{"type":"voided"`) != 3 || !strings.Contains(text, `"take":2`) {
		t.Errorf("the dump:\n%s", text)
	}
}

// TestDamagedVoidedPairs: a voided pair has a checksum, which each reader and the next Void of the pair verify.
func TestDamagedVoidedPairs(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := fakepairs.Plan("r")
	run := resultstest.Begin(t, s, plan)
	all := func(match.Row) bool { return true }
	for range 2 {
		fakepairs.Put(t, run, fakepairs.Pair(plan, 0, 10))
		if _, err := run.Void(t.Context(), "slow", "me", all); err != nil {
			t.Fatal(err)
		}
	}
	fakepairs.Put(t, run, fakepairs.Pair(plan, 0, 10))
	if list, err := s.Voided(t.Context(), run.ID()); err != nil || len(list) != 2 {
		t.Fatalf("before the damage: %d voided pairs, %v", len(list), err)
	}
	if _, err := s.Writer().ExecContext(t.Context(), "UPDATE voided SET why = 'fast' WHERE take = 1"); err != nil {
		t.Fatal(err)
	}
	if list, err := s.Voided(t.Context(), run.ID()); !isDamaged(err, "voided") {
		t.Errorf("read: %d voided pairs, %v", len(list), err)
	}
	if list, err := s.VoidedPair(t.Context(), run.ID(), 0); !isDamaged(err, "voided") {
		t.Errorf("read of one pair: %d voided pairs, %v", len(list), err)
	}
	if pairs, err := run.Void(t.Context(), "slow", "me", all); !isDamaged(err, "voided") {
		t.Errorf("voided again: pairs %v, %v", pairs, err)
	}
}

func isDamaged(err error, table string) bool {
	damaged, ok := errors.AsType[*tables.Damaged](err)
	return ok && damaged.Table == table
}

// All pairs are voided or none.
func TestVoidRefuses(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := fakepairs.Plan("r")
	run := resultstest.Begin(t, s, plan)
	fakepairs.Put(t, run, fakepairs.Pair(plan, 0, 10), fakepairs.Pair(plan, 1, 10))
	all := func(match.Row) bool { return true }
	for _, words := range [][2]string{{"", "me"}, {"slow", ""}} {
		if _, err := run.Void(t.Context(), words[0], words[1], all); err == nil || !strings.Contains(err.Error(), "expected a reason") {
			t.Errorf("%q: %v", words, err)
		}
	}
	if _, err := s.Writer().ExecContext(t.Context(), "UPDATE records SET plies = x'01' WHERE game_id = (SELECT max(id) FROM games)"); err != nil {
		t.Fatal(err)
	}
	if n, err := run.Void(t.Context(), "damaged", "me", all); err == nil || n != nil {
		t.Errorf("a pair that cannot be kept: %v, %v", n, err)
	}
	if games := resultstest.Games(t, s, run.ID()); len(games) != 4 {
		t.Errorf("%d games are left", len(games))
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := run.Void(t.Context(), "late", "me", all); !errors.Is(err, results.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// A run that nobody plays is voided without its plan, by whom may write to it.
func TestVoidAtRest(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := fakepairs.Plan("r")
	run := resultstest.Begin(t, s, plan)
	fakepairs.Put(t, run, fakepairs.Pair(plan, 0, 10), fakepairs.Pair(plan, 1, 10))
	info, err := s.FindRun(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	first := func(g match.Row) bool { return g.Pair == 0 }
	if _, err := s.Void(t.Context(), info, "test", "me", first); !errors.Is(err, results.ErrRunLocked) {
		t.Errorf("while it is played: %v", err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Void(t.Context(), info, "", "me", first); err == nil {
		t.Error("without a reason")
	}
	if ids, err := s.Void(t.Context(), info, "test", "me", first); !slices.Equal(ids, []int{0}) || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
	reader, err := results.OpenExisting(t.Context(), s.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	if _, err := reader.Void(t.Context(), info, "test", "me", func(match.Row) bool { return true }); err == nil || !strings.Contains(err.Error(), "reading only") {
		t.Errorf("a reader: %v", err)
	}
	run = resultstest.Begin(t, s, plan) // the lock was given back
	if finished, err := run.Finished(t.Context()); err != nil || !cmp.Equal(finished, map[int]bool{1: true}) {
		t.Errorf("%v, %v", finished, err)
	}
}
