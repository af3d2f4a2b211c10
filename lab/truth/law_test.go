package truth

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
)

// TestDrawnResultsFollowTheLaw compares a million drawn results with hand-calculated probabilities.
func TestDrawnResultsFollowTheLaw(t *testing.T) {
	law := &Law{Players: []Player{{Name: "a", Elo: 100}, {Name: "b"}}, Draws: 0.3, Black: 50, Bias: 120, Liking: 80}
	const games = 1_000_000
	source := rand.New(rand.NewPCG(1, 2))
	type cell struct {
		n       int
		results [3]int
	}
	cells := map[int]*cell{}
	total := 0.0
	for n := range games {
		s := Situation{Seed: 7, Opening: fmt.Sprint(n % 5000)}
		black := n / 5000 % 2
		r := law.Draw(black, 1-black, s, source)
		elo := int(math.Round(law.difference(black, 1-black, s)))
		if cells[elo] == nil {
			cells[elo] = &cell{}
		}
		cells[elo].n++
		cells[elo].results[r]++
		if black == 0 {
			total += float64(r) / 2
		} else {
			total += 1 - float64(r)/2
		}
	}
	// a has Black: 100+50 ± 120 + {-160, 0, 160}; b has Black: -100+50 ± 120 + {-160, 0, 160}
	testutil.Equal(t, len(cells), 12)
	chi := 0.0
	for elo, c := range cells {
		s := 1 / (1 + math.Exp(-float64(elo)*math.Ln10/400))
		draw := 0.3 * (1 - math.Abs(2*s-1))
		for r, p := range []float64{1 - s - draw/2, draw, s - draw/2} {
			want := float64(c.n) * p
			chi += (float64(c.results[r]) - want) * (float64(c.results[r]) - want) / want
		}
	}
	testutil.Check(t, chi < 53, "chi-square %.1f of 24 degrees of freedom; the 0.06%% quantile is 53", chi)
	// The openings are a sample of 5,000; the score of a sample differs by a standard deviation of .0026 from the law's.
	testutil.Check(t, math.Abs(total/games-law.Score(0, 1)) < 0.0104, "score %v, the law has %v", total/games,
		law.Score(0, 1))
}

// TestScoreByHand compares the expected score with sums made by hand.
func TestScoreByHand(t *testing.T) {
	players := []Player{{Name: "a", Elo: 400}, {Name: "b"}}
	for _, test := range []struct {
		law  Law
		want float64
	}{
		{Law{}, 10. / 11},
		{Law{Black: 400}, (100./101 + 1./2) / 2},
		{Law{Bias: 400}, (100./101 + 1./2) / 2},
		{Law{Liking: 400}, (10./11*2 + 1000./1001 + 1./11) / 4},
		{Law{Session: 400}, (10./11*2 + 1000./1001 + 1./11) / 4},
	} {
		test.law.Players = players
		testutil.Check(t, math.Abs(test.law.Score(0, 1)-test.want) < 1e-12, "%+v: %v, expected %v", test.law,
			test.law.Score(0, 1), test.want)
		testutil.Check(t, math.Abs(test.law.Score(1, 0)+test.want-1) < 1e-12, "%+v: the scores of both players are %v and %v",
			test.law, test.law.Score(1, 0), test.want)
	}
}
