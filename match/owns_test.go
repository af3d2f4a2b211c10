package match_test

import (
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

func TestPairEqual(t *testing.T) {
	plan := storedPlan(t)
	pair := plan.Pair(3)
	testutil.Check(t, pair.Equal(plan.Pair(3)) && !pair.Equal(plan.Pair(4)), "a pair is not itself, or another")
	for name, change := range map[string]func(p *match.Pair){
		"ID": func(p *match.Pair) { p.ID++ }, "players": func(p *match.Pair) { p.Players[1]++ }, "seed": func(p *match.Pair) {
			p.Seed++
		},
		"legs": func(p *match.Pair) { p.Legs++ }, "name": func(p *match.Pair) { p.Opening.ID += "x" },
		"start": func(p *match.Pair) { p.Opening.Start += "x" },
		"moves": func(p *match.Pair) { p.Opening.Moves = append(slices.Clone(p.Opening.Moves), 5) },
	} {
		other := plan.Pair(3)
		if change(&other); pair.Equal(other) || other.Equal(pair) {
			t.Errorf("%s: equal", name)
		}
	}
}

// TestOwns: Owns checks a single pair of a plan whose pairings depend on results.
func TestOwns(t *testing.T) {
	plan := storedPlan(t)
	plan.Design = match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 1}}
	testutil.OK(t, plan.Check())
	pair := plan.PairOf(3, [2]int{1, 0}, 1)
	want := plan.Pair(3)
	testutil.Check(t, pair.Seed == want.Seed && pair.Legs == 2 && want.Players[0] < 0, "%+v, and without players %+v",
		pair, want)
	other := plan.PairOf(3, [2]int{1, 0}, 0)
	testutil.Check(t, other.Opening.String() != pair.Opening.String(), "both rounds have opening %s of two", pair.Opening)
	testutil.OK(t, plan.Owns(pair))
	for name, change := range map[string]func(p *match.Pair){
		"a negative number": func(p *match.Pair) { p.ID = -1 },
		"one player":        func(p *match.Pair) { p.Players = [2]int{1, 1} },
		"nobody":            func(p *match.Pair) { p.Players = [2]int{-1, -1} },
		"nobody as A":       func(p *match.Pair) { p.Players = [2]int{-1, 1} },
		"a stranger":        func(p *match.Pair) { p.Players = [2]int{0, 2} },
		"another seed":      func(p *match.Pair) { p.Seed++ },
		"one leg":           func(p *match.Pair) { p.Legs = 1 },
		"a foreign opening": func(p *match.Pair) { p.Opening.Moves = append(slices.Clone(p.Opening.Moves), 5) },
		"a foreign start":   func(p *match.Pair) { p.Opening.Start = "x" },
		"a foreign name":    func(p *match.Pair) { p.Opening.ID = "x" },
	} {
		forged := pair
		if change(&forged); plan.Owns(forged) == nil {
			t.Errorf("%s is the plan's", name)
		}
	}
	fixed := storedPlan(t)
	testutil.OK(t, fixed.Owns(fixed.Pair(3)))
	testutil.Check(t, fixed.Owns(fixed.PairOf(3, [2]int{1, 0}, 3)) != nil, "a fixed design takes other players")
}

// TestOwnsImported: for a pair with imported games, Owns checks the order of the players, the number of games and the
// seed. The games' records give the openings, and either player may have Black.
func TestOwnsImported(t *testing.T) {
	plan := storedPlan(t)
	plan.Design = match.Design{Kind: match.DesignImported}
	pair := plan.Pair(3)
	pair.Players, pair.Opening = [2]int{0, 1}, match.Opening{ID: "any", Start: "startpos"}
	err := plan.Owns(pair)
	testutil.Check(t, err == nil && pair.Legs == 1, "%d legs, %v", pair.Legs, err)
	for name, change := range map[string]func(p *match.Pair){
		"the other order": func(p *match.Pair) { p.Players = [2]int{1, 0} },
		"a stranger":      func(p *match.Pair) { p.Players = [2]int{0, 2} },
		"another seed":    func(p *match.Pair) { p.Seed++ },
		"two legs":        func(p *match.Pair) { p.Legs = 2 },
		"no start":        func(p *match.Pair) { p.Opening.Start = "x" },
	} {
		forged := pair
		if change(&forged); plan.Owns(forged) == nil {
			t.Errorf("%s is the plan's", name)
		}
	}
	for _, seats := range [][2]int{{0, 1}, {1, 0}} {
		testutil.Check(t, plan.SeatsAt(pair, 0, seats), "%v had not Black and White", seats)
	}
	testutil.Check(t, !plan.SeatsAt(pair, 0, [2]int{0, 0}) && !storedPlan(t).SeatsAt(pair, 0, [2]int{1, 0}),
		"any seats will do")
	testutil.Check(t, !slices.Contains(match.DesignKinds(), match.DesignImported), "anybody may choose the design")
}
