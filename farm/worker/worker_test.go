package worker_test

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/worker"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner"
)

// field is a coordinator in memory with one machine.
type field struct {
	*coordinator
	*machine
	wire *memory
}

func newField(t *testing.T) *field {
	f := &field{wire: newMemory()}
	f.coordinator = newCoordinator(t, func(string) ed25519.PublicKey { return f.machine.public })
	f.machine = newMachine(t, f.coordinator)
	t.Cleanup(f.serve(context.Background(), f.wire))
	return f
}

// inField runs a test with a worker and its coordinator in a bubble of synctest.
func inField(t *testing.T, test func(t *testing.T, f *field)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newField(t)) })
}

// plays starts a worker whose players think for this time.
func (f *field) plays(t *testing.T, after time.Duration) (*worker.Worker, <-chan error) {
	t.Helper()
	w := f.join(t)
	return w, playing(t.Context(), w, after)
}

func (f *field) join(t *testing.T) *worker.Worker {
	t.Helper()
	return testutil.Must(worker.Join(t.Context(), f.wire, f.config))(t)
}

// playing runs Play in the background, with players that think for this time.
func playing(ctx context.Context, w *worker.Worker, after time.Duration) <-chan error {
	done := make(chan error, 1)
	go func() { done <- w.Play(ctx, runner.Config{Open: opener(after)}) }()
	return done
}

// drained drains a worker that plays, and closes it.
func drained(t *testing.T, w *worker.Worker, done <-chan error) {
	t.Helper()
	w.Drain()
	testutil.OK(t, errors.Join(<-done, w.Close(t.Context())))
}

func storedAll(c *coordinator, run string, pairs int) func() bool {
	return func() bool { return len(c.stored[run]) == pairs }
}

func TestEveryPairIsStoredOnce(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 20))
		w, done := f.plays(t, time.Second)
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 20))
		drained(t, w, done)
		if f.duplicates != 0 || len(f.back) != 0 || w.Ended() != nil {
			t.Errorf("%d duplicates, %v given back, ended %v", f.duplicates, f.back, w.Ended())
		}
		s := w.Status()
		testutil.Check(t, s.Outbox == 0, "%d items are left in the outbox", s.Outbox)
	})
}

// TestClocksAreScaled: a machine with half the reference speed gets twice the time, and reports the factor with each
// pair. It plays no run whose plan does not allow this factor.
func TestClocksAreScaled(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		scaled, narrow := plan("a", 4), plan("narrow", 4)
		for _, p := range []*match.Plan{scaled, narrow} {
			for i := range p.Players {
				p.Players[i].Limits = match.Limits{Clock: match.TimeControl{Main: 8 * time.Second}}
			}
			p.Scaling = match.Scaling{Engine: "reference", NPS: 1e6, Least: 0.25, Most: 4}
		}
		narrow.Scaling.Most = 1.5
		f.add(narrow)
		run := f.add(scaled)
		f.config.NPS, f.config.Reference = 5e5, "reference"
		w, done := f.plays(t, 10*time.Second) // more than 8 s, less than 16
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 4))
		if why := w.Status().Refused["narrow"]; !strings.Contains(why, "clocks times 2, and the plan allows 0.25 to 1.5") ||
			len(w.Status().Refused) != 1 {
			t.Errorf("refused: %q", w.Status().Refused)
		}
		drained(t, w, done)
		for _, r := range f.pairs {
			if r.Played.Scale != 2 || r.Games[0].Termination != match.Resignation {
				t.Errorf("pair %d: clocks times %g, ends by %s", r.Pair.ID, r.Played.Scale, r.Games[0].Termination)
			}
		}
		h := f.hellos[0]
		testutil.Check(t, h.Reference == "reference" && h.NPS == 5e5, "%+v", h)
	})
}

// TestTheCoordinatorIsAwayForHours: without its coordinator, a worker plays its granted pairs, stores the results and
// continues its heartbeats. All results arrive when the coordinator is back.
func TestTheCoordinatorIsAwayForHours(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 40))
		w, done := f.plays(t, 30*time.Second) // a pair takes a minute
		f.until(t.Context(), "some are stored", func() bool { return len(f.stored[run]) >= 4 })
		f.wire.set(func() { f.wire.away = true; clear(f.wire.asked) })
		time.Sleep(2 * time.Hour) // in synctest's time
		f.wire.set(func() {
			// The worker sends a heartbeat every 6.7 s, ±20%.
			if n := f.wire.asked[farm.SubjectBeat]; n < 880 || n > 1360 {
				t.Errorf("%d beats in two hours", n)
			}
			// The worker sends 1 to 2.3 requests per minute.
			if n := f.wire.asked[farm.SubjectLease]; n < 120 || n > 280 {
				t.Errorf("asked %d times in two hours", n)
			}
		})
		if s := w.Status(); s.Playing != 0 || s.Waiting != 0 || s.Outbox < 3 {
			t.Errorf("after two hours alone: %+v", s)
		}
		stored := len(f.stored[run])
		f.wire.set(func() { f.wire.away = false })
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 40))
		testutil.Check(t, f.duplicates == 0 && stored < 40, "%d duplicates, %d stored while it was away", f.duplicates,
			stored)
		drained(t, w, done)
	})
}

// TestAnotherCoordinatorAdoptsWhatIsHeld: a coordinator that does not know the session receives its leases. No pair is
// played twice.
func TestAnotherCoordinatorAdoptsWhatIsHeld(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 6))
		w, done := f.plays(t, time.Minute)
		f.until(t.Context(), "pairs are held", func() bool {
			return len(f.beats) > 0 && len(f.beats[len(f.beats)-1].Held) == 4
		})
		f.mu.Lock()
		clear(f.sessions)
		f.beats = nil
		f.mu.Unlock()
		f.until(t.Context(), "it said hello again", func() bool { return len(f.hellos) == 2 })
		f.until(t.Context(), "it told what it holds", func() bool { return len(f.beats) > 0 && len(f.beats[0].Held) == 4 })
		testutil.Check(t, f.hellos[0].Session == f.hellos[1].Session, "it is another session")
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 6))
		w.Drain()
		err := errors.Join(<-done, w.Close(t.Context()))
		testutil.Check(t, err == nil && f.duplicates == 0, "%v, %d duplicates", err, f.duplicates)
	})
}

// TestDrain: a draining worker returns its waiting pairs, and finishes and sends its pairs in play.
func TestDrain(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 100))
		w, done := f.plays(t, time.Minute)
		synctest.Wait()
		s := w.Status()
		testutil.Require(t, s.Playing == 2 && s.Waiting == 2, "before: %+v", s)
		drained(t, w, done)
		testutil.Check(t, len(f.stored[run]) == 2 && len(f.back) == 2 && !f.back[0].Crashed,
			"%d stored, given back %+v", len(f.stored[run]), f.back)
	})
}

// TestGiveBack: a canceled worker returns all its pairs, none of them as a crash.
func TestGiveBack(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		f.add(plan("a", 100))
		w := f.join(t)
		ctx, cancel := context.WithCancel(t.Context())
		done := playing(ctx, w, time.Minute)
		synctest.Wait()
		cancel()
		testutil.Is(t, <-done, context.Canceled)
		if err := w.Close(t.Context()); err != nil {
			t.Error(err)
		}
		pairs := map[int]bool{}
		for _, b := range f.back {
			pairs[b.Pair] = true
			testutil.Check(t, !b.Crashed, "%+v is no crash", b)
		}
		// Two are played and two wait. More may come from requests that were sent as slots became free.
		if len(pairs) < 4 || len(f.back) != len(pairs) || len(f.back) != int(f.epoch) {
			t.Errorf("of %d granted pairs are given back: %+v", f.epoch, f.back)
		}
	})
}

// TestWhatIsTakenAwayIsThrownAway: a worker drops the pairs that a heartbeat reply names. It drops all pairs of a run
// that a hint reports as over.
func TestWhatIsTakenAwayIsThrownAway(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 4))
		w, done := f.plays(t, time.Hour)
		synctest.Wait()
		f.mu.Lock()
		f.told.Drop = []farm.Held{f.held[run][0], f.held[run][3]} // one in play, one waiting
		f.mu.Unlock()
		f.until(t.Context(), "it holds two", func() bool { n := len(f.beats); return n > 0 && len(f.beats[n-1].Held) == 2 })
		hint := testutil.Must(farm.Encode(farm.Hint{Over: []string{run}}))(t)
		testutil.OK(t, f.wire.Send(farm.SubjectAll, hint))
		synctest.Wait()
		s := w.Status()
		testutil.Check(t, s.Playing == 0 && s.Waiting == 0, "after the run was over: %+v", s)
		drained(t, w, done)
		testutil.Check(t, len(f.stored[run]) == 0 && len(f.back) == 0, "stored %v, given back %v", f.stored[run], f.back)
	})
}

// TestARunThatCannotBePlayedHere: if the engines of a run do not start, the worker returns a pair as a crash. It also
// returns the waiting pairs of this run, and plays the other run.
func TestARunThatCannotBePlayedHere(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		broken := f.add(plan("broken", 50))
		run := f.add(plan("a", 10))
		w, done := f.plays(t, time.Second)
		f.until(t.Context(), "the other is stored", storedAll(f.coordinator, run, 10))
		crashed, others := 0, 0
		for _, b := range f.back {
			switch {
			case b.Run != broken:
				t.Errorf("%+v was given back", b)
			case b.Crashed:
				crashed++
			default:
				others++
			}
		}
		if crashed < 1 || crashed > 2 || others < 1 { // two slots may try one each
			t.Errorf("%d crashes and %d others are given back", crashed, others)
		}
		s := w.Status()
		testutil.Check(t, strings.Contains(s.Refused["broken"], "exec format error"), "refused: %v", s.Refused)
		f.until(t.Context(), "its attempts are told", func() bool { return len(f.attempts) >= 3 })
		drained(t, w, done)
	})
}

// TestAResultThatIsTooLong: a worker returns a pair with a result that is too long as a crash, and plays the other run.
func TestAResultThatIsTooLong(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		long := f.add(plan("long", 50))
		run := f.add(plan("a", 10))
		w, done := f.plays(t, time.Second)
		f.until(t.Context(), "the other is stored", storedAll(f.coordinator, run, 10))
		testutil.Check(t, slices.ContainsFunc(f.back, func(b farm.Back) bool { return b.Run == long && b.Crashed }),
			"%+v is given back", f.back)
		s := w.Status()
		testutil.Check(t, strings.Contains(s.Refused["long"], "set a smaller selfplay.block"), "refused: %v", s.Refused)
		drained(t, w, done)
	})
}

// TestOnlyWhatIsSignedAndAllowedIsPlayed: a worker refuses a task without a signature, with a wrong plan, or against
// its policy.
func TestOnlyWhatIsSignedAndAllowedIsPlayed(t *testing.T) {
	for name, test := range map[string]struct {
		change func(f *field, task *farm.Task)
		want   string
	}{
		"unsigned":       {func(_ *field, k *farm.Task) { k.Signature = nil }, "not signed"},
		"another's plan": {func(f *field, k *farm.Task) { k.Run = strings.Repeat("0", 64); sign(f, k) }, "digest"},
		"unapproved":     {func(f *field, k *farm.Task) { k.Approved = false; sign(f, k) }, "policy"},
		"no plan":        {func(f *field, k *farm.Task) { k.Plan = []byte("{}"); sign(f, k) }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newField(t)
				p := plan("a", 4)
				text := testutil.Must(match.EncodePlan(p))(t)
				task := farm.Task{Run: p.Digest(), Name: "a", Plan: text, Owner: "owner", Approved: true}
				sign(f, &task)
				test.change(f, &task)
				f.addTask(task, p)
				w, done := f.plays(t, time.Second)
				f.until(t.Context(), "it is refused", func() bool {
					n := len(f.asks)
					return n > 1 && len(f.asks[n-1].Refuse) == 1 && len(f.back) == 4
				})
				why := f.back[0].Why
				testutil.Check(t, strings.Contains(why, test.want), "given back: %s", why)
				w.Drain()
				err := errors.Join(<-done, w.Close(t.Context()))
				testutil.Check(t, err == nil && len(f.stored[task.Run]) == 0, "%v, stored %v", err, f.stored)
			})
		})
	}
}

func sign(f *field, task *farm.Task) {
	testutil.OK(f.t, task.Sign(f.coordinator.sign))
}

func TestPolicy(t *testing.T) {
	a, b := "hash:"+strings.Repeat("a", 64), "hash:"+strings.Repeat("b", 64)
	for name, test := range map[string]struct {
		rules    []string
		approved bool
		played   bool
	}{
		"nothing said, approved":     {nil, true, true},
		"nothing said, not approved": {nil, false, false},
		"its owner":                  {[]string{"owner:owner"}, false, true},
		"another owner":              {[]string{"owner:own"}, true, false},
		"both hashes":                {[]string{a, b}, false, true},
		"one hash":                   {[]string{a}, true, false},
		"one hash, or approved":      {[]string{a, "any-approved"}, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newField(t)
				p := plan("a", 1)
				text, err := match.EncodePlan(p)
				testutil.OK(t, err)
				task := farm.Task{Run: p.Digest(), Name: "a", Plan: text, Owner: "owner", Approved: test.approved}
				sign(f, &task)
				f.addTask(task, p)
				if f.config.Policy, err = worker.NewPolicy(test.rules); err != nil {
					t.Fatal(err)
				}
				w, done := f.plays(t, time.Second)
				f.until(t.Context(), "played or refused", func() bool { return len(f.stored[task.Run])+len(f.back) > 0 })
				if played := len(f.stored[task.Run]) == 1; played != test.played {
					t.Errorf("played: %v, want %v", played, test.played)
				}
				drained(t, w, done)
			})
		})
	}
	for name, change := range map[string]func(p *match.Plan){
		"a binary for another machine": func(p *match.Plan) {
			p.Players[0].Identity.Variants = []match.Variant{
				{OS: "linux", Arch: "amd64", SHA256: strings.Repeat("a", 64), Size: 1},
				{OS: "linux", Arch: "arm64", SHA256: strings.Repeat("c", 64), Size: 1},
			}
		},
		"a source beside an allowed binary": func(p *match.Plan) {
			p.Players[0].Identity.Source = &match.Source{Repository: "https://x/y", Commit: strings.Repeat("c", 40), Recipe: "#",
				Bench: 1}
		},
		"a source of the built-in engine": func(p *match.Plan) {
			p.Players[0].Builtin = true
			p.Players[0].Identity = match.Identity{Source: &match.Source{Repository: "https://x/y",
				Commit: strings.Repeat("c", 40), Recipe: "#", Bench: 1}}
		},
		"a solver of mates": func(p *match.Plan) {
			solver := p.Players[0]
			solver.Name, solver.Identity = "solver",
				match.Identity{Files: []match.FileHash{{Role: match.BinaryRole, SHA256: strings.Repeat("c", 64)}}}
			p.Mate = match.Mate{Solver: &solver, Every: 1, Time: time.Second, Nodes: 1}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newField(t)
				p := plan("a", 1)
				change(p)
				text, err := match.EncodePlan(p)
				testutil.OK(t, err)
				task := farm.Task{Run: p.Digest(), Name: "a", Plan: text, Owner: "owner", Approved: true}
				sign(f, &task)
				f.addTask(task, p)
				f.config.Policy = testutil.Must(worker.NewPolicy([]string{a, b}))(t)
				w, done := f.plays(t, time.Second)
				f.until(t.Context(), "refused", func() bool { return len(f.stored[task.Run])+len(f.back) > 0 })
				testutil.Check(t, len(f.stored[task.Run]) == 0, "it is played, although no hash allows one of its binaries")
				drained(t, w, done)
			})
		})
	}
	for _, rule := range []string{"", "any", "owner:", "hash:ab", "hash:" + strings.Repeat("g", 64)} {
		testutil.Fails(t, testutil.Err(worker.NewPolicy([]string{rule})), "", "%q is a rule", rule)
	}
}

// TestHowAWorkerEndsByItself checks the reasons, their exit codes, and the pairs that are stored until then.
func TestHowAWorkerEndsByItself(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(f *field)
		exit    int
		stored  int
	}{
		"refused": {func(f *field) { f.refusal = &farm.Refusal{Why: "revoked", Exit: 4} }, worker.ExitRefused, 0},
		"update": {func(f *field) {
			f.told.Say, f.told.Update, f.told.Release = farm.SayUpdate, "ab", &farm.Release{SHA256: "ab"}
		}, worker.ExitUpdate, 2},
		"measured":     {func(f *field) { f.told.Say = farm.SayBench }, 0, 2},
		"unreachable":  {func(f *field) { f.wire.set(func() { f.wire.away = true }) }, worker.ExitUnreachable, 0},
		"asked to end": {func(f *field) { f.told.Say = farm.SayDrain }, 0, 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newField(t)
				run := f.add(plan("a", 100))
				f.config.GiveUp, f.config.Measures = 10*time.Minute, true
				w, done := f.plays(t, time.Minute)
				synctest.Wait()
				f.mu.Lock()
				test.happens(f)
				f.mu.Unlock()
				testutil.OK(t, <-done)
				closing, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				testutil.OK(t, w.Close(closing))
				exit := 0
				if e := w.Ended(); e != nil {
					exit = e.Exit
					testutil.Check(t, e.Measure == (name == "measured"), "measured: %v", e.Measure)
					if e.Update != f.told.Update || e.Release != nil && e.Release.SHA256 != e.Update ||
						(e.Release == nil) != (f.told.Release == nil) {
						t.Errorf("it is to become %+v", e)
					}
				}
				if exit != test.exit || len(f.stored[run]) != test.stored {
					t.Errorf("exit %d with %d stored, want %d with %d; %v", exit, len(f.stored[run]), test.exit, test.stored,
						w.Ended())
				}
			})
		})
	}
}

// TestADrainIsForGood: a draining worker starts neither another program nor a measurement, because it would play again
// afterwards. The order does not matter.
func TestADrainIsForGood(t *testing.T) {
	for _, say := range []string{farm.SayUpdate, farm.SayBench} {
		for _, toldFirst := range []bool{true, false} {
			t.Run(fmt.Sprint(say, toldFirst), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newField(t)
					f.add(plan("a", 100))
					f.config.Measures = true
					w, done := f.plays(t, 2*time.Minute)
					synctest.Wait()
					if !toldFirst {
						w.Drain()
					}
					f.mu.Lock()
					f.told.Say, f.told.Update, f.told.Release = say, "ab", &farm.Release{SHA256: "ab"}
					f.mu.Unlock()
					time.Sleep(time.Minute) // several heartbeats
					synctest.Wait()
					testutil.Check(t, toldFirst == (w.Ended() != nil), "told: %v", w.Ended())
					drained(t, w, done)
					e := w.Ended()
					testutil.Check(t, e == nil, "it is to begin anew: %+v", e)
				})
			})
		}
	}
}

func TestJoinIsRefusedOrInVain(t *testing.T) {
	for name, test := range map[string]struct {
		happens func(f *field)
		exit    int
	}{
		"refused":     {func(f *field) { f.refusal = &farm.Refusal{Why: "unknown key", Exit: 4} }, worker.ExitRefused},
		"too old":     {func(f *field) { f.refusal = &farm.Refusal{Why: "too old", Exit: 5} }, worker.ExitUpdate},
		"unreachable": {func(f *field) { f.wire.away = true }, worker.ExitUnreachable},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newField(t)
				f.config.GiveUp = time.Hour
				test.happens(f)
				_, err := worker.Join(t.Context(), f.wire, f.config)
				e, ok := errors.AsType[*worker.End](err)
				testutil.Check(t, ok && e.Exit == test.exit, "got %v, want exit %d", err, test.exit)
				f.refusal, f.wire.away = nil, false
				w := f.join(t) // nothing was left locked
				testutil.OK(t, w.Close(t.Context()))
			})
		})
	}
}

// TestAFullStreamStopsTheAsking: while the stream is full, results wait in the worker and it requests no pairs. All
// results arrive when the stream has space.
func TestAFullStreamStopsTheAsking(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 300))
		w := f.join(t)
		f.wire.set(func() { f.wire.capacity = 1; f.wire.stream = [][]byte{nil} })
		done := playing(t.Context(), w, time.Second)
		time.Sleep(20 * time.Minute) // in synctest's time
		waiting := w.Status()
		testutil.Check(t, waiting.Playing == 0 && waiting.Waiting == 0 && waiting.Outbox != 0 && waiting.Outbox < 200,
			"after twenty minutes: %+v", waiting)
		f.mu.Lock()
		asked := len(f.asks)
		f.mu.Unlock()
		time.Sleep(20 * time.Minute) // in synctest's time
		f.mu.Lock()
		testutil.Check(t, len(f.asks) == asked, "it asked %d times while the stream was full", len(f.asks)-asked)
		f.mu.Unlock()
		f.wire.set(func() { f.wire.capacity = 0; f.wire.stream = nil })
		f.until(t.Context(), "all stored", storedAll(f.coordinator, run, 300))
		w.Drain()
		err := errors.Join(<-done, w.Close(t.Context()))
		testutil.Check(t, err == nil && f.duplicates == 0, "%v, %d duplicates", err, f.duplicates)
	})
}

// TestOnceAfterADeadProcess: the first heartbeat of the next process comes before its first request, so that the pairs
// of the dead process are free. A worker with --once does not end while it may get pairs later.
func TestOnceAfterADeadProcess(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 7))
		f.config.Once = true
		f.later = 3
		w := f.join(t)
		if err := errors.Join(<-playing(t.Context(), w, time.Second), w.Close(t.Context())); err != nil ||
			len(f.stored[run]) != 7 || f.later != 0 || f.listed == 0 {
			t.Errorf("%v, %d stored, %d beats before the first ask", err, len(f.stored[run]), f.listed)
		}
	})
}

// TestOnceEndsWhenThereIsNothing: a worker with --once ends when no pairs are left, and not before.
func TestOnceEndsWhenThereIsNothing(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 7))
		f.config.Once = true
		w := f.join(t)
		if err := errors.Join(<-playing(t.Context(), w, time.Second), w.Close(t.Context())); err != nil {
			t.Error(err)
		}
		testutil.Check(t, len(f.stored[run]) == 7 && w.Status().Played == 7, "%d stored, %d played", len(f.stored[run]),
			w.Status().Played)
	})
}

// TestOnceTellsEachRefusal: a worker with --once does not end before the coordinator has the reasons of all tests that
// this machine cannot play. The order of the tests does not matter.
func TestOnceTellsEachRefusal(t *testing.T) {
	for _, slow := range []string{"a", "b"} {
		inField(t, func(t *testing.T, f *field) {
			runs := []string{f.add(plan("a", 50)), f.add(plan("b", 50))}
			f.config.Once, f.config.Slots = true, 60 // it holds all pairs
			f.config.Ready = func(_ context.Context, p *match.Plan) (*match.Plan, func(), error) {
				if p.Run == slow {
					time.Sleep(5 * time.Minute)
				}
				return nil, nil, errors.New(p.Run + " is not built")
			}
			w := f.join(t)
			err := <-playing(t.Context(), w, time.Second)
			s := w.Status()
			testutil.Check(t, err == nil && s.Played == 0 && len(s.Refused) == 2 && s.Refused["b"] == "b is not built",
				"%v, %+v", err, s)
			last := f.asks[len(f.asks)-1]
			testutil.Check(t, slices.Contains(last.Refuse, runs[0]) && slices.Contains(last.Refuse, runs[1]),
				"the coordinator knows of %v", last.Why)
			testutil.OK(t, w.Close(t.Context()))
		})
	}
}

// TestEventsAreForwardedWhileWatched: a worker forwards the events of pairs that begin while their run is watched.
func TestEventsAreForwardedWhileWatched(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run, other := f.add(plan("a", 3)), f.add(plan("b", 3))
		f.told.Watched = []string{run}
		f.config.Slots = 1
		w, done := f.plays(t, time.Minute)
		f.until(t.Context(), "all stored", func() bool { return len(f.stored[run])+len(f.stored[other]) == 6 })
		drained(t, w, done)
		events := map[string]int{}
		for _, s := range f.wire.told {
			events[s]++
		}
		if n := events[farm.SubjectEvents+run+".w1"]; n < 2*4 || len(events) != 1 { // two pairs begin after the first beat
			t.Errorf("told: %v", events)
		}
	})
}

// TestForwardingEndsWithInterest: forwarding ends when no client watches the run, and begins again with the next one.
func TestForwardingEndsWithInterest(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		run := f.add(plan("a", 60))
		f.config.Slots = 1
		tell := func(watched ...string) {
			f.mu.Lock()
			f.told.Watched = watched
			beats := len(f.beats)
			f.mu.Unlock()
			f.until(t.Context(), "it has heard so", func() bool { return len(f.beats) > beats+1 })
		}
		forwarded := func() int {
			synctest.Wait()
			f.wire.mu.Lock()
			defer f.wire.mu.Unlock()
			return len(f.wire.told)
		}
		w, done := f.plays(t, time.Minute)
		stored := func(n int) {
			f.until(t.Context(), "more are stored", func() bool { return len(f.stored[run]) >= n })
		}
		tell(run)
		stored(1) // the worker forwards the beginning of the second pair
		watched := forwarded()
		tell()
		ended := forwarded()
		stored(2)
		still := forwarded()
		tell(run)
		stored(4)
		if again := forwarded(); watched == 0 || still != ended || again == still {
			t.Errorf("forwarded: %d while it is watched, %d and %d after, %d when it is watched again", watched, ended, still,
				again)
		}
		drained(t, w, done)
	})
}

// TestOneDirectoryIsOneWorkers: two workers cannot share a directory. Later starts have greater numbers.
func TestOneDirectoryIsOneWorkers(t *testing.T) {
	f := newField(t)
	w := f.join(t)
	if other, err := worker.Join(t.Context(), f.wire, f.config); err == nil {
		t.Error("two workers have one directory")
		other.Close(t.Context())
	}
	testutil.OK(t, w.Close(t.Context()))
	testutil.OK(t, f.join(t).Close(t.Context()))
	if n := len(f.hellos); n != 2 || f.hellos[1].Start <= f.hellos[0].Start || f.hellos[1].Session == f.hellos[0].Session {
		t.Errorf("hellos: %+v", f.hellos)
	}
}

// TestWhatIsReadyTooLateIsLetGo: if a run is over before it is ready, the worker releases its files.
func TestWhatIsReadyTooLateIsLetGo(t *testing.T) {
	inField(t, func(t *testing.T, f *field) {
		begun, proceed, released := make(chan struct{}), make(chan struct{}), 0
		f.config.Ready = func(_ context.Context, p *match.Plan) (*match.Plan, func(), error) {
			close(begun)
			<-proceed
			return p, func() { released++ }, nil
		}
		run := f.add(plan("a", 4))
		w, done := f.plays(t, time.Second)
		<-begun
		f.mu.Lock()
		f.tasks = nil // it is not granted again
		f.mu.Unlock()
		hint, err := farm.Encode(farm.Hint{Over: []string{run}})
		if err == nil {
			err = f.wire.Send(farm.SubjectAll, hint)
		}
		testutil.OK(t, err)
		close(proceed)
		synctest.Wait()
		testutil.Check(t, released == 1, "what it needs was let go of %d times", released)
		w.Drain()
		if err := errors.Join(<-done, w.Close(t.Context())); err != nil || released != 1 {
			t.Errorf("%v; released %d times", err, released)
		}
	})
}
