package coordinator_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/tests"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
)

// damage restarts the coordinator with a test that cannot be opened until repaired is true.
func (f *theFarm) damage(run string, repaired *bool) {
	f.t.Helper()
	f.reopen(func(p *match.Plan, s *store) (tests.Store, error) {
		if p.Run == run && !*repaired {
			return nil, errors.New("the file is damaged")
		}
		return s, nil
	})
}

// TestALateResultOfATestThatCannotBeOpened: the coordinator stores the late result as evidence, and continues.
func TestALateResultOfATestThatCannotBeOpened(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		ended, other := testPlan("ended", 30, 1), testPlan("other", 30, 2)
		f.run(ended)
		w := f.line(t, "w0")
		late := w.want(1)[0]
		testutil.OK(t, f.do("ann", "stop", farm.Order{Run: "ended"}, nil))
		f.damage("ended", new(bool))
		f.run(other)
		w.send(result(t, late, play(ended, late.Pair)))
		f.hand("w1", 4)
		f.complete(other)
		if e := f.broker.Evidence(); f.broker.Waiting() > 0 || len(e) != 1 || !strings.Contains(e[0], "the file is damaged") {
			t.Errorf("%d wait, evidence %q", f.broker.Waiting(), e)
		}
		for _, s := range f.c.Status(f.ctx).Workers {
			testutil.Check(t, s.Refused <= 0, "%s is blamed for %d", s.Name, s.Refused)
		}
	})
}

// faulty is a store whose Rows fails the given number of times.
type faulty struct {
	*store
	fails *int
}

func (s faulty) Rows(ctx context.Context, see func([]match.Row) error) error {
	if *s.fails > 0 {
		*s.fails--
		return errors.New("it cannot be read just now")
	}
	return s.store.Rows(ctx, see)
}

// TestATestOpensWholeOrNotAtAll: a failed try to open a tuning test leaves it closed and stopped. A later try opens it.
func TestATestOpensWholeOrNotAtAll(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		a := newTune(t, "half", 100, 5, 20, 2)
		f.run(a.plan)
		testutil.OK(t, f.do("ann", "stop", farm.Order{Run: "half"}, nil))
		fails := 1
		f.reopen(func(_ *match.Plan, s *store) (tests.Store, error) { return faulty{s, &fails}, nil })
		if err := f.do("ann", "pull", farm.Pull{Run: "half"}, nil); err == nil || fails != 0 {
			t.Fatalf("%v, %d failures are left", err, fails)
		}
		if s := f.test("half"); s.Tune != nil || s.Window > 0 {
			t.Errorf("half open: %+v", s)
		}
		for verb, in := range map[string]any{"resume": farm.Order{Run: "half"}, "push": farm.Push{Run: "half"}} {
			fails = 1
			if err := f.do("ann", verb, in, nil); err == nil || f.test("half").State != farm.Stopped {
				t.Errorf("%s: %v, it is %s", verb, err, f.test("half").State)
			}
		}
		testutil.OK(t, f.do("ann", "resume", farm.Order{Run: "half"}, nil))
		time.Sleep(lease)
		a.tuner(f, "w0", 10)
		a.compare(t, f)
	})
}

// TestARunningTestThatCannotBeOpened: the coordinator pauses the test with the reason, and continues the other tests.
// After a repair the owner can resume the test.
func TestARunningTestThatCannotBeOpened(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		broken, other := testPlan("broken", 60, 1), testPlan("other", 60, 2)
		f.run(broken)
		f.run(other)
		h := f.hand("w0", 4)
		f.until("both are played", func() bool { return f.test("broken").Stored > 5 && f.test("other").Stored > 5 })
		repaired := false
		f.damage("broken", &repaired)
		f.complete(other)
		f.restart() // also if it is already paused
		s := f.test("broken")
		testutil.Check(t, s.State == farm.Paused && s.Aside &&
			strings.Contains(s.Why, "it cannot be opened: the file is damaged"),
			"%s, %v: %s", s.State, s.Aside, s.Why)
		told := lists.Count(s.Log, func(l farm.Change) bool { return strings.Contains(l.What, "the file is damaged") })
		testutil.Check(t, told == 1, "its log says so %d times: %v", told, s.Log)
		err := f.do("ann", "resume", farm.Order{Run: "broken"}, nil)
		testutil.Check(t, err != nil && f.test("broken").State == farm.Paused, "it is resumed while it is damaged: %v", err)
		repaired = true
		testutil.OK(t, f.do("ann", "resume", farm.Order{Run: "broken"}, nil))
		testutil.Check(t, !f.test("broken").Aside, "a repaired test is still set aside")
		f.complete(broken)
		h.kill()
	})
}

// TestAPurgeThatCannotBeJudged: the coordinator pauses the test, whether it runs or is over, and continues the others.
// Void pairs stay void.
func TestAPurgeThatCannotBeJudged(t *testing.T) {
	for _, state := range []farm.State{farm.Running, farm.Over} {
		t.Run(string(state), func(t *testing.T) {
			inFarm(t, func(t *testing.T, f *theFarm) {
				fails := 0
				f.reopen(func(_ *match.Plan, s *store) (tests.Store, error) { return faulty{s, &fails}, nil })
				p, other := testPlan("purged", 40, 1), testPlan("other", 400, 2)
				f.run(p)
				f.run(other)
				f.hand("w0", 4)
				f.hand("w1", 4)
				f.until("it is so far", func() bool { s := f.test("purged"); return s.State == state && s.Stored >= 20 })
				fails = 1
				err := f.do("boss", "purge", farm.Order{Run: "purged", Worker: "w0", Why: "smoke"}, nil)
				testutil.Require(t, err != nil && strings.Contains(err.Error(), "test purged is set aside"), "the purge: %v", err)
				before := f.test("other").Stored
				f.until("the other test goes on", func() bool { return f.test("other").Stored > before+5 })
				s := f.test("purged")
				testutil.Check(t, s.State == farm.Paused && strings.Contains(s.Why, "it cannot be read just now"),
					"it is %s: %s", s.State, s.Why)
				if last := s.Log; !strings.Contains(last[len(last)-1].What+last[len(last)-2].What, "pairs of w0 voided: smoke") {
					t.Errorf("its log: %v", last)
				}
				f.restart()
				testutil.OK(t, f.do("ann", "resume", farm.Order{Run: "purged"}, nil))
				f.complete(p)
				f.complete(other)
			})
		})
	}
}

// TestATestThatIsNotUnderstood: the coordinator reports a test of a later version or with an invalid plan, and does not
// change it. The other tests continue. A version that can read the test resumes it.
func TestATestThatIsNotUnderstood(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		later, other := testPlan("later", 60, 1), testPlan("other", 60, 2)
		digest := f.run(later).Run
		f.run(other)
		h := f.hand("w0", 4)
		f.until("both are played", func() bool { return f.test("later").Stored > 5 && f.test("other").Stored > 5 })
		_ = f.stop() // it stores nothing after this
		var whole []byte
		revision := uint64(0)
		state := openState(t, f.state)
		keep := func(body []byte) {
			var err error
			if revision, err = state.Put(f.ctx, "tests", digest, body, revision); err != nil {
				t.Fatal(err)
			}
			_ = state.Close()
		}
		err := state.Each(f.ctx, "tests", func(name string, body []byte, at uint64) error {
			if name == digest {
				whole, revision = slices.Clone(body), at
			}
			return nil
		})
		testutil.OK(t, err)
		var rec map[string]any
		testutil.OK(t, farm.Decode(whole, &rec))
		rec["plan"] = []byte(`{"version": 1000}`)
		planless := testutil.Must(farm.Encode(rec))(t)
		for name, body := range map[string][]byte{"later": planless, "": []byte("\xff")} {
			keep(body)
			f.start()
			if s := f.c.Status(f.ctx); len(s.Tests) != 1 || len(s.Unread) != 1 || s.Unread[0].Run != digest ||
				s.Unread[0].Name != name || s.Unread[0].Why == "" {
				t.Errorf("tests %v, not understood %+v", s.Tests, s.Unread)
			}
			f.until("the other goes on", func() bool { return f.test("other").Stored > 10 })
			_ = f.stop()
			state = openState(t, f.state)
		}
		keep(whole)
		f.start()
		if s := f.c.Status(f.ctx); len(s.Unread) != 0 {
			t.Errorf("still not understood: %+v", s.Unread)
		}
		f.complete(later)
		f.complete(other)
		h.kill()
	})
}

// TestAnUnreadableWorker: if the entry of a worker cannot be read, the farm starts and quarantines this worker with the
// reason. Other workers play. A pardon replaces the entry.
func TestAnUnreadableWorker(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("plays", 20, 1))
		f.line(t, "w0").want(2)
		testutil.OK(t, f.do("boss", "drain", farm.Order{Worker: "w0"}, nil)) // stores the entry
		_ = f.stop()
		state := openState(t, f.state)
		var revision uint64
		testutil.OK(t, state.Each(f.ctx, "workers", func(_ string, _ []byte, at uint64) error { revision = at; return nil }))
		testutil.OK(t, testutil.Err(state.Put(f.ctx, "workers", "w0", []byte("\xff"), revision)))
		_ = state.Close()
		f.start()
		if w := f.worker("w0"); !strings.HasPrefix(w.Quarantine, "its stored entry cannot be read") {
			t.Errorf("%+v", w)
		}
		f.hand("w1", 2)
		f.until("another plays all", func() bool { return f.test("plays").Stored == 20 })
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Off: true}, nil))
		f.restart()
		if w := f.worker("w0"); w.Quarantine != "" {
			t.Errorf("after a pardon: %+v", w)
		}
	})
}
