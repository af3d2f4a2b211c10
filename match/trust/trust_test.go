package trust

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gogi/internal/testutil"
	"gogi/stats/binomial"
)

// TestMeanOverAllChoices compares the means with an enumeration of all choices.
func TestMeanOverAllChoices(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for n := 1; n <= 9; n++ {
		g := make([]float64, n)
		for i := range g {
			g[i] = math.Exp(r.NormFloat64())
		}
		sum, choices := make([]float64, n+1), make([]float64, n+1)
		for set := range 1 << n {
			product, size := 1.0, 0
			for i := range g {
				if set>>i&1 == 1 {
					product *= g[i]
					size++
				}
			}
			sum[size] += product
			choices[size]++
		}
		logs := logMeanProducts(g, n)
		for k := range sum {
			got, want := math.Exp(logs[k]), sum[k]/choices[k]
			testutil.Check(t, math.Abs(got/want-1) <= 1e-12, "%d of %d: %v, want %v", k, n, got, want)
		}
	}
}

// TestBlockByHand: five pairs have 0, 1, 2, 2 and 1 points. With λ = ln 2, 2^x is 1, 2, 4, 4 and 2. The e-values are
// calculated by hand.
func TestBlockByHand(t *testing.T) {
	t.Parallel()
	x := []float64{0, 1, 2, 2, 1}
	w := &worker{log: [kinds][]float64{Score: {0}}}
	place(Score, 0, math.Ln2, x, []hand{{w, []int{2, 3}}})
	// The products of two of {1, 2, 4, 4, 2} are 2 4 4 2 8 8 4 16 8 8. Their sum is 64, their mean 6.4. The worker's own
	// product is 16.
	if got := math.Exp(w.log[Score][0]); math.Abs(got-2.5) > 1e-12 {
		t.Errorf("e = %v, want 16/6.4", got)
	}
	w = &worker{log: [kinds][]float64{Score: {0}}}
	place(Score, 0, math.Ln2, x, []hand{{w, []int{0}}})
	if got := math.Exp(w.log[Score][0]); math.Abs(got-5.0/13) > 1e-12 {
		t.Errorf("e = %v, want 1/(13/5)", got)
	}
}

// A farm simulates a run. Each opening has its own strength, and the strength of the players drifts. Workers differ in
// speed, so they play different numbers of pairs.
type farm struct {
	r       *rand.Rand
	workers []string
	weight  []float64 // ascending, up to 1
	loses   float64   // with worker 0, the share of games that the first player always loses
	change  func(worker int, p *Pair, r *rand.Rand)
}

func newFarm(seed uint64, workers int) *farm {
	f := &farm{r: rand.New(rand.NewPCG(seed, 7)), change: func(int, *Pair, *rand.Rand) {}}
	sum := 0.0
	for i := range workers {
		f.workers = append(f.workers, fmt.Sprintf("w%d", i))
		sum += 0.5 + f.r.ExpFloat64()
		f.weight = append(f.weight, sum)
	}
	for i := range f.weight {
		f.weight[i] /= sum
	}
	return f
}

// pair returns the next pair: two games of an opening that favours Black more or less.
func (f *farm) pair(n int) (worker int, p Pair) {
	worker, _ = slices.BinarySearch(f.weight, f.r.Float64())
	black := 0.35 + 0.3*float64(n%17)/16
	strength := 0.02 * math.Sin(float64(n)/3000)
	p = Pair{Worker: f.workers[worker], Ratio: math.Exp(0.2 * f.r.NormFloat64()), Slowed: f.r.Float64() < 0.02}
	for leg := range 2 {
		win := black
		if leg == 1 {
			win = 1 - black
		}
		switch u := f.r.Float64(); {
		case worker == 0 && f.r.Float64() < f.loses:
		case u < 0.05:
			p.Points += 0.5
		case u < 0.05+0.95*(win+strength):
			p.Points++
		}
		if f.r.Float64() < 0.001 {
			p.OnTime++
		}
		if f.r.Float64() < 0.0005 {
			p.Crashes++
		}
	}
	f.change(worker, &p, f.r)
	return worker, p
}

// accusations simulates a farm and looks after every such number of pairs. It reports whether a worker is accused of
// its results or of its machine.
func accusations(t *testing.T, f *farm, pairs, every int) (r Residuals, results, machine bool) {
	t.Helper()
	for n := range pairs {
		_, p := f.pair(n)
		testutil.OK(t, r.Add(p))
		if n%every == every-1 {
			all := everybody(&r, f)
			results = results || len(Accused(all, Alpha)) > 0
			machine = machine || len(Unlike(all, Alpha)) > 0
		}
	}
	return r, results, machine
}

// TestHonestFarms: in farms of 1,000 equal workers, at most one farm in a hundred accuses a worker at any look. More
// looks accuse no more workers than Ville's inequality allows.
func TestHonestFarms(t *testing.T) {
	t.Parallel()
	farms, accused, mean := testutil.ByLength(4, 60), [2]int{}, 0.0
	for seed := range uint64(farms) {
		r, results, machine := accusations(t, newFarm(seed, 1000), 16_000, 2000)
		for i, is := range []bool{results, machine} {
			if is {
				accused[i]++
			}
		}
		for _, e := range r.Evidence() {
			mean += math.Exp(e.LogE) / 1000 / float64(farms)
		}
	}
	for _, n := range accused {
		p := binomial.NewBinomial(farms, Alpha).AtLeast(n)
		testutil.Check(t, p >= 0.0001, "a worker was accused (results, machine) in %v farms of %d: p = %.2g", accused, farms,
			p)
	}
	// The 4,000 or 60,000 e-values have an expectation of at most 1 each.
	testutil.Check(t, mean <= 1.5 && mean >= 0.3, "the mean e-value of the honest is %v", mean)
}

// everybody returns the evidence about all workers of a farm, including those that have played nothing.
func everybody(r *Residuals, f *farm) []Evidence {
	all := r.Evidence()
	for len(all) < len(f.workers) {
		all = append(all, Evidence{})
	}
	return all
}

// found returns after how many of its own pairs worker 0 is accused, and the kind of the accusation. The number is 0 if
// worker 0 is never accused. wrong reports that another worker was accused first.
func found(t *testing.T, f *farm, pairs int) (own int, of Kind, wrong bool) {
	t.Helper()
	var r Residuals
	played := 0
	for n := range pairs {
		w, p := f.pair(n)
		if w == 0 {
			played++
		}
		testutil.OK(t, r.Add(p))
		if n%blockPairs != blockPairs-1 {
			continue
		}
		all := everybody(&r, f)
		for _, e := range append(Accused(all, Alpha), Unlike(all, Alpha)...) {
			return played, e.Kind, e.Worker != f.workers[0]
		}
	}
	return 0, 0, false
}

// TestFoundAfter: nine farms of ten accuse a faulty worker within this number of its own pairs.
func TestFoundAfter(t *testing.T) {
	t.Parallel()
	farms := testutil.ByLength(10, 60)
	for name, c := range map[string]struct {
		of     Kind
		within int     // of its own pairs
		loses  float64 // see farm
		does   func(p *Pair, r *rand.Rand)
	}{
		"loses 5% of games for the new side": {Score, 9000, 0.05, nil},
		"loses 20%":                          {Score, 500, 0.2, nil},
		"loses 5% on time": {OnTime, 100, 0, func(p *Pair, r *rand.Rand) {
			for range 2 {
				if r.Float64() < 0.05 {
					p.OnTime++
				}
			}
		}},
		"slows one pair in five": {Slowed, 100, 0, func(p *Pair, r *rand.Rand) { p.Slowed = p.Slowed || r.Float64() < 0.2 }},
		"one side 30% slower":    {Speeds, 60, 0, func(p *Pair, _ *rand.Rand) { p.Ratio *= 0.7 }},
		"crashes in one pair of five": {Crashes, 60, 0, func(p *Pair, r *rand.Rand) {
			if r.Float64() < 0.2 {
				p.Crashes++
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.within > 1000 {
				testutil.OnlyLong(t, "a worker that loses more shows the same")
			}
			late, others := 0, 0
			var when []int
			for seed := range uint64(farms) {
				f := newFarm(seed, 50)
				for i := range f.weight { // worker 0 plays a tenth
					f.weight[i] = 0.1 + 0.9*float64(i)/float64(len(f.weight)-1)
				}
				f.change = func(w int, p *Pair, r *rand.Rand) {
					if w == 0 && c.does != nil {
						c.does(p, r)
					}
				}
				f.loses = c.loses
				n, of, wrong := found(t, f, 40*c.within)
				if wrong {
					others++
					continue
				}
				when = append(when, n)
				if n == 0 || n > c.within {
					late++
				}
				testutil.Check(t, n <= 0 || of == c.of, "it was accused of its %s", of)
			}
			slices.Sort(when)
			t.Log(when[len(when)/2], when[len(when)*9/10], when)
			testutil.Check(t, binomial.NewBinomial(farms, Alpha).AtLeast(others) >= 0.001,
				"another worker was accused in %d farms of %d", others, farms)
			testutil.Check(t, binomial.NewBinomial(farms, 0.1).AtLeast(late) >= 0.001,
				"not found within %d of its pairs in %d farms of %d", c.within, late, farms)
		})
	}
}

// TestUnlikeMachines: honest machines with different speed ratios accuse no worker, neither of its results nor of its
// machine, while the differences are within the margin. The ratio varies from pair to pair by 2 % and 5 %.
func TestUnlikeMachines(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		workers, pairs  int
		machines, noise float64 // standard deviations of the logarithms
	}{{10, 3000, 0.005, 0.02}, {10, 3000, 0.01, 0.02}, {20, 6000, 0.01, 0.05}, {20, 6000, 0.03, 0.02}} {
		for seed := range uint64(testutil.ByLength(2, 20)) {
			f := newFarm(seed, c.workers)
			offset := map[string]float64{}
			for _, w := range f.workers {
				offset[w] = c.machines * f.r.NormFloat64()
			}
			f.change = func(_ int, p *Pair, r *rand.Rand) { p.Ratio = math.Exp(offset[p.Worker] + c.noise*r.NormFloat64()) }
			if _, results, machine := accusations(t, f, c.pairs, blockPairs); results || machine {
				t.Errorf("%+v, farm %d: a worker is accused: of results %t, of its machine %t", c, seed, results, machine)
			}
		}
	}
}
