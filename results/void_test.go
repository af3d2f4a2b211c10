package results_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// TestPair: Pair returns a stored pair unchanged.
func TestPair(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	for id := range 4 { // both openings
		want := matchtest.Pair(plan, id, 40)
		want.Games[0].Record.Final = []byte("{}")
		want.Games[1].Sides[0].WorstOverrun = time.Millisecond
		want.Attempts = []match.Attempt{{Pair: id, Ended: time.UnixMicro(7).UTC(), Why: "slow"},
			{Pair: id, Ended: time.UnixMicro(8).UTC(), Why: "slow"}}
		matchtest.Put(t, run, want)
		got := testutil.Must(s.Pair(t.Context(), run.ID(), id))(t)
		testutil.Equal(t, cmp.Diff(want, got, cmpopts.EquateEmpty()), "", "pair %d (-added +got)", id)
	}
	_, err := s.Pair(t.Context(), run.ID(), 9)
	testutil.Check(t, errors.Is(err, results.ErrNoGame), "a pair that is not stored: %v", err)
}

func TestVoid(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	other := resultstest.Begin(t, s, matchtest.Plan("other"))
	pairs := map[int]match.PairResult{}
	for id := range 5 {
		pairs[id] = matchtest.Pair(plan, id, 20)
		for leg := range 2 {
			pairs[id].Games[leg].Slot = id % 2 * leg // slot 1 in one game of each odd pair
		}
		matchtest.Put(t, run, pairs[id])
		matchtest.Put(t, other, pairs[id])
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
	testutil.Diff(t, kept, resultstest.Games(t, s, run.ID()))
	checkWhole(t, s, run.ID())
	if finished, err := run.Finished(t.Context()); err != nil ||
		!cmp.Equal(finished, map[int]bool{0: true, 2: true, 4: true}) {
		t.Errorf("finished %v, %v", finished, err)
	}
	if info, err := s.FindRun(t.Context(), "r"); err != nil || info.Finished != 3 {
		t.Errorf("%+v, %v", info, err)
	}
	testutil.Equal(t, resultstest.Dump(t, s, "other", false), before, "another run was changed")
	testutil.Is(t, testutil.Err(s.Record(t.Context(), run.ID(), 1, 0)), results.ErrNoGame, "the record of a voided game")
	matchtest.Put(t, run, pairs[1]) // played again
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
	list := testutil.Must(s.Voided(t.Context(), run))(t)
	var got []string
	for _, v := range list {
		got = append(got, strings.Join([]string{string(rune('0' + v.Pair)), string(rune('0' + v.Take)), v.Why, v.By}, " "))
		body, err := match.DecodePair(v.Body, 1<<20)
		diff := cmp.Diff(pairs[v.Pair], body, cmpopts.EquateEmpty())
		testutil.Check(t, diff == "" && err == nil, "pair %d: %v (-added +kept):\n%s", v.Pair, err, diff)
		testutil.Check(t, v.At.Year() >= 2026, "voided at %v", v.At)
	}
	testutil.Slices(t, []string{"1 1 slot 1 was slow me", "1 2 again you", "3 1 slot 1 was slow me"}, got)
	if text := resultstest.Dump(t, s, "r", true); strings.Contains(text, "void") || strings.Contains(text, "slow\"") {
		t.Errorf("the stable dump:\n%s", text)
	}
	if text := resultstest.Dump(t, s, "r", false); strings.Count(text, `{"type":"voided"`) != 3 ||
		!strings.Contains(text, `"take":2`) {
		t.Errorf("the dump:\n%s", text)
	}
}

// TestDamagedVoidedPairs: a voided pair has a checksum, which each reader and the next Void of the pair verify.
func TestDamagedVoidedPairs(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	all := func(match.Row) bool { return true }
	for range 2 {
		matchtest.Put(t, run, matchtest.Pair(plan, 0, 10))
		testutil.Must(run.Void(t.Context(), "slow", "me", all))(t)
	}
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 10))
	if list, err := s.Voided(t.Context(), run.ID()); err != nil || len(list) != 2 {
		t.Fatalf("before the damage: %d voided pairs, %v", len(list), err)
	}
	testutil.Must(s.Writer().ExecContext(t.Context(), "UPDATE voided SET why = 'fast' WHERE take = 1"))(t)
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

// TestVoidRefuses: Void voids all pairs or none.
func TestVoidRefuses(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 10), matchtest.Pair(plan, 1, 10))
	all := func(match.Row) bool { return true }
	for _, words := range [][2]string{{"", "me"}, {"slow", ""}} {
		testutil.Fails(t, testutil.Err(run.Void(t.Context(), words[0], words[1], all)), "expected a reason", "%q", words)
	}
	testutil.Must(s.Writer().ExecContext(t.Context(),
		"UPDATE records SET plies = x'01' WHERE game_id = (SELECT max(id) FROM games)"))(t)
	if n, err := run.Void(t.Context(), "damaged", "me", all); err == nil || n != nil {
		t.Errorf("a pair that cannot be kept: %v, %v", n, err)
	}
	games := resultstest.Games(t, s, run.ID())
	testutil.Check(t, len(games) == 4, "%d games are left", len(games))
	testutil.OK(t, run.Close())
	testutil.Is(t, testutil.Err(run.Void(t.Context(), "late", "me", all)), results.ErrClosed, "closed")
}

// TestVoidAtRest: a process with write access voids pairs of a run that no process plays, without its plan.
func TestVoidAtRest(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	matchtest.Put(t, run, matchtest.Pair(plan, 0, 10), matchtest.Pair(plan, 1, 10))
	info := testutil.Must(s.FindRun(t.Context(), "r"))(t)
	first := func(g match.Row) bool { return g.Pair == 0 }
	testutil.Is(t, testutil.Err(s.Void(t.Context(), info, "test", "me", first)), results.ErrRunLocked,
		"while it is played")
	testutil.OK(t, run.Close())
	testutil.Fails(t, testutil.Err(s.Void(t.Context(), info, "", "me", first)), "", "without a reason")
	if ids, err := s.Void(t.Context(), info, "test", "me", first); !slices.Equal(ids, []int{0}) || err != nil {
		t.Errorf("%v, %v", ids, err)
	}
	reader := testutil.Must(results.OpenExisting(t.Context(), s.Path()))(t)
	defer reader.Close()
	testutil.Fails(t, testutil.Err(reader.Void(t.Context(), info, "test", "me", func(match.Row) bool { return true })),
		"reading only", "a reader")
	run = resultstest.Begin(t, s, plan) // the lock is released
	if finished, err := run.Finished(t.Context()); err != nil || !cmp.Equal(finished, map[int]bool{1: true}) {
		t.Errorf("%v, %v", finished, err)
	}
}

// TestSpent: Spent counts the games that were stored since a time, with their durations. A wrong clock counts as at
// most a day, and never as a negative time. Earlier games and repeated results do not count.
func TestSpent(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	for id, took := range [][2]time.Duration{{time.Minute, time.Hour}, {-time.Hour, 1000 * time.Hour}} {
		pair := matchtest.Pair(plan, id, 20)
		for leg := range pair.Games {
			pair.Games[leg].Ended = pair.Games[leg].Started.Add(took[leg])
		}
		for range 2 {
			testutil.Must(run.Add(t.Context(), pair))(t)
		}
	}
	now := time.Now()
	for since, want := range map[time.Time]time.Duration{now.Add(-time.Hour): 25*time.Hour + time.Minute,
		now.Add(time.Hour): 0} {
		got, err := s.Spent(t.Context(), since)
		testutil.Check(t, err == nil && got[plan.Digest()] == want, "since %v: %v, %v; expected %v", since, got, err, want)
	}
}
