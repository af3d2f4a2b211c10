package match_test

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/shogi"
)

// book returns n openings that differ only in their IDs.
func book(n int) []match.Opening {
	list := make([]match.Opening, n)
	for i := range list {
		list[i] = match.Opening{ID: strconv.Itoa(i), Start: "startpos"}
	}
	return list
}

// planOf returns a plan with these numbers of players and openings.
func planOf(kind match.DesignKind, players, openings int, seed uint64) *match.Plan {
	p := &match.Plan{Design: match.Design{Kind: kind, Swap: true}, Openings: book(openings), Seed: seed}
	for i := range players {
		p.Players = append(p.Players, match.Player{Name: string(rune('A' + i))})
	}
	return p
}

// pass returns the order of the openings in the nth pass through the opening set.
func pass(p *match.Plan, n int) []string {
	var ids []string
	for i := range p.Openings {
		ids = append(ids, p.Pair(n*len(p.Openings)+i).Opening.ID)
	}
	return ids
}

func TestColoursSwapByLeg(t *testing.T) {
	p := planOf(match.DesignMatch, 2, 3, 1)
	for n := range 6 {
		pair := p.Pair(n)
		black, white := pair.Game(0), pair.Game(1)
		testutil.Check(t, pair.ID == n && pair.Legs == 2 && pair.Players == [2]int{0, 1}, "pair %d: %+v", n, pair)
		testutil.Check(t, black.Players == [2]int{0, 1} && white.Players == [2]int{1, 0} && black.Leg == 0 && white.Leg == 1,
			"pair %d: legs %+v, %+v", n, black, white)
		testutil.Check(t, black.Pair == n && white.Pair == n && black.Opening.ID == pair.Opening.ID &&
			white.Opening.ID == pair.Opening.ID,
			"pair %d: its legs are %+v and %+v", n, black, white)
		testutil.Equal(t, pair.Players, [2]int{0, 1}, "pair %d: Game changed it", n)
	}
}

func TestLegsAndGames(t *testing.T) {
	p := planOf(match.DesignMatch, 2, 3, 1)
	p.Pairs = 50
	if p.Legs() != 2 || p.Games() != 100 {
		t.Errorf("%d legs, %d games", p.Legs(), p.Games())
	}
	p.Design.Swap = false
	if p.Legs() != 1 || p.Games() != 50 || p.Pair(7).Legs != 1 || p.Pair(7).Game(0).Players != [2]int{0, 1} {
		t.Errorf("one leg: %d legs, %d games, %+v", p.Legs(), p.Games(), p.Pair(7))
	}
}

// everybodyOnce returns all pairings of a round robin, counted directly.
func everybodyOnce(players int) (list [][2]int) {
	for a := range players {
		for b := a + 1; b < players; b++ {
			list = append(list, [2]int{a, b})
		}
	}
	return list
}

// TestOrderOfARound: the order within a round never changes, because it defines the pair numbers of stored runs.
func TestOrderOfARound(t *testing.T) {
	for _, players := range []int{2, 3, 4, 5, 17, 100, 1000} {
		p, want := planOf(match.DesignRoundRobin, players, 3, 5), everybodyOnce(players)
		testutil.Require(t, p.Pairings() == len(want), "%d players: %d pairings, not %d", players, p.Pairings(), len(want))
		for i := range 2 * len(want) {
			if got := p.Pair(i).Players; got != want[i%len(want)] {
				t.Fatalf("%d players: pair %d is %v, not %v", players, i, got, want[i%len(want)])
			}
		}
		p.Design.Kind = match.DesignGauntlet
		for i := range 2 * (players - 1) {
			if got, want := p.Pair(i).Players, [2]int{0, 1 + i%(players-1)}; got != want {
				t.Fatalf("a gauntlet of %d: pair %d is %v, not %v", players, i, got, want)
			}
		}
	}
}

// TestPairNeedsNoTable: Pair allocates no memory, even with 1,000 players.
func TestPairNeedsNoTable(t *testing.T) {
	p := planOf(match.DesignRoundRobin, 1000, 100, 1)
	n := 0
	testutil.Equal(t, testing.AllocsPerRun(1000, func() { n += p.Pair(n).Players[1] }), 0, "allocations a pair")
}

// TestPairsOfStoredRuns compares the pairs of many plans with a hash. The program that stored the first runs produced
// this hash.
func TestPairsOfStoredRuns(t *testing.T) {
	h := fnv.New64a()
	for _, kind := range []match.DesignKind{match.DesignMatch, match.DesignRoundRobin, match.DesignGauntlet} {
		for players := 2; players < 30; players++ {
			for _, openings := range []int{1, 2, 7, 100} {
				for _, swap := range []bool{false, true} {
					p := planOf(kind, players, openings, uint64(players)<<32|uint64(openings))
					p.Design.Swap = swap
					for n := range 700 {
						pair := p.Pair(n)
						fmt.Fprintln(h, pair.ID, pair.Players, pair.Opening.ID, pair.Seed, pair.Legs)
					}
				}
			}
		}
	}
	testutil.Equal(t, h.Sum64(), 0x7c0121f235d6b84f, "the pairs of stored runs are others now")
}

// TestEachOpeningOncePerPass: a pass through an opening set of any size has each opening once.
func TestEachOpeningOncePerPass(t *testing.T) {
	sizes := []int{255, 256, 257, 1023, 1024, 1025, 2000}
	for n := 1; n < 2000; n += 1 + n/50 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		p := planOf(match.DesignMatch, 2, n, uint64(n)*0x9e3779b9)
		seen := make(map[string]bool, n)
		for _, id := range pass(p, n%3) {
			seen[id] = true
		}
		testutil.Equal(t, len(seen), n, "%d openings", n)
	}
}

// TestOrdersAreUniform: all orders of a small opening set are equally frequent.
func TestOrdersAreUniform(t *testing.T) {
	const samples = 6000
	for n, orders := range map[int]int{2: 2, 3: 6, 4: 24, 5: 120} {
		seeds, passes := map[string]int{}, map[string]int{}
		for i := range samples {
			seeds[fmt.Sprint(pass(planOf(match.DesignMatch, 2, n, uint64(i)*7919), 0))]++
			passes[fmt.Sprint(pass(planOf(match.DesignMatch, 2, n, 1), i))]++
		}
		checkUniform(t, fmt.Sprintf("orders of %d openings over seeds", n), seeds, orders, orders-1, samples)
		checkUniform(t, fmt.Sprintf("orders of %d openings over passes", n), passes, orders, orders-1, samples)
	}
}

// checkUniform fails the test if the counts of the cells differ from a uniform distribution.
func checkUniform(t *testing.T, name string, counts map[string]int, cells, freedom, total int) {
	t.Helper()
	testutil.Check(t, len(counts) == cells, "%s: %d of %d cells are empty", name, cells-len(counts), cells)
	want, chi := float64(total)/float64(cells), 0.0
	for _, n := range counts {
		chi += (float64(n) - want) * (float64(n) - want) / want
	}
	// The mean of chi-squared is its degrees of freedom, its variance twice that.
	if excess := chi - float64(freedom); excess > 0 && excess*excess > 25*2*float64(freedom) {
		t.Errorf("%s: chi-squared is %.1f with %d degrees of freedom: %v", name, chi, freedom, counts)
	}
}

func TestSeedsAreDistinct(t *testing.T) {
	p := planOf(match.DesignMatch, 2, 3, 12345)
	other := planOf(match.DesignMatch, 2, 3, 12346)
	seen := map[uint64]string{}
	add := func(seed uint64, name string) {
		before, ok := seen[seed]
		testutil.Check(t, !ok, "%s has the seed of %s", name, before)
		seen[seed] = name
	}
	for n := range 10_000 {
		pair := p.Pair(n)
		add(pair.Seed, fmt.Sprintf("pair %d", n))
		add(pair.Game(0).Seed, fmt.Sprintf("pair %d, leg 0", n))
		add(pair.Game(1).Seed, fmt.Sprintf("pair %d, leg 1", n))
		add(other.Pair(n).Seed, fmt.Sprintf("another plan's pair %d", n))
	}
}

func TestLimitsOf(t *testing.T) {
	p := planOf(match.DesignMatch, 2, 1, 1)
	p.Players[0].Limits = match.Limits{MoveTime: second, Margin: 5 * ms}
	p.Players[1].Limits = match.Limits{Nodes: 100, Stall: second}
	for i := range p.Players {
		for _, c := range []shogi.Colour{shogi.Black, shogi.White} {
			testutil.Equal(t, p.LimitsOf(i, c), p.Players[i].Limits, "player %d as %v", i, c)
		}
	}
	p.ColourClocks[shogi.White] = &match.TimeControl{Main: 300 * second, Increment: second}
	testutil.Equal(t, p.LimitsOf(0, shogi.Black), p.Players[0].Limits, "Black has a clock")
	white := match.TimeControl{Main: 300 * second, Increment: second}
	testutil.Equal(t, p.LimitsOf(0, shogi.White), match.Limits{Clock: white, Margin: 5 * ms}, "movetime as White")
	testutil.Equal(t, p.LimitsOf(1, shogi.White), match.Limits{Clock: white, Nodes: 100, Stall: second}, "nodes as White")
}

func TestOpeningString(t *testing.T) {
	for want, o := range map[string]match.Opening{
		"startpos":                               matchtest.Opening("startpos", ""),
		"startpos moves 7g7f 3c3d 8h2b+ P*5e":    matchtest.Opening("startpos", "7g7f 3c3d 8h2b+ P*5e"),
		"sfen " + startSFEN:                      matchtest.Opening(startSFEN, ""),
		"sfen " + startSFEN + " moves 2g2f 8c8d": matchtest.Opening(startSFEN, "2g2f 8c8d"),
	} {
		testutil.Equal(t, o.String(), want)
	}
}

func BenchmarkPair(b *testing.B) {
	for _, players := range []int{2, 1000} {
		b.Run(fmt.Sprint(players, " players"), func(b *testing.B) {
			p := planOf(match.DesignRoundRobin, players, 100, 1)
			b.ReportAllocs()
			for n := range b.N {
				_ = p.Pair(n)
			}
		})
	}
}

const (
	startSFEN  = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1"
	playedFile = "testdata/played.json"

	ms     = time.Millisecond
	second = time.Second
)

// TestMateCheck: invalid settings give an error, and zero settings do not change the digest.
func TestMateCheck(t *testing.T) {
	plan := storedPlan(t)
	solver := plan.Players[0]
	without := plan.Digest()
	for name, test := range map[string]struct {
		mate   match.Mate
		ponder match.PonderMode
		good   bool
	}{
		"off":       {match.Mate{}, match.PonderStandard, true},
		"on":        {match.Mate{Solver: &solver, Time: 1, Nodes: 1}, match.PonderOff, true},
		"pondering": {match.Mate{Solver: &solver, Time: 1, Nodes: 1}, match.PonderEarly, false},
		"nobody":    {match.Mate{Time: 1, Nodes: 1}, match.PonderOff, false},
		"a council": {match.Mate{Solver: &match.Player{Council: &match.Council{}}, Time: 1, Nodes: 1}, match.PonderOff,
			false},
		"no time":         {match.Mate{Solver: &solver, Nodes: 1}, match.PonderOff, false},
		"no position":     {match.Mate{Solver: &solver, Time: 1}, match.PonderOff, false},
		"every so little": {match.Mate{Solver: &solver, Time: 1, Nodes: 1, Every: -1}, match.PonderOff, false},
	} {
		err := test.mate.Check(test.ponder)
		testutil.Check(t, (err == nil) == test.good, "%s: %v", name, err)
		p := *plan
		if p.Mate = test.mate; (p.Digest() == without) != (test.mate == match.Mate{}) {
			t.Errorf("%s: another digest: %t", name, p.Digest() != without)
		}
	}
	every := match.Mate{Nodes: 1, Every: 2}
	if !every.Asks(false, 0) || every.Asks(false, 1) || !every.Asks(true, 1) || (match.Mate{Nodes: 1}).Asks(false, 0) ||
		(match.Mate{}).Asks(true, 0) {
		t.Error("asks at the wrong moves")
	}
}

// TestInSlot: a player and the members of its council get the numbers of the slot, and the plan does not change.
func TestInSlot(t *testing.T) {
	t.Parallel()
	engine := match.Player{Env: []string{"CUDA_VISIBLE_DEVICES={gpu}", "CACHE=/tmp/{slot}/{slot}"}}
	inner := match.Player{Council: &match.Council{Members: []match.Player{engine}}}
	council := match.Player{Council: &match.Council{Members: []match.Player{engine, inner}}}
	before := slices.Clone(engine.Env)
	want := []string{"CUDA_VISIBLE_DEVICES=2", "CACHE=/tmp/5/5"}
	placed := council.InSlot(5, 2).Council.Members
	for i, got := range [][]string{engine.InSlot(5, 2).Env, placed[0].Env, placed[1].Council.Members[0].Env} {
		testutil.Check(t, slices.Equal(got, want), "%d: %v", i, got)
	}
	testutil.Equal(t, engine.InSlot(5, 0).Env[0], "CUDA_VISIBLE_DEVICES=5", "without slots_per_gpu")
	testutil.Check(t, slices.Equal(engine.Env, before) && slices.Equal(council.Council.Members[0].Env, before),
		"the plan has changed: %v", engine.Env)
}
