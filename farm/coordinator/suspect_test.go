package coordinator_test

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match"
)

// loses plays a pair on a machine with which the first player loses every game.
func loses(p *match.Plan, id int) match.PairResult { return playAs(p, id, 0) }

// TestResidualsQuarantine: the coordinator quarantines a worker whose results differ from those of the others, also
// after a restart. Its stored pairs stay, and the other workers continue. A pardon holds until there is new evidence. A
// test that was submitted without the rule accuses no worker. A test whose only two workers differ accuses no worker
// either.
func TestResidualsQuarantine(t *testing.T) {
	for name, test := range map[string]struct {
		rule    bool
		workers int
	}{"by the rule": {true, 4}, "without it": {false, 4}, "of two": {true, 2}} {
		t.Run(name, func(t *testing.T) {
			inFarm(t, func(t *testing.T, f *theFarm) {
				f.reconfigure(func(c *coordinator.Config) { c.Accuse = test.rule })
				p := f.plays("long", 700, 1)
				f.config.Accuse = true // a later change does not apply to this test
				bad := f.begin(&hand{name: "w0", slots: 2, plays: loses, takes: seconds(20)})
				for _, name := range []string{"w1", "w2", "w3"}[:test.workers-1] {
					f.hand(name, 2)
				}
				if !test.rule || test.workers == 2 {
					if test.rule {
						f.until("it says that they differ", func() bool { return logHas(f, "it is unknown which is wrong") })
						f.restart() // it is not reported again
					}
					f.until("it is over", func() bool { return f.test("long").State == farm.Over })
					for i := range test.workers {
						if w := f.c.Status(f.ctx).Workers[i]; w.Quarantine != "" {
							t.Errorf("%s is quarantined: %s", w.Name, w.Quarantine)
						}
					}
					told := map[string]int{}
					for _, c := range f.test("long").Log {
						if about, _, ok := strings.Cut(c.What, ":"); ok && strings.Contains(c.What, "it is unknown which is wrong") {
							told[about]++
						}
					}
					testutil.Check(t, (len(told) > 0) == test.rule, "the log tells of it: %v", told)
					for about, n := range told {
						testutil.Check(t, n == 1, "the log says %d times that %s differs", n, about)
					}
					return
				}
				f.until("w0 is quarantined", func() bool { return f.worker("w0").Quarantine != "" })
				w := f.worker("w0")
				if !logHas(f, "w0 is quarantined: in long, its results") { // the log names the test with the evidence
					t.Errorf("%+v", f.test("long").Log)
				}
				if !strings.Contains(w.Quarantine, "in long, its results differ from the others: e = 10^") ||
					!logHas(f, "w0 is quarantined") || !logHas(f, "is quarantined; its results stay") {
					t.Errorf("%+v", w)
				}
				f.restart()
				time.Sleep(2 * time.Minute)
				if w := f.worker("w0"); w.Quarantine == "" || w.Held > 0 {
					t.Errorf("after a restart: %+v", w)
				}
				by, _ := f.disk.stores[p.Digest()].By(f.ctx, tests.Selection{Worker: "w0"})
				testutil.Check(t, len(by) >= 20, "%d of its pairs are left", len(by))
				testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Off: true}, nil))
				bad.kill()
				bad.plays = nil // it was repaired
				before := map[string]int{}
				for _, w := range f.c.Status(f.ctx).Workers {
					before[w.Name] = w.Added
				}
				bad.begin()
				f.until("it is over", func() bool { return f.test("long").State == farm.Over })
				for _, w := range f.c.Status(f.ctx).Workers {
					testutil.Check(t, w.Quarantine == "", "%s is quarantined at the end: %s", w.Name, w.Quarantine)
					if n := w.Added - before[w.Name]; n < 20 {
						t.Errorf("%s played %d pairs after the pardon", w.Name, n)
					}
				}
			})
		})
	}
}

func logHas(f *theFarm, what string) bool {
	return slices.ContainsFunc(f.test("long").Log, func(c farm.Change) bool { return strings.Contains(c.What, what) })
}

// TestWhoIsQuarantinedByHandAccusesNobody: if an administrator quarantines a worker, its pairs stay. They are no longer
// evidence against the other worker, at once and after a restart.
func TestWhoIsQuarantinedByHandAccusesNobody(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Accuse = true })
		f.run(testPlan("long", 700, 1))
		f.begin(&hand{name: "w0", slots: 2, plays: loses, takes: seconds(20)})
		f.hand("w1", 2)
		f.until("they differ", func() bool {
			return slices.ContainsFunc(f.c.Status(f.ctx).Workers, func(w farm.WorkerStatus) bool {
				return w.Name == "w1" && w.Log10E > 2
			})
		})
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Why: "its memory is broken"}, nil))
		if now := f.worker("w1").Log10E; now > 0.5 {
			t.Errorf("the evidence against w1 is 10^%.1f, of pairs of a worker that is in quarantine", now)
		}
		f.restart()
		time.Sleep(time.Minute) // the worker connects
		if now := f.worker("w1").Log10E; now > 0.5 {
			t.Errorf("after a restart it is 10^%.1f", now)
		}
	})
}

// unlike is play on a machine where the speed ratio of the first to the second player is e^offset times the usual one.
// The ratio varies by 2 % between pairs. The first mover wins, so that all results are equal.
func unlike(name string, offset float64) func(*match.Plan, int) match.PairResult {
	return func(p *match.Plan, id int) match.PairResult {
		r := playOut(p, p.Pair(id), func(g match.Game) bool { return g.Players[len(g.Opening.Moves)%2] == 0 })
		h := fnv.New64a()
		fmt.Fprint(h, name)
		random := rand.New(rand.NewPCG(h.Sum64(), uint64(id)))
		nodes := []uint64{uint64(1e6 * math.Exp(offset+0.02*random.NormFloat64())), 1e6}
		for i := range r.Games {
			g := &r.Games[i]
			moves := g.Record.Moves
			mover := g.Players[len(g.Record.Moves[:len(moves)-1])%2]
			moves[len(moves)-1].Nodes = nodes[mover]
			for c := range g.Sides {
				if g.Players[c] == mover {
					g.Sides[c].Nodes = nodes[mover]
				}
			}
		}
		return r
	}
}

// TestUnlikeMachinesAreNotQuarantined: the coordinator ignores speed ratios that differ by 1 %. A machine whose ratio
// is off by a quarter is on probation: all its pairs are audited. It still gets pairs, also after a restart. A pardon
// ends this.
func TestUnlikeMachinesAreNotQuarantined(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Accuse, c.Auditor = true, fifth{} })
		f.run(testPlan("long", 1000, 1))
		offsets := []float64{-0.25, 0.01, 0.003, -0.01, 0.005, -0.005, 0, -0.003}
		for i, offset := range offsets {
			name := fmt.Sprint("w", i)
			f.begin(&hand{name: name, slots: 2, plays: unlike(name, offset), takes: seconds(20)})
		}
		f.until("w0 is on probation", func() bool { return f.worker("w0").Probation != "" })
		w := f.worker("w0")
		testutil.Check(t, strings.Contains(w.Probation, "its speed of one side differ from the others: e = 10^"), "%+v", w)
		f.restart()
		f.until("it is over", func() bool { return f.test("long").State == farm.Over })
		for i := range offsets {
			w := f.worker(fmt.Sprint("w", i))
			testutil.Check(t, w.Quarantine == "" && (w.Probation != "") == (i == 0) && (i != 0 || w.Added >= 20),
				"%s: quarantined %q, on probation %q, %d pairs after the restart", w.Name, w.Quarantine, w.Probation, w.Added)
		}
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Off: true}, nil))
		if w := f.worker("w0"); w.Probation != "" {
			t.Errorf("after a pardon: %+v", w)
		}
	})
}
