package tournament_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"gogi/internal/testutil"
	"gogi/match/tournament"
)

// varianceFactor returns the mean variance of all differences between ratings of n equal players, relative to a round
// robin with as many games. Each pairing has the same number of games. The information of a design is its Laplacian
// matrix.
func varianceFactor(n int, pairings [][2]int) float64 {
	laplacian := mat.NewSymDense(n, nil)
	for _, p := range pairings {
		i, j := p[0], p[1]
		laplacian.SetSym(i, i, laplacian.At(i, i)+1)
		laplacian.SetSym(j, j, laplacian.At(j, j)+1)
		laplacian.SetSym(i, j, laplacian.At(i, j)-1)
	}
	var eigen mat.EigenSym
	eigen.Factorize(laplacian, false)
	trace := 0.0
	for _, value := range eigen.Values(nil)[1:] { // the smallest one is 0
		trace += 1 / value
	}
	return trace * float64(len(pairings)) * 2 / float64((n-1)*(n-1))
}

// TestLadder: the closed forms of a chain, a star and a round robin hold, and a ladder is near the round robin.
func TestLadder(t *testing.T) {
	for _, n := range []int{20, 60, 200} {
		var chain, star, all [][2]int
		for j := 1; j < n; j++ {
			chain, star = append(chain, [2]int{j - 1, j}), append(star, [2]int{0, j})
			for i := range j {
				all = append(all, [2]int{i, j})
			}
		}
		for name, c := range map[string]struct {
			pairings [][2]int
			want     float64
		}{"chain": {chain, float64(n+1) / 3}, "star": {star, 2 * (1 - 1/float64(n))}, "round robin": {all, 1}} {
			got := varianceFactor(n, c.pairings)
			testutil.Check(t, math.Abs(got-c.want) <= 1e-9*c.want, "%s of %d: %v, want %v", name, n, got, c.want)
		}
		ladder := tournament.Ladder(n)
		testutil.Check(t, varianceFactor(n, ladder) <= 1.2, "ladder of %d: %v", n, varianceFactor(n, ladder))
		testutil.Check(t, slices.Equal(ladder[:len(tournament.Ladder(n-1))], tournament.Ladder(n-1)),
			"a version more changes earlier pairings")
	}
	testutil.Check(t, slices.Equal(tournament.Ladder(5),
		[][2]int{{0, 1}, {1, 2}, {0, 2}, {2, 3}, {1, 3}, {3, 4}, {2, 4}, {0, 4}}), "%v", tournament.Ladder(5))
}
