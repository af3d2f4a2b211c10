package results_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/resultstest"
	"gogi/shogi"
)

// TestStoredAfterTheWire: a pair that was encoded and decoded is stored byte for byte like the original.
func TestStoredAfterTheWire(t *testing.T) {
	here, there := resultstest.Open(t, resultstest.Path(t)), resultstest.Open(t, resultstest.Path(t))
	plan := matchtest.Plan("r")
	text := testutil.Must(match.EncodePlan(plan))(t)
	received := testutil.Must(match.DecodePlan(text))(t)
	local, remote := resultstest.Begin(t, here, plan), resultstest.Begin(t, there, received)
	for id := range 8 {
		p := wholePair(plan, id)
		matchtest.Put(t, local, p)
		matchtest.Put(t, remote, overTheWire(t, p))
	}
	testutil.Equal(t, resultstest.Dump(t, here, "r", true), resultstest.Dump(t, there, "r", true),
		"the stable dumps differ")
	for id := range 8 {
		a := testutil.Must(here.Pair(t.Context(), local.ID(), id))(t)
		b := testutil.Must(there.Pair(t.Context(), remote.ID(), id))(t)
		testutil.Equal(t, encoded(t, a), encoded(t, b), "pair")
	}
}

// wholePair returns a pair with everything that a store keeps: votes, notes and attempts. Its times are no whole
// microseconds and in another zone, and its sums do not fit in a float.
func wholePair(plan *match.Plan, id int) match.PairResult {
	p := matchtest.Pair(plan, id, 30)
	zone := time.FixedZone("JST", 9*3600)
	p.Attempts = []match.Attempt{{Pair: id, Ended: time.Date(2026, 5, 4, 3, 2, 1, 123456789, zone),
		Why: "engine A crashed: 異常"}}
	p.Played = match.Provenance{Worker: "w7", Owner: "王", Epoch: 3<<32 | 9, Scale: 1.25, Proof: []byte{0, 255}}
	for i := range p.Games {
		g := &p.Games[i]
		g.Started, g.Ended = g.Started.In(zone).Add(789), g.Ended.In(zone).Add(1)
		g.Record.Final, g.Record.Site = []byte(`{"votes":[]}`), "site"
		g.Sides[shogi.White].Nodes = math.MaxInt64
		g.Sides[shogi.Black] = match.Side{
			Plies: 7, Nodes: 1, Time: time.Hour + 1999, DepthSum: 9, DepthPlies: 3, WorstOverrun: 1234567, PonderHits: 2,
			PonderMisses: 1, Incomplete: 4,
		}
		for j := range g.Record.Moves {
			m := &g.Record.Moves[j]
			m.Time += 1999 // nanoseconds
			if j%3 == 0 {
				m.Detail = []byte(`{"v":2,"ballots":[]}`)
			}
			if j%4 == 0 {
				m.Score, m.HasScore = 5, false
			}
		}
	}
	return p
}

// TestVariantsAreStored: the stable dump does not depend on the binary of an engine that is in use. The run stores all
// binaries.
func TestVariantsAreStored(t *testing.T) {
	variants := []match.Variant{
		{OS: "linux", Arch: "amd64", ISA: "x86-64-v3", SHA256: strings.Repeat("a", 64), Size: 10},
		{OS: "linux", Arch: "arm64", SHA256: strings.Repeat("b", 64), Size: 20},
	}
	var dumps []string
	for _, used := range variants {
		s, plan := resultstest.Open(t, resultstest.Path(t)), matchtest.Plan("r")
		plan.Players[0].Identity.Variants = variants
		plan.Players[0].Identity = plan.Players[0].Identity.WithVariant(used, "/cache/"+used.Arch)
		matchtest.Put(t, resultstest.Begin(t, s, plan), matchtest.Pair(plan, 0, 10))
		info := testutil.Must(s.FindRun(t.Context(), "r"))(t)
		testutil.Diff(t, plan.Players[0].Identity, info.Engines[0].Identity, "(-begun +stored)")
		if whole := resultstest.Dump(t, s, "r", false); !strings.Contains(whole, `"path":"/cache/`+used.Arch) ||
			!strings.Contains(whole, `"isa":"x86-64-v3"`) {
			t.Errorf("the dump:\n%s", whole)
		}
		dumps = append(dumps, resultstest.Dump(t, s, "r", true))
	}
	testutil.Equal(t, dumps[0], dumps[1], "the stable dumps differ")
}

// TestBuildsOfASourceAreStored: the stable dump does not depend on the binary that a machine built.
func TestBuildsOfASourceAreStored(t *testing.T) {
	var dumps []string
	for _, sum := range []string{"aa", "bb"} {
		s, plan := resultstest.Open(t, resultstest.Path(t)), matchtest.Plan("r")
		plan.Players[0].Identity.Source = &match.Source{Repository: "https://git.example/e", Commit: strings.Repeat("c", 40),
			Recipe: "#", Bench: 1}
		plan.Players[0].Identity = plan.Players[0].Identity.WithVariant(match.Variant{SHA256: sum}, "/cache/"+sum)
		matchtest.Put(t, resultstest.Begin(t, s, plan), matchtest.Pair(plan, 0, 10))
		info := testutil.Must(s.FindRun(t.Context(), "r"))(t)
		testutil.Diff(t, plan.Players[0].Identity, info.Engines[0].Identity, "(-begun +stored)")
		dumps = append(dumps, resultstest.Dump(t, s, "r", true))
	}
	testutil.Equal(t, dumps[0], dumps[1], "the stable dumps differ")
}

func overTheWire(t *testing.T, p match.PairResult) match.PairResult {
	t.Helper()
	r := testutil.Must(match.DecodePair([]byte(encoded(t, p)), 1<<20))(t)
	return r
}

func encoded(t *testing.T, p match.PairResult) string {
	t.Helper()
	text := testutil.Must(match.EncodePair(p))(t)
	return string(text)
}
