package tune

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"gogi/match/tune/tunetest"
)

// afterTune returns a truth with useless parameters, and the settings and the last state of a tune in it.
func afterTune(i int) (*tunetest.Truth, Settings, State) {
	random := rand.New(rand.NewPCG(uint64(i), 78))
	truth := tunetest.New(random, tunetest.Plain, 6, 3, 30)
	s := landscapeSettings(SPSA, tunetest.Plain, 6, 6000, 0.2, random)
	s.Seed = uint64(i)
	return truth, s, states(&s, truth, random)
}

// simulate plays a tune in a truth and returns the strength gained.
func simulate(s *Settings, truth *tunetest.Truth, random *rand.Rand) float64 {
	last := states(s, truth, random)
	answer := Answer(s, &last)
	return truth.Elo(answer) - truth.Elo(make([]float64, len(answer)))
}

// states plays a tune in a truth and returns its last state.
func states(s *Settings, truth *tunetest.Truth, random *rand.Rand) State {
	return each(s, truth, random, func(*State) {})
}

// each does the same as states, and calls see with every state.
func each(s *Settings, truth *tunetest.Truth, random *rand.Rand, see func(*State)) State {
	states := []State{Begin(s)}
	for b := range s.Blocks() {
		from := &states[s.DrawnFrom(b)]
		first, end := s.PairsOf(b)
		var block []Outcome
		for n := first; n < end; n++ {
			d := Draw(s, from, n)
			elo := truth.Elo(d.Plus) - truth.Elo(d.Minus)
			block = append(block, Outcome{Duel: d, Score: tunetest.Pair(random, elo)})
		}
		states = append(states, Learn(s, states[b], block))
		see(&states[b+1])
		if b >= s.Lag()+1 {
			states[b-s.Lag()-1] = State{}
		}
	}
	return states[s.Blocks()]
}

func landscapeSettings(method string, kind tunetest.Kind, d, pairs int, c float64, random *rand.Rand) Settings {
	s := Defaults(method, pairs)
	for i := range d {
		p := Param{Name: fmt.Sprint("P", i), Kind: Float, Min: -2, Max: 2}
		p.CEnd = c * math.Exp(kind.Misjudged*random.NormFloat64())
		if method != Fishtest {
			p.Scale, p.CEnd = p.CEnd/scaleOfCEnd, 0
		}
		s.Params = append(s.Params, p)
	}
	s.StartWide()
	return s
}

func gains(method string, kind tunetest.Kind, d, useless, pairs, tunes, inflight int, elo, c float64) []float64 {
	var list []float64
	for i := range tunes {
		random := rand.New(rand.NewPCG(uint64(i), 77))
		truth := tunetest.New(random, kind, d, useless, elo)
		s := landscapeSettings(method, kind, d, pairs, c, random)
		s.Seed, s.Inflight = uint64(i), inflight
		list = append(list, simulate(&s, truth, random))
	}
	slices.Sort(list)
	return list
}

// Rescale converts a line of .params from the older meaning to the current one. In the older meaning, step is a two
// hundredth and delta a twentieth of the range.
func Rescale(line string) string {
	fields := strings.Split(line, ",")
	if len(fields) < 7 {
		return line
	}
	delta, comment, has := strings.Cut(fields[6], "//")
	x, err := strconv.ParseFloat(strings.TrimSpace(delta), 64)
	if err != nil || x <= mostREnd {
		return line
	}
	fields[5], fields[6] = strings.TrimSpace(delta), "0.002"
	if has {
		fields[6] += " //" + comment
	}
	return strings.Join(fields, ",")
}
