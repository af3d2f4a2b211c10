package tune

import (
	"fmt"
	"math"

	"gogi/match"
)

// Path calculates the parameter values of a tune, block by block, from the results of the pairs. A block is the
// pairs after which the values change once. Path holds the states of the tune that later pairs need, and the
// results of blocks that are not complete. It is not safe for concurrent use.
type Path struct {
	settings Settings
	states   map[int]State // states that later blocks need for drawing, by number of learnt blocks
	latest   int           // number of learnt blocks
	known    map[int]result
	expected map[int]match.TuneState // stored states by number of learnt blocks, see Expect
}

type result struct {
	score   float64
	forfeit bool
}

// NewPath returns a Path before the first pair. It returns an error if the settings are invalid, and ErrRetired for a
// method that gogi has no longer.
func NewPath(s Settings) (*Path, error) {
	if err := s.Check(); err != nil {
		return nil, fmt.Errorf("tune: %w", err)
	}
	if s.Retired() {
		return nil, fmt.Errorf("tune: %w", ErrRetired)
	}
	return &Path{settings: s, states: map[int]State{0: Begin(&s)}, known: map[int]result{}}, nil
}

// Settings returns the settings of the tune.
func (p *Path) Settings() *Settings { return &p.settings }

// State returns the state after the latest block from which the tune has learnt.
func (p *Path) State() State { return p.states[p.latest].clone() }

// Blocks returns the number of blocks from which the tune has learnt.
func (p *Path) Blocks() int { return p.latest }

// Drawable returns the number of pairs whose parameter values can be calculated now. These are the first pairs of
// the tune.
func (p *Path) Drawable() int {
	block := p.latest
	for block < p.settings.Blocks() && p.settings.DrawnFrom(block) <= p.latest {
		block++
	}
	return min(block*p.settings.Block, p.settings.Pairs)
}

// Draw returns the duel of a pair: the two points (sets of parameter values) that play. ok is false if there is no
// such pair, if the tune has not learnt from an earlier block that decides these points, or if the state after
// that block is no longer in memory.
func (p *Path) Draw(pair int) (Duel, bool) {
	if pair < 0 || pair >= p.settings.Pairs {
		return Duel{}, false
	}
	from := p.settings.DrawnFrom(p.settings.BlockOf(pair))
	st, ok := p.states[from]
	if !ok {
		return Duel{}, false
	}
	return Draw(&p.settings, &st, pair), true
}

// Add adds the result of a pair. score is the wins minus the losses (W − L) of the player with the point Plus.
// forfeit means that the engine did not start with one of the points. For a known pair, Add changes nothing and
// returns false. It returns an error for an impossible score, and for a pair whose points cannot be calculated
// yet. states has the state after each block that the pair completed, oldest first.
func (p *Path) Add(pair int, score float64, forfeit bool) (added bool, states []State, err error) {
	switch {
	case pair < 0 || pair >= p.settings.Pairs:
		return false, nil, fmt.Errorf("tune: pair %d: there are %d", pair, p.settings.Pairs)
	case math.IsNaN(score) || math.Abs(score) > 2:
		return false, nil, fmt.Errorf("tune: pair %d: W − L is %v: want −2 to 2", pair, score)
	case pair >= p.Drawable():
		return false, nil, fmt.Errorf("tune: pair %d cannot have been drawn: block %d of %d is to be learnt", pair, p.latest,
			p.settings.Blocks())
	}
	if _, there := p.known[pair]; there || p.settings.BlockOf(pair) < p.latest {
		return false, nil, nil
	}
	p.known[pair] = result{score, forfeit}
	for p.learn() {
		if stored, ok := p.expected[p.latest]; ok {
			if err := p.adopt(stored); err != nil {
				return true, states, err
			}
		}
		states = append(states, p.State())
	}
	return true, states, nil
}

// Expect sets the stored states of the tune. After each block that has a stored state, the path compares this
// state with the calculated one. If they agree up to rounding errors, it continues from the stored state, because
// the points of later stored pairs were calculated from this state. Otherwise Add returns an error.
func (p *Path) Expect(stored []match.TuneState) {
	p.expected = map[int]match.TuneState{}
	for _, s := range stored {
		p.expected[s.Blocks] = s
	}
}

// learn calculates the state after the next block from the results of its pairs. It changes nothing and returns false
// if a result is missing or no block is left.
func (p *Path) learn() bool {
	if p.latest == p.settings.Blocks() {
		return false
	}
	first, end := p.settings.PairsOf(p.latest)
	for n := first; n < end; n++ {
		if _, ok := p.known[n]; !ok {
			return false
		}
	}
	var block []Outcome
	for n := first; n < end; n++ {
		duel, ok := p.Draw(n)
		if !ok {
			panic("tune: the state of a block that is being learnt is gone")
		}
		block = append(block, Outcome{Duel: duel, Score: p.known[n].score, Forfeit: p.known[n].forfeit})
		delete(p.known, n)
	}
	st := p.states[p.latest]
	p.latest++
	p.states[p.latest] = Learn(&p.settings, st, block)
	if p.latest < p.settings.Blocks() {
		oldest := p.settings.DrawnFrom(p.latest)
		for k := range p.states {
			if k < oldest {
				delete(p.states, k)
			}
		}
	}
	return true
}

// tolerance is the largest accepted difference between a stored centre and the calculated one, relative to the
// perturbation or the value. It is not 0, because machines differ in the last bits of products and powers.
const tolerance = 1e-9

// adopt replaces the latest state by the stored one.
func (p *Path) adopt(stored match.TuneState) error {
	st := p.states[p.latest]
	switch {
	case stored.Blocks != p.latest || stored.Pairs != st.Pairs:
		return fmt.Errorf("tune: the state after %d blocks and %d pairs is stored as that after %d and %d", p.latest,
			st.Pairs, stored.Blocks, stored.Pairs)
	case len(stored.Centre) != len(st.Theta):
		return fmt.Errorf("tune: the state after %d blocks has %d parameters, the tune %d", stored.Blocks, len(stored.Centre),
			len(st.Theta))
	case !(math.Abs(stored.Factor-st.Factor) <= tolerance*st.Factor):
		return fmt.Errorf("tune: after %d blocks the perturbation's factor is stored as %v, and the results lead to %v",
			stored.Blocks, stored.Factor, st.Factor)
	}
	for i := range p.settings.Params {
		param := &p.settings.Params[i]
		if !(math.Abs(stored.Centre[i]-st.Theta[i]) <=
			tolerance*max(param.Spread(p.settings.Method), math.Abs(st.Theta[i]))) {
			return fmt.Errorf("tune: after %d blocks %s is stored as %v, and the results lead to %v", stored.Blocks, param.Name,
				stored.Centre[i], st.Theta[i])
		}
	}
	next := st.clone()
	copy(next.Theta, stored.Centre)
	next.Factor = stored.Factor
	p.states[p.latest] = next
	return nil
}

// Known reports whether the result of a pair was added.
func (p *Path) Known(pair int) bool {
	_, known := p.known[pair]
	return known || pair < p.latest*p.settings.Block
}
