package coordinator_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/match"
)

// TestALateResultOfATestThatCannotBeOpened is evidence, and ends nothing else.
func TestALateResultOfATestThatCannotBeOpened(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		ended, other := testPlan("ended", 30, 1), testPlan("other", 30, 2)
		f.run(ended)
		w := f.line(t, "w0")
		late := w.want(1)[0]
		if err := f.do("ann", "stop", farm.Order{Run: "ended"}, nil); err != nil {
			t.Fatal(err)
		}
		_ = f.stop()
		open := f.config.Open
		f.config.Open = func(ctx context.Context, p *match.Plan) (coordinator.Store, error) {
			if p.Run == "ended" {
				return nil, errors.New("the file is damaged")
			}
			return open(ctx, p)
		}
		f.start()
		f.run(other)
		w.send(result(t, late, play(ended, late.Pair)))
		f.hand("w1", 4)
		f.complete(other)
		if e := f.hall.Evidence(); f.hall.Waiting() > 0 || len(e) != 1 || !strings.Contains(e[0], "the file is damaged") {
			t.Errorf("%d wait, evidence %q", f.hall.Waiting(), e)
		}
		for _, s := range f.c.Status(f.ctx).Workers {
			if s.Refused > 0 {
				t.Errorf("%s is blamed for %d", s.Name, s.Refused)
			}
		}
	})
}

// faulty is a store whose rows cannot be read for a while.
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

// TestATestOpensWholeOrNotAtAll: after a try that failed it is no tune without its path.
func TestATestOpensWholeOrNotAtAll(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		a := newTune(t, "half", 100, 5, 20, 2)
		f.run(a.plan)
		if err := f.do("ann", "stop", farm.Order{Run: "half"}, nil); err != nil {
			t.Fatal(err)
		}
		_ = f.stop()
		fails := 1
		open := f.config.Open
		f.config.Open = func(ctx context.Context, p *match.Plan) (coordinator.Store, error) {
			s, err := open(ctx, p)
			return faulty{s.(*store), &fails}, err
		}
		f.start()
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
		if err := f.do("ann", "resume", farm.Order{Run: "half"}, nil); err != nil {
			t.Fatal(err)
		}
		time.Sleep(lease)
		a.tuner(f, "w0", 10)
		a.compare(t, f)
	})
}
