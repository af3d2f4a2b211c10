package runner

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/usi"
)

// lateMachine is a clock that jumps. The value by is the delay of the program.
type lateMachine struct{ by atomic.Int64 }

func (m *lateMachine) now() time.Time { return time.Now().Add(time.Duration(m.by.Load())) }

// watch returns the watcher of a machine that does not sleep.
func (m *lateMachine) watch() *lateness {
	return &lateness{now: m.now, other: func() offsets { return offsets{} }, waits: func() time.Duration { return 0 }}
}

func (m *lateMachine) jumpAfter(d, by time.Duration) {
	time.AfterFunc(d, func() { m.by.Add(int64(by)) })
}

func TestLatenessIsWhatATimerFiredLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		var machine lateMachine
		l := machine.watch()
		l.start(ctx)
		machine.jumpAfter(10*time.Millisecond, latenessFloor) // too short to count
		machine.jumpAfter(50*time.Millisecond, 300*time.Millisecond)
		machine.jumpAfter(90*time.Millisecond, 40*time.Millisecond)
		began := time.Now()
		for _, step := range []struct{ at, want time.Duration }{
			{30 * time.Millisecond, 0}, {80 * time.Millisecond, 300 * time.Millisecond}, {time.Minute, 300 * time.Millisecond},
		} {
			time.Sleep(step.at - time.Since(began)) // in synctest's time
			synctest.Wait()
			testutil.Equal(t, l.since(began), step.want, "after %v", step.at)
		}
		testutil.Equal(t, l.since(machine.now()), 0, "since now")
		cancel()
		l.wait()
	})
}

// TestOwnWaitsAreLateness: the time that a thread of this program waited for a CPU counts as lateness, before and after
// the next tick of the watcher.
func TestOwnWaitsAreLateness(t *testing.T) {
	for _, noticed := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) { ownWaits(t, noticed) })
	}
}

func ownWaits(t *testing.T, noticed bool) {
	t.Helper()
	var machine lateMachine
	l := machine.watch()
	waited := latenessFloor // too short to count
	l.waits = func() time.Duration { defer func() { waited = 0 }(); return waited }
	l.expect(l.read())
	began := machine.now()
	machine.by.Add(int64(time.Second))
	l.expect(l.read())
	testutil.Equal(t, l.since(began), 0, "for a short wait")
	waited = 120 * time.Millisecond
	if noticed {
		l.tick()
	}
	for range 2 {
		testutil.Equal(t, l.since(began), 120*time.Millisecond, "noticed %t", noticed)
	}
	testutil.Equal(t, l.since(machine.now()), 0, "since now")
}

// steady is a player whose sixth ply takes half a second. It does not report whether it waited for a CPU.
type steady struct{ sixth func() }

func (p *steady) Think(_ context.Context, r usi.Request) (usi.Reply, error) {
	h, err := r.Position.History()
	if err != nil {
		return usi.Reply{}, err
	}
	reply := usi.Reply{Answer: usi.AnswerMove, Move: h.Position().LegalMoves(nil)[0]}
	if len(r.Position.Moves) == 5 {
		p.sixth()
		reply.Elapsed = 500 * time.Millisecond
		time.Sleep(reply.Elapsed) // in synctest's time
	}
	return reply, nil
}

func (*steady) NewGame(context.Context, usi.Game) error     { return nil }
func (*steady) GameOver(context.Context, usi.Outcome) error { return nil }
func (*steady) Close() error                                { return nil }

type lastPair struct{ result match.PairResult }

func (s *lastPair) Put(_ context.Context, _ Lease, r match.PairResult) (bool, error) {
	s.result = r
	return true, nil
}
func (*lastPair) PutAttempt(context.Context, Lease, match.Attempt) error { return nil }

// TestOwnLatenessMarksAGame: if this program may have stamped a bestmove too late, the game is marked. Without a clock
// the game is not marked.
func TestOwnLatenessMarksAGame(t *testing.T) {
	byoyomi := match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond}
	nodes := match.Limits{Nodes: 10, Stall: time.Second, Margin: 100 * time.Millisecond}
	for _, test := range []struct {
		limits match.Limits
		late   time.Duration
		marked bool
	}{
		{byoyomi, 0, false}, {byoyomi, 90 * time.Millisecond, false}, {byoyomi, 110 * time.Millisecond, true},
		{nodes, 400 * time.Millisecond, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			rules := match.RulesProfiles()[match.DefaultRules]
			rules.MaxPlies = 10
			plan := &match.Plan{
				Run: "late", Rules: rules, Pairs: 1, Concurrency: 1, Design: match.Design{Kind: match.DesignMatch, Swap: true},
				Openings: []match.Opening{{ID: "1", Start: "startpos"}},
				Players:  []match.Player{{Name: "A", Limits: test.limits}, {Name: "B", Limits: test.limits}},
			}
			var machine lateMachine
			var sink lastPair
			r := testutil.Must(newRun(Config{
				Plan: plan, Source: NewPlanSource(plan, func(int) bool { return false }), Sink: &sink,
				Open: func(context.Context, match.Player, []int) (Player, error) {
					return &steady{sixth: func() { machine.jumpAfter(250*time.Millisecond, test.late) }}, nil
				},
			}))(t)
			r.late = machine.watch()
			testutil.OK(t, r.play(t.Context()))
			testutil.Check(t, len(sink.result.Games) == 2 && sink.result.Games[0].Marked == test.marked,
				"%+v, late by %v: %+v", test.limits, test.late, sink.result.Games)
		})
	}
}
