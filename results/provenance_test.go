package results_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/results/repair"
	"gogi/results/resultstest"
)

// TestProvenance: the data about the worker of a pair are stored, and also returned with the games. The stable dump
// equals the dump of a run on one machine.
func TestProvenance(t *testing.T) {
	s := resultstest.Open(t, resultstest.Path(t))
	plan := matchtest.Plan("r")
	run, local := resultstest.Begin(t, s, plan), resultstest.Begin(t, s, matchtest.Plan("local"))
	want := map[int]string{}
	for id := range 8 {
		pair := matchtest.Pair(plan, id, 20)
		matchtest.Put(t, local, pair)
		if id > 0 {
			pair.Played = matchtest.PlayedBy(id)
		}
		want[id] = pair.Played.Worker
		matchtest.Put(t, run, pair)
		got, err := s.Pair(t.Context(), run.ID(), id)
		diff := cmp.Diff(pair.Played, got.Played, cmpopts.EquateEmpty())
		testutil.Check(t, diff == "" && err == nil, "pair %d (-added +got): %v\n%s", id, err, diff)
	}
	for _, g := range resultstest.Games(t, s, run.ID()) {
		testutil.Equal(t, g.Worker, want[g.Pair], "pair %d is said to be", g.Pair)
	}
	testutil.Equal(t, resultstest.Dump(t, s, "r", true), resultstest.Dump(t, s, "local", true),
		"the stable dump depends on who played")
	text := resultstest.Dump(t, s, "r", false)
	testutil.Check(t, strings.Count(text, `"worker":"worker-1"`) == 2*3, "the dump does not tell the workers:\n%s", text)
	if c, err := repair.Check(t.Context(), s, repair.CheckOptions{}); err != nil || !c.Sound() ||
		c.Runs[0].Unchecked != 0 {
		t.Errorf("%+v, %v", c, err)
	}
	if list, err := s.Workers(t.Context()); err != nil || len(list) != 6 ||
		(list[0] != results.Worker{Name: "worker-1", Owner: "o"}) {
		t.Errorf("%+v, %v", list, err)
	}
}

func TestProvenanceRefused(t *testing.T) {
	_, plan, run := resultstest.Begun(t)
	for _, p := range []match.Provenance{
		{Owner: "o"}, {Epoch: 1}, {Scale: 1}, {Proof: []byte{1}}, {Worker: "w", Scale: -1}, {Worker: "w", Scale: math.NaN()},
		{Worker: "w", Scale: math.Inf(1)},
	} {
		pair := matchtest.Pair(plan, 0, 10)
		pair.Played = p
		testutil.Fails(t, testutil.Err(run.Add(t.Context(), pair)), "", "%+v was stored", p)
	}
}

// TestEnlist: a worker with a new key is distinct from the worker with the old key.
func TestEnlist(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	play := func(id int) {
		pair := matchtest.Pair(plan, id, 10)
		pair.Played = match.Provenance{Worker: "w", Owner: "o"}
		matchtest.Put(t, run, pair)
	}
	for i, key := range []string{"UA", "UB", "UB"} {
		testutil.OK(t, results.Enlist(t.Context(), s, results.Worker{Name: "w", Owner: "o", Key: key}))
		play(i)
	}
	testutil.OK(t, results.Enlist(t.Context(), s, results.Worker{Name: "w", Owner: "another", Key: "UC"}))
	play(3)
	keys := ""
	testutil.OK(t, s.Queries().QueryRowContext(t.Context(),
		"SELECT group_concat(w.key, ' ') FROM (SELECT worker FROM pairs ORDER BY pair) p JOIN workers w ON w.id = p.worker").Scan(&keys))
	testutil.Equal(t, keys, "UA UB UB UB", "the pairs were played with the keys")
	list, err := s.Workers(t.Context())
	testutil.Check(t, err == nil && len(list) == 3, "%+v, %v", list, err)
	testutil.Fails(t, results.Enlist(t.Context(), s, results.Worker{Key: "UD"}), "", "a worker without a name")
}

// TestTakes: a result of a voided take is rejected, and the result of the current take is stored.
func TestTakes(t *testing.T) {
	_, plan, run := resultstest.Begun(t)
	take := func(id, want int) {
		t.Helper()
		if n, err := run.Take(t.Context(), id); n != want || err != nil {
			t.Errorf("pair %d: take %d, %v, want %d", id, n, err, want)
		}
	}
	take(0, 1)
	pair := matchtest.Pair(plan, 0, 10)
	if added, err := run.AddTake(t.Context(), pair, 1); !added || err != nil {
		t.Fatal(added, err)
	}
	if added, err := run.AddTake(t.Context(), pair, 1); added || err != nil {
		t.Errorf("a redelivery: %t, %v", added, err)
	}
	testutil.Must(run.Void(t.Context(), "test", "me", func(match.Row) bool { return true }))(t)
	take(0, 2)
	take(1, 1)
	for _, n := range []int{1, 3} {
		if added, err := run.AddTake(t.Context(), pair, n); added || !errors.Is(err, results.ErrOldTake) {
			t.Errorf("take %d: %t, %v", n, added, err)
		}
	}
	if _, err := run.AddTake(t.Context(), pair, 0); err == nil || errors.Is(err, results.ErrOldTake) {
		t.Errorf("take 0: %v", err)
	}
	if finished, err := run.Finished(t.Context()); err != nil || len(finished) > 0 {
		t.Errorf("%v, %v", finished, err)
	}
	if added, err := run.AddTake(t.Context(), pair, 2); !added || err != nil {
		t.Errorf("take 2: %t, %v", added, err)
	}
}

// TestRecordOfANewWorker: Record returns each record with the data of the run, also for a worker that joined later.
func TestRecordOfANewWorker(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	for id, worker := range []string{"", "w", "x"} {
		pair := matchtest.Pair(plan, id, 10+id)
		if worker != "" {
			pair.Played = match.Provenance{Worker: worker, Owner: "o"}
		}
		matchtest.Put(t, run, pair)
		record, err := s.Record(t.Context(), run.ID(), id, 0)
		testutil.Check(t, err == nil && len(record.Moves) == len(pair.Games[0].Record.Moves), "pair %d: %v", id, err)
	}
	testutil.Is(t, testutil.Err(s.Record(t.Context(), run.ID(), 3, 0)), results.ErrNoGame)
}
