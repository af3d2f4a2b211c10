package tuning

import (
	"context"
	"fmt"
	"slices"

	"gogi/match"
	"gogi/results"
	"gogi/tune"
)

// Account is what is stored of a tune, and what follows from it.
type Account struct {
	Run        string
	Plan       *tune.Plan
	Stored     int        // pairs
	Track      []Step     // after each block, from none
	State      tune.State // the latest
	Asked      tune.State // that which was asked for; the latest where none was
	Candidates []match.TuneCandidate
	Copies     int // duels whose two games are the same moves: they can tell nothing
	// Differences are what is stored and does not follow from the results; see Verify.
	Differences []string
}

// Step is where a tune was after some blocks.
type Step struct {
	Blocks int       `json:"blocks"`
	Pairs  int       `json:"pairs"`
	Centre []float64 `json:"centre"`
	Factor float64   `json:"factor"`
}

// Latest asks Read for the latest state.
const Latest = -1

// Read goes through all stored pairs of a tune, in order, and reckons every state again.
// at is the number of learnt blocks that is asked for, or Latest.
func Read(ctx context.Context, store *results.Store, info *results.RunInfo, at int) (*Account, error) {
	plan, err := PlanOf(info)
	if err != nil {
		return nil, err
	}
	w := walk{account: &Account{Run: info.Name, Plan: plan, Stored: info.Finished}, points: map[int][2][]match.Option{}, at: at}
	if w.path, err = tune.NewPath(plan.Settings); err != nil {
		return nil, err
	}
	states, err := store.TuneStates(ctx, info.ID)
	if err != nil {
		return nil, err
	}
	w.states = map[int]bool{}
	for _, s := range states {
		w.states[s.Blocks] = true
	}
	w.path.Expect(states)
	err = store.TunePoints(ctx, info.ID, func(pair int, options [2][]match.Option) error {
		w.points[pair] = options
		return nil
	})
	if err != nil {
		return nil, err
	}
	w.reached()
	if err := store.Pairs(ctx, info.ID, results.Filter{}, w.pair); err != nil {
		return nil, err
	}
	w.end()
	if w.account.Candidates, err = store.TuneCandidates(ctx, info.ID); err != nil {
		return nil, err
	}
	if at > w.path.Blocks() {
		return nil, fmt.Errorf("run %s: block %d: %d of %d are learnt", info.Name, at, w.path.Blocks(), plan.Settings.Blocks())
	}
	return w.account, nil
}

// PlanOf is the tune of a stored run.
func PlanOf(info *results.RunInfo) (*tune.Plan, error) {
	canonical, err := match.ParseCanonical(info.Plan)
	if err != nil {
		return nil, err
	}
	if len(canonical.Tune) == 0 {
		return nil, fmt.Errorf("run %s is no tune", info.Name)
	}
	return tune.ParsePlan(string(canonical.Tune))
}

// walk is a way through a tune's pairs.
type walk struct {
	account *Account
	path    *tune.Path
	points  map[int][2][]match.Option
	states  map[int]bool // stored, by blocks
	at      int
}

func (w *walk) differs(format string, args ...any) {
	w.account.Differences = append(w.account.Differences, fmt.Sprintf(format, args...))
}

// pair takes a stored pair.
func (w *walk) pair(rows []match.Row) error {
	id := rows[0].Pair
	duel, ok := w.path.Draw(id)
	stored := w.points[id]
	delete(w.points, id)
	if !ok {
		w.differs("pair %d is stored, and blocks before it are not whole", id)
		return nil
	}
	if want := w.account.Plan.Settings.Points(&duel); !samePoints(stored, want) {
		w.differs("pair %d was played with %s against %s, and the results before it lead to %s against %s",
			id, Words(stored[0]), Words(stored[1]), Words(want[0]), Words(want[1]))
	}
	if len(rows) == 2 && rows[0].MovesHash == rows[1].MovesHash {
		w.account.Copies++
	}
	before := w.path.Blocks()
	r := tune.ResultOfRows(rows)
	if _, _, err := w.path.Add(id, r.Score, r.Forfeit); err != nil {
		w.differs("%v", err)
	}
	if w.path.Blocks() > before {
		w.reached()
	}
	return nil
}

// reached notes a state.
func (w *walk) reached() {
	st := w.path.State()
	w.account.Track = append(w.account.Track, Step{st.Blocks, st.Pairs, st.Theta, st.Factor})
	if st.Blocks == w.at {
		w.account.Asked = st
	}
	if st.Blocks > 0 && !w.states[st.Blocks] {
		w.differs("the state after %d blocks is not stored", st.Blocks)
	}
	delete(w.states, st.Blocks)
}

func (w *walk) end() {
	w.account.State = w.path.State()
	if w.at == Latest {
		w.account.Asked = w.account.State
	}
	for blocks := range w.states {
		w.differs("a state after %d blocks is stored, and only %d are whole", blocks, w.path.Blocks())
	}
	slices.Sort(w.account.Differences)
}

func samePoints(a, b [2][]match.Option) bool {
	return slices.Equal(a[0], b[0]) && slices.Equal(a[1], b[1])
}

// Words are options on a line.
func Words(options []match.Option) string {
	text := ""
	for i, o := range options {
		if i > 0 {
			text += " "
		}
		text += o.Name + "=" + o.Value
	}
	return text
}

// Summary tells the state that was asked for.
func (a *Account) Summary() tune.Summary { return tune.Summarize(&a.Plan.Settings, &a.Asked) }

// Done reports whether all blocks are learnt.
func (a *Account) Done() bool { return a.State.Blocks == a.Plan.Settings.Blocks() }

// Point is the answer of the state that was asked for, as it is sent.
func (a *Account) Point() []match.Option {
	return a.Plan.Settings.Options(tune.Answer(&a.Plan.Settings, &a.Asked))
}
