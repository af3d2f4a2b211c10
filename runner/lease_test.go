package runner_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
)

// TestResumePlaysWhatIsMissing: a resumed run plays exactly the missing pairs, in the order of the plan. Each pair has
// the opening and the seed that the plan gives it.
func TestResumePlaysWhatIsMissing(t *testing.T) {
	finished := map[int]bool{0: true, 1: true, 4: true, 6: true, 9: true}
	want := []int{2, 3, 5, 7, 8}
	plan := testPlan(10, 3, fixedNodes)
	plan.Openings = append(plan.Openings, match.Opening{ID: "2", Start: "startpos"},
		match.Opening{ID: "3", Start: "startpos"})
	isFinished := func(id int) bool { return finished[id] }

	var order []int
	source := runner.NewPlanSource(plan, isFinished)
	for l, err := source.Next(t.Context()); err == nil; l, err = source.Next(t.Context()) {
		order = append(order, l.Pair.ID)
	}
	testutil.Slices(t, order, want, "handed out")

	synctest.Test(t, func(t *testing.T) {
		sink := &memorySink{pairs: map[int]match.PairResult{}}
		err := runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: runner.NewPlanSource(plan, isFinished), Sink: sink,
			Open: openAll(func(context.Context, string) (runner.Player, error) { return &fake{}, nil }),
		})
		testutil.Require(t, err == nil && len(sink.pairs) == len(want), "%v, %d pairs", err, len(sink.pairs))
		for _, id := range want {
			got, planned := sink.pairs[id].Pair, plan.Pair(id)
			if got.Opening.ID != planned.Opening.ID || got.Seed != planned.Seed || len(sink.pairs[id].Games) != 2 {
				t.Errorf("pair %d: opening %s, seed %d, %d games", id, got.Opening.ID, got.Seed, len(sink.pairs[id].Games))
			}
		}
	})
}

// opened plays leases of several plans in one slot and lists the names of the opened players.
func opened(t *testing.T, perSlot int, plans ...*match.Plan) (names []string, sink *memorySink) {
	t.Helper()
	return openedFor(t, perSlot, func(*runner.Lease) {}, plans...)
}

// openedFor does the work of opened for leases that change has changed.
func openedFor(t *testing.T, perSlot int, change func(*runner.Lease), plans ...*match.Plan) (names []string,
	sink *memorySink) {
	t.Helper()
	sink = &memorySink{pairs: map[int]match.PairResult{}}
	synctest.Test(t, func(t *testing.T) {
		var noted journal
		var leases []runner.Lease
		for id, p := range plans {
			leases = append(leases, lease(p, id, &noted))
			change(&leases[id])
		}
		var open, closed atomic.Int64
		err := runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: leases}, Sink: sink, Concurrency: 1, StartParallel: 1, OpenPerSlot: perSlot,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				names = append(names, name) // safe without a mutex: StartParallel is 1
				open.Add(1)
				n := open.Load() - closed.Load()
				testutil.Check(t, n <= int64(max(2, perSlot)), "%d players are open", n)
				return &fake{closed: &closed}, nil
			}),
		})
		if err != nil || len(sink.pairs) != len(plans) || open.Load() != closed.Load() {
			t.Errorf("%v, %d pairs, %d opened, %d closed", err, len(sink.pairs), open.Load(), closed.Load())
		}
	})
	slices.Sort(names)
	return names, sink
}

func TestASlotKeepsThePlayersThatItUsedLast(t *testing.T) {
	x, y, z := planNamed("x"), planNamed("y"), planNamed("z")
	for name, test := range map[string]struct {
		perSlot int
		plans   []*match.Plan
		want    string
	}{
		"two":                  {0, []*match.Plan{x, y, x}, "x.A x.A x.B x.B y.A y.B"},
		"four":                 {4, []*match.Plan{x, y, x}, "x.A x.B y.A y.B"},
		"four, y used later":   {4, []*match.Plan{x, y, z, y}, "x.A x.B y.A y.B z.A z.B"},
		"four, x used earlier": {4, []*match.Plan{x, y, z, x}, "x.A x.A x.B x.B y.A y.B z.A z.B"},
		"four, x used again":   {4, []*match.Plan{x, y, x, z, x}, "x.A x.B y.A y.B z.A z.B"},
	} {
		t.Run(name, func(t *testing.T) {
			names, _ := opened(t, test.perSlot, test.plans...)
			testutil.Equal(t, strings.Join(names, " "), test.want, "opened")
		})
	}
}

func TestALeaseIsPlayedByItsOwnPlan(t *testing.T) {
	short, long := planNamed("short"), planNamed("long")
	short.Rules.MaxPlies, long.Rules.MaxPlies = 6, 12
	_, sink := opened(t, 0, short, long)
	for id, want := range []struct {
		run   string
		plies int
	}{{"short", 6}, {"long", 12}} {
		for _, g := range sink.pairs[id].Games {
			if r := g.Record; len(r.Moves) != want.plies || r.Event != want.run || !strings.HasPrefix(r.Black, want.run) {
				t.Errorf("pair %d: %d plies of %s, by %s", id, len(r.Moves), r.Event, r.Black)
			}
		}
	}
}

func TestAPlanIsWarmedUpOnceARun(t *testing.T) {
	warm, cold := planNamed("warm"), planNamed("cold")
	warm.Players[1].WarmUp = true
	names, _ := opened(t, 4, cold, warm, cold, warm)
	testutil.Equal(t, strings.Join(names, " "), "cold.A cold.B warm.A warm.B warm.B", "opened")
}

// TestAFreshProcess: in two pairs of two games, the restart policy decides which players get a new process, and how
// often.
func TestAFreshProcess(t *testing.T) {
	for restart, want := range map[match.Restart]string{
		match.RestartNever: "p.A p.B", match.RestartPair: "p.A p.A p.B", match.RestartGame: "p.A p.A p.A p.A p.B",
	} {
		plan := planNamed("p")
		plan.Players[0].Restart = restart
		names, _ := opened(t, 0, plan, plan)
		testutil.Equal(t, strings.Join(names, " "), want, "%s: opened", restart)
	}
}

// TestFreshPairs: a lease whose pair must not depend on earlier pairs gets new processes, apart from built-in engines.
func TestFreshPairs(t *testing.T) {
	plan := planNamed("p")
	plan.Players[1].Builtin = true
	names, _ := openedFor(t, 0, func(l *runner.Lease) { l.Fresh = true }, plan, plan)
	testutil.Equal(t, strings.Join(names, " "), "p.A p.A p.B", "opened")
}

// TestASlowedPairIsPlayedAgainFromTheBeginning: if the machine delayed a move, the pair is played again from the
// beginning, with a new process if every pair has one. The earlier failures then no longer count as consecutive,
// because the pair was played.
func TestASlowedPairIsPlayedAgainFromTheBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(1, 1, match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: 100 * time.Millisecond})
		plan.Slowed, plan.Players[0].Restart = match.PolicyVoid, match.RestartPair
		sink := &hookSink{}
		plan.Run = "p"
		var opened, tries int
		err := runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: []runner.Lease{lease(plan, 0, &sink.journal)}}, Sink: sink, Concurrency: 1, StartParallel: 1,
			Open: openAll(func(_ context.Context, name string) (runner.Player, error) {
				if name == "B" {
					return &fake{}, nil
				}
				if opened++; opened != 2 { // the second attempt has a delayed move, all others fail
					return nil, errors.New("no")
				}
				f := &fake{}
				f.delay = func(int) time.Duration {
					if tries++; tries != 3 {
						return 0
					}
					time.AfterFunc(100*time.Millisecond, func() { f.waited.Add(int64(300 * time.Millisecond)) })
					return 500 * time.Millisecond
				}
				return f, nil
			}),
		})
		testutil.Check(t, err != nil && opened == 5 && sink.count("attempt p 0: opening a player: no") == 4 &&
			sink.count("slowed a move") == 1,
			"%v, A was opened %d times: %q", err, opened, sink.lines)
	})
}

func TestTheConfigurationWinsOverThePlan(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := testPlan(8, 8, fixedNodes)
		plan.StartParallel = 8
		var starting, most, slots atomic.Int64
		err := runner.Run(t.Context(), runner.Config{
			Plan: plan, Source: runner.NewPlanSource(plan, func(int) bool { return false }),
			Sink: &memorySink{pairs: map[int]match.PairResult{}}, Concurrency: 3, StartParallel: 2,
			Open: openAll(func(context.Context, string) (runner.Player, error) {
				slots.Add(1)
				most.Store(max(most.Load(), starting.Add(1)))
				time.Sleep(time.Second) // in synctest's time
				starting.Add(-1)
				return &fake{delay: everySecond}, nil
			}),
		})
		if err != nil || most.Load() != 2 || slots.Load() != 6 {
			t.Errorf("%v, %d started at a time, %d players", err, most.Load(), slots.Load())
		}
	})
}

func TestWhatCannotRun(t *testing.T) {
	plan := testPlan(1, 0, fixedNodes)
	var noted journal
	planless := lease(plan, 0, &noted)
	planless.Plan = nil
	open := openAll(func(context.Context, string) (runner.Player, error) { return &fake{}, nil })
	for want, c := range map[string]runner.Config{
		"runner: 0 slots: want at least one, from Config.Concurrency or the plan": {Plan: plan, Source: &queue{}, Open: open},
		"runner: pair 0: neither its lease nor the run has a plan": {
			Concurrency: 1, Source: &queue{leases: []runner.Lease{planless}}, Open: open, Sink: &hookSink{},
		},
	} {
		err := runner.Run(t.Context(), c)
		testutil.Check(t, err != nil && err.Error() == want, "error %v, want %s", err, want)
	}
	testutil.Equal(t, len(noted.lines), 1, "the lease without a plan: returned %q", noted.lines)
}

// TestAnUnplayablePairIsOnlyReturned: with OnlyReturn, a pair whose players do not start goes back to its source with
// the error. The runner plays the other pairs.
func TestAnUnplayablePairIsOnlyReturned(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		bad, good := planNamed("bad"), planNamed("good")
		var noted journal
		var why error
		broken := lease(bad, 0, &noted)
		broken.Return = func(err error) { why = err }
		sink := &memorySink{pairs: map[int]match.PairResult{}}
		err := runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: []runner.Lease{broken, lease(good, 1, &noted), lease(good, 2, &noted)}}, Sink: sink,
			Concurrency: 1, StartParallel: 1, OnlyReturn: true,
			Open: func(_ context.Context, p match.Player, _ []int) (runner.Player, error) {
				if strings.HasPrefix(p.Name, "bad") {
					return nil, errors.New("no such file")
				}
				return &fake{}, nil
			},
		})
		testutil.Check(t, err == nil && len(sink.pairs) == 2, "%v, %d pairs", err, len(sink.pairs))
		u, ok := errors.AsType[*runner.Unplayable](why)
		testutil.Check(t, ok && u.Plan == bad && u.Pair == 0 && u.Tries == 3, "returned with %v", why)
	})
}

// TestALeaseHasItsOwnEvents: the events of a lease go to the Events of the lease if it has one, and to those of the run
// otherwise.
func TestALeaseHasItsOwnEvents(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		own, others := runner.NewEvents("own", false), runner.NewEvents("others", false)
		var noted journal
		first := lease(planNamed("a"), 0, &noted)
		first.Events = own
		testutil.OK(t, runner.Run(t.Context(), runner.Config{
			Source: &queue{leases: []runner.Lease{first, lease(planNamed("b"), 1, &noted)}},
			Sink:   &memorySink{pairs: map[int]match.PairResult{}}, Concurrency: 1, Events: others,
			Open: openAll(func(context.Context, string) (runner.Player, error) { return &fake{}, nil }),
		}))
		for pair, events := range []*runner.Events{own, others} {
			events.Close()
			ended := 0
			for ev := range events.Stream() {
				if ev.Pair != nil && *ev.Pair != pair {
					t.Errorf("the listener of pair %d hears of pair %d", pair, *ev.Pair)
				}
				if ev.Type == match.EventEnd {
					ended++
				}
			}
			testutil.Check(t, ended == 2, "pair %d: %d games ended", pair, ended)
		}
	})
}
