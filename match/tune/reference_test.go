package tune

import (
	"encoding/json"
	"math"
	"os"
	"testing"

	"gogi/internal/testutil"
)

// A reference is a tune that testdata/reference.py calculated from the definitions.
type reference struct {
	Name     string
	Method   string
	Pairs    int
	Block    int
	Inflight int
	Spread   float64
	Probes   float64
	Average  float64
	REnd     float64 `json:"r_end"`
	A        float64
	Alpha    float64
	Gamma    float64
	Factor   float64 // before the first block
	Params   []struct {
		Start, Min, Max float64
		C               float64 // the perturbation at the end of the schedule
	}
	Outcomes []struct {
		Kind         DuelKind
		Flips, C, At []float64
		Score        float64
	}
	States []struct { // after each block
		Centre []float64
		Factor float64
	}
	Answer       []float64
	Drift        []float64
	DriftSquares []float64 `json:"drift_squares"`
}

func (r *reference) settings() Settings {
	s := Settings{
		Method: r.Method, Pairs: r.Pairs, Seed: 1, Block: r.Block, Inflight: r.Inflight, Spread: r.Spread, Probes: r.Probes,
		A: r.A, Alpha: r.Alpha, Gamma: r.Gamma, REnd: r.REnd, Average: r.Average,
	}
	for i, p := range r.Params {
		s.Params = append(s.Params, Param{
			Name: string(rune('A' + i)), Kind: Float, Start: p.Start, Min: p.Min, Max: p.Max, Scale: p.C / scaleOfCEnd,
		})
	}
	return s
}

// TestReference compares whole tunes with those of testdata/reference.py: every state, every perturbation, the
// answer, and the evidence that a parameter moved.
func TestReference(t *testing.T) {
	text := testutil.Must(os.ReadFile("testdata/reference.json"))(t)
	var file struct{ Cases []reference }
	err := json.Unmarshal(text, &file)
	testutil.Require(t, err == nil && len(file.Cases) != 0, "%v", err)
	for i := range file.Cases {
		t.Run(file.Cases[i].Name, func(t *testing.T) { file.Cases[i].compare(t) })
	}
}

func (r *reference) compare(t *testing.T) {
	s := r.settings()
	begin := Begin(&s)
	begin.Factor = r.Factor
	states := []State{begin}
	for b := range s.Blocks() {
		states = append(states, Learn(&s, states[b], r.block(t, &s, &states[s.DrawnFrom(b)], b)))
		want, got := r.States[b], states[b+1]
		near(t, "the centre", got.Theta, want.Centre)
		near(t, "the factor", []float64{got.Factor}, []float64{want.Factor})
		testutil.Require(t, !t.Failed(), "after block %d", b)
	}
	last := states[s.Blocks()]
	near(t, "the answer", Answer(&s, &last), r.Answer)
	for i := range r.Drift {
		near(t, "the drift", []float64{last.Each[i].Drift, last.Each[i].DriftSquares},
			[]float64{r.Drift[i], r.DriftSquares[i]})
	}
}

// block returns the outcomes of a block with the signs of the reference. For SPSA it compares the perturbations and the
// middles with the reference. The other method draws its middles, so block replaces them with those of the reference.
func (r *reference) block(t *testing.T, s *Settings, from *State, b int) (block []Outcome) {
	first, end := s.PairsOf(b)
	for n := first; n < end; n++ {
		d, want := Draw(s, from, n), r.Outcomes[n]
		testutil.Equal(t, d.Kind, want.Kind, "pair")
		near(t, "the perturbations", d.C, want.C)
		if s.Method == SPSA {
			near(t, "the middles", d.At, want.At)
		}
		d.Flips, d.At = want.Flips, want.At
		block = append(block, Outcome{Duel: d, Score: want.Score})
	}
	return block
}

func near(t *testing.T, what string, got, want []float64) {
	t.Helper()
	for i := range want {
		if len(got) != len(want) || !(math.Abs(got[i]-want[i]) <= 1e-8*(1+math.Abs(want[i]))) {
			t.Errorf("%s: %v, want %v", what, got, want)
			return
		}
	}
}
