package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gogi/internal/landscape"
)

// simulate plays a tune in a truth and returns the strength gained.
func simulate(s *Settings, truth *landscape.Truth, random *rand.Rand) float64 {
	states := []State{Begin(s)}
	for b := range s.Blocks() {
		from := &states[s.DrawnFrom(b)]
		first, end := s.PairsOf(b)
		var block []Outcome
		for n := first; n < end; n++ {
			d := Draw(s, from, n)
			elo := truth.Elo(d.Plus) - truth.Elo(d.Minus)
			block = append(block, Outcome{Duel: d, Score: landscape.Pair(random, elo)})
		}
		states = append(states, Learn(s, states[b], block))
		if b >= s.Lag()+1 {
			states[b-s.Lag()-1] = State{}
		}
	}
	answer := Answer(s, &states[s.Blocks()])
	start := make([]float64, len(answer))
	return truth.Elo(answer) - truth.Elo(start)
}

func landscapeSettings(method string, kind landscape.Kind, d, pairs int, c float64, random *rand.Rand) Settings {
	s := Defaults(method, pairs)
	for i := range d {
		p := Param{Name: fmt.Sprint("P", i), Kind: Float, Min: -2, Max: 2}
		p.CEnd = c * math.Exp(kind.Misjudged*random.NormFloat64())
		if method != Fishtest {
			p.Scale, p.CEnd = p.CEnd/scaleOfCEnd, 0
		}
		s.Params = append(s.Params, p)
	}
	return s
}

func gains(method string, kind landscape.Kind, d, useless, pairs, tunes, inflight int, elo, c float64) []float64 {
	var list []float64
	for i := range tunes {
		random := rand.New(rand.NewPCG(uint64(i), 77))
		truth := landscape.New(random, kind, d, useless, elo)
		s := landscapeSettings(method, kind, d, pairs, c, random)
		s.Seed, s.Inflight = uint64(i), inflight
		list = append(list, simulate(&s, truth, random))
	}
	slices.Sort(list)
	return list
}

func TestTable(t *testing.T) {
	if os.Getenv("TUNE_TABLE") == "" {
		t.Skip()
	}
	show := func(name string, g []float64) {
		sum := 0.0
		for _, x := range g {
			sum += x
		}
		fmt.Printf("%-40s %.1f / %.1f\n", name, sum/float64(len(g)), g[len(g)/10])
	}
	for _, m := range strings.Fields(os.Getenv("TUNE_TABLE")) {
		show(m+" plain d2 10k c2", gains(m, landscape.Plain, 2, 0, 10000, 30, 48, 8, .2))
		show(m+" plain d8 10k c2", gains(m, landscape.Plain, 8, 3, 10000, 30, 48, 15, .2))
		show(m+" plain d8 10k c2/3", gains(m, landscape.Plain, 8, 3, 10000, 30, 48, 15, .2/3))
		show(m+" plain d8 10k c6", gains(m, landscape.Plain, 8, 3, 10000, 30, 48, 15, .6))
		show(m+" plain d8 10k 1000", gains(m, landscape.Plain, 8, 3, 10000, 30, 1000, 15, .2))
		show(m+" hard d8 10k c2", gains(m, landscape.Hard, 8, 3, 10000, 30, 48, 15, .2))
		show(m+" hard d8 50k c2", gains(m, landscape.Hard, 8, 3, 50000, 20, 48, 15, .2))
	}
}
