package series_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/runner/events"
	"gogi/runner/series"
	"gogi/shogi"
	"gogi/stats"
	"gogi/usi"
)

// player resigns at its first move if resigns is set, else plays the first legal move.
type player struct{ resigns bool }

func (p player) NewGame(context.Context, usi.Game) error     { return nil }
func (p player) GameOver(context.Context, usi.Outcome) error { return nil }
func (p player) Close() error                                { return nil }

func (p player) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	if p.resigns {
		return usi.Reply{Answer: usi.AnswerResign}, nil
	}
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	return usi.Reply{Answer: usi.AnswerMove, Move: h.Position().LegalMoves(nil)[0]}, nil
}

func open(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
	return player{resigns: p.Name == "weak"}, nil
}

// memory is a store in memory.
type memory struct {
	plan *match.Plan

	mu       sync.Mutex
	pairs    map[int][]match.Row
	attempts int
	refuse   error // error of Add and Change
	told     []string
	put      func(id int)
}

func newMemory(plan *match.Plan) *memory { return &memory{plan: plan, pairs: map[int][]match.Row{}} }

func (m *memory) Add(_ context.Context, r match.PairResult) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.put != nil {
		m.put(r.Pair.ID)
	}
	if _, ok := m.pairs[r.Pair.ID]; ok || m.refuse != nil {
		return false, m.refuse
	}
	var rows []match.Row
	for _, g := range r.Games {
		name := func(c shogi.Colour) string { return m.plan.Players[g.Players[c]].Name }
		hash, err := g.MovesHash()
		if err != nil {
			return false, err
		}
		rows = append(rows, match.Row{
			OpeningHash: r.Pair.Opening.Hash(), MovesHash: hash,
			Pair: g.Pair, Leg: g.Leg, Black: name(shogi.Black), White: name(shogi.White),
			PairA: m.plan.Players[r.Pair.Players[0]].Name, PairB: m.plan.Players[r.Pair.Players[1]].Name,
			Outcome: g.Outcome, Termination: g.Termination, Points: m.plan.Rules.Points(g.Verdict),
		})
	}
	m.pairs[r.Pair.ID] = rows
	return true, nil
}

func (m *memory) PutAttempt(context.Context, match.Attempt) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attempts++
	return nil
}

func (m *memory) Change(_ context.Context, pairs, slots int, phase match.RunPhase) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refuse == nil {
		m.told = append(m.told, fmt.Sprintf("%s %d %d", phase, pairs, slots))
	}
	return m.refuse
}

func (m *memory) Finished(context.Context) (map[int]bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	finished := map[int]bool{}
	for id := range m.pairs {
		finished[id] = true
	}
	return finished, nil
}

func (m *memory) stored(_ context.Context, see func([]match.Row) error) error {
	for id := range m.plan.Pairs {
		if rows, ok := m.pairs[id]; ok {
			if err := see(rows); err != nil {
				return err
			}
		}
	}
	return nil
}

// plan returns a plan of a strong player against a weak one that resigns at once, so that every pair is WW.
func plan(pairs, concurrency int) *match.Plan {
	p := &match.Plan{
		Run: "run", Pairs: pairs, Concurrency: concurrency, Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Rules: match.RulesProfiles()[match.DefaultRules],
		Players: []match.Player{{Name: "strong", Limits: match.Limits{Nodes: 1}},
			{Name: "weak", Limits: match.Limits{Nodes: 1}}},
	}
	start := shogi.StartPos()
	for i, m := range start.LegalMoves(nil) { // the thirty first moves
		p.Openings = append(p.Openings, match.Opening{ID: strconv.Itoa(i + 1), Start: "startpos", Moves: []shogi.Move{m}})
	}
	return p
}

func begin(t *testing.T, m *memory) *series.Series {
	t.Helper()
	return testutil.Must(series.New(t.Context(), m.plan, m, m.stored))(t)
}

// recorder keeps the events of a session.
type recorder struct{ events []match.Event }

func (r *recorder) record(e match.Event) { r.events = append(r.events, e) }

// TestResume: a session plays the missing pairs, and reports the number of stored ones.
func TestResume(t *testing.T) {
	m := newMemory(plan(9, 2))
	for _, id := range []int{0, 3, 4, 8} {
		m.pairs[id] = []match.Row{
			{Pair: id, Leg: 0, Black: "strong", White: "weak", PairA: "strong", PairB: "weak", Outcome: match.BlackWins,
				Points: [2]float64{1, 0}},
			{Pair: id, Leg: 1, Black: "weak", White: "strong", PairA: "strong", PairB: "weak", Outcome: match.BlackWins,
				Points: [2]float64{1, 0}},
		}
	}
	played := map[int]bool{}
	m.put = func(id int) { played[id] = true }
	s := begin(t, m)
	if s.Stored() != 4 || s.Over() {
		t.Fatalf("%d stored, over %v", s.Stored(), s.Over())
	}
	var r recorder
	ending, err := s.Play(t.Context(), series.Config{Open: open, Record: r.record})
	testutil.Require(t, err == nil && ending.Left == 0 && ending.Why == nil, "%+v, %v", ending, err)
	want := map[int]bool{1: true, 2: true, 5: true, 6: true, 7: true}
	testutil.Check(t, maps.Equal(played, want), "played %v, want %v", played, want)
	first, last := r.events[0], r.events[len(r.events)-1]
	testutil.Check(t, first.Type == match.EventRun && *first.Finished == 4 && first.Standings.Total() == 8,
		"the first event is %+v", first)
	testutil.Check(t, last.Type == match.EventDone && *last.Finished == 9, "the last event is %+v", last)
	again := begin(t, m)
	testutil.Check(t, again.Over(), "nothing is missing, and the series is not over")
}

// TestGateStopsTheSeries: A wins both games of every pair, so an SPRT of [0, 200] accepts H1 within a few pairs. The
// remaining pairs are not played, in this session and the next.
func TestGateStopsTheSeries(t *testing.T) {
	p := plan(500, 3)
	p.Gate = stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	m := newMemory(p)
	ending, err := begin(t, m).Play(t.Context(), series.Config{Open: open})
	testutil.Require(t, err == nil && ending.Left == 0 && ending.Why == nil, "%+v, %v", ending, err)
	// The SPRT gets the pairs in their order. While an early pair is still in play, other slots play pairs that the
	// decision may not need.
	n := len(m.pairs)
	testutil.Require(t, n >= 3 && n != 500, "%d pairs were played", n)
	before := len(m.pairs)
	s := begin(t, m)
	testutil.Check(t, s.Over(), "the gate has decided, and the series is not over")
	if ending, err := s.Play(t.Context(), series.Config{Open: open}); err != nil || ending.Left != 0 ||
		len(m.pairs) != before {
		t.Errorf("%+v, %v, %d pairs more", ending, err, len(m.pairs)-before)
	}
}

// TestOneOpeningDecidesNothing: pairs from one opening are one observation, in the session that plays them and in the
// next, which reads them from the store.
func TestOneOpeningDecidesNothing(t *testing.T) {
	p := plan(60, 3)
	p.Openings = p.Openings[:1]
	p.Gate = stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	m := newMemory(p)
	s := begin(t, m)
	m.put = func(int) {
		if len(m.pairs) == 40 { // by count, because pairs come in any order and pair 40 may be the last
			s.Drain()
		}
	}
	if ending, err := s.Play(t.Context(), series.Config{Open: open}); err != nil || ending.Left == 0 ||
		len(m.pairs) <= 40 {
		t.Fatalf("%+v, %v, %d pairs", ending, err, len(m.pairs))
	}
	m.put = nil
	if ending, err := begin(t, m).Play(t.Context(), series.Config{Open: open}); err != nil || ending.Left != 0 ||
		len(m.pairs) != 60 {
		t.Errorf("%+v, %v, %d pairs", ending, err, len(m.pairs))
	}
}

// twice delivers each pair to the store before the series does.
type twice struct{ *memory }

func (s twice) Add(ctx context.Context, r match.PairResult) (bool, error) {
	if _, err := s.memory.Add(ctx, r); err != nil {
		return false, err
	}
	return s.memory.Add(ctx, r)
}

// TestRedeliveryCountsNothing: a pair that the store already has changes no result, sends no event, and does not end
// the match.
func TestRedeliveryCountsNothing(t *testing.T) {
	p := plan(40, 1)
	p.Gate = stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic}
	m := newMemory(p)
	s := testutil.Must(series.New(t.Context(), p, twice{m}, m.stored))(t)
	var r recorder
	ending, err := s.Play(t.Context(), series.Config{Open: open, Record: r.record})
	testutil.Require(t, err == nil && ending.Why == nil && len(m.pairs) == 40, "%+v, %v, %d pairs", ending, err,
		len(m.pairs))
	for _, e := range r.events {
		if e.Type == match.EventPair {
			t.Fatalf("pair %d was told as stored", *e.Pair)
		}
	}
}

// TestMonitorsSeeTheEnd: a monitor gets the event of the last game before the series ends, even if recording
// events is slow. The events that it sends then come before the end event.
func TestMonitorsSeeTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ends := 0
		beside := func(ctx context.Context, hub *events.Hub, send func(match.Event)) {
			shown := hub.SubscribeExcept(match.EventMove, 1000)
			defer shown.Close()
			<-ctx.Done()
			for {
				select {
				case ev := <-shown.Events():
					if ev.Type == match.EventEnd {
						ends++
					}
				default:
					send(match.Event{Type: match.EventWarning, Kind: "last"})
					return
				}
			}
		}
		var r recorder
		slow := func(ev match.Event) {
			time.Sleep(time.Second)
			r.record(ev)
		}
		ending, err := begin(t, newMemory(plan(3, 2))).Play(t.Context(), series.Config{
			Open: open, Record: slow, Monitors: []func(context.Context, *events.Hub, func(match.Event)){beside},
		})
		testutil.Require(t, err == nil && ending.Left == 0 && ends == 6, "%+v, %v: %d of 6 games' ends were shown", ending,
			err, ends)
		n := len(r.events)
		testutil.Check(t, n >= 2 && r.events[n-2].Type == match.EventWarning && r.events[n-1].Type == match.EventDone, "%+v",
			r.events)
	})
}

// TestGivenUpWhileRecordingHangs: if the recording of an event hangs, a cancelled match waits for a few seconds and
// then ends.
func TestGivenUpWhileRecordingHangs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		hangs := make(chan struct{})
		time.AfterFunc(time.Minute, cancel)
		began := time.Now()
		_, err := begin(t, newMemory(plan(3, 2))).Play(ctx, series.Config{Open: open, Record: func(match.Event) { <-hangs }})
		close(hangs)
		took := time.Since(began)
		testutil.Check(t, err == nil && took >= time.Minute && took <= time.Minute+10*time.Second, "after %v: %v", took, err)
	})
}

// TestAStoreThatFails: an error of the store ends the session, and Left still counts the remaining pairs.
func TestAStoreThatFails(t *testing.T) {
	full := errors.New("the disk is full")
	m := newMemory(plan(20, 2))
	m.put = func(id int) {
		if id == 6 {
			m.refuse = full
		}
	}
	ending, err := begin(t, m).Play(t.Context(), series.Config{Open: open})
	testutil.Check(t, err == nil && errors.Is(ending.Why, full) && ending.Left == 20-len(m.pairs) && ending.Left != 0,
		"%+v, %v, %d pairs", ending, err, len(m.pairs))
}

// TestMovesForListeners: move events are sent if moves are recorded, or while a subscriber wants them. Otherwise the
// board event at a game's end has all moves.
func TestMovesForListeners(t *testing.T) {
	const games, plies = 2, 8
	short := func() *match.Plan {
		p := plan(1, 1)
		p.Players[1].Name, p.Rules.MaxPlies = "strong as well", plies
		return p
	}
	var recorded recorder
	testutil.Must(begin(t, newMemory(short())).Play(t.Context(),
		series.Config{Open: open, Moves: true, Record: recorded.record}))(t)
	types := map[match.EventType]int{}
	for _, e := range recorded.events {
		types[e.Type]++
	}
	testutil.Check(t, types[match.EventMove] == games*(plies-1) && types[match.EventBoard] == 0, "recorded: %v", types)
	s := begin(t, newMemory(short()))
	testutil.Must(s.Play(t.Context(), series.Config{Open: open, Moves: true}))(t)
	state, version, _ := s.Hub().Look(0)
	if want := len(recorded.events) - types[match.EventMove] + games; int(version) != want {
		t.Errorf("%d events although nobody listened, want %d: no moves, and a board for each game", version, want)
	}
	if b := state.State.Slots[0].Board; state.State.Missed != 0 || b.Ply != plies || b.StartPly != 0 || b.Outcome == "" {
		t.Errorf("in the end: %d missed, %+v", state.State.Missed, b)
	}
}
