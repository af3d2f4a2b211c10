package match_test

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
)

// rollOf returns the index of a plan's pairs from its canonical text.
func rollOf(t interface{ Fatal(args ...any) }, p *match.Plan) *match.PairIndex {
	c := testutil.Must(match.ParseCanonical(p.Canonical()))(t)
	return testutil.Must(c.NewRoll())(t)
}

// manyOpenings returns a plan with these numbers of openings and players.
func manyOpenings(t *testing.T, openings, players int) *match.Plan {
	t.Helper()
	p := storedPlan(t)
	p.Openings, p.Players = nil, nil
	for i := range openings {
		move := shogi.NewMove(shogi.NewSquare(1+i%9, 7), shogi.NewSquare(1+i%9, 6))
		p.Openings = append(p.Openings,
			match.Opening{ID: strings.Repeat("x", i+1), Start: "startpos", Moves: []shogi.Move{move}})
	}
	for i := range players {
		player := storedPlan(t).Players[0]
		player.Name = string(rune('A' + i))
		p.Players = append(p.Players, player)
	}
	return p
}

// TestRollLaw: Take accepts the pairs of a plan in any order. When all openings have been played, Book confirms that
// they are the plan's.
func TestRollLaw(t *testing.T) {
	base := manyOpenings(t, 7, 4)
	rapid.Check(t, func(t *rapid.T) {
		p := *base
		p.Seed = rapid.Uint64().Draw(t, "seed")
		p.Design = match.Design{
			Kind: rapid.SampledFrom([]match.DesignKind{match.DesignMatch, match.DesignRoundRobin, match.DesignGauntlet}).Draw(t,
				"design"),
			Swap: rapid.Bool().Draw(t, "swap"),
		}
		roll, rounds := rollOf(t, &p), 7
		ids := make([]int, rounds*p.Pairings())
		for i := range ids {
			ids[i] = i
		}
		for n, id := range rapid.Permutation(ids).Draw(t, "order") {
			testutil.OK(t, roll.Take(p.Pair(id)))
			if played, of, err := roll.Book(); err != nil || of != 7 || n == 0 && played != 1 {
				t.Fatalf("%d of %d, %v", played, of, err)
			}
		}
		if played, of, err := roll.Book(); err != nil || played != of {
			t.Fatalf("%d of %d, %v", played, of, err)
		}
	})
}

func TestRollRefuses(t *testing.T) {
	plan := manyOpenings(t, 3, 3)
	plan.Design.Kind = match.DesignRoundRobin // 3 pairs a round
	for want, change := range map[string]func(p *match.Pair){
		"number -1":                        func(p *match.Pair) { p.ID = -1 },
		"of players [1 0]":                 func(p *match.Pair) { slices.Reverse(p.Players[:]) },
		"it has 1 games":                   func(p *match.Pair) { p.Legs = 1 },
		"its seed":                         func(p *match.Pair) { p.Seed++ },
		"it has opening other":             func(p *match.Pair) { p.Opening.ID = "other" },
		"(startpos), and other pairs that": func(p *match.Pair) { p.Opening.Moves = nil },
	} {
		roll := rollOf(t, plan)
		for _, id := range []int{1, 2} { // the other pairs of round 0
			testutil.OK(t, roll.Take(plan.Pair(id)))
		}
		p := plan.Pair(0)
		change(&p)
		testutil.Fails(t, roll.Take(p), want)
	}
}

// TestRollBook: Book finds that all openings were exchanged, but only after all of them were played.
func TestRollBook(t *testing.T) {
	plan := manyOpenings(t, 3, 2)
	roll := rollOf(t, plan)
	for id := range 3 {
		if _, _, err := roll.Book(); err != nil {
			t.Errorf("before pair %d: %v", id, err)
		}
		p := plan.Pair(id)
		p.Opening.Moves = nil
		testutil.OK(t, roll.Take(p))
	}
	if played, of, err := roll.Book(); played != 3 || of != 3 || err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("%d of %d, %v", played, of, err)
	}
}

// TestRollDrawn: if the pairings depend on results, the caller gives the players and the round.
func TestRollDrawn(t *testing.T) {
	plan := manyOpenings(t, 3, 4)
	plan.Design = match.Design{Kind: match.DesignSwiss, Swap: true, Tournament: match.Tournament{MatchPairs: 1}}
	roll := rollOf(t, plan)
	testutil.OK(t, roll.TakeDrawn(plan.PairOf(5, [2]int{1, 3}, 2), [2]int{1, 3}, 2))
	testutil.Fails(t, roll.TakeDrawn(plan.PairOf(6, [2]int{1, 3}, 1), [2]int{1, 3}, 2), "",
		"the opening of another round was taken")
	testutil.Fails(t, roll.TakeDrawn(plan.PairOf(5, [2]int{1, 3}, 2), [2]int{1, 2}, 2), "", "other players were taken")
	testutil.Fails(t, roll.TakeDrawn(plan.PairOf(5, [2]int{1, 3}, 2), [2]int{1, 3}, -1), "",
		"a round below the first was taken")
	_, err := (&match.CanonicalPlan{Rules: match.CanonicalRules{Declaration: "CSARule27"}}).NewRoll()
	testutil.Check(t, err != nil, "a plan without players has a roll")
}
