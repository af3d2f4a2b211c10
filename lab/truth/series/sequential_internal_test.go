package series

import (
	"math"
	"math/rand/v2"
	"testing"

	"gogi/internal/testutil"
	"gogi/lab/truth"
)

// TestWins compares the probability to win a match with sums made by hand, for two games with the rates .5, .2 and .3.
func TestWins(t *testing.T) {
	b := &bench{law: &truth.Law{Players: []truth.Player{{Name: "a"}, {Name: "b"}}}}
	b.law.Draws = 0.2 / 2 / 0.4
	b.law.Solve(0, 1, 0.6, b.law.Score)
	for games, want := range map[int]float64{1: 0.5, 2: 0.5*0.5 + 2*0.5*0.2} {
		got := b.wins(games)
		testutil.Check(t, math.Abs(got-want) < 1e-9, "%d games: %v, want %v", games, got, want)
	}
}

// TestDrawnLaw: the rates of a drawn law have the means 1/3 and the variances of the Dirichlet distribution with the
// parameters ½: (1/3)(2/3)/(3/2 + 1) = .0889.
func TestDrawnLaw(t *testing.T) {
	const laws = 1000
	r := rand.New(rand.NewPCG(1, 1))
	var sum, squares [3]float64
	for range laws {
		b := &bench{law: &truth.Law{Players: []truth.Player{{Name: "a"}, {Name: "b"}}}}
		b.drawn(r)
		draw := b.law.DrawRate(0, 1)
		win := b.law.Score(0, 1) - draw/2
		for i, rate := range []float64{win, draw, 1 - win - draw} {
			sum[i] += rate / laws
			squares[i] += rate * rate / laws
		}
	}
	for i := range sum {
		testutil.Check(t, math.Abs(sum[i]-1./3) < 0.035, "rate %d has the mean %v", i, sum[i])
		testutil.Check(t, math.Abs(squares[i]-sum[i]*sum[i]-0.0889) < 0.012, "rate %d has the variance %v", i,
			squares[i]-sum[i]*sum[i])
	}
}

// TestAfterEachPair: the pairs of a stream of events count for player a, in the order of their last games.
func TestAfterEachPair(t *testing.T) {
	states := testutil.Must(afterEachPair(`{"type":"start"}
{"type":"end","pair":0,"black":"a","points":[1,0]}
{"type":"end","pair":1,"black":"a","points":[0.5,0.5]}
{"type":"end","pair":1,"black":"b","points":[1,0]}
{"type":"end","pair":0,"black":"b","points":[0,1]}
`))(t)
	testutil.Equal(t, len(states), 2)
	testutil.Equal(t, states[0], pentanomial{LD: 1})
	testutil.Equal(t, states[1], pentanomial{LD: 1, WW: 1})
}
