package results_test

import (
	"errors"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/resultstest"
)

// manyRuns returns a database with the closed runs a, b and c, each with a number of pairs.
func manyRuns(t *testing.T, pairs int) (*results.Store, string) {
	t.Helper()
	path := resultstest.Path(t)
	store := resultstest.Open(t, path)
	for _, name := range []string{"a", "b", "c"} {
		plan := matchtest.Plan(name)
		plan.Pairs = max(plan.Pairs, pairs)
		run := resultstest.Begin(t, store, plan)
		for id := range pairs {
			matchtest.Put(t, run, matchtest.Pair(plan, id, 60))
		}
		testutil.OK(t, run.Close())
	}
	return store, path
}

// TestDelete: Delete removes every row of one run, returns the space to the disk and leaves the other runs as they
// were. A new run never gets the number of a deleted one.
func TestDelete(t *testing.T) {
	store, path := manyRuns(t, 150)
	before := resultstest.Dump(t, store, "a", false)
	testutil.OK(t, store.Close()) // this empties the write-ahead log
	size := results.Size(path)
	store = resultstest.Open(t, path)
	for _, name := range []string{"b", "c"} {
		info := testutil.Must(store.FindRun(t.Context(), name))(t)
		smaller := testutil.Must(results.Delete(t.Context(), store, info))(t)
		testutil.Check(t, smaller, "the file is not smaller")
		_, err := store.FindRun(t.Context(), name)
		_, none := errors.AsType[*results.NoRun](err)
		testutil.Check(t, none, "%s: %v", name, err)
	}
	testutil.Diff(t, before, resultstest.Dump(t, store, "a", false))
	checkWhole(t, store, testutil.Must(store.FindRun(t.Context(), "a"))(t).ID)
	testutil.Check(t, results.Size(path) < size/2, "%d bytes of %d are left", results.Size(path), size)
	run := resultstest.Begin(t, store, matchtest.Plan("c"))
	testutil.Equal(t, run.ID(), 4, "number of the next run")
	testutil.OK(t, run.Close())
}

// TestDeleteInPlay: gogi deletes and renames no run in play. While another run is in play, it does not rewrite the
// file.
func TestDeleteInPlay(t *testing.T) {
	store, _ := manyRuns(t, 2)
	run := resultstest.Begin(t, store, matchtest.Plan("b"))
	b := testutil.Must(store.FindRun(t.Context(), "b"))(t)
	_, err := results.Delete(t.Context(), store, b)
	testutil.Check(t, errors.Is(err, results.ErrRunLocked), "deleting a run in play: %v", err)
	err = results.Rename(t.Context(), store, b, "d")
	testutil.Check(t, errors.Is(err, results.ErrRunLocked), "renaming a run in play: %v", err)
	smaller := testutil.Must(results.Delete(t.Context(), store, testutil.Must(store.FindRun(t.Context(), "a"))(t)))(t)
	testutil.Check(t, !smaller, "the file was rewritten below a run in play")
	matchtest.Put(t, run, matchtest.Pair(matchtest.Plan("b"), 2, 20))
	testutil.OK(t, run.Close())
	checkWhole(t, store, b.ID)
}

// TestRename: a renamed run has the same games, plan and settings. No two runs have one name, and no name begins with a
// dash.
func TestRename(t *testing.T) {
	store, _ := manyRuns(t, 3)
	info := testutil.Must(store.FindRun(t.Context(), "b"))(t)
	games := resultstest.Games(t, store, info.ID)
	for name, want := range map[string]string{
		"a": `another run is named "a"`, "-b": "begins with a dash", "": "the name is empty", "x\n": "does not show",
	} {
		testutil.Fails(t, results.Rename(t.Context(), store, info, name), want, "name %q", name)
	}
	stamp := testutil.Must(store.Stamp(t.Context(), info.ID))(t)
	testutil.OK(t, results.Rename(t.Context(), store, info, "new"))
	renamed := testutil.Must(store.FindRun(t.Context(), "new"))(t)
	testutil.Equal(t, renamed.ID, info.ID, "number")
	testutil.Equal(t, renamed.Digest, info.Digest, "plan hash")
	testutil.Diff(t, games, resultstest.Games(t, store, info.ID))
	checkWhole(t, store, info.ID)
	testutil.Check(t, stamp != testutil.Must(store.Stamp(t.Context(), info.ID))(t), "the stamp does not cover the name")
	plan := matchtest.Plan("new")
	plan.Pairs = max(plan.Pairs, 3)
	run := resultstest.Begin(t, store, plan)
	testutil.Equal(t, run.ID(), info.ID, "number of the resumed run")
	testutil.OK(t, run.Close())
}

// TestRenamedValidation: a tune finds the run that validates its result after the run got another name.
func TestRenamedValidation(t *testing.T) {
	path, _ := resultstest.Tuned(t, 4)
	store := resultstest.Open(t, path)
	tuned := testutil.Must(store.Runs(t.Context()))(t)[0]
	resultstest.Exec(t, path, "UPDATE tune_candidates SET run = 'check', checksum = NULL")
	testutil.OK(t, resultstest.Begin(t, store, matchtest.Plan("check")).Close())
	testutil.OK(t, results.Rename(t.Context(), store, testutil.Must(store.FindRun(t.Context(), "check"))(t), "checked"))
	list := testutil.Must(results.TuneCandidates(t.Context(), store, tuned.ID))(t)
	testutil.Equal(t, list[0].Run, "checked", "run of the candidate")
}

// TestTags: tags are sorted and unique, later settings repeat them, and they change no result.
func TestTags(t *testing.T) {
	store, _ := manyRuns(t, 2)
	info := testutil.Must(store.FindRun(t.Context(), "b"))(t)
	games := resultstest.Games(t, store, info.ID)
	tags := testutil.Must(results.Tag(t.Context(), store, info, []string{"net", "最新", "lmr", "net"}, nil))(t)
	testutil.Same(t, tags, []string{"lmr", "net", "最新"}, "tags")
	run := resultstest.Begin(t, store, matchtest.Plan("b"))
	testutil.OK(t, run.Change(t.Context(), 9, 3, match.RunPlaying))
	testutil.Same(t, testutil.Must(results.Tag(t.Context(), store, info, []string{"z"}, []string{"lmr"}))(t),
		[]string{"net", "z", "最新"}, "tags in play")
	testutil.OK(t, run.Close())
	byRun := testutil.Must(results.TagsOf(t.Context(), store))(t)
	testutil.Same(t, byRun, map[int64][]string{info.ID: {"net", "z", "最新"}}, "tags of all runs")
	testutil.Diff(t, games, resultstest.Games(t, store, info.ID))
	for _, bad := range []string{"", "-x", "a b", "a,b", string(slices.Repeat([]byte("x"), 65))} {
		_, err := results.Tag(t.Context(), store, info, []string{bad}, nil)
		testutil.Fails(t, err, "expected a word", "tag %q", bad)
	}
}
