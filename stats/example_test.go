package stats_test

import (
	"fmt"

	"gogi/stats"
	"gogi/stats/binomial"
)

// A player wins both games of twelve openings, and one game of each of eight others.
func Example() {
	won, lost := stats.Leg{Outcome: stats.Win, Points: 1}, stats.Leg{Outcome: stats.Loss}
	wonAsBlack := stats.Leg{Outcome: stats.Win, Points: 1, AIsBlack: true}

	var t stats.Tally
	for i := range 20 {
		pair := stats.Pair{wonAsBlack, won}
		if i >= 12 {
			pair[1] = lost
		}
		if err := t.Add(pair); err != nil {
			fmt.Println(err)
			return
		}
	}

	score, err := t.Score()
	fmt.Println(t.Total().Wins, "wins,", t.Total().Losses, "losses, score", score, err)
	test, err := t.SignFlip(binomial.TwoSided)
	fmt.Printf("p = %.4f by %s, %v\n", test.P, test.Method, err)
	// Output:
	// 32 wins, 8 losses, score 0.8 <nil>
	// p = 0.0005 by pair_sign_flip, <nil>
}

// An SPRT between 0 and 10 Elo decides from the counts of a match.
func ExampleSPRT_Judge() {
	design := stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic,
		Boundary: stats.BoundaryWald}
	counts := stats.Pentanomial{LL: 100, LD: 150, WL: 400, DD: 100, WD: 200, WW: 150}
	j, err := design.Judge(counts)
	fmt.Printf("LLR %.2f in [%.2f, %.2f]: %s, %v\n", j.LLR, j.Lower, j.Upper, j.Decision, err)
	// Output:
	// LLR 5.56 in [-2.94, 2.94]: pass, <nil>
}
