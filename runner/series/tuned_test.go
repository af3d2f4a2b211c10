package series_test

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/tune"
	"gogi/runner"
	"gogi/runner/series"
	"gogi/usi"
)

// tuneOf returns a plan that tunes two integers.
func tuneOf(t *testing.T, pairs, concurrency int) *match.Plan {
	t.Helper()
	s := tune.Defaults(tune.SPSA, pairs)
	s.Block, s.Inflight, s.Seed = 4, 8, 5
	for _, name := range []string{"X", "Y"} {
		s.Params = append(s.Params, tune.Param{Name: name, Kind: tune.Int, Start: 40, Max: 100, Scale: 30})
	}
	text := testutil.Must((&tune.Plan{Settings: s}).Text())(t)
	p := plan(pairs, concurrency)
	p.Players = []match.Player{{Name: "e+", Limits: match.Limits{Nodes: 1}}, {Name: "e-", Limits: match.Limits{Nodes: 1}}}
	p.Design = match.Design{Kind: match.DesignMatch, Swap: true}
	p.Tune = text
	return p
}

// tuneMemory is a store of a tune in memory.
type tuneMemory struct {
	*memory
	mu     sync.Mutex
	played map[int][2][]match.Option
	states []match.TuneState
	done   map[int]bool // stored pairs
	early  string       // message about a state that was stored before its pairs
}

func newTuneMemory(p *match.Plan) *tuneMemory {
	return &tuneMemory{memory: newMemory(p), played: map[int][2][]match.Option{}, done: map[int]bool{}}
}

func (m *tuneMemory) AddStates(ctx context.Context, r match.PairResult, states []match.TuneState) (bool, error) {
	added, err := m.Add(ctx, r)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !added || err != nil {
		return added, err
	}
	m.played[r.Pair.ID], m.done[r.Pair.ID] = r.Pair.Options, true
	for _, s := range states {
		for n := range s.Pairs {
			if !m.done[n] {
				m.early = fmt.Sprintf("the state after %d pairs is stored before pair %d", s.Pairs, n)
			}
		}
	}
	m.states = append(m.states, states...)
	return true, nil
}

func (m *tuneMemory) Points(_ context.Context, see func(int, [2][]match.Option) error) error {
	m.mu.Lock()
	played := maps.Clone(m.played)
	m.mu.Unlock()
	for n := range m.plan.Pairs {
		if options, ok := played[n]; ok {
			if err := see(n, options); err != nil {
				return err
			}
		}
	}
	return nil
}

func (m *tuneMemory) States(context.Context) ([]match.TuneState, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.states), nil
}

// tuned is a player that resigns depending on its options and the game's seed. Each of its games has another thinking
// time.
type tuned struct {
	player
	wait time.Duration
	sick func(x string) error
}

func (p *tuned) NewGame(_ context.Context, g usi.Game) error {
	h := fnv.New64a()
	x := "none"
	for _, o := range g.Options {
		fmt.Fprint(h, o.Name, o.Value)
		if o.Name == "X" {
			x = o.Value
		}
	}
	fmt.Fprint(h, g.Seed)
	p.resigns = h.Sum64()>>9%3 == 0
	p.wait = time.Duration(h.Sum64() % 83 * uint64(time.Millisecond))
	if p.sick != nil {
		return p.sick(x)
	}
	return nil
}

func (p *tuned) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	select {
	case <-time.After(p.wait):
	case <-ctx.Done():
		return usi.Reply{Stopped: true}, nil
	}
	p.resigns = p.resigns || len(r.Position.Moves) > 4
	return p.player.Think(ctx, r)
}

// tuneSession plays until the end, or until kill pairs are stored if kill is not 0.
func tuneSession(t *testing.T, m *tuneMemory, kill int, sick func(x string) error, how series.Tuning) (series.Ending,
	error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stored := 0
	m.put = func(int) {
		if stored++; stored == kill {
			cancel()
		}
	}
	s, err := series.NewTune(ctx, m.plan, m, m.stored, how)
	if err != nil {
		return series.Ending{}, err
	}
	end, err := s.Play(ctx, series.Config{Open: func(context.Context, match.Player, []int) (runner.Player, error) {
		return &tuned{sick: sick}, nil
	}})
	testutil.OK(t, err)
	return end, nil
}

// TestTunePathDependsOnResultsAlone: a tune draws the same points and reaches the same states at any concurrency and
// after any kills. A state is stored after all pairs that it depends on.
func TestTunePathDependsOnResultsAlone(t *testing.T) {
	var want *tuneMemory
	for _, concurrency := range []int{1, 3, 16} {
		for _, kill := range []int{0, 1, 7} {
			synctest.Test(t, func(t *testing.T) {
				m := newTuneMemory(tuneOf(t, 60, concurrency))
				sessions := 0
				for len(m.pairs) < 60 {
					if sessions++; sessions > 61 {
						t.Fatal("it does not end")
					}
					testutil.Must(tuneSession(t, m, kill, nil, series.Tuning{}))(t)
				}
				testutil.Check(t, kill <= 0 || sessions >= 4, "only %d sessions", sessions)
				if want == nil {
					want = m
				}
				testutil.Equal(t, m.early, "")
				testutil.Check(t, reflect.DeepEqual(m.played, want.played) && reflect.DeepEqual(m.states, want.states) &&
					len(m.states) == 15,
					"concurrency %d, killed after %d: another path", concurrency, kill)
			})
		}
	}
}

// TestTuneResume: NewTune rejects a store in which a pair has other points, or a state has other values. A missing pair
// is played again and changes nothing else.
func TestTuneResume(t *testing.T) {
	play := func(t *testing.T) *tuneMemory {
		m := newTuneMemory(tuneOf(t, 40, 2))
		testutil.Must(tuneSession(t, m, 0, nil, series.Tuning{}))(t)
		return m
	}
	for want, spoil := range map[string]func(m *tuneMemory){
		"other points": func(m *tuneMemory) { m.played[9] = m.played[10] },
		"is stored as": func(m *tuneMemory) { m.states[3].Centre[1]++ },
		"factor":       func(m *tuneMemory) { m.states[5].Factor *= 1.001 },
		"":             func(m *tuneMemory) { delete(m.pairs, 6); delete(m.played, 6); delete(m.done, 6) },
	} {
		synctest.Test(t, func(t *testing.T) {
			m := play(t)
			states := len(m.states)
			spoil(m)
			_, err := tuneSession(t, m, 0, nil, series.Tuning{})
			switch {
			case want == "" && (err != nil || len(m.pairs) != 40 || len(m.states) != states):
				t.Errorf("a missing pair: %v, %d pairs, %d states", err, len(m.pairs), len(m.states))
			case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
				t.Errorf("%q: %v", want, err)
			}
		})
	}
}

var errSick = errors.New("it says no")

// sickAbove returns a start function that fails if X is above a bound.
func sickAbove(bound int) func(x string) error {
	return func(x string) error {
		n := 0
		if _, err := fmt.Sscan(x, &n); err == nil && n > bound {
			return errSick
		}
		return nil
	}
}

// TestTuneForfeits: if an engine does not start with its parameter values, it forfeits the pair. The tune continues,
// and X moves away from these values.
func TestTuneForfeits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTuneMemory(tuneOf(t, 200, 4))
		end, err := tuneSession(t, m, 0, sickAbove(50), series.Tuning{Forfeit: true})
		testutil.Require(t, err == nil && end.Why == nil && end.Left == 0, "%v %v", err, end)
		forfeits := 0
		for n, rows := range m.pairs {
			x, other := m.played[n][0][0].Value, m.played[n][1][0].Value
			sick := [2]bool{sickAbove(50)(x) != nil, sickAbove(50)(other) != nil}
			testutil.Check(t, (rows[0].Termination == match.NotStarted) == (sick[0] || sick[1]),
				"pair %d of X = %s and %s ended by %s", n, x, other, rows[0].Termination)
			if rows[0].Termination == match.NotStarted {
				forfeits++
				if score := tune.ResultOfRows(rows).Score; sick[0] != sick[1] &&
					score != map[bool]float64{true: -2, false: 2}[sick[0]] {
					t.Errorf("pair %d: W − L is %v", n, score)
				}
			}
		}
		if last := m.states[len(m.states)-1]; forfeits == 0 || last.Centre[0] >= 40 {
			t.Errorf("%d forfeits, and X ends at %v", forfeits, last.Centre[0])
		}
	})
}

// TestTuneEndsWhereTooManyFail: without Forfeit, a tune ends if the engine fails to start at too many points. The error
// has the parameter and the direction.
func TestTuneEndsWhereTooManyFail(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTuneMemory(tuneOf(t, 200, 4))
		end, err := tuneSession(t, m, 0, sickAbove(45), series.Tuning{})
		faulty, ok := errors.AsType[*tune.Faulty](end.Why)
		testutil.Check(t, err == nil && ok && faulty.Param == "X" && faulty.Above && faulty.P <= 0.01, "%v, %+v", err,
			end.Why)
		testutil.Check(t, end.Left != 0 && len(m.states) >= 10, "%d left after %d blocks", end.Left, len(m.states))
	})
}

// TestTuneEndsWhereTheCentreFails: if an engine does not start with the initial values, the tune ends with the engine's
// error.
func TestTuneEndsWhereTheCentreFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTuneMemory(tuneOf(t, 60, 2))
		end, err := tuneSession(t, m, 0, sickAbove(0), series.Tuning{Forfeit: true})
		testutil.Check(t, err == nil && errors.Is(end.Why, errSick) && len(m.pairs) == 0,
			"%v, %v, %d pairs", err, end.Why, len(m.pairs))
	})
}

// TestTuneEvents: a session sends the settings of the tune, each block, failures, and the final values with their
// validation. A later session sends the stored data first.
func TestTuneEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newTuneMemory(tuneOf(t, 60, 3))
		how := series.Tuning{Forfeit: true, Answered: func(_ context.Context, st tune.State) ([]string, error) {
			testutil.Check(t, st.Blocks == 15, "answered after %d blocks", st.Blocks)
			return []string{"a", "b"}, nil
		}}
		counts := map[string]int{}
		var blocks []int
		play := func(kill int) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stored := 0
			m.put = func(int) {
				if stored++; stored == kill {
					cancel()
				}
			}
			s := testutil.Must(series.NewTune(ctx, m.plan, m, m.stored, how))(t)
			testutil.Must(s.Play(ctx, series.Config{
				Open: func(context.Context, match.Player, []int) (runner.Player, error) {
					return &tuned{sick: sickAbove(52)}, nil
				},
				Record: func(e match.Event) {
					counts[string(e.Type)]++
					switch e.Type { // other events come in any run
					case match.EventPair:
						counts["pair "+e.Kind]++
					case match.EventBlock:
						blocks = append(blocks, e.Block)
						testutil.Check(t, e.Pairs == 4*e.Block && len(e.Theta) == 2, "%+v", e)
					case match.EventTune:
						states, _ := m.States(ctx)
						testutil.Check(t, e.Tune.Track.Latest == len(states) && len(e.Tune.Params) == 2, "%+v of %d states", e.Tune,
							len(states))
					}
				},
			}))(t)
			if kill == 0 {
				now := s.Hub().State().State
				if now.Tune == nil || now.Tune.Track.Latest != 15 || len(now.Tune.Validations) != 2 ||
					len(now.Tune.Candidate) != 2 || now.Finished != 60 {
					t.Errorf("%+v, %d finished", now.Tune, now.Finished)
				}
			}
		}
		play(30)
		play(0)
		forfeited := 0
		for _, rows := range m.pairs {
			if rows[0].Termination == match.NotStarted {
				forfeited++
			}
		}
		if counts["tune"] != 2 || counts["candidate"] != 1 || counts["validation"] != 2 || forfeited == 0 ||
			counts["forfeit"] < forfeited || counts["pair forfeit"] == 0 || counts["pair forfeit"] > forfeited ||
			counts["pair probe"] == 0 || counts["pair duel"] < 40 || len(blocks) < 14 {
			t.Errorf("%v, %d forfeited, blocks %v", counts, forfeited, blocks)
		}
	})
}
