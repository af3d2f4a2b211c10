package coordinator_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/results/farmstate"
)

// TestLogOfActions requires that each change of a test or a worker is in the log once. That includes the farm's own
// changes and a restart. A change that is not stored is not in the log.
func TestLogOfActions(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("a", 30, 1))
		f.line(t, "w0")
		time.Sleep(lease) // until the worker is stored
		f.unkept.Store(true)
		testutil.Fails(t, f.do("boss", "pause", farm.Order{Run: "a", Why: "lost"}, nil), "",
			"a pause is confirmed, and not stored")
		f.unkept.Store(false)
		testutil.OK(t, f.do("boss", "pause", farm.Order{Run: "a", Why: "lunch"}, nil))
		f.restart()
		testutil.OK(t, f.do("boss", "resume", farm.Order{Run: "a"}, nil))
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Why: "hot"}, nil))
		testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: "w0", Level: "verified"}, nil))
		var list []farmstate.Action
		testutil.OK(t, f.do("ann", "actions", farmstate.Filter{}, &list))
		var lines []string
		for _, a := range list {
			lines = append(lines, fmt.Sprintf("%s %s %s: %s", a.By, a.On, a.Name, a.What))
		}
		for line, times := range map[string]int{
			"ann test a: submitted": 1, "farm test a: running": 1, "boss test a: paused: lunch": 1,
			"boss test a: paused: lost": 0,
			"boss test a: running":      1, "boss worker w0: quarantined: hot (boss)": 1,
			"farm worker w0: quarantined: hot (boss)": 0, "boss worker w0: trust verified": 1,
		} {
			if got := len(slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return l != line })); got != times {
				t.Errorf("%q is in the log %d times, expected %d:\n%s", line, got, times, strings.Join(lines, "\n"))
			}
		}
	})
}

// TestWhatAWorkerWasLike requires that a worker's slots and latest errors survive a restart.
func TestWhatAWorkerWasLike(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := testPlan("a", 30, 1)
		f.run(p)
		w := f.line(t, "w0")
		g := w.want(1)[0]
		bad := play(p, g.Pair)
		bad.Games[0].Record.Winner = "nobody"
		w.send(result(t, g, bad))
		f.until("it is judged", func() bool { return f.worker("w0").Refused == 1 })
		time.Sleep(2 * time.Minute)
		f.restart()
		if s := f.worker("w0"); s.Slots == 0 || len(s.Errors) != 1 || !strings.Contains(s.Errors[0].What,
			"a result was rejected") || s.Here {
			t.Errorf("%+v", s)
		}
	})
}
