package tune

import (
	"fmt"
	"hash/fnv"
	"slices"

	"gogi/match"
)

// Trajectory is a tune that is being played. It holds a Path, the stored pairs of blocks that are not complete yet, the
// states that must still be stored, and the failures. A tune on one machine and on a farm uses it in the same way. Only
// one goroutine at a time may call its methods.
type Trajectory struct {
	settings *Settings
	path     *Path
	ahead    map[int]Result
	points   map[int]uint64    // hashes of the points of stored pairs that are not learnt yet
	states   map[int]bool      // numbers of learnt blocks whose state is stored
	owed     []match.TuneState // states that follow from stored pairs and are not stored
	failed   map[int]Failures  // failures by pair, in blocks that are not learnt
	watch    *Faults
	drawn    map[int]Duel // duels of blocks that are not learnt
}

// NewTrajectory returns a tune with its stored states. Call Played and Resume with the other stored data
// before the first pair is played.
func NewTrajectory(s Settings, states []match.TuneState) (*Trajectory, error) {
	path, err := NewPath(s)
	if err != nil {
		return nil, err
	}
	c := &Trajectory{
		settings: &s, path: path, ahead: map[int]Result{}, points: map[int]uint64{}, states: map[int]bool{},
		failed: map[int]Failures{}, watch: NewFaults(&s), drawn: map[int]Duel{},
	}
	path.Expect(states)
	for _, st := range states {
		c.states[st.Blocks] = true
	}
	return c, nil
}

// HashPoints returns a hash of the options of a pair. Trajectory keeps hashes, because the options of a
// million pairs would need too much memory.
func HashPoints(options [2][]match.Option) uint64 {
	h := fnv.New64a()
	for _, list := range options {
		for _, o := range list {
			fmt.Fprintf(h, "%q%q", o.Name, o.Value)
		}
		fmt.Fprint(h, ";")
	}
	return h.Sum64()
}

// Played records the options with which a stored pair was played, for a check in Resume.
func (c *Trajectory) Played(pair int, options [2][]match.Option) {
	c.points[pair] = HashPoints(options)
}

// Resume adds the games of a stored pair. Call Played with the pair's options first. Resume returns the state
// after each block that the pair completed, oldest first.
func (c *Trajectory) Resume(rows []match.Row) ([]State, error) {
	id := rows[0].Pair
	if id >= c.settings.Pairs {
		return nil, fmt.Errorf("tune: pair %d is stored, and the tune has %d", id, c.settings.Pairs)
	}
	c.ahead[id] = ResultOfRows(rows)
	return c.catchUp()
}

// Watch sets the counts of failures to 0. Call it after the failures have been reported.
func (c *Trajectory) Watch() { c.watch = NewFaults(c.settings) }

// Drawable returns the number of pairs whose parameter values can be calculated now. These are the first pairs of
// the tune.
func (c *Trajectory) Drawable() int { return c.path.Drawable() }

// Blocks returns the number of blocks from which the tune has learnt.
func (c *Trajectory) Blocks() int { return c.path.Blocks() }

// Done reports whether the tune has learnt from all its blocks.
func (c *Trajectory) Done() bool { return c.path.Blocks() == c.settings.Blocks() }

// State returns the state after the latest block from which the tune has learnt.
func (c *Trajectory) State() State { return c.path.State() }

// Known reports whether the result of a pair was added, even if the tune has not learnt from it yet.
func (c *Trajectory) Known(pair int) bool {
	_, ahead := c.ahead[pair]
	return ahead || c.path.Known(pair)
}

// Points returns the options of a pair.
func (c *Trajectory) Points(pair int) (options [2][]match.Option, err error) {
	duel, err := c.Draw(pair)
	if err != nil {
		return options, err
	}
	return c.settings.Points(&duel), nil
}

// Draw returns the duel of a pair: the two points that play.
func (c *Trajectory) Draw(id int) (Duel, error) {
	if duel, ok := c.drawn[id]; ok {
		return duel, nil
	}
	duel, ok := c.path.Draw(id)
	if !ok || c.settings.BlockOf(id) < c.path.Blocks() {
		return duel, fmt.Errorf("tune: pair %d cannot be drawn: blocks before it are not known, or it is learnt", id)
	}
	c.drawn[id] = duel
	return duel, nil
}

// Learn adds a pair that was played, and learns from each block that is now complete. It rejects a known pair, and
// a pair with other option values than Draw returns. states has the state after each new block, oldest first.
// faulty is the error that the engine fails too often. Afterwards Owed returns the states to store.
func (c *Trajectory) Learn(pair int, options [2][]match.Option, result Result) (states []State, faulty, err error) {
	if c.Known(pair) {
		return nil, nil, fmt.Errorf("tune: pair %d is known", pair)
	}
	want, err := c.Points(pair)
	if err != nil {
		return nil, nil, err
	}
	if !slices.Equal(options[0], want[0]) || !slices.Equal(options[1], want[1]) {
		return nil, nil, fmt.Errorf("tune: pair %d was not played with the points that are drawn for it", pair)
	}
	states, faulty, err = c.enter(pair, result)
	if err != nil {
		return nil, nil, err
	}
	more, err := c.catchUp()
	return append(states, more...), faulty, err
}

// Owed returns the states that are not stored yet, oldest first. Store all of them together with the pair that was
// added last, because each state may depend on this pair.
func (c *Trajectory) Owed() []match.TuneState { return c.owed }

// Settled marks the states that Owed returns as stored.
func (c *Trajectory) Settled() {
	for _, st := range c.owed {
		c.states[st.Blocks] = true
	}
	c.owed = nil
}

// enter adds one pair to the path, and adds the new states to the states that Owed returns.
func (c *Trajectory) enter(id int, r Result) (states []State, faulty, err error) {
	c.failed[id] = r.Failed
	_, states, err = c.path.Add(id, r.Score, r.Forfeit)
	if err != nil {
		return nil, nil, err
	}
	for _, st := range states {
		if !c.states[st.Blocks] {
			c.owed = append(c.owed, st.Stored())
		}
		if err := c.watchBlock(st.Blocks - 1); err != nil {
			faulty = err
		}
	}
	return states, faulty, nil
}

// watchBlock adds the failures of a learnt block to Faults, and deletes them here.
func (c *Trajectory) watchBlock(block int) error {
	first, end := c.settings.PairsOf(block)
	var duels []Duel
	var failed []Failures
	for id := first; id < end; id++ {
		duels, failed = append(duels, c.drawn[id]), append(failed, c.failed[id])
		delete(c.drawn, id)
		delete(c.failed, id)
	}
	return c.watch.Block(duels, failed)
}

// catchUp adds the stored pairs whose parameter values can be calculated now. When a block is complete, the values
// of more pairs can be calculated.
func (c *Trajectory) catchUp() (states []State, err error) {
	for id := c.path.Blocks() * c.settings.Block; len(c.ahead) > 0 && id < c.path.Drawable(); id++ {
		r, ok := c.ahead[id]
		if !ok {
			continue
		}
		more, err := c.takeStored(id, r)
		if err != nil {
			return nil, err
		}
		states = append(states, more...)
	}
	return states, nil
}

// takeStored adds a pair that an earlier session stored.
func (c *Trajectory) takeStored(id int, r Result) ([]State, error) {
	delete(c.ahead, id)
	want, err := c.Points(id)
	if err != nil {
		return nil, err
	}
	if c.points[id] != HashPoints(want) {
		return nil,
			fmt.Errorf("tune: pair %d is stored with other points than the results before it lead to (gogi tune verify prints all such pairs; after gogi db void --pairs %d gogi plays it again)", id, id)
	}
	delete(c.points, id)
	states, _, err := c.enter(id, r)
	return states, err
}
