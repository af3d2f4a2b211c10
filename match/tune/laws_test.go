package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match/tune/tunetest"
)

// settingsOf returns random settings of a small tune with parameters of all kinds.
func settingsOf(t *rapid.T) Settings {
	s := Defaults(rapid.SampledFrom([]string{SPSA, Fishtest}).Draw(t, "method"), rapid.IntRange(40, 160).Draw(t, "pairs"))
	s.Block = rapid.IntRange(1, 8).Draw(t, "block")
	s.Inflight = rapid.IntRange(1, 16).Draw(t, "inflight")
	if s.Inflight > s.Pairs/5 {
		s.Inflight = s.Pairs / 5
	}
	s.Seed = rapid.Uint64().Draw(t, "seed")
	s.Params = []Param{
		{Name: "I", Kind: Int, Start: 5, Min: 0, Max: float64(rapid.IntRange(5, 300).Draw(t, "max"))},
		{Name: "F", Kind: Float, Start: 0.5, Min: -1, Max: 2, Scale: rapid.Float64Range(0.001, 3).Draw(t, "scale")},
		{Name: "C", Kind: Choice, Max: 2, Levels: []string{"a", "b", "c"}},
		{Name: "U", Kind: Int, Start: 7, Min: 0, Max: 9, Unused: true},
	}
	if rapid.Bool().Draw(t, "stages") && s.Blocks() >= 4 {
		s.Stages = []string{"I", "[FC]"}
	}
	return s
}

// scoreOf returns a result that depends only on the pair, as with a deterministic engine.
func scoreOf(s *Settings, pair int) float64 {
	return float64(rand.New(rand.NewPCG(s.Seed, uint64(pair))).IntN(9)-4) / 2
}

// played plays a tune with a number of slots, and returns its last state. If disturbed, the pairs end in a random
// order, and the path is resumed from the stored results at random moments.
func played(t *rapid.T, s Settings, slots int, disturbed bool) State {
	p := testutil.Must(NewPath(s))(t)
	stored, next := map[int]float64{}, 0
	var inPlay []int
	for p.Blocks() < s.Blocks() {
		for len(inPlay) < slots && next < p.Drawable() {
			inPlay = append(inPlay, next)
			next++
		}
		if len(inPlay) == 0 {
			t.Fatalf("nothing can be played at block %d, pair %d of %d", p.Blocks(), next, p.Drawable())
		}
		i := 0
		if disturbed {
			i = rapid.IntRange(0, len(inPlay)-1).Draw(t, "which ends")
		}
		pair := inPlay[i]
		inPlay = append(inPlay[:i], inPlay[i+1:]...)
		stored[pair] = scoreOf(&s, pair)
		if added, _, err := p.Add(pair, stored[pair], false); err != nil || !added {
			t.Fatalf("pair %d: added %v, %v", pair, added, err)
		}
		if again, states, err := p.Add(pair, -stored[pair], true); again || states != nil || err != nil {
			t.Fatalf("pair %d counted twice: %v, %v", pair, states, err)
		}
		if disturbed && rapid.IntRange(0, 20).Draw(t, "kill") == 0 {
			p, next, inPlay = resumed(t, s, stored)
		}
	}
	return p.State()
}

// resumed returns a new path with the stored results. It returns the lost pairs, which were in play, as missing.
func resumed(t *rapid.T, s Settings, stored map[int]float64) (p *Path, next int, missing []int) {
	p = testutil.Must(NewPath(s))(t)
	for n := range s.Pairs {
		if score, ok := stored[n]; ok {
			if _, _, err := p.Add(n, score, false); err != nil {
				t.Fatal(err)
			}
			next = n + 1
		}
	}
	for n := range next {
		if _, ok := stored[n]; !ok {
			missing = append(missing, n)
		}
	}
	return p, next, missing
}

// TestOnePath: a path depends only on the settings and on the results of the pairs.
func TestOnePath(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := settingsOf(t)
		want := played(t, s, 1, false)
		got := played(t, s, rapid.IntRange(1, 64).Draw(t, "slots"), true)
		diff := cmp.Diff(want, got, cmpopts.EquateEmpty())
		testutil.Require(t, diff == "", "another path:\n%s", diff)
		testutil.Require(t, want.Pairs == s.Pairs && want.Blocks == s.Blocks(), "%d pairs, %d blocks", want.Pairs,
			want.Blocks)
	})
}

func TestPointsAreWithinTheirBounds(t *testing.T) {
	equal := 0
	rapid.Check(t, func(t *rapid.T) {
		s := settingsOf(t)
		st := Begin(&s)
		for i := range s.Params[:2] {
			p := &s.Params[i]
			st.Theta[i] = p.Min + rapid.Float64Range(0, 1).Draw(t, "theta")*(p.Max-p.Min)
		}
		st.Factor = rapid.Float64Range(factorLeast, factorMost).Draw(t, "factor")
		pair := rapid.IntRange(0, s.Pairs-1).Draw(t, "pair")
		d := Draw(&s, &st, pair)
		testutil.Diff(t, d, Draw(&s, &st, pair), "drawn again")
		for i := range s.Params {
			p := &s.Params[i]
			for _, x := range []float64{d.Plus[i], d.Minus[i]} {
				testutil.Require(t, x >= p.Min && x <= p.Max && (p.Kind != Int || x == math.Floor(x)),
					"%s = %v of %v … %v", p.Name, x, p.Min, p.Max)
				if back, err := p.Value(p.Text(x)); err != nil || math.Abs(back-x) > 1e-5*(p.Max-p.Min+math.Abs(x)) {
					t.Fatalf("%s = %v is sent as %q: %v, %v", p.Name, x, p.Text(x), back, err)
				}
			}
			if p.Kind != Choice && d.Flips[i] != 0 && s.Method != Fishtest && d.Kind == KindDuel &&
				(d.Plus[i]-d.Minus[i])*d.Flips[i] <= 0 {
				t.Fatalf("%s: plus %v, minus %v, perturbed by %v", p.Name, d.Plus[i], d.Minus[i], d.Flips[i]*d.C[i])
			}
			if p.Unused && (d.Plus[i] != p.Start || d.Minus[i] != p.Start) {
				t.Fatalf("%s is not used, and played at %v and %v", p.Name, d.Plus[i], d.Minus[i])
			}
		}
		if d.Equal(s.Params) {
			equal++
		}
	})
	t.Logf("%d duels were of equal points", equal)
}

// TestRoundingIsFair: the mean distance of the two points is 2c for an int with any c. Far from the bounds their
// mean is the centre.
func TestRoundingIsFair(t *testing.T) {
	for _, c := range []float64{0.5, 0.7, 1, 3.3} {
		s := Defaults(SPSA, 20000)
		s.Probes, s.Spread = 0, 0
		s.Gamma = 0
		s.Params = []Param{{Name: "I", Kind: Int, Start: 50, Max: 100, Scale: c / scaleOfCEnd}}
		st := Begin(&s)
		st.Theta[0] = 50.37
		distance, middle := 0.0, 0.0
		for n := range s.Pairs {
			d := Draw(&s, &st, n)
			distance += (d.Plus[0] - d.Minus[0]) * d.Flips[0] / float64(s.Pairs)
			middle += (d.Plus[0] + d.Minus[0]) / 2 / float64(s.Pairs)
		}
		// The rounding of a point has a standard deviation of at most 1/2. The mean of 20,000 then has 0.0035, and
		// the mean distance 0.007. The bounds are five standard deviations.
		testutil.Check(t, math.Abs(distance-2*c) <= 0.035 && math.Abs(middle-50.37) <= 0.0177,
			"c %v: mean distance %.4f, middle %.4f", c, distance, middle)
	}
}

func TestRefusesWhatCannotBe(t *testing.T) {
	s := Defaults(SPSA, 100)
	s.Params = []Param{{Name: "I", Kind: Int, Start: 5, Max: 9}}
	s.Inflight = 16
	p := testutil.Must(NewPath(s))(t)
	for _, c := range []struct {
		pair  int
		score float64
	}{{-1, 0}, {100, 0}, {0, 2.5}, {0, math.NaN()}, {99, 0}} {
		added, states, err := p.Add(c.pair, c.score, false)
		testutil.Check(t, err != nil && !added && states == nil, "pair %d with %v: %v, %v, %v", c.pair, c.score, added,
			states, err)
	}
	for name, change := range map[string]func(*Settings){
		"method":   func(s *Settings) { s.Method = "adam" },
		"inflight": func(s *Settings) { s.Inflight = 21 },
		"block":    func(s *Settings) { s.Block = 0 },
		"probes":   func(s *Settings) { s.Probes = 0 },
		"stage":    func(s *Settings) { s.Stages = []string{"X*"} },
		"pattern":  func(s *Settings) { s.Stages = []string{"["} },
		"average":  func(s *Settings) { s.Average = math.NaN() },
		"params":   func(s *Settings) { s.Params = nil },
		"twice":    func(s *Settings) { s.Params = append(s.Params, s.Params...) },
	} {
		wrong := s
		change(&wrong)
		testutil.Fails(t, wrong.Check(), "", "%s: passes", name)
	}
}

// TestChoices: the final level of a choice differs from its start only if the duels prove it.
func TestChoices(t *testing.T) {
	moved := map[string]int{}
	runs := testutil.ByLength(25, 100)
	for seed := range uint64(runs) {
		for name, worth := range map[string][]float64{"equal": {0, 0, 0}, "second is best": {0, 60, 0}} {
			s := Defaults(SPSA, 1500)
			s.Seed = seed
			s.Params = []Param{{Name: "C", Kind: Choice, Max: 2, Levels: []string{"a", "b", "c"}}}
			random := rand.New(rand.NewPCG(seed, 3))
			st := Begin(&s)
			for b := range s.Blocks() {
				first, end := s.PairsOf(b)
				var block []Outcome
				for n := first; n < end; n++ {
					d := Draw(&s, &st, n)
					block = append(block, Outcome{Duel: d, Score: tunetest.Pair(random, worth[int(d.Plus[0])]-worth[int(d.Minus[0])])})
				}
				st = Learn(&s, st, block)
			}
			moved[fmt.Sprint(name, " ", s.Params[0].Text(Answer(&s, &st)[0]))]++
		}
	}
	// Equal levels change at most 2.5 times in 100. 8 in 100, or 5 in 25, then have a chance below 1/200. 1,500
	// pairs are enough to find 60 Elo.
	testutil.Check(t, moved["equal a"] >= runs-testutil.ByLength(4, 7) && moved["second is best b"] >= runs-1, "%v", moved)
}
