package runner_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
	"gogi/shogi"
	"gogi/shogi/kifu"
	"gogi/usi"
)

// fake is a player that answers after a delay, with a legal move or with the reply of its function answer.
type fake struct {
	name    string
	delay   func(ply int) time.Duration
	answer  func(ply int, p *shogi.Position) (usi.Reply, error)
	newGame func() error
	closed  *atomic.Int64
	asked   []usi.Request
	waited  atomic.Int64 // nanoseconds
	endless bool         // the player ignores its deadline
}

func (f *fake) NewGame(context.Context, usi.Game) error {
	if f.newGame != nil {
		return f.newGame()
	}
	return nil
}

func (f *fake) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	f.asked = append(f.asked, r)
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	ply := len(r.Position.Moves)
	var delay time.Duration
	if f.delay != nil {
		delay = f.delay(ply)
	}
	if r.Deadline > 0 && delay > r.Deadline && !f.endless {
		time.Sleep(r.Deadline) // in synctest's time
		return usi.Reply{Answer: usi.AnswerMove, Move: h.Position().LegalMoves(nil)[0], Elapsed: delay, Stopped: true}, nil
	}
	select {
	case <-time.After(delay):
	case <-ctx.Done():
		return usi.Reply{Stopped: true}, nil
	}
	if f.answer != nil {
		reply, err := f.answer(ply, h.Position())
		if reply.Answer != usi.AnswerInvalid || reply.Text != "" || err != nil {
			reply.Elapsed = delay
			return reply, err
		}
	}
	moves := h.Position().LegalMoves(nil)
	return usi.Reply{Answer: usi.AnswerMove, Move: moves[int(h.Position().Key()%uint64(len(moves)))], Elapsed: delay}, nil
}

func (f *fake) GameOver(context.Context, usi.Outcome) error { return nil }
func (f *fake) Waited() (time.Duration, bool)               { return time.Duration(f.waited.Load()), true }

func (f *fake) Close() error {
	if f.closed != nil {
		f.closed.Add(1)
	}
	return nil
}

// memorySink keeps results in memory.
type memorySink struct {
	mu       sync.Mutex
	pairs    map[int]match.PairResult
	attempts []match.Attempt // of pairs without a result
}

func (m *memorySink) Put(_ context.Context, l runner.Lease, r match.PairResult) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if l.Pair.ID != r.Pair.ID || l.Plan == nil {
		return false, fmt.Errorf("pair %d for the lease of pair %d, plan %v", r.Pair.ID, l.Pair.ID, l.Plan)
	}
	if _, ok := m.pairs[r.Pair.ID]; ok {
		return false, fmt.Errorf("pair %d came twice", r.Pair.ID)
	}
	m.pairs[r.Pair.ID] = r
	return true, nil
}

func (m *memorySink) PutAttempt(_ context.Context, _ runner.Lease, a match.Attempt) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.attempts = append(m.attempts, a)
	return nil
}

func testPlan(pairs, concurrency int, limits match.Limits) *match.Plan {
	rules := match.RulesProfiles()[match.DefaultRules]
	rules.MaxPlies = 40
	return &match.Plan{
		Run: "test", Seed: 1, Rules: rules, Pairs: pairs, Concurrency: concurrency, PVPlies: 4,
		Design:   match.Design{Kind: match.DesignMatch, Swap: true},
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Players:  []match.Player{{Name: "A", Limits: limits}, {Name: "B", Limits: limits}},
	}
}

// play runs a plan. The function open returns the player with a name.
func play[P runner.Player](t *testing.T, plan *match.Plan, open func(name string) P) (map[int]match.PairResult, error) {
	t.Helper()
	return playConfig(t.Context(), runner.Config{
		Plan: plan,
		Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) { return open(p.Name), nil },
	})
}

// playConfig runs a plan and stores the results in memory. The default source has all pairs of the plan.
func playConfig(ctx context.Context, c runner.Config) (map[int]match.PairResult, error) {
	sink := &memorySink{pairs: map[int]match.PairResult{}}
	c.Sink = sink
	if c.Source == nil {
		c.Source = runner.NewPlanSource(c.Plan, func(int) bool { return false })
	}
	err := runner.Run(ctx, c)
	return sink.pairs, err
}

var fixedNodes = match.Limits{Nodes: 100, Stall: time.Minute}

func TestAllPairsArePlayedOnceWithColoursSwapped(t *testing.T) {
	for _, concurrency := range []int{1, 8} {
		synctest.Test(t, func(t *testing.T) {
			plan := testPlan(20, concurrency, fixedNodes)
			pairs, err := play(t, plan, func(name string) *fake { return &fake{name: name} })
			testutil.Require(t, err == nil && len(pairs) == 20, "%d pairs, %v", len(pairs), err)
			for id, p := range pairs {
				testutil.Check(t, len(p.Games) == 2 && p.Games[0].Players == [2]int{0, 1} && p.Games[1].Players == [2]int{1, 0},
					"pair %d: %+v", id, p.Games)
				for _, g := range p.Games {
					testutil.Check(t, g.Over() && g.Sides[0].Plies+g.Sides[1].Plies == len(g.Record.Moves),
						"pair %d: verdict %+v, sides %+v, %d moves", id, g.Verdict, g.Sides, len(g.Record.Moves))
				}
			}
		})
	}
}

// one plays a pair and returns the game in which A has Black. The function a changes player A.
func one(t *testing.T, limits match.Limits, a func(*fake)) match.Result {
	t.Helper()
	var result match.Result
	synctest.Test(t, func(t *testing.T) {
		pairs := testutil.Must(play(t, testPlan(1, 1, limits), func(name string) *fake {
			f := &fake{name: name}
			if name == "A" {
				a(f)
			}
			return f
		}))(t)
		result = pairs[0].Games[0]
	})
	return result
}

// TestOnlyWhatIsStoredOfVariationsIsRead: the runner asks the players for as many PV moves as it stores, and for none
// if it stores none.
func TestOnlyWhatIsStoredOfVariationsIsRead(t *testing.T) {
	for plies, want := range map[int]int{0: usi.NoPV, 1: 1, 12: 12} {
		synctest.Test(t, func(t *testing.T) {
			plan := testPlan(1, 1, fixedNodes)
			plan.PVPlies = plies
			// A slot opens its two players at the same time: play calls the function open from two goroutines.
			players := map[string]*fake{"A": {name: "A"}, "B": {name: "B"}}
			testutil.OK(t, testutil.Err(play(t, plan, func(name string) *fake { return players[name] })))
			for _, p := range players {
				testutil.Check(t, len(p.asked) != 0 &&
					!slices.ContainsFunc(p.asked, func(r usi.Request) bool { return r.MaxPV != want }),
					"%d plies: %s was asked for others than %d in %d requests", plies, p.name, want, len(p.asked))
			}
		})
	}
}

func answering(r usi.Reply, err error) func(*fake) {
	return func(f *fake) {
		f.answer = func(int, *shogi.Position) (usi.Reply, error) { return r, err }
	}
}

func TestHowGamesEnd(t *testing.T) {
	byoyomi := match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond}
	slow := func(d time.Duration) func(*fake) {
		return func(f *fake) { f.delay = func(int) time.Duration { return d } }
	}
	illegal, _ := shogi.ParseMove("5a5b")
	fault := func(kind usi.FaultKind) error {
		return &usi.Fault{Kind: kind, Engine: "A", Doing: "thinking", Searching: true, Note: "why"}
	}
	for name, test := range map[string]struct {
		limits match.Limits
		a      func(*fake)
		want   match.Termination
		note   string
	}{
		"resign": {fixedNodes, answering(usi.Reply{Answer: usi.AnswerResign}, nil), match.Resignation, ""},
		"false win": {fixedNodes, answering(usi.Reply{Answer: usi.AnswerWin}, nil), match.FalseDeclaration,
			"black's declaration fails"},
		"illegal": {fixedNodes, answering(usi.Reply{Answer: usi.AnswerMove, Move: illegal}, nil), match.IllegalMove,
			"5a5b: "},
		"second": {fixedNodes,
			answering(usi.Reply{Answer: usi.AnswerMove, Move: illegal, Second: usi.SecondSuspected}, nil), match.IllegalMove,
			"5a5b: 5a5b is illegal: the king on 5a belongs to white, but black is to move; it may be a second bestmove of the search before"},
		"malformed": {fixedNodes, answering(usi.Reply{Text: "(none)"}, nil), match.IllegalMove,
			`cannot read bestmove "(none)"`},
		"stall": {fixedNodes, slow(2 * time.Minute), match.Stall, "no move within 1m0s"},
		"late": {byoyomi, slow(1200 * time.Millisecond), match.TimeForfeit,
			"took 1.2s, 200ms over its limit (margin 100ms)"},
		"crash":           {byoyomi, answering(usi.Reply{}, fault(usi.FaultCrash)), match.Crash, "thinking: why"},
		"hang on a clock": {byoyomi, answering(usi.Reply{}, fault(usi.FaultHang)), match.TimeForfeit, "thinking: why"},
		"hang on nodes":   {fixedNodes, answering(usi.Reply{}, fault(usi.FaultHang)), match.Stall, "thinking: why"},
	} {
		t.Run(name, func(t *testing.T) {
			r := one(t, test.limits, test.a)
			testutil.Check(t, r.Termination == test.want && r.Outcome == match.WhiteWins,
				"ended by %v, won by %v (%s)", r.Termination, r.Outcome, r.Note)
			testutil.Check(t, len(r.Note) >= len(test.note) && r.Note[:len(test.note)] == test.note, "note %q, want %q", r.Note,
				test.note)
		})
	}
}

// TestTimeLossesAreExplained: a time loss has a note with its reason. The game is marked if the machine may be the
// cause, that is if the machine took more than half of the margin.
func TestTimeLossesAreExplained(t *testing.T) {
	const ms = time.Millisecond
	byoyomi := match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * ms}
	stall := match.Limits{Nodes: 10, Stall: time.Second}
	hang := &usi.Fault{Kind: usi.FaultHang, Doing: "waiting for bestmove after stop", Searching: true, Elapsed: 1600 * ms}
	deaf := &usi.Fault{Kind: usi.FaultNotRead, Doing: "saying go", Note: "it did not read"}
	for name, test := range map[string]struct {
		limits match.Limits
		waited time.Duration
		err    error
		marked bool
		want   string
	}{
		"slow": {byoyomi, 50 * ms, nil, false,
			"took 1.2s, 200ms over its limit (margin 100ms); this move was not slowed: it waited 50ms for a CPU, gogi was 0s late"},
		"starved": {byoyomi, 51 * ms, nil, true,
			"slowed by the machine: took 1.2s, 200ms over its limit (margin 100ms); it waited 51ms for a CPU, gogi was 0s late"},
		"stalled": {stall, 125 * ms, nil, false,
			"no move within 1s; this move was not slowed: it waited 125ms for a CPU, gogi was 0s late"},
		"stalled, slow": {stall, 126 * ms, nil, true,
			"slowed by the machine: no move within 1s; it waited 126ms for a CPU, gogi was 0s late"},
		"silent": {byoyomi, 0, hang, false,
			"waiting for bestmove after stop; no move after 1.6s, 600ms over its limit (margin 100ms); this move was not slowed: it waited 0s for a CPU, gogi was 0s late"},
		"silent, slowed": {byoyomi, 60 * ms, hang, true,
			"waiting for bestmove after stop; slowed by the machine: no move after 1.6s, 600ms over its limit (margin 100ms); it waited 60ms for a CPU, gogi was 0s late"},
		"deaf": {byoyomi, 60 * ms, deaf, true,
			"saying go: it did not read; slowed by the machine: it waited 60ms for a CPU, gogi was 0s late"},
	} {
		t.Run(name, func(t *testing.T) {
			r := one(t, test.limits, func(f *fake) {
				f.delay = func(ply int) time.Duration {
					if ply < 4 {
						return 0
					}
					time.AfterFunc(500*ms, func() { f.waited.Add(int64(test.waited)) })
					return 1200 * ms
				}
				f.answer = func(ply int, _ *shogi.Position) (usi.Reply, error) {
					if ply >= 4 && test.err != nil {
						return usi.Reply{}, test.err
					}
					return usi.Reply{}, nil
				}
				f.endless = test.err != nil
			})
			overrun := r.Sides[shogi.Black].WorstOverrun
			testutil.Check(t, !errors.Is(test.err, error(hang)) || overrun == 600*ms, "worst overrun %v, want 600ms", overrun)
			testutil.Check(t, r.Note == test.want && r.Marked == test.marked && r.Outcome == match.WhiteWins &&
				r.Termination.Volatile(),
				"%s by %s, marked %t: %s", r.Outcome, r.Termination, r.Marked, r.Note)
		})
	}
}

// TestVotesAreKept: the votes for a resignation are stored with the game, and votes without all members are counted.
func TestVotesAreKept(t *testing.T) {
	votes := []byte(`{"by":"resignation"}`)
	r := one(t, fixedNodes, answering(usi.Reply{Answer: usi.AnswerResign, Detail: votes, Absent: 2}, nil))
	testutil.Check(t, string(r.Record.Final) == string(votes) && r.Sides[shogi.Black].Incomplete == 1 &&
		r.Sides[shogi.White].Incomplete == 0,
		"final %q, sides %+v", r.Record.Final, r.Sides)
}

func TestInsideTheMarginIsNotLost(t *testing.T) {
	limits := match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond}
	r := one(t, limits, func(f *fake) { f.delay = func(int) time.Duration { return 1100 * time.Millisecond } })
	if r.Termination == match.TimeForfeit || r.Sides[shogi.Black].WorstOverrun != 100*time.Millisecond {
		t.Errorf("%v, worst overrun %v", r.Termination, r.Sides[shogi.Black].WorstOverrun)
	}
}

func TestWhatIsSent(t *testing.T) {
	var a, b *fake
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(1, 1, match.Limits{})
		plan.Players[0].Limits = match.Limits{Clock: match.TimeControl{Main: 10 * time.Second, Increment: time.Second},
			Margin: time.Second}
		plan.Players[1].Limits = match.Limits{Clock: match.TimeControl{Main: 20 * time.Second, Byoyomi: 3 * time.Second},
			Margin: time.Second}
		testutil.Must(play(t, plan, func(name string) *fake {
			f := &fake{name: name, delay: func(int) time.Duration { return 2 * time.Second }}
			if name == "A" {
				a = f
			} else {
				b = f
			}
			return f
		}))(t)
	})
	for i, want := range []string{
		"go btime 10000 wtime 20000 binc 1000 winc 0",
		"go btime 9000 wtime 18000 binc 1000 winc 0", // 10 + 1 - 2 = 9; the increment of this move is in binc
	} {
		testutil.Equal(t, a.asked[i].Go.String(), want, "A's move %d", i+1)
	}
	testutil.Equal(t, b.asked[0].Go.String(), "go btime 9000 wtime 20000 byoyomi 3000", "B's first move")
	got := a.asked[0].Deadline
	testutil.Check(t, got == 12*time.Second, "A's first deadline %v, want main + increment + margin", got)
}

func TestStartFailuresAreRetriedThenEndTheRun(t *testing.T) {
	for failures, wantErr := range map[int]bool{2: false, 3: true} {
		synctest.Test(t, func(t *testing.T) {
			var opened, closed atomic.Int64
			left := failures
			pairs, err := play(t, testPlan(1, 1, fixedNodes), func(name string) *fake {
				opened.Add(1)
				f := &fake{name: name, closed: &closed}
				if name == "B" {
					f.newGame = func() error {
						if left > 0 {
							left--
							return &usi.Fault{Kind: usi.FaultStart, Engine: "B", Doing: "waiting for readyok"}
						}
						return nil
					}
				}
				return f
			})
			testutil.Equal(t, (err != nil), wantErr, "%d failures: %v", failures, err)
			_, ok := errors.AsType[*usi.Fault](err)
			testutil.Check(t, !wantErr || ok, "the error hides the fault: %v", err)
			if !wantErr && len(pairs[0].Attempts) != failures {
				t.Errorf("%d attempts recorded, want %d", len(pairs[0].Attempts), failures)
			}
			testutil.Check(t, opened.Load() == closed.Load(), "%d players opened, %d closed", opened.Load(), closed.Load())
		})
	}
}

func TestConnectionLossIsAnUnplayedPair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		lost := 0
		pairs, err := play(t, testPlan(1, 1, fixedNodes), func(name string) *fake {
			f := &fake{name: name}
			if name == "A" {
				f.answer = func(ply int, _ *shogi.Position) (usi.Reply, error) {
					if ply >= 10 && lost < 2 {
						lost++
						return usi.Reply{}, &usi.Fault{Kind: usi.FaultConnection, Searching: true}
					}
					return usi.Reply{}, nil
				}
			}
			return f
		})
		if err != nil || len(pairs[0].Attempts) != 2 || lost != 2 {
			t.Errorf("%v, %d attempts, lost %d times", err, len(pairs[0].Attempts), lost)
		}
	})
}

func TestSlowedMoves(t *testing.T) {
	for policy, wantAttempts := range map[match.Policy]int{match.PolicyCount: 0, match.PolicyVoid: 2} {
		synctest.Test(t, func(t *testing.T) {
			plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond})
			plan.Slowed = policy
			pairs := testutil.Must(play(t, plan, func(name string) *fake {
				f := &fake{name: name}
				f.delay = func(ply int) time.Duration {
					if ply == 6 { // the engine waits for a CPU in the middle of the move
						time.AfterFunc(100*time.Millisecond, func() { f.waited.Add(int64(300 * time.Millisecond)) })
						return 500 * time.Millisecond
					}
					return 0
				}
				return f
			}))(t)
			p := pairs[0]
			testutil.Check(t, p.Games[0].Marked && len(p.Attempts) == wantAttempts,
				"%s: marked %v, %d attempts, want %d", policy, p.Games[0].Marked, len(p.Attempts), wantAttempts)
		})
	}
}

func TestLowerTargetEndsAfterThePairsInPlay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(100, 4, fixedNodes)
		source := runner.NewPlanSource(plan, func(int) bool { return false })
		sink := &memorySink{pairs: map[int]match.PairResult{}}
		done := make(chan error, 1)
		go func() {
			done <- runner.Run(t.Context(), runner.Config{
				Plan: plan, Source: source, Sink: sink,
				Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
					return &fake{name: p.Name, delay: func(int) time.Duration { return time.Second }}, nil
				},
			})
		}()
		time.Sleep(5 * time.Second) // in synctest's time
		source.SetTarget(2)
		err := <-done
		testutil.Check(t, err == nil && len(sink.pairs) == 4, "%d pairs, %v", len(sink.pairs), err)
	})
}

func TestCancelStoresNoHalfPairs(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancelCause(t.Context())
		cause := errors.New("second interrupt")
		plan := testPlan(100, 4, fixedNodes)
		var opened, closed atomic.Int64
		time.AfterFunc(70*time.Second, func() { cancel(cause) })
		pairs, err := playConfig(ctx, runner.Config{
			Plan: plan,
			Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
				opened.Add(1)
				return &fake{name: p.Name, closed: &closed, delay: func(int) time.Duration { return time.Second }}, nil
			},
		})
		if !errors.Is(err, cause) || err.Error() != cause.Error() { // one error, not one for each slot
			t.Errorf("error %v", err)
		}
		for id, p := range pairs {
			testutil.Check(t, len(p.Games) == 2, "pair %d has %d games", id, len(p.Games))
		}
		testutil.Check(t, opened.Load() != 0 && opened.Load() == closed.Load(), "%d opened, %d closed", opened.Load(),
			closed.Load())
	})
}

// pondering is a fake that ponders. Its ponder hits if the opponent played the expected move.
type pondering struct {
	fake
	expected string
}

func (p *pondering) Ponder(_ context.Context, r usi.Request) error {
	p.expected = r.Position.String()
	return nil
}

func (p *pondering) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	reply, err := p.fake.Think(ctx, r)
	reply.Hit = p.expected != "" && p.expected == r.Position.String()
	p.expected = ""
	h, historyErr := r.Position.History()
	if historyErr != nil || reply.Answer != usi.AnswerMove {
		return reply, err
	}
	next := *h.Position()
	next.Apply(reply.Move)
	if moves := next.LegalMoves(nil); len(moves) > 0 {
		reply.Ponder = moves[int(next.Key()%uint64(len(moves)))] // the move that the fake plays
		if len(r.Position.Moves)%8 < 2 {
			reply.Ponder = moves[0]
		}
	}
	return reply, err
}

func TestPonderHitsAndMissesAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Main: time.Minute}})
		plan.Ponder = match.PonderStandard
		pairs := testutil.Must(play(t, plan, func(name string) *pondering { return &pondering{fake: fake{name: name}} }))(t)
		for _, g := range pairs[0].Games {
			for c, s := range g.Sides {
				testutil.Check(t, s.PonderHits != 0 && s.PonderMisses != 0 && s.PonderHits+s.PonderMisses < s.Plies+1,
					"colour %d: %d hits and %d misses in %d plies", c, s.PonderHits, s.PonderMisses, s.Plies)
			}
		}
	})
}

// expecting is a player that expects a certain reply after each move. It records the positions on which it ponders.
type expecting struct {
	fake
	expect  func(p *shogi.Position) shogi.Move
	thought []usi.Position
}

func (p *expecting) Ponder(_ context.Context, r usi.Request) error {
	p.thought = append(p.thought, r.Position)
	return nil
}

func (p *expecting) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	reply, err := p.fake.Think(ctx, r)
	if h, historyErr := r.Position.History(); historyErr == nil && reply.Answer == usi.AnswerMove {
		h.Push(reply.Move)
		reply.Ponder = p.expect(h.Position())
	}
	return reply, err
}

// TestOnlyLegalMovesArePonderedOn: if an engine expects an illegal move, the runner does not send it to ponder, because
// some engines abort on such a position. The illegal move has no other effect on the game.
func TestOnlyLegalMovesArePonderedOn(t *testing.T) {
	for name, test := range map[string]struct {
		mode    match.PonderMode
		expect  func(p *shogi.Position) shogi.Move
		thought bool
	}{
		"legal": {match.PonderStandard,
			func(p *shogi.Position) shogi.Move { return append(p.LegalMoves(nil), shogi.NoMove)[0] }, true},
		"off": {match.PonderOff,
			func(p *shogi.Position) shogi.Move { return append(p.LegalMoves(nil), shogi.NoMove)[0] }, false},
		"none": {match.PonderStandard, func(*shogi.Position) shogi.Move { return shogi.NoMove }, false},
		"from an empty square": {match.PonderStandard,
			func(*shogi.Position) shogi.Move { m, _ := shogi.ParseMove("5e5d"); return m }, false},
		"a piece not in hand": {match.PonderStandard,
			func(p *shogi.Position) shogi.Move { m, _ := shogi.ParseMove("P*5e"); return m }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Main: time.Minute}})
				plan.Ponder, plan.Rules.MaxPlies = test.mode, 8
				players := map[string]*expecting{}
				var mu sync.Mutex
				pairs, err := play(t, plan, func(name string) *expecting {
					mu.Lock()
					defer mu.Unlock()
					players[name] = &expecting{fake: fake{name: name}, expect: test.expect}
					return players[name]
				})
				if err != nil || len(pairs[0].Games) != 2 {
					t.Fatalf("%v, %d games", err, len(pairs[0].Games))
				}
				for name, p := range players {
					testutil.Equal(t, (len(p.thought) > 0), test.thought, "%s pondered on %v", name, p.thought)
					for _, position := range p.thought {
						if _, err := position.History(); err != nil {
							t.Errorf("%s was sent %s: %v", name, position, err)
						}
					}
				}
				for _, g := range pairs[0].Games {
					n := g.Sides[0].PonderMisses + g.Sides[0].PonderHits
					testutil.Check(t, (n > 0) == test.thought, "%d searches on the opponent's time are counted", n)
				}
			})
		})
	}
}

// TestNoPonderingOnAnEndedGame: if the predicted reply ends the game by the rules, the player does not ponder on it.
// Each player predicts a mate if there is one. The last ply before the limit is another end.
func TestNoPonderingOnAnEndedGame(t *testing.T) {
	for start, mated := range map[string]bool{"startpos": false, "sfen 4k4/9/4P4/9/9/9/r7r/9/4K4 w 2G 1": true} {
		synctest.Test(t, func(t *testing.T) {
			mates := 0
			mating := func(p *shogi.Position) shogi.Move {
				moves := p.LegalMoves(nil)
				for _, m := range moves {
					next := *p
					if next.Apply(m); !next.HasLegalMove() {
						mates++
						return m
					}
				}
				return append(moves, shogi.NoMove)[0]
			}
			plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Main: time.Minute}})
			plan.Ponder, plan.Rules.MaxPlies, plan.Openings[0].Start = match.PonderStandard, 8,
				strings.TrimPrefix(start, "sfen ")
			players := map[string]*expecting{"A": {fake: fake{name: "A"}, expect: mating},
				"B": {fake: fake{name: "B"}, expect: mating}}
			testutil.OK(t, testutil.Err(play(t, plan, func(name string) *expecting { return players[name] })))
			thought := append(players["A"].thought, players["B"].thought...)
			testutil.Check(t, len(thought) > 0 && (mates > 0) == mated, "%s: %d positions, %d mates predicted", start,
				len(thought), mates)
			for _, position := range thought {
				h := testutil.Must(position.History())(t)
				ply := h.Start().Ply() - 1 + h.MoveCount()
				testutil.Check(t, h.Position().HasLegalMove() && h.Repetition() == shogi.RepetitionNone && ply < 8,
					"pondered on %s", position)
			}
		})
	}
}

// TestBoundsAreStoredAsBounds: a search that ends with a bound has the last exact score, and only that decides an
// adjudication. Without an exact score, the record has the bound. Both players say at each move that the value is at
// least -2600; taken as exact, it would end the game after six moves.
func TestBoundsAreStoredAsBounds(t *testing.T) {
	bound := usi.Info{HasScore: true, Score: usi.Score{Value: -2600, Bound: usi.LowerBound}}
	exact := usi.Info{HasScore: true, Score: usi.Score{Value: 30}}
	for name, want := range map[string]kifu.Move{"exact": {Score: 30, HasScore: true},
		"bound": {Score: -2600, Bound: kifu.AtLeast}} {
		synctest.Test(t, func(t *testing.T) {
			plan := testPlan(1, 1, fixedNodes)
			plan.Adjudication = match.Adjudication{ResignScore: 2000, ResignMoves: 3, OneSided: true}
			pairs := testutil.Must(play(t, plan, func(player string) *fake {
				return &fake{name: player, answer: func(_ int, p *shogi.Position) (usi.Reply, error) {
					r := usi.Reply{Answer: usi.AnswerMove, Move: p.LegalMoves(nil)[0], Lines: []usi.Info{bound}}
					if name == "exact" {
						r.Exact = exact
					}
					return r, nil
				}}
			}))(t)
			for _, g := range pairs[0].Games {
				testutil.Check(t, g.Termination != match.ScoreAdjudication && len(g.Record.Moves) > 6, "%s after %d plies",
					g.Termination, len(g.Record.Moves))
				for _, m := range g.Record.Moves {
					testutil.Check(t, m.Score == want.Score && m.HasScore == want.HasScore && m.Bound == want.Bound, "%+v", m)
				}
			}
		})
	}
}

func TestStartsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(16, 8, fixedNodes)
		plan.StartParallel = 3
		var starting, most, opened atomic.Int64
		_, err := play(t, plan, func(name string) *fake {
			opened.Add(1)
			n := starting.Add(1)
			most.Store(max(most.Load(), n))
			time.Sleep(time.Second) // in synctest's time
			first := true
			return &fake{name: name, newGame: func() error {
				if first {
					time.Sleep(time.Second) // in synctest's time
					starting.Add(-1)
					first = false
				}
				return nil
			}}
		})
		if err != nil || most.Load() != 3 || opened.Load() != 16 {
			t.Errorf("%v, at most %d starting of %d", err, most.Load(), opened.Load())
		}
	})
}

func TestWarmUpIsAloneAndFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(4, 4, fixedNodes)
		plan.Players[1].WarmUp = true
		plan.Players[1].Env = []string{"SLOT={slot}", "GPU={gpu}"}
		plan.SlotsPerGPU = 2
		var mu sync.Mutex
		var order, env []string
		_, err := playConfig(t.Context(), runner.Config{
			Plan: plan,
			Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
				time.Sleep(time.Second) // long enough that each slot has its pair before any pair is played
				mu.Lock()
				defer mu.Unlock()
				order = append(order, p.Name)
				env = append(env, p.Env...)
				return &fake{name: p.Name}, nil
			},
		})
		testutil.Check(t, err == nil && len(order) == 9 && order[0] == "B", "%v, opened %v", err, order)
		for _, want := range []string{"SLOT=3", "GPU=1", "SLOT=0", "GPU=0"} {
			testutil.Check(t, slices.Contains(env, want), "no %s in %v", want, env)
		}
	})
}
