package tune

import (
	"fmt"
	"slices"

	"gogi/match"
)

// Walk goes through the stored pairs of a tune, in order, reckons every state again, and
// notes what does not follow from the results.
type Walk struct {
	Track  []Step // after each block, from none
	Copies int    // pairs whose two games are the same moves: they can tell nothing
	// Differences are sentences: pairs that were played with other points than are drawn
	// for them, states that are not those that the results lead to.
	Differences []string
	Asked       State // after as many blocks as were asked for; else the latest

	path   *Path
	states map[int]bool // stored, and not come to yet, by blocks
	at     int
}

// Step is where a tune was after some blocks.
type Step struct {
	Blocks int       `json:"blocks"`
	Pairs  int       `json:"pairs"`
	Centre []float64 `json:"centre"`
	Factor float64   `json:"factor"`
}

// NewWalk begins at the start; at is a number of learnt blocks whose state is asked for,
// −1 for the latest.
func NewWalk(s Settings, stored []match.TuneState, at int) (*Walk, error) {
	path, err := NewPath(s)
	if err != nil {
		return nil, err
	}
	w := &Walk{path: path, states: map[int]bool{}, at: at}
	path.Expect(stored)
	for _, s := range stored {
		w.states[s.Blocks] = true
	}
	w.reached()
	return w, nil
}

func (w *Walk) differs(format string, args ...any) {
	w.Differences = append(w.Differences, fmt.Sprintf(format, args...))
}

// Pair takes a stored pair: its games, and what it was played with.
func (w *Walk) Pair(rows []match.Row, played [2][]match.Option) {
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
	if _, _, err := w.path.Add(id, r.Score, r.Forfeit); err != nil {
		w.differs("%v", err)
	}
	if w.path.Blocks() > before {
		w.reached()
	}
}

// reached notes a state.
func (w *Walk) reached() {
	st := w.path.State()
	w.Track = append(w.Track, Step{st.Blocks, st.Pairs, st.Theta, st.Factor})
	if st.Blocks == w.at {
		w.Asked = st
	}
	if st.Blocks > 0 && !w.states[st.Blocks] {
		w.differs("the state after %d blocks is not stored", st.Blocks)
	}
	delete(w.states, st.Blocks)
}

// End is the latest state, once all pairs were shown.
func (w *Walk) End() State {
	if w.at < 0 {
		w.Asked = w.path.State()
	}
	for blocks := range w.states {
		w.differs("a state after %d blocks is stored, and only %d are whole", blocks, w.path.Blocks())
	}
	return w.path.State()
}

// words are options on a line.
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
