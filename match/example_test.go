package match_test

import (
	"fmt"

	"gogi/match"
	"gogi/shogi"
)

// A plan has two players and two openings, which the seed shuffles. Each pair is one opening, played twice with swapped
// colours, and depends only on the plan and its number.
func Example() {
	plan := &match.Plan{
		Run: "patch", Pairs: 4, Seed: 1, Design: match.Design{Kind: match.DesignMatch, Swap: true}, Concurrency: 1,
		Rules: match.RulesProfiles()[match.DefaultRules],
		Players: []match.Player{
			{Name: "dev", Limits: match.Limits{Nodes: 1000}}, {Name: "base", Limits: match.Limits{Nodes: 1000}},
		},
	}
	start := shogi.StartPos()
	for i, m := range start.LegalMoves(nil)[:2] {
		plan.Openings = append(plan.Openings, match.Opening{ID: fmt.Sprint(i + 1), Start: "startpos", Moves: []shogi.Move{m}})
	}

	for id := range 2 {
		pair := plan.Pair(id)
		for leg := range pair.Legs {
			g := pair.Game(leg)
			fmt.Printf("pair %d, opening %s: %s against %s\n", id, g.Opening.ID, plan.Players[g.Players[0]].Name,
				plan.Players[g.Players[1]].Name)
		}
	}
	before := plan.Digest()
	plan.Concurrency = 8 // changes no game
	fmt.Println("the digest is the same:", plan.Digest() == before)
	// Output:
	// pair 0, opening 2: dev against base
	// pair 0, opening 2: base against dev
	// pair 1, opening 1: dev against base
	// pair 1, opening 1: base against dev
	// the digest is the same: true
}
