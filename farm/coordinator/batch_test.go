package coordinator_test

import (
	"slices"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// TestWhatDoesNotCountShutsNothingOut: of two results of one pair that are judged together,
// the first is of an old path of its tune and counts nothing: the second one counts, and is
// in the store.
func TestWhatDoesNotCountShutsNothingOut(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		a := newTune(t, "both", 100, 5, 20, 2)
		f.run(a.plan)
		played := func(g farm.Grant, wins func(match.Game) bool) farm.Item {
			pair := a.plan.Pair(g.Pair)
			pair.Options = g.Options
			return result(t, g, playOut(a.plan, pair, wins))
		}
		plays := func(w *line, first bool) {
			t.Helper()
			var items []farm.Item
			for _, g := range w.want(15) {
				items = append(items, played(g, func(match.Game) bool { return first }))
			}
			w.send(items...)
			f.until("they are stored", func() bool { return f.test("both").Stored == 15 })
		}
		plays(f.line(t, "w0"), true)
		slow := f.line(t, "w1")
		time.Sleep(lease) // w0 is away by now, and w1 may have them all
		held := slow.want(30)
		old := held[len(held)-1]
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "both", Worker: "w0", Why: "it lies"}, nil))
		time.Sleep(lease)
		quick := f.line(t, "w2")
		plays(quick, false)
		time.Sleep(2 * lease) // what slow holds is free
		granted := quick.want(30)
		at := slices.IndexFunc(granted, func(g farm.Grant) bool { return g.Pair == old.Pair })
		if at < 0 {
			t.Fatalf("pair %d is not granted anew: %+v", old.Pair, granted)
		}
		_ = f.stop()
		slow.send(played(old, func(match.Game) bool { return true }))
		quick.send(played(granted[at], func(match.Game) bool { return false }))
		f.start() // and judges them together
		f.until("both are judged", func() bool { return f.broker.Waiting() == 0 })
		_, there := f.disk.stores[a.plan.Digest()].pairs[old.Pair]
		if s := f.test("both"); !there || s.State != farm.Running || s.Stored != 16 || s.Stale != 1 || s.Added != 1 || s.Duplicates+s.Refused != 0 {
			t.Errorf("pair %d is in the store: %t; %+v", old.Pair, there, s)
		}
	})
}

// TestAPairIsGivenUpInTheEnd: where the word of it cannot be kept, it is kept later.
func TestAPairIsGivenUpInTheEnd(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("kills", 1, 1))
		f.unkept.Store(true)
		for _, name := range []string{"w0", "w1"} { // two machines
			w := f.line(t, name)
			time.Sleep(3 * lease) // one that an owner vouches for would be preferred
			granted := w.want(1)
			if len(granted) != 1 {
				t.Fatalf("%s is granted nothing", name)
			}
			w.ask(farm.SubjectBeat, farm.Beat{Session: "s", Number: 1, Back: []farm.Back{{Held: granted[0].Held(), Why: "x", Crashed: true}}}, &farm.BeatReply{})
		}
		time.Sleep(lease)
		if st := f.test("kills"); st.Why != "" {
			t.Errorf("it is told though it could not be kept: %+v", st)
		}
		f.unkept.Store(false)
		time.Sleep(lease)
		f.restart()
		if st := f.test("kills"); !slices.Equal(st.Condemned, []int{0}) || st.Why != "pair 0 was given up: it crashes its players" {
			t.Errorf("%+v", st)
		}
	})
}
