package tune

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"gogi/match"
)

// Walk checks a stored tune. It reads the stored pairs in order, calculates every state again, and records
// values that do not follow from the results.
type Walk struct {
	Track  []Step // one step before the first block, and one after each block
	Copies int    // number of pairs whose two games have the same moves, which give no information
	// Differences has a sentence for each pair that was played with other points than the drawn ones, and for
	// each stored state that does not follow from the results.
	Differences []string
	Asked       State // state after the number of blocks given to NewWalk, or the latest
	Coupled     Coupled
	Failed      []ParamFailures // by parameter

	path   *Path        // nil: the method is retired, so the stored states stand as they are
	latest State        // without a path
	states map[int]bool // stored states that are not checked yet, by number of learnt blocks
	at     int
}

// Step describes the state of a tune after a number of blocks.
type Step struct {
	Blocks int       `json:"blocks"` // number of learnt blocks
	Pairs  int       `json:"pairs"`
	Centre []float64 `json:"centre"` // current value of each parameter
	Factor float64   `json:"factor"` // factor of all perturbations
	// LostElo is the loss of the probes to the centre so far, or nil without probes. Equal is the number of duels
	// with two equal points so far, and Copies the number of pairs with two equal games.
	LostElo *float64 `json:"lost_elo"`
	Equal   int      `json:"equal"`  // number of pairs with two equal points so far
	Copies  int      `json:"copies"` // number of pairs with two equal games so far
}

// Coupled measures which parameters influence each other's effect. It uses only the probes, in which a player with
// a perturbation δ plays a player without perturbation and loses δᵀHδ/2. H is the matrix of the second derivatives
// of the loss. The product of this loss with the signs of two parameters' perturbations estimates the element of H
// for these two parameters. Pairs that are not probes cannot show these elements.
type Coupled struct {
	Probes int       `json:"probes"`
	YY     float64   `json:"yy"`  // Σ (W − L)²
	Sum    []float64 `json:"sum"` // Σ flip·flip·(W − L), for i < j: row by row
}

// MaxCoupled is the largest number of parameters for which Walk calculates Coupled.
const MaxCoupled = 60

// Correlation returns the correlation of the product of two parameters' signs with W − L in the probes,
// from −1 to 1; 0 without probes. There are d parameters, i < j.
func (c *Coupled) Correlation(i, j, d int) float64 {
	if c.YY == 0 || len(c.Sum) == 0 {
		return 0
	}
	return c.Sum[cross(i, j, d)] / math.Sqrt(float64(c.Probes)*c.YY)
}

// cross returns the index in Coupled.Sum for the parameters i < j out of d parameters.
func cross(i, j, d int) int { return i*d - i*(i+1)/2 + j - i - 1 }

func (c *Coupled) add(flips []float64, score float64) {
	d := len(flips)
	if d > MaxCoupled {
		return
	}
	if c.Sum == nil {
		c.Sum = make([]float64, d*(d-1)/2)
	}
	c.Probes++
	c.YY += float64(score * score)
	at := 0
	for i := range d {
		for j := i + 1; j < d; j++ {
			c.Sum[at] += float64(flips[i]*flips[j]) * score
			at++
		}
	}
}

// ParamFailures counts the engine's failures at values below and above the current estimate of a parameter. A failure
// is a game lost by a fault, or an engine that does not start.
type ParamFailures struct {
	Above   int `json:"above"`    // failed
	OfAbove int `json:"of_above"` // number of games above the value
	Below   int `json:"below"`    // games that failed below the value
	OfBelow int `json:"of_below"` // number of games below the value
}

// fails adds the failures of a duel's two points to Failed.
func (w *Walk) fails(d *Duel, failed Failures) {
	for i, flip := range d.Flips {
		for side, sign := range []float64{1, -1} {
			if flip == 0 || d.Kind == KindProbe && side == 1 {
				continue
			}
			f := &w.Failed[i]
			n, of := &f.Above, &f.OfAbove
			if sign*flip < 0 {
				n, of = &f.Below, &f.OfBelow
			}
			*of++
			if failed[side] {
				*n++
			}
		}
	}
}

// NewWalk returns a Walk before the first pair. stored has the stored states. at selects the state for Walk.Asked:
// the state after this number of blocks, or the latest state if at is −1.
//
// gogi cannot calculate the states of a retired method. The Walk then has the stored ones, and finds no difference.
func NewWalk(s Settings, stored []match.TuneState, at int) (*Walk, error) {
	if s.Retired() {
		return retiredWalk(&s, stored, at)
	}
	path, err := NewPath(s)
	if err != nil {
		return nil, err
	}
	w := &Walk{path: path, states: map[int]bool{}, at: at, Failed: make([]ParamFailures, len(s.Params))}
	path.Expect(stored)
	for _, s := range stored {
		w.states[s.Blocks] = true
	}
	w.reached()
	return w, nil
}

func retiredWalk(s *Settings, stored []match.TuneState, at int) (*Walk, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	w := &Walk{at: at, Failed: make([]ParamFailures, len(s.Params)), latest: Begin(s)}
	w.Asked, w.Track = w.latest, []Step{{Centre: w.latest.Theta, Factor: w.latest.Factor}}
	for _, st := range slices.SortedFunc(slices.Values(stored), func(a, b match.TuneState) int {
		return cmp.Compare(a.Blocks, b.Blocks)
	}) {
		if len(st.Centre) != len(s.Params) {
			return nil, fmt.Errorf("tune: the state after %d blocks has %d parameters, the tune %d", st.Blocks, len(st.Centre),
				len(s.Params))
		}
		w.latest = w.latest.clone()
		w.latest.Blocks, w.latest.Pairs, w.latest.Theta, w.latest.Factor = st.Blocks, st.Pairs, st.Centre, st.Factor
		w.Track = append(w.Track, Step{Blocks: st.Blocks, Pairs: st.Pairs, Centre: st.Centre, Factor: st.Factor})
		if at < 0 || st.Blocks == at {
			w.Asked = w.latest
		}
	}
	return w, nil
}

func (w *Walk) differs(format string, args ...any) {
	w.Differences = append(w.Differences, fmt.Sprintf(format, args...))
}

// Pair adds a stored pair. rows has its games, and played the options with which the two players played it.
func (w *Walk) Pair(rows []match.Row, played [2][]match.Option) {
	if w.path == nil {
		return
	}
	id := rows[0].Pair
	duel, ok := w.path.Draw(id)
	if !ok {
		w.differs("pair %d is stored, and blocks that it is drawn from are not whole", id)
		return
	}
	want := w.path.settings.Points(&duel)
	if !slices.Equal(played[0], want[0]) || !slices.Equal(played[1], want[1]) {
		w.differs("pair %d was played with %s against %s, and the results before it lead to %s against %s",
			id, words(played[0]), words(played[1]), words(want[0]), words(want[1]))
	}
	if len(rows) == 2 && rows[0].MovesHash == rows[1].MovesHash && rows[0].Termination != match.NotStarted {
		w.Copies++
	}
	before := w.path.Blocks()
	r := ResultOfRows(rows)
	w.fails(&duel, r.Failed)
	if duel.Kind == KindProbe {
		w.Coupled.add(duel.Flips, r.Score)
	}
	if _, _, err := w.path.Add(id, r.Score, r.Forfeit); err != nil {
		w.differs("%v", err)
	}
	if w.path.Blocks() > before {
		w.reached()
	}
}

// reached adds the state after a block to the track (the course of the tune). It records a difference if the state is
// not stored.
func (w *Walk) reached() {
	st := w.path.State()
	w.Track = append(w.Track, Step{st.Blocks, st.Pairs, st.Theta, st.Factor, st.Lost(), st.Equal, w.Copies})
	if st.Blocks == w.at {
		w.Asked = st
	}
	if st.Blocks > 0 && !w.states[st.Blocks] {
		w.differs("the state after %d blocks is not stored", st.Blocks)
	}
	delete(w.states, st.Blocks)
}

// End returns the latest state. Call it after the last Pair.
func (w *Walk) End() State {
	if w.path == nil {
		return w.latest
	}
	if w.at < 0 {
		w.Asked = w.path.State()
	}
	for blocks := range w.states {
		w.differs("a state after %d blocks is stored, and only %d are whole", blocks, w.path.Blocks())
	}
	return w.path.State()
}

func words(options []match.Option) string {
	text := ""
	for i, o := range options {
		if i > 0 {
			text += " "
		}
		text += o.Name + "=" + o.Value
	}
	return text
}
