package site_test

import (
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"gogi/farm/coordinator/tests"
	"gogi/farm/site"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/arbiter"
	"gogi/match/matchtest"
	"gogi/results"
	"gogi/shogi"
)

// plan returns the plan of a match whose players resign before their first move.
func plan() *match.Plan {
	p := &match.Plan{
		Run: "r", Pairs: 4, Seed: 3, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Concurrency: 1,
		Ponder: match.PonderOff,
		Slowed: match.PolicyCount, Rules: match.RulesProfiles()[match.DefaultRules],
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
	}
	for _, name := range []string{"a", "b"} {
		p.Players = append(p.Players, match.Player{Name: name, Command: []string{"/x"}, Identity: match.Identity{Fixed: name},
			Limits: match.Limits{Nodes: 1}, Restart: match.RestartNever})
	}
	return p
}

func resigned(t *testing.T, p *match.Plan, id int, worker string) match.PairResult {
	t.Helper()
	r := matchtest.Resigned(p, id, shogi.Black, time.Unix(1, 0))
	r.Played = match.Provenance{Worker: worker, Owner: "o", Epoch: uint64(id + 1), Proof: []byte{1}}
	testutil.OK(t, arbiter.Verify(p, &r))
	return r
}

// TestAStoreOfTheCoordinator: the store adds pairs once, makes the pairs of a worker void and counts takes. It does so
// in a real database, also after it is opened again.
func TestAStoreOfTheCoordinator(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), plan()
	database := testutil.Must(results.Open(ctx, filepath.Join(t.TempDir(), "farm.db"), results.Durable))(t)
	defer database.Close()
	open := site.Stores(database)
	s, err := open(ctx, p)
	testutil.OK(t, err)
	add := func(id, take int, worker string) (bool, error) { return s.Add(ctx, resigned(t, p, id, worker), take) }
	for id, worker := range []string{"w0", "w1", "w0"} {
		if n, err := site.StoredPairs(database)(ctx); n[p.Digest()] != id || err != nil {
			t.Errorf("%d pairs are counted of %d: %v", n[p.Digest()], id, err)
		}
		if added, err := add(id, 0, worker); !added || err != nil {
			t.Fatal(added, err)
		}
	}
	if added, err := add(0, 0, "w1"); added || err != nil {
		t.Errorf("a pair that is stored: %v, %v", added, err)
	}
	if pairs, err := s.By(ctx, tests.Selection{Worker: "w0"}); err != nil || !slices.Equal(pairs, []int{0, 2}) {
		t.Errorf("w0 has played %v, %v", pairs, err)
	}
	if pairs, err := s.Void(ctx, tests.Selection{Worker: "w0"}, "lies", "boss"); err != nil ||
		!slices.Equal(pairs, []int{0, 2}) {
		t.Errorf("voided %v, %v", pairs, err)
	}
	testutil.Is(t, testutil.Err(add(0, 0, "w1")), results.ErrOldTake, "of the take before")
	if added, err := add(0, 1, "w1"); !added || err != nil {
		t.Errorf("as the next take: %v, %v", added, err)
	}
	testutil.Fails(t, testutil.Err(s.Void(ctx, tests.Selection{}, "all", "boss")), "", "the pairs of nobody are made void")
	testutil.OK(t, s.Close())
	if s, err = open(ctx, p); err != nil {
		t.Fatal(err)
	}
	takes, err := s.Takes(ctx)
	testutil.Check(t, err == nil && maps.Equal(takes, map[int]int{0: 1, 2: 1}), "takes %v, %v", takes, err)
	finished, err := s.Finished(ctx)
	testutil.Check(t, err == nil && maps.Equal(finished, map[int]bool{0: true, 1: true}), "finished %v, %v", finished, err)
	var seen []int
	err = s.Rows(ctx, func(rows []match.Row) error {
		seen = append(seen, rows[0].Pair, len(rows))
		return nil
	})
	testutil.Check(t, err == nil && slices.Equal(seen, []int{0, 2, 1, 2}), "rows %v, %v", seen, err)
	testutil.OK(t, s.Close())
}

// TestSomePairsOfAWorker: a selection of pairs voids these alone, and none of other workers. An empty selection voids
// none.
func TestSomePairsOfAWorker(t *testing.T) {
	t.Parallel()
	ctx, p := t.Context(), plan()
	database := testutil.Must(results.Open(ctx, filepath.Join(t.TempDir(), "farm.db"), results.Durable))(t)
	defer database.Close()
	s := testutil.Must(site.Stores(database)(ctx, p))(t)
	defer s.Close()
	for id, worker := range []string{"w0", "w1", "w0"} {
		testutil.Must(s.Add(ctx, resigned(t, p, id, worker), 0))(t)
	}
	for _, c := range []struct{ only, want []int }{{[]int{}, nil}, {[]int{1, 2, 9}, []int{2}}, {[]int{2}, nil},
		{nil, []int{0}}} {
		which := tests.Selection{Worker: "w0", Only: c.only}
		by := testutil.Must(s.By(ctx, which))(t)
		voided := testutil.Must(s.Void(ctx, which, "lies", "farm"))(t)
		testutil.Check(t, slices.Equal(by, c.want) && slices.Equal(voided, c.want), "%v: selected %v, voided %v", c.only, by,
			voided)
	}
}
