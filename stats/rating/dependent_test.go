package rating

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
	"gogi/stats/rating/crosstable"
)

// pairsOf returns colour-swapped pairs of a and b. The points are those of a in each pair, 0 to 2.
func pairsOf(a, b string, points []int) []crosstable.Count {
	var list []crosstable.Count
	for n, p := range points {
		first := crosstable.Count{Black: a, White: b, Cluster: n + 1}
		second := crosstable.Count{Black: b, White: a, Cluster: n + 1}
		if p == 2 || p == 1 && n%2 == 0 {
			first.BlackWins = 1
		} else {
			first.WhiteWins = 1
		}
		if p == 2 || p == 1 && n%2 == 1 {
			second.WhiteWins = 1
		} else {
			second.BlackWins = 1
		}
		list = append(list, first, second)
	}
	return list
}

// TestErrorsByPairs: for two players, the sandwich estimate follows from the standard error of the mean over pairs. It
// is divided by the slope of the score over the log odds.
func TestErrorsByPairs(t *testing.T) {
	points := []int{2, 2, 2, 0, 2, 1, 2, 0, 2, 2, 1, 2}
	f := testutil.Must(Rate(pairsOf("a", "b", points), Model{}))(t)
	n, sum, squares := float64(len(points)), 0.0, 0.0
	for _, p := range points {
		sum += float64(p) / 2
	}
	mean := sum / n
	for _, p := range points {
		squares += (float64(p)/2 - mean) * (float64(p)/2 - mean)
	}
	want := math.Sqrt(squares/(n-1)/n) / (mean * (1 - mean))
	c := testutil.Must(f.Covariance())(t)
	if got := math.Sqrt(c.Matrix[0][0] + c.Matrix[1][1] - 2*c.Matrix[0][1]); math.Abs(got-want) > 1e-9 {
		t.Errorf("standard error %v, want %v", got, want)
	}
	// The same games without pairs have the binomial error.
	for i, alone := 0, pairsOf("a", "b", points); i == 0; i++ {
		for n := range alone {
			alone[n].Cluster = 0
		}
		c = testutil.Must(testutil.Must(Rate(alone, Model{}))(t).Covariance())(t)
		want = 1 / math.Sqrt(2*n*mean*(1-mean))
		if got := math.Sqrt(c.Matrix[0][0] + c.Matrix[1][1] - 2*c.Matrix[0][1]); math.Abs(got-want) > 1e-9 {
			t.Errorf("standard error %v, want %v", got, want)
		}
	}
}

// TestClustersOfOneGame: one cluster for each game gives the same widths as independent games, except for the estimate
// of their variance.
func TestClustersOfOneGame(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	var apart, alone []crosstable.Count
	for n := range 3000 {
		c := crosstable.Count{Black: fmt.Sprint(n % 3), White: fmt.Sprint((n + 1) % 3), BlackWins: random.IntN(2),
			Cluster: n + 1}
		c.WhiteWins = 1 - c.BlackWins
		apart = append(apart, c)
		c.Cluster = 0
		alone = append(alone, c)
	}
	// With an SD of 0.05 the prior and the games have about the same weight.
	for _, model := range []Model{{}, {FirstMove: Multiplicative}, {Prior: Prior{SD: 0.05}},
		{Prior: Prior{VirtualDraws: 1000}}} {
		f, g := testutil.Must(Rate(apart, model))(t), testutil.Must(Rate(alone, model))(t)
		for _, p := range f.Players {
			i, j := testutil.Must(width(f, p.Name))(t), testutil.Must(width(g, p.Name))(t)
			testutil.Check(t, math.Abs(i/j-1) <= 0.03, "%s: %v by clusters, %v without", p.Name, i, j)
		}
	}
}

func width(f *Fit, player string) (float64, error) {
	i, err := f.Profile(player, 0.95)
	return i.Hi - i.Lo, err
}

// TestWeights: an opening that was played m times weighs as one. The copies do not change the rating and its intervals.
func TestWeights(t *testing.T) {
	once := pairsOf("a", "b", []int{2, 2, 0, 1})
	var often []crosstable.Count
	for _, c := range once {
		c.Weight = 1
		if c.Cluster == 2 {
			c.Weight = 1.0 / 5
			c.BlackWins, c.WhiteWins = 5*c.BlackWins, 5*c.WhiteWins
		}
		often = append(often, c)
	}
	f, g := testutil.Must(Rate(once, Model{FirstMove: Multiplicative}))(t),
		testutil.Must(Rate(often, Model{FirstMove: Multiplicative}))(t)
	if math.Abs(f.LogLik-g.LogLik) > 1e-12 || math.Abs(f.Players[0].Elo-g.Players[0].Elo) > 1e-9 ||
		math.Abs(g.Evidence-8) > 1e-12 || g.Games != 16 {
		t.Errorf("%+v\n%+v", f, g)
	}
	a, b := testutil.Must(width(f, "a"))(t), testutil.Must(width(g, "a"))(t)
	testutil.Check(t, math.Abs(a-b) <= 1e-6, "intervals %v and %v wide", a, b)
	testutil.Check(t, g.Players[0].Games == 16 && g.Players[0].Points == 2+5*2+0+1, "%+v", g.Players[0])
	for _, wrong := range []crosstable.Count{{Weight: -1}, {Weight: math.NaN()}, {Cluster: -1}} {
		wrong.Black, wrong.White = "a", "b"
		testutil.Fails(t, testutil.Err(Rate([]crosstable.Count{wrong}, Model{})), "", "%+v is possible", wrong)
	}
}

// TestCoverageByPairs: if 45% of the pairs are lost, 10% shared and 45% won, the interval by games holds in 88 % of the
// simulations. The interval by pairs holds in 95 %.
func TestCoverageByPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for _, pairs := range []int{10, 50, 200} {
		held, naive, runs := 0, 0, 0
		for range 5 * *simulations {
			points := make([]int, pairs)
			for i := range points {
				points[i] = []int{0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2}[random.IntN(20)]
			}
			record := pairsOf("a", "b", points)
			f, err := Rate(record, Model{})
			if err != nil {
				continue // one player won everything
			}
			runs++
			if i := testutil.Must(f.ProfileDifference("a", "b", 0.95))(t); i.Lo <= 0 && 0 <= i.Hi {
				held++
			}
			for n := range record {
				record[n].Cluster = 0
			}
			g := testutil.Must(Rate(record, Model{}))(t)
			if i := testutil.Must(g.ProfileDifference("a", "b", 0.95))(t); i.Lo <= 0 && 0 <= i.Hi {
				naive++
			}
		}
		t.Logf("%d pairs: %d of %d by pairs, %d by games", pairs, held, runs, naive)
		share, noise := float64(held)/float64(runs), 3.5*math.Sqrt(0.05*0.95/float64(runs))
		testutil.Check(t, share >= 0.945-noise && share <= 0.97+noise, "%d pairs: the interval held the truth in %v", pairs,
			share)
		testutil.Check(t, float64(naive)/float64(runs) <= 0.95-noise/2, "%d pairs: these pairs are no hard case", pairs)
	}
}

// tournament returns the pairs of a round robin of equal players. alike is how often the first game of a pair also
// decides the second for the same player.
func tournament(random *rand.Rand, players, pairs int, alike float64) []crosstable.Count {
	var list []crosstable.Count
	cluster := 0
	for a := range players {
		for b := range a {
			for range pairs {
				cluster++
				first, again := random.IntN(2), random.IntN(2)
				if random.Float64() < alike {
					again = 1 - first
				}
				list = append(list,
					crosstable.Count{Black: fmt.Sprint(a), White: fmt.Sprint(b), BlackWins: first, WhiteWins: 1 - first,
						Cluster: cluster},
					crosstable.Count{Black: fmt.Sprint(b), White: fmt.Sprint(a), BlackWins: again, WhiteWins: 1 - again,
						Cluster: cluster})
			}
		}
	}
	return list
}

func one(b bool) int {
	if b {
		return 1
	}
	return 0
}

// simulations is the number of simulations of each kind. docs/ratings.md has results of 1,000.
var simulations = flag.Int("rating.runs", 40, "simulated tournaments of each kind")

// TestLevels: the tests of the model and of cycles hold their level of 5% in simulated tournaments of equal players.
// The limit is four standard errors above the level, which has a probability below 0.1% in the smallest runs.
func TestLevels(t *testing.T) {
	for _, k := range []struct {
		players, pairs int
		alike          float64
	}{{5, 1, 0}, {8, 2, 0}, {4, 3, 0.8}, {8, 5, 0.8}} {
		random := rand.New(rand.NewPCG(4, uint64(k.pairs)))
		var square, worst, cycle, chi, runs int
		for run := range *simulations {
			record := tournament(random, k.players, k.pairs, k.alike)
			f, err := Rate(record, Model{})
			if err != nil {
				continue // no player can be rated
			}
			runs++
			g := testutil.Must(f.Goodness(Replay{Samples: 199, Seed: uint64(run), Exceed: 10}))(t)
			square += one(g.Bootstrap <= 0.05)
			worst += one(g.Worst <= 0.05)
			chi += one(g.P <= 0.05)
			cycles := testutil.Must(testutil.Must(crosstable.New(record))(t).Cycles(1))(t)
			cycle += one(len(cycles) > 0 && cycles[0].PHolm <= 0.05)
		}
		t.Logf("%+v: X² %d (deviance by χ² %d), worst residual %d, cycles %d of %d", k, square, chi, worst, cycle, runs)
		n := float64(runs)
		testutil.Check(t, n >= 20 && float64(max(square, worst, cycle)) <= 0.05*n+4*math.Sqrt(0.05*0.95*n),
			"%+v: a test does not hold its level", k)
	}
}

// TestPredictSaturated: if there are as many parameters as pairings, a prediction is the observed share. Its interval
// is that of log odds.
func TestPredictSaturated(t *testing.T) {
	check := func(q Prediction, err error, wins, games float64) {
		t.Helper()
		testutil.OK(t, err)
		p := wins / games
		reach := 1.959963984540054 / math.Sqrt(games*p*(1-p))
		odds := math.Log(p / (1 - p))
		for what, pair := range map[string][2]float64{
			"score": {q.Score, p}, "win": {q.Win + q.Draw/2, p},
			"from": {q.Interval.Lo, 1 / (1 + math.Exp(reach-odds))}, "to": {q.Interval.Hi, 1 / (1 + math.Exp(-reach-odds))},
		} {
			testutil.Check(t, math.Abs(pair[0]-pair[1]) <= 1e-6, "%s: %v, want %v", what, pair[0], pair[1])
		}
	}
	f := testutil.Must(Rate([]crosstable.Count{{Black: "a", White: "b", BlackWins: 30, WhiteWins: 10}}, Model{}))(t)
	q, err := f.Predict("a", "b", 0.95)
	check(q, err, 30, 40)
	q, err = f.Predict("b", "a", 0.95)
	check(q, err, 10, 40)
	record := []crosstable.Count{
		{Black: "a", White: "b", BlackWins: 12, WhiteWins: 28},
		{Black: "a", White: "b", BlackWins: 33, WhiteWins: 17, Handicap: 2},
	}
	for _, m := range []HandicapModel{Additive3, Multiplicative3, LogLinear, LogFree, Additive1, Multiplicative1} {
		h := testutil.Must(CompareHandicaps(record, 0.95, m))(t).Fits[0]
		q, err = h.Predict("a", "b", 2, 0.95)
		check(q, err, 33, 50)
		q, err = h.Predict("a", "b", 0, 0.95)
		check(q, err, 12, 40)
		_, err = h.Predict("a", "b", 4, 0.95)
		testutil.Equal(t, m != LogFree && m != Additive1 && m != Multiplicative1, (err == nil), "%s at another handicap: %v",
			m, err)
	}
	// In the log-linear model, each step of the handicap multiplies the odds by the same factor.
	h := testutil.Must(CompareHandicaps(record, 0.95, LogLinear))(t).Fits[0]
	odds := func(k int) float64 {
		q := testutil.Must(h.Predict("a", "b", k, 0.95))(t)
		return math.Log(q.Score / (1 - q.Score))
	}
	d := odds(4) - 2*odds(2) + odds(0)
	testutil.Check(t, math.Abs(d) <= 1e-9, "the odds bend by %v", d)
	for _, wrong := range [][2]string{{"a", "a"}, {"a", "x"}, {"x", "b"}} {
		testutil.Fails(t, testutil.Err(h.Predict(wrong[0], wrong[1], 2, 0.95)), "", "%v has a prediction", wrong)
		testutil.Fails(t, testutil.Err(f.Predict(wrong[0], wrong[1], 0.95)), "", "%v has a prediction", wrong)
	}
}

// TestHandicapPlayerIntervals: the interval of a player under NoEffect is that of the plain model for the same games. A
// model with one more parameter does not have a narrower interval.
func TestHandicapPlayerIntervals(t *testing.T) {
	record := []crosstable.Count{
		{Black: "a", White: "b", BlackWins: 12, WhiteWins: 28}, {Black: "b", White: "c", BlackWins: 15, WhiteWins: 9},
		{Black: "c", White: "a", BlackWins: 11, WhiteWins: 19, Handicap: 1},
		{Black: "a", White: "b", BlackWins: 10, WhiteWins: 6, Handicap: 2},
	}
	even := make([]crosstable.Count, len(record))
	for n, c := range record {
		c.Handicap = 0
		even[n] = c
	}
	f := testutil.Must(Rate(even, Model{}))(t)
	h := testutil.Must(CompareHandicaps(record, 0.95, NoEffect, LogLinear, Multiplicative3))(t)
	for _, p := range f.Players {
		want := testutil.Must(f.Profile(p.Name, 0.95))(t)
		got := testutil.Must(h.Fits[0].Profile(p.Name, 0.95))(t)
		testutil.Check(t, math.Abs(got.Lo-want.Lo) <= 1e-5 && math.Abs(got.Hi-want.Hi) <= 1e-5, "%s: %+v, want %+v", p.Name,
			got, want)
		wider := testutil.Must(h.Fits[1].Profile(p.Name, 0.95))(t)
		testutil.Check(t, wider.Hi-wider.Lo >= want.Hi-want.Lo, "%s: one more parameter narrows the interval", p.Name)
	}
}

// TestEvenPairs: ten drawn pairs have a variance of 0, but their interval has a width. One more pair by the model gives
// 1/11 of the variance of 20 independent games.
func TestEvenPairs(t *testing.T) {
	f := testutil.Must(Rate(pairsOf("a", "b", make10(1)), Model{}))(t)
	q := testutil.Must(f.Predict("a", "b", 0.95))(t)
	reach := 2.2621571627409915 * math.Sqrt(1.0/11) / math.Sqrt(20*0.25) // t of 9 degrees of freedom
	want := 1 / (1 + math.Exp(-reach))
	testutil.Check(t, math.Abs(q.Interval.Hi-want) <= 1e-6 && math.Abs(q.Score-0.5) <= 1e-9, "%+v, want up to %v", q, want)
}

func make10(points int) []int {
	list := make([]int, 10)
	for i := range list {
		list[i] = points
	}
	return list
}

// TestFirstMoveByPairs: openings that favour one colour decide both games of a pair, and Black has no advantage. Tested
// by games, the first move is wrongly significant in 1 of 6 matches; tested by pairs, in 1 of 20.
func TestFirstMoveByPairs(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	naive, robust := 0, 0
	const runs = 300
	for range runs {
		var record []crosstable.Count
		for n := range 40 {
			black := random.IntN(2)
			record = append(record,
				crosstable.Count{Black: "a", White: "b", BlackWins: black, WhiteWins: 1 - black, Cluster: n + 1},
				crosstable.Count{Black: "b", White: "a", BlackWins: black, WhiteWins: 1 - black, Cluster: n + 1})
		}
		p := func() float64 {
			null, full := testutil.Must(Rate(record, Model{}))(t),
				testutil.Must(Rate(record, Model{FirstMove: Multiplicative}))(t)
			return testutil.Must(LikelihoodRatio(null, full))(t).P
		}
		robust += one(p() <= 0.05)
		for n := range record {
			record[n].Cluster = 0
		}
		naive += one(p() <= 0.05)
	}
	t.Logf("%d of %d by pairs, %d by games", robust, runs, naive)
	if naive < 30 || robust > 15+13 { // 3.5 standard errors above 5%
		t.Errorf("%d of %d by pairs, %d by games", robust, runs, naive)
	}
}

// likings returns a tournament of equal players in pairs, from openings that all pairings play. Each opening changes a
// player's strength by a normally distributed number of Elo, against all opponents.
func likings(random *rand.Rand, pairings [][2]int, players, openings int, sd float64) []crosstable.Count {
	liking := make([][]float64, players)
	for i := range liking {
		for range openings {
			liking[i] = append(liking[i], sd*random.NormFloat64())
		}
	}
	var list []crosstable.Count
	for n, p := range pairings {
		for o := range openings {
			score := 1 / (1 + math.Pow(10, (liking[p[1]][o]-liking[p[0]][o])/400))
			for leg := range 2 {
				c := crosstable.Count{Black: fmt.Sprint(p[leg]), White: fmt.Sprint(p[1-leg]), Cluster: n*openings + o + 1,
					Opening: o + 1}
				if first := random.Float64() < score; first == (leg == 0) {
					c.BlackWins = 1
				} else {
					c.WhiteWins = 1
				}
				list = append(list, c)
			}
		}
	}
	return list
}

// TestLikings: intervals clustered by openings hold the true rating 0 if openings change the strengths of players.
// Clustered only by pairs, they hold in 72 of 100 gauntlets. If openings change nothing, the clustering costs little
// width.
func TestLikings(t *testing.T) {
	gauntlet, all := [][2]int{}, [][2]int{}
	for i := range 20 {
		gauntlet = append(gauntlet, [2]int{0, i + 1})
	}
	for i := range 8 {
		for j := range i {
			all = append(all, [2]int{i, j})
		}
	}
	for _, c := range []struct {
		name              string
		pairings          [][2]int
		players, openings int
		sd                float64
		of                int // number of players whose intervals are tested
	}{
		{"gauntlet", gauntlet, 21, 10, 0, 1}, {"gauntlet", gauntlet, 21, 10, 50, 1}, {"gauntlet", gauntlet, 21, 10, 100, 1},
		{"round robin", all, 8, 10, 0, 8}, {"round robin", all, 8, 10, 50, 8}, {"round robin", all, 8, 10, 100, 8},
		{"round robin", all, 8, 50, 50, 8},
	} {
		if *simulations < 100 && c.sd == 50 {
			continue // the other cases show the same
		}
		random := rand.New(rand.NewPCG(5, uint64(c.openings)+uint64(c.sd)))
		held, apart, looked, width, narrow := 0, 0, 0, 0.0, 0.0
		for range *simulations {
			record := likings(random, c.pairings, c.players, c.openings, c.sd)
			f, err := Rate(record, Model{})
			if err != nil {
				continue // a player won everything
			}
			for n := range record {
				record[n].Opening = 0
			}
			g := testutil.Must(Rate(record, Model{}))(t)
			for i := range c.of {
				if !slices.ContainsFunc(f.Players, func(p crosstable.Player) bool { return p.Name == fmt.Sprint(i) }) {
					continue
				}
				looked++
				x, y := testutil.Must(f.Profile(fmt.Sprint(i), 0.95))(t), testutil.Must(g.Profile(fmt.Sprint(i), 0.95))(t)
				held, apart = held+one(x.Lo <= 0 && 0 <= x.Hi), apart+one(y.Lo <= 0 && 0 <= y.Hi)
				width, narrow = width+x.Hi-x.Lo, narrow+y.Hi-y.Lo
			}
		}
		n := float64(looked)
		t.Logf("%s of %d, %d openings, liked by %g Elo: %.3f held by openings, %.3f by pairs, %.2f times as wide", c.name,
			c.players, c.openings, c.sd, float64(held)/n, float64(apart)/n, width/narrow)
		tournaments := n / float64(c.of) // the intervals of one tournament depend on each other
		if float64(held)/n < 0.93-3*math.Sqrt(0.07*0.93/tournaments) {
			t.Errorf("%s liked by %g: %.3f held", c.name, c.sd, float64(held)/n)
		}
		if c.sd == 0 && width > 1.3*narrow {
			t.Errorf("%s: %.2f times as wide where no opening is liked", c.name, width/narrow)
		}
	}
}

// TestErrorsBySessions: shifts of sessions add their variance to that of the pairs, and intervals use Student's t.
func TestErrorsBySessions(t *testing.T) {
	points := slices.Repeat([]int{2, 1, 0, 2, 1}, 40)
	const omega = 0.2 // log odds
	mean := 0.6
	// The three sessions have a half and two quarters of the 400 games.
	shift := math.Pow(omega*mean*(1-mean)*400, 2) * (.5*.5 + 2*.25*.25)
	model := Model{Sessions: &Sessions{Shifts: []Shift{{"b", "a", shift}, {"a", "absent", 1}}, Freedom: 2}}
	alone, apart := testutil.Must(Rate(pairsOf("a", "b", points), Model{}))(t),
		testutil.Must(Rate(pairsOf("a", "b", points), model))(t)
	c, d := testutil.Must(alone.Pairwise(.95))(t)[0], testutil.Must(apart.Pairwise(.95))(t)[0]
	want := math.Hypot(c.SE, binomial.EloPerNat*omega*math.Sqrt(.375))
	testutil.Check(t, c.Elo == d.Elo && math.Abs(d.SE-want) < 1e-9, "%v, %v: want a standard error of %v", c, d, want)
	testutil.Check(t, math.Abs((d.Interval.Hi-d.Elo)/d.SE-4.302653) < 1e-6, "%v", d) // Student's t, 2 degrees of freedom
	testutil.Check(t, d.P > c.P, "%v, %v", c.P, d.P)
	matrix := testutil.Must(apart.Covariance())(t).Matrix
	testutil.Check(t, math.Abs(math.Sqrt(matrix[0][0]+matrix[1][1]-2*matrix[0][1])*binomial.EloPerNat-want) < 1e-9, "%v",
		matrix)
	profile := testutil.Must(apart.ProfileDifference("a", "b", .95))(t)
	testutil.Check(t, math.Abs((profile.Hi-profile.Lo)/2/want-4.3) < .2, "%v", profile)
}
