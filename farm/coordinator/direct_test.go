package coordinator_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match"
)

// line is a worker that the test controls message by message.
type line struct {
	t    *testing.T
	f    *theFarm
	name string
	sent int
}

func (f *theFarm) line(t *testing.T, name string, slots ...int) *line {
	t.Helper()
	l := &line{t: t, f: f, name: name}
	var w farm.HelloReply
	l.ask(farm.SubjectHello, farm.Hello{Protocol: farm.Protocol, Session: "s", Start: 1, Slots: append(slots, 2)[0],
		Labels: linux()}, &w)
	testutil.Require(t, w.Refusal == nil, "%v", w.Refusal)
	return l
}

func (l *line) ask(subject string, in, out any) {
	l.t.Helper()
	testutil.OK(l.t, l.f.broker.Connect(l.name).Request(l.f.ctx, subject+l.name, in, out))
}

func (l *line) want(n int) []farm.Grant {
	l.t.Helper()
	var g farm.Grants
	l.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: n}, &g)
	l.f.history.Lock()
	defer l.f.history.Unlock()
	for _, grant := range g.Grants {
		l.f.granted[string(grant.Token)] = grant
	}
	return g.Grants
}

// send publishes results, and returns the message's body.
func (l *line) send(items ...farm.Item) []byte {
	l.t.Helper()
	body := testutil.Must(farm.Seal(&farm.Batch{Worker: l.name, Session: "s", Items: items}, l.f.keys.signer(l.name)))(l.t)
	l.publish(body)
	return body
}

func (l *line) publish(body []byte) {
	l.t.Helper()
	l.sent++
	testutil.OK(l.t, l.f.broker.Connect(l.name).Publish(l.f.ctx, farm.SubjectResults+l.name+".0",
		fmt.Sprint(l.name, l.sent), body))
}

func result(t *testing.T, g farm.Grant, r match.PairResult) farm.Item {
	t.Helper()
	text := testutil.Must(match.EncodePair(r))(t)
	return farm.Item{Lease: g.Held, Pair: text}
}

// TestTheFirstInTheStreamCounts requires that the first of two granted results of a pair counts, even if both are
// judged together.
func TestTheFirstInTheStreamCounts(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("first", 64, 1)
		a, b := f.line(t, "w0"), f.line(t, "w1")
		early := a.want(16)
		time.Sleep(lease + 5*time.Second) // the leases expire without a heartbeat
		late := b.want(16)
		testutil.Require(t, len(early) == 16 && len(late) == 16 && late[15].Pair == 15, "%d and %d grants", len(early),
			len(late))
		_ = f.stop()
		var as, bs []farm.Item
		for i := range early {
			as = append(as, result(t, early[i], playAs(p, early[i].Pair, 0)))
			bs = append(bs, result(t, late[i], playAs(p, late[i].Pair, 10)))
		}
		b.send(bs[:8]...) // w1's results of the first eight pairs come before w0's, the others after
		a.send(as...)
		b.send(bs[8:]...)
		f.start()
		f.until("they are judged", func() bool { return f.broker.Waiting() == 0 })
		stored := f.disk.stores[p.Digest()].pairs
		for id := range 16 {
			want := map[bool]string{true: "w1", false: "w0"}[id < 8]
			got := stored[id].Played.Worker
			testutil.Check(t, got == want, "of pair %d the playing of %s counts, expected the first, of %s", id, got, want)
		}
		if s := f.test("first"); s.Added != 16 || s.Duplicates != 16 || f.disk.stores[p.Digest()].adds != 16 {
			t.Errorf("%+v", s)
		}
	})
}

// TestCopies requires that a pair that comes twice in a message, or again in later messages, counts once without blame.
// The coordinator does not unpack copies: a message has room for thousands, and their verification would keep the judge
// busy.
func TestCopies(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("copies", 20, 3)
		l := f.line(t, "w0")
		g := l.want(1)[0]
		good := result(t, g, play(p, g.Pair))
		broken := good
		broken.Pair = []byte("no pair at all") // verification would blame the worker
		l.send(good, broken, good)
		f.until("it is stored", func() bool { return f.test("copies").Stored == 1 })
		for range 5 {
			l.send(broken)
		}
		f.until("they are judged", func() bool { return f.broker.Waiting() == 0 })
		if s := f.test("copies"); s.Stored != 1 || s.Added != 1 || s.Stale != 2 || s.Duplicates != 5 || s.Refused != 0 ||
			f.worker("w0").Quarantine != "" {
			t.Errorf("%+v", s)
		}
	})
}

// TestAnOldTake requires that a result that comes again after its pair was voided does not count.
func TestAnOldTake(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("take", 10, 1)
		w := f.line(t, "w0")
		g := w.want(1)
		body := w.send(result(t, g[0], play(p, 0)))
		f.until("it is stored", func() bool { return f.test("take").Stored == 1 })
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "take", Worker: "w0", Why: "x"}, nil))
		w.publish(body)
		synctest.Wait()
		s := f.test("take")
		testutil.Check(t, s.Stored == 0 && s.Stale == 1 && f.worker("w0").Refused == 0, "%+v", s)
		again := w.want(1)
		testutil.Require(t, len(again) == 1 && again[0].Pair == 0 && again[0].Take == 1, "%+v", again)
		f.restart() // the store keeps the takes
		w.send(result(t, again[0], play(p, 0)))
		f.until("it is stored again", func() bool { return f.test("take").Stored == 1 })
	})
}

// TestGraceAfterARestart requires that pairs that other workers may hold are not granted for the time of a lease. Their
// workers continue them.
func TestGraceAfterARestart(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("grace", 40, 1)
		a := f.line(t, "w0")
		held := a.want(6)
		a.send(result(t, held[5], play(p, 5)))
		synctest.Wait()
		f.restart()
		b := f.line(t, "w1")
		if got := b.want(2); len(got) != 2 || got[0].Pair != 6 || got[1].Pair != 7 {
			t.Errorf("at once: %+v", got)
		}
		a = f.line(t, "w0")
		var told farm.BeatReply
		beat := farm.Beat{Session: "s", Number: 1}
		for _, g := range held[:4] {
			beat.Held = append(beat.Held, g.Held)
		}
		a.ask(farm.SubjectBeat, beat, &told)
		testutil.Check(t, len(told.Drop) == 0 && f.test("grace").Adopted == 4, "%+v", told)
		time.Sleep(lease / 2)
		beat.Number++
		a.ask(farm.SubjectBeat, beat, &told)
		time.Sleep(lease/2 + time.Second)
		if got := b.want(2); len(got) != 2 || got[0].Pair != 4 || got[1].Pair == 5 {
			t.Errorf("after a lease: %+v", got)
		}
	})
}

// TestAttemptsAreBounded requires that the farm keeps ten attempts of a pair.
func TestAttemptsAreBounded(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("attempts", 10, 1)
		w := f.line(t, "w0")
		g := w.want(2)
		for i := range 14 {
			w.send(farm.Item{Lease: g[0].Held,
				Attempt: &match.Attempt{Pair: 0, Why: fmt.Sprint("try ", i), Ended: time.UnixMicro(int64(i)).UTC()}})
			synctest.Wait()
		}
		long := play(p, 1)
		for i := range 14 {
			long.Attempts = append(long.Attempts, match.Attempt{Pair: 1, Why: "x", Ended: time.UnixMicro(int64(i)).UTC()})
		}
		w.send(result(t, g[1], long))
		synctest.Wait()
		s := f.disk.stores[p.Digest()]
		if len(s.attempts) != 10 || len(s.pairs[1].Attempts) != 10 {
			t.Errorf("%d attempts at one pair and %d with the other, expected ten each", len(s.attempts),
				len(s.pairs[1].Attempts))
		}
	})
}

// TestACrashIsCountedOnce requires that a crash counts once against an update, even if the worker repeats the report.
// The reply to its heartbeat may have been lost.
func TestACrashIsCountedOnce(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("again", 10, 1))
		w := f.line(t, "w0")
		f.update(t, farm.Update{Releases: []farm.Release{f.program(t, "2")}})
		back := []farm.Back{{Held: w.want(1)[0].Held, Why: "no start", Crashed: true}}
		for n := range 3 {
			w.ask(farm.SubjectBeat, farm.Beat{Session: "s", Number: uint64(n + 1), Back: back}, &farm.BeatReply{})
		}
		s := f.c.Status(f.ctx).Update
		testutil.Check(t, s.Trials[0].OthersFailed == 1, "%+v", s)
	})
}

// TestNobodyHoards requires that a worker with endless requests gets a bounded number of pairs.
func TestNobodyHoards(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.plays("hoard", 1000, 1)
		w := f.line(t, "w0")
		got := 0
		for range 10 {
			got += len(w.want(farm.MaxWant))
		}
		if want := 64 + 16*2; got != want {
			t.Errorf("it holds %d pairs, expected %d", got, want)
		}
		for _, want := range []int{-3, farm.MaxWant + 1} {
			err := f.broker.Connect("w0").Request(f.ctx, farm.SubjectLease+"w0", farm.Ask{Session: "s", Want: want},
				&farm.Grants{})
			_, refused := errors.AsType[*farm.Refusal](err)
			testutil.Check(t, refused, "asked for %d pairs: %v, expected a refusal", want, err)
		}
	})
}

// TestBackWithACrash requires that a pair with a crash is not granted to the same worker at once, nor to a worker that
// has other pairs.
func TestBackWithACrash(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.plays("back", 10, 1)
		a, b := f.line(t, "w0"), f.line(t, "w1")
		g := a.want(2)
		a.ask(farm.SubjectBeat, farm.Beat{Session: "s", Number: 1, Held: []farm.Held{g[1].Held},
			Back: []farm.Back{{Held: g[0].Held, Why: "no start", Crashed: true}}}, &farm.BeatReply{})
		if got := a.want(1); len(got) != 1 || got[0].Pair != 2 {
			t.Errorf("w0 gets %+v", got)
		}
		testutil.OK(t, f.do("boss", "trust", farm.Order{Worker: "w1", Level: "owner"}, nil))
		got := b.want(2)
		testutil.Require(t, len(got) == 1 && got[0].Pair == 0,
			"an owner's machine, which has nothing, gets %+v: expected pair 0 alone", got)
		more := b.want(2)
		testutil.Check(t, len(more) == 0, "beside it, it gets %+v", more)
		b.ask(farm.SubjectBeat, farm.Beat{Session: "s", Number: 1,
			Back: []farm.Back{{Held: got[0].Held, Why: "no start", Crashed: true}}}, &farm.BeatReply{})
		time.Sleep(lease / 5)
		synctest.Wait()
		s := f.test("back")
		testutil.Check(t, slices.Equal(s.Condemned, []int{0}) && s.State == farm.Running, "%+v", s)
	})
}

// TestWhatDoesNotCountShutsNothingOut judges two results of one pair together. The first belongs to an old path of its
// tune and does not count. The second counts and is stored.
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
		time.Sleep(lease) // w0 is away now, so w1 may have all pairs
		held := slow.want(30)
		old := held[len(held)-1]
		testutil.OK(t, f.do("boss", "purge", farm.Order{Run: "both", Worker: "w0", Why: "it lies"}, nil))
		time.Sleep(lease)
		quick := f.line(t, "w2")
		plays(quick, false)
		time.Sleep(2 * lease) // the pairs that slow holds are free
		granted := quick.want(30)
		at := slices.IndexFunc(granted, func(g farm.Grant) bool { return g.Pair == old.Pair })
		testutil.Require(t, at >= 0, "pair %d is not granted anew: %+v", old.Pair, granted)
		_ = f.stop()
		slow.send(played(old, func(match.Game) bool { return true }))
		quick.send(played(granted[at], func(match.Game) bool { return false }))
		f.start() // the coordinator judges both together
		f.until("both are judged", func() bool { return f.broker.Waiting() == 0 })
		_, there := f.disk.stores[a.plan.Digest()].pairs[old.Pair]
		if s := f.test("both"); !there || s.State != farm.Running || s.Stored != 16 || s.Stale != 1 || s.Added != 1 ||
			s.Duplicates+s.Refused != 0 {
			t.Errorf("pair %d is in the store: %t; %+v", old.Pair, there, s)
		}
	})
}

// TestAPairIsGivenUpInTheEnd requires that if the farm cannot store that it gave up a pair, it stores this later.
func TestAPairIsGivenUpInTheEnd(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("kills", 1, 1))
		f.unkept.Store(true)
		for _, name := range []string{"w0", "w1"} { // two machines
			w := f.line(t, name)
			time.Sleep(3 * lease) // until then the farm would prefer a trusted worker
			granted := w.want(1)
			testutil.Require(t, len(granted) == 1, "%s is granted nothing", name)
			w.ask(farm.SubjectBeat, farm.Beat{Session: "s", Number: 1,
				Back: []farm.Back{{Held: granted[0].Held, Why: "x", Crashed: true}}}, &farm.BeatReply{})
		}
		time.Sleep(lease)
		if st := f.test("kills"); st.Why != "" {
			t.Errorf("it is told though it could not be kept: %+v", st)
		}
		f.unkept.Store(false)
		time.Sleep(lease)
		f.restart()
		if st := f.test("kills"); !slices.Equal(st.Condemned, []int{0}) ||
			st.Why != "pair 0 was given up: it crashed on w0 (red), w1 (blue)" {
			t.Errorf("%+v", st)
		}
	})
}
