package runner

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/shogi"
	"gogi/usi"
)

// TestStandstillBetween tests which standstill the clocks show between two ticks.
func TestStandstillBetween(t *testing.T) {
	const second = time.Second
	for name, test := range map[string]struct {
		now  offsets
		late time.Duration
		want *Standstill
	}{
		"nothing":        {offsets{}, 0, nil},
		"a busy machine": {offsets{}, second - 1, nil},
		"stopped":        {offsets{}, second, &Standstill{Stopped, second}},
		"slept":          {offsets{asleep: time.Hour, wall: time.Hour}, 0, &Standstill{Slept, time.Hour}},
		"slept, and woken late": {offsets{asleep: time.Minute, wall: time.Minute}, time.Second,
			&Standstill{Slept, time.Minute}},
		"slept for a moment":          {offsets{asleep: second - 1, wall: second - 1}, 0, nil},
		"all clocks stopped but one":  {offsets{wall: 3 * time.Second}, 0, &Standstill{Stepped, 3 * time.Second}},
		"set back":                    {offsets{wall: -second}, 0, &Standstill{Stepped, -second}},
		"the wall clock is corrected": {offsets{wall: second - 1}, 0, nil},
	} {
		got := standstillBetween(moment{}, moment{offsets: test.now}, test.late)
		testutil.Check(t, (got == nil) == (test.want == nil) && (got == nil || *got == *test.want),
			"%s: %+v, want %+v", name, got, test.want)
	}
}

// TestMomentsAreOfOneMachine: the clocks of this machine show no standstill while it is awake. The test reads them one
// after the other, within much less than a second. It fails if the machine sleeps during the test.
func TestMomentsAreOfOneMachine(t *testing.T) {
	l := &lateness{now: time.Now, other: readOffsets, waits: func() time.Duration { return 0 }}
	first := l.read()
	testutil.Check(t, first.asleep >= 0 && first.wall > 0,
		"slept %v since its start, which was %v after 1970", first.asleep, first.wall)
	began := time.Now()
	for range 1000 {
		now := l.read()
		if took := now.at.Sub(began); standstillBetween(first, now, 0) != nil && took < standstillFloor {
			t.Fatalf("a standstill within %v: %+v, then %+v", took, first, now)
		}
	}
}

// TestAPendingTickCounts: a pending tick counts as late, even if the watcher has not run yet. It does not count for a
// measurement that began later.
func TestAPendingTickCounts(t *testing.T) {
	var machine lateMachine
	l := machine.watch()
	l.expect(l.read())
	began := l.last
	testutil.Equal(t, l.since(began.at), 0, "before anything")
	const gap = 5 * time.Second
	machine.by.Add(int64(gap))
	for _, noticed := range []bool{false, true} {
		later := l.read()
		if noticed {
			l.tick()
		}
		by, stood := l.since(began.at), l.stood(began)
		testutil.Check(t, by >= gap-latenessTick && stood != nil && stood.Kind == Stopped && stood.By >= gap-latenessTick,
			"noticed %t: late by %v, stood still %+v", noticed, by, stood)
		if by, stood := l.since(later.at), l.stood(later); by > standstillFloor || stood != nil {
			t.Errorf("noticed %t: for what began later: late by %v, stood still %+v", noticed, by, stood)
		}
	}
}

// TestWhatOtherClocksSay: sleep counts from the beginning of a game, before and after the next tick. A step of the wall
// clock counts only from one tick to the next, because NTP also corrects this clock slowly all the time.
func TestWhatOtherClocksSay(t *testing.T) {
	var machine lateMachine
	var other offsets
	l := machine.watch()
	l.other = func() offsets { return other }
	l.expect(l.read())
	began := l.last
	pass := func(o offsets) (pending, noticed *Standstill) {
		other.asleep, other.wall = other.asleep+o.asleep, other.wall+o.wall
		machine.by.Add(int64(latenessTick))
		pending = l.stood(began)
		l.tick()
		return pending, l.stood(began)
	}
	for range 100 {
		if a, b := pass(offsets{wall: 10 * time.Millisecond}); a != nil || b != nil {
			t.Fatalf("a clock that is led is a standstill: %+v, %+v", a, b)
		}
	}
	if a, b := pass(offsets{wall: time.Second}); a == nil || *a != (Standstill{Stepped, time.Second}) || b == nil ||
		*b != *a {
		t.Errorf("set: %+v, %+v", a, b)
	}
	if a, b := pass(offsets{asleep: time.Hour, wall: time.Hour}); a == nil || *a != (Standstill{Slept, time.Hour}) ||
		b == nil || *b != *a {
		t.Errorf("slept: %+v, %+v", a, b)
	}
	s := l.stood(l.read())
	testutil.Check(t, s == nil, "since now: %+v", s)
}

// stopping is a player. At its sixth ply in its first games, the whole program stands still for five seconds, and no
// other goroutine runs before its answer.
type stopping struct {
	steady
	machine *lateMachine
	games   int // number of games with a standstill
	reply   func(r usi.Reply) (usi.Reply, error)
}

// failingStart is a player that fails to start for its first games. The whole program stands still during each failed
// start.
type failingStart struct {
	stopping
	starts int
	stands time.Duration
}

func (p *failingStart) NewGame(ctx context.Context, g usi.Game) error {
	if p.starts == 0 {
		return p.stopping.NewGame(ctx, g)
	}
	p.starts--
	p.machine.by.Add(int64(p.stands))
	return &usi.Fault{Kind: usi.FaultStart, Doing: "isready", Record: "the bundle"}
}

func (p *stopping) Think(ctx context.Context, r usi.Request) (usi.Reply, error) {
	p.sixth = func() {}
	reply, err := p.steady.Think(ctx, r)
	if len(r.Position.Moves) == 5 && p.games > 0 {
		p.games--
		p.machine.by.Add(int64(5 * time.Second))
		reply.Elapsed += 5 * time.Second
		return p.reply(reply)
	}
	return reply, err
}

// playStopping plays one pair. White of the first leg has the standstills.
func playStopping(t *testing.T, limits match.Limits, p *stopping) (match.PairResult, []match.Event, error) {
	t.Helper()
	return playOdds(t, [2]match.Limits{limits, limits}, p)
}

// playOdds is playStopping with different limits for each player.
func playOdds(t *testing.T, limits [2]match.Limits, p *stopping) (match.PairResult, []match.Event, error) {
	t.Helper()
	return playBeside(t, limits, p, p)
}

// playBeside plays one pair. White of the first leg is the player whole, of which p is the part with the standstills.
func playBeside(t *testing.T, limits [2]match.Limits, p *stopping, whole Player) (match.PairResult, []match.Event,
	error) {
	t.Helper()
	rules := match.RulesProfiles()[match.DefaultRules]
	rules.MaxPlies = 10
	plan := &match.Plan{
		Run: "stopped", Rules: rules, Pairs: 1, Concurrency: 1, Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Openings: []match.Opening{{ID: "1", Start: "startpos"}},
		Players:  []match.Player{{Name: "A", Limits: limits[0]}, {Name: "B", Limits: limits[1]}},
	}
	var machine lateMachine
	p.machine = &machine
	sink, events := &lastPair{}, NewEvents("stopped", false)
	r, err := newRun(Config{
		Plan: plan, Source: NewPlanSource(plan, func(int) bool { return false }), Sink: sink, Events: events,
		Open: func(_ context.Context, who match.Player, _ []int) (Player, error) {
			if who.Name == "B" {
				return whole, nil
			}
			return &steady{sixth: func() {}}, nil
		},
	})
	testutil.OK(t, err)
	r.late = machine.watch()
	err = r.play(t.Context())
	events.Close()
	return sink.result, slices.Collect(func(yield func(match.Event) bool) {
		for e := range events.Stream() {
			if !yield(e) {
				return
			}
		}
	}), err
}

var stoppable = map[string]match.Limits{
	"byoyomi": {Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond},
	"nodes":   {Nodes: 10, Stall: time.Second, Margin: 100 * time.Millisecond},
}

// oddsOf returns the limits of both players. With "odds" only the player with the standstills has a clock.
func oddsOf(name string) [2]match.Limits {
	if name == "odds" {
		return [2]match.Limits{stoppable["nodes"], stoppable["byoyomi"]}
	}
	return [2]match.Limits{stoppable[name], stoppable[name]}
}

func failing(kind usi.FaultKind) func(usi.Reply) (usi.Reply, error) {
	return func(usi.Reply) (usi.Reply, error) {
		return usi.Reply{}, &usi.Fault{Kind: kind, Searching: true, Doing: "thinking"}
	}
}

func unchanged(r usi.Reply) (usi.Reply, error) { return r, nil }

// TestAStandstillVoidsThePair: a standstill voids its pair, the runner plays the pair again as a whole, and an event
// has the reason. This holds for every policy for slowed moves, here the one that counts them. Without time limits a
// standstill changes nothing, unless the player failed during it.
func TestAStandstillVoidsThePair(t *testing.T) {
	for name, test := range map[string]struct {
		limits string
		reply  func(usi.Reply) (usi.Reply, error)
		void   bool
	}{
		"a move on a clock":  {"byoyomi", unchanged, true},
		"a fault on a clock": {"byoyomi", failing(usi.FaultHang), true},
		"resigned on a clock": {"byoyomi",
			func(r usi.Reply) (usi.Reply, error) { r.Answer = usi.AnswerResign; return r, nil }, true},
		"a move without a clock": {"nodes", unchanged, false},
		"White alone on a clock": {"odds", unchanged, true},
		"stalled":                {"nodes", func(r usi.Reply) (usi.Reply, error) { r.Stopped = true; return r, nil }, true},
		"crashed":                {"nodes", failing(usi.FaultCrash), true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				result, events, err := playOdds(t, oddsOf(test.limits), &stopping{games: 2, reply: test.reply})
				testutil.Require(t, err == nil && len(result.Games) == 2, "%v, %d games", err, len(result.Games))
				for _, g := range result.Games {
					testutil.Check(t, g.Termination == match.MaxPlies && g.Sides[shogi.White].WorstOverrun <= 0,
						"leg %d: %+v, marked %t, %+v", g.Leg, g.Verdict, g.Marked, g.Sides)
				}
				var why []string
				for _, e := range events {
					if e.Type == match.EventFault {
						why = append(why, e.Kind+" "+e.Note)
					}
				}
				want := 0
				if test.void {
					want = 2
				}
				testutil.Require(t, len(result.Attempts) == want && len(why) == want,
					"%d attempts, want %d; told %q", len(result.Attempts), want, why)
				for i, a := range result.Attempts {
					if !strings.HasPrefix(a.Why, "this program stood still for 5s") || why[i] != "unplayed "+a.Why {
						t.Errorf("attempt %q, told %q", a.Why, why[i])
					}
				}
			})
		})
	}
}

// TestAStartThatFailsDuringAStandstill: if an engine fails to start during a standstill, this does not count as a
// failed attempt. After standstillAttempts of them in a row, the run ends with the standstill as its error.
func TestAStartThatFailsDuringAStandstill(t *testing.T) {
	for name, test := range map[string]struct {
		starts      int
		stands      time.Duration
		fails, says bool // the run fails; the notes (and a failed run's error) report the standstill
	}{
		"as often as ends a run":        {attempts, 5 * time.Second, false, true},
		"one less than ends it by that": {standstillAttempts - 1, 5 * time.Second, false, true},
		"too often for that, too":       {standstillAttempts, 5 * time.Second, true, true},
		"while nothing stands still":    {attempts, 0, true, false},
		"less often":                    {attempts - 1, 0, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := &failingStart{stopping: stopping{reply: unchanged}, starts: test.starts, stands: test.stands}
				result, events, err := playBeside(t, oddsOf("nodes"), &p.stopping, p)
				testutil.Require(t, (err != nil) == test.fails && (len(result.Games) == 2) != test.fails,
					"%d games, %v", len(result.Games), err)
				told := lists.Filter(events, func(e match.Event) bool { return e.Type == match.EventFault })
				testutil.Require(t, len(told) == test.starts, "%d were told, want %d", len(told), test.starts)
				for _, e := range told {
					if strings.HasPrefix(e.Note, "this program stood still for 5s") != test.says ||
						!strings.Contains(e.Note, "isready") || e.Bundle != "the bundle" {
						t.Errorf("told: %q, bundle %q", e.Note, e.Bundle)
					}
				}
				if _, stood := errors.AsType[*Standstill](err); test.fails && stood != test.says {
					t.Errorf("the run's error: %v", err)
				}
			})
		})
	}
}

// TestStandstillsWithoutAnEndEndTheRun: if standstills void a pair standstillAttempts times, the run ends with the
// standstill as its error.
func TestStandstillsWithoutAnEndEndTheRun(t *testing.T) {
	for games, fails := range map[int]bool{standstillAttempts - 1: false, standstillAttempts: true} {
		synctest.Test(t, func(t *testing.T) {
			began := time.Now()
			result, _, err := playStopping(t, stoppable["byoyomi"], &stopping{games: games, reply: unchanged})
			s, ok := errors.AsType[*Standstill](err)
			testutil.Check(t, ok == fails && (!fails || s.Kind == Stopped), "%d standstills: %v", games, err)
			testutil.Check(t, (len(result.Games) == 2) != fails, "%d standstills: %d games are stored", games, len(result.Games))
			took := time.Since(began)
			testutil.Check(t, took <= time.Minute, "waited %v", took)
		})
	}
}
