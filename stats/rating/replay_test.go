package rating

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"gogi/internal/testutil"
	"gogi/stats/rating/crosstable"
)

// twoColours returns a stage of two players who play this number of games in each colour, some of them in pairs.
func twoColours(games, pairs int, alike float64) *stage {
	return &stage{
		t: crosstable.Table{Names: []string{"A", "B"}, Cells: []crosstable.Cell{
			{Black: 0, White: 1, Wins: float64(games)}, {Black: 1, White: 0, Wins: float64(games)},
		}},
		p:    [][3]float64{{0.5, 0.2, 0.3}, {0.35, 0.05, 0.6}},
		back: []int{1, 0}, available: []int{pairs, pairs}, alike: alike,
	}
}

// outcomes returns the number of each outcome, in the order of the probabilities.
func outcomes(c crosstable.Cell) [3]int { return [3]int{int(c.Wins), int(c.Draws), int(c.Losses)} }

// playEach does the same as play, but game by game.
func playEach(s *stage, random *rand.Rand) (counts [2][3]int) {
	pairs := min(s.available[0], s.available[1])
	for range pairs {
		u, v := random.Float64(), random.Float64()
		if random.Float64() < math.Abs(s.alike) {
			v = u
			if s.alike > 0 {
				v = 1 - u
			}
		}
		counts[0][outcomeAt(s.p[0], u)]++
		counts[1][outcomeAt(s.p[1], v)]++
	}
	for n := range counts {
		for range int(s.t.Cells[n].Games()) - pairs {
			counts[n][outcomeAt(s.p[n], random.Float64())]++
		}
	}
	return counts
}

// TestReplayIsThatOfEachGame requires that play and a simulation game by game give the same distribution of records of
// both cells.
func TestReplayIsThatOfEachGame(t *testing.T) {
	const samples = 30_000
	for name, test := range map[string]struct {
		games, pairs int
		alike        float64
	}{
		"independent":           {3, 0, 0},
		"in pairs, independent": {3, 3, 0},
		"alike":                 {3, 3, 0.6},
		"opposite":              {3, 3, -0.6},
		"always alike":          {2, 2, 1},
		"some in pairs":         {4, 2, 0.5},
	} {
		s := twoColours(test.games, test.pairs, test.alike)
		seen := map[[2][3]int][2]int{} // counts of play, and of playEach
		random, each := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
		for range samples {
			cells := s.play(random).Cells
			key := [2][3]int{outcomes(cells[0]), outcomes(cells[1])}
			n := seen[key]
			seen[key] = [2]int{n[0] + 1, n[1]}
			key = playEach(s, each)
			n = seen[key]
			seen[key] = [2]int{n[0], n[1] + 1}
		}
		// This is the test of homogeneity of two samples of equal size. Records that are rare in both are one class.
		x, classes, rare := 0.0, 0, [2]int{}
		add := func(n [2]int) {
			d := float64(n[0] - n[1])
			x += d * d / float64(n[0]+n[1])
			classes++
		}
		for _, n := range seen {
			if n[0]+n[1] < 20 {
				rare = [2]int{rare[0] + n[0], rare[1] + n[1]}
				continue
			}
			add(n)
		}
		if rare[0]+rare[1] > 0 {
			add(rare)
		}
		p := (distuv.ChiSquared{K: float64(classes - 1)}).Survival(x)
		testutil.Check(t, p >= 1e-4 && classes >= 10, "%s: X² is %.1f over %d classes, p %.2g", name, x, classes, p)
	}
}

// TestReplayMoments requires that means, variances and the covariance of the points of many games agree with the
// calculated moments.
func TestReplayMoments(t *testing.T) {
	const samples = 8_000
	for _, games := range []int{20, 60, 100_000} {
		for _, alike := range []float64{0, 0.5, -0.5, 1} {
			s := twoColours(games, games, alike)
			random := rand.New(rand.NewPCG(5, uint64(games)))
			var sum, square [2]float64
			product := 0.0
			for range samples {
				cells := s.play(random).Cells
				var x [2]float64
				for n := range x {
					if cells[n].Games() != float64(games) {
						t.Fatalf("%v games, want %d", cells[n].Games(), games)
					}
					x[n] = cells[n].Points() - float64(games)*(s.p[n][0]+s.p[n][1]/2)
					sum[n] += x[n]
					square[n] += x[n] * x[n]
				}
				product += x[0] * x[1]
			}
			var variance [2]float64
			for n, p := range s.p {
				mean := p[0] + p[1]/2
				variance[n] = float64(games) * (p[0] + p[1]/4 - mean*mean)
				if z := sum[n] / math.Sqrt(variance[n]*samples); math.Abs(z) > 4 {
					t.Errorf("%d games, alike %v: the mean of cell %d is off by %.1f standard errors", games, alike, n, z)
				}
				// For nearly normal numbers, the variance has the relative standard error √(2/n).
				if ratio := square[n] / samples / variance[n]; math.Abs(ratio-1) > 4.5*math.Sqrt(2.0/samples) {
					t.Errorf("%d games, alike %v: the variance of cell %d is %.3f of what it should be", games, alike, n, ratio)
				}
			}
			want := float64(games) * math.Abs(alike) * sharedCovariance(s, alike > 0)
			scale := math.Sqrt(variance[0] * variance[1])
			if got := product / samples; math.Abs(got-want) > 4.5*scale*math.Sqrt(2.0/samples) {
				t.Errorf("%d games, alike %v: the covariance is %.4f of the deviations, want %.4f", games, alike, got/scale,
					want/scale)
			}
		}
	}
}

// sharedCovariance returns the covariance of Black's points in two games with one shared random number, as the integral
// over that number.
func sharedCovariance(s *stage, opposite bool) float64 {
	points := [3]float64{1, 0.5, 0}
	const steps = 100_000 // every probability is a multiple of 1/20, so the sum is exact
	var both, first, second float64
	for i := range steps {
		u := (float64(i) + 0.5) / steps
		v := u
		if opposite {
			v = 1 - u
		}
		a, b := points[outcomeAt(s.p[0], u)], points[outcomeAt(s.p[1], v)]
		both, first, second = both+a*b/steps, first+a/steps, second+b/steps
	}
	return both - first*second
}

// countedSource counts the numbers that are drawn from a source.
type countedSource struct {
	rand.Source
	drawn int
}

func (c *countedSource) Uint64() uint64 {
	c.drawn++
	return c.Source.Uint64()
}

// TestReplayCost requires that a million times as many games take no more random numbers.
func TestReplayCost(t *testing.T) {
	const samples = 100
	for _, games := range []int{1000, 1_000_000_000} {
		source := &countedSource{Source: rand.NewPCG(7, 8)}
		random, s := rand.New(source), twoColours(games, games/2, 0.3)
		for range samples {
			s.play(random)
		}
		// play draws up to eleven binomials. A try takes two numbers, and a binomial takes less than three tries on average.
		if a := float64(source.drawn) / samples; a > 11*2*3 {
			t.Errorf("%d games: %v random numbers", games, a)
		}
	}
}

// TestMultinomialEnds tests weights of 0, and weights whose sum is a rounding error away from 1.
func TestMultinomialEnds(t *testing.T) {
	random := rand.New(rand.NewPCG(9, 10))
	for name, test := range map[string]struct {
		weights []float64
		never   int
	}{
		"certain":        {[]float64{1, 0, 0}, 1},
		"never first":    {[]float64{0, 0.5, 0.5}, 0},
		"never last":     {[]float64{0.3, 0.7, 0}, 2},
		"short":          {[]float64{0.3, 0, 0.7 - 1e-12}, 1},
		"beyond 1":       {[]float64{0.3, 0.7 + 1e-12, 0}, 2},
		"less than 0":    {[]float64{0.3, 0.7, -1e-17}, 2},
		"a third thrice": {[]float64{0, 1. / 3, 1. / 3, 1. / 3}, 0},
	} {
		for range 1000 {
			total, counts := 0, multinomial(random, 1000, test.weights)
			for _, n := range counts {
				if total += n; n < 0 {
					t.Fatalf("%s: %v", name, counts)
				}
			}
			testutil.Require(t, total == 1000 && counts[test.never] == 0, "%s: %v", name, counts)
		}
	}
}
