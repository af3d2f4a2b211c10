package coordinator_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator"
	"gogi/internal/testutil"
	"gogi/match"
)

// The tests below are the rows of the design's failure table. Each checks that its fault happened, and that the stored
// run equals the run of one machine.

// TestWorkersAreKilled requires that leases of killed workers expire, or that the next process frees them. The next
// process sends the results in the outbox.
func TestWorkersAreKilled(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("killed", 80, 2)
		hands := []*hand{f.hand("w0", 3), f.hand("w1", 3), f.hand("w2", 3)}
		for i := range 12 {
			time.Sleep(25 * time.Second)
			if i%3 == 2 { // away for longer than a lease
				hands[0].kill()
				time.Sleep(lease + 5*time.Second)
				hands[0].begin()
				continue
			}
			hands[1+i%2].restart()
		}
		f.complete(p)
		s := f.test("killed")
		testutil.Check(t, s.Expired != 0 && s.Regranted != 0, "no lease expired: %+v", s)
	})
}

// TestAWorkerIsPartitionedOff disconnects a worker for longer than its lease. Another worker gets its pairs. After the
// return, the first worker's result counts only if no other result came first.
func TestAWorkerIsPartitionedOff(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("partition", 60, 3)
		h := f.hand("w0", 3)
		f.hand("w1", 3)
		for range 4 {
			time.Sleep(40 * time.Second)
			f.broker.Partition("w0", true)
			time.Sleep(2 * lease)
			f.broker.Partition("w0", false)
		}
		f.complete(p)
		if c := f.broker.Count(); c.Away == 0 || f.test("partition").Expired == 0 || h.dropped.Load() == 0 {
			t.Errorf("there was no partition: %+v, %d dropped", c, h.dropped.Load())
		}
	})
}

// TestTheCoordinatorIsKilled kills the coordinator at different moments. Unacknowledged results come again, leases are
// adopted, and no epoch is used twice.
func TestTheCoordinatorIsKilled(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("restarts", 80, 4)
		for _, name := range []string{"w0", "w1", "w2"} {
			f.hand(name, 3)
		}
		adopted := 0
		for i := range 8 {
			time.Sleep(time.Duration(17+i) * time.Second)
			adopted += f.test("restarts").Adopted
			f.restart()
		}
		f.complete(p)
		if adopted += f.test("restarts").Adopted; adopted == 0 || f.c.Status(f.ctx).Boot != 9 {
			t.Errorf("%d leases were adopted in boot %d", adopted, f.c.Status(f.ctx).Boot)
		}
	})
}

// TestAnotherMachineLacksPairs ends a test, and continues on a machine that lacks its last pairs. The test runs again,
// and workers play these pairs. A test that lacks no pairs stays as it is.
func TestAnotherMachineLacksPairs(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		lacking, whole := f.plays("lacking", 20, 6), f.plays("whole", 10, 7)
		f.hand("w0", 4)
		f.complete(lacking)
		f.complete(whole)
		_ = f.stop()
		for _, id := range []int{3, 18, 19} {
			delete(f.disk.stores[lacking.Digest()].pairs, id)
		}
		f.start()
		testutil.Check(t, f.test("lacking").State == farm.Over, "the same machine plays an ended test again")
		asked := 0
		f.reconfigure(func(c *coordinator.Config) { c.Lacks = func(string) bool { asked++; return true } })
		s := f.test("lacking")
		testutil.Check(t, s.State == farm.Running && strings.Contains(s.Why, "the former leader") && asked == 2,
			"%s: %s; asked %d times", s.State, s.Why, asked)
		testutil.Check(t, f.test("whole").State == farm.Over, "a test without a gap runs again")
		f.complete(lacking)
	})
}

// TestItDiesBetweenStoreAndAcknowledgement requires that a stored result that is delivered again counts once.
func TestItDiesBetweenStoreAndAcknowledgement(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("between", 40, 5)
		f.hand("w0", 4)
		deaths := 0
		f.disk.stored = func(_ string, pair int) {
			if pair%7 == 3 { // the process ends here, before the acknowledgement
				deaths++
				f.broker.Open()
			}
		}
		for f.test("between").State != farm.Over {
			time.Sleep(10 * time.Second)
			if f.stopped() {
				f.restart()
			}
		}
		f.complete(p)
		c := f.broker.Count()
		testutil.Check(t, deaths != 0 && c.Again != 0, "%d deaths, %d messages came again", deaths, c.Again)
		if adds := f.disk.stores[p.Digest()].adds; adds != 40 {
			t.Errorf("%d pairs were offered to the store, 40 of them new: what it has is known without asking it", adds)
		}
	})
}

// stopped reports whether the coordinator has ended by itself.
func (f *theFarm) stopped() bool {
	return f.do("ann", "list", farm.Order{}, &farm.Status{}) != nil
}

// TestTheStreamIsFull requires that workers keep their results, and continue when the stream has space.
func TestTheStreamIsFull(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("full", 40, 7)
		f.broker.Limit(100) // less than any message
		h := f.hand("w0", 4)
		f.until("the stream is full", func() bool { return f.broker.Count().Full > 100 })
		if s := f.test("full"); s.Stored != 0 || s.Expired != 0 || h.done.Load() == 0 {
			t.Errorf("%d finished, %+v", h.done.Load(), s)
		}
		f.broker.Limit(0)
		f.complete(p)
	})
}

// TestTheStoreFails requires that the first error ends the process without acknowledgements or grants. No result is
// lost once the store has space again.
func TestTheStoreFails(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("store", 40, 8)
		h := f.hand("w0", 4)
		f.until("something is stored", func() bool { return f.test("store").Stored > 3 })
		f.disk.mu.Lock()
		f.disk.full = true
		f.disk.mu.Unlock()
		f.until("it ends", f.stopped)
		err := f.stop()
		testutil.Check(t, errors.Is(err, errFull), "it ended with %v", err)
		before, waiting := h.done.Load(), f.broker.Waiting()
		time.Sleep(2 * time.Minute)
		testutil.Check(t, f.broker.Waiting() >= waiting && waiting != 0,
			"%d messages wait, %d did when it failed: something was acknowledged", f.broker.Waiting(), waiting)
		testutil.Check(t, h.done.Load() <= before+4, "%d pairs were finished after it failed: more than were granted",
			h.done.Load()-before)
		f.disk.mu.Lock()
		f.disk.full = false
		f.disk.mu.Unlock()
		f.start()
		f.complete(p)
	})
}

// TestTheStreamIsWiped requires that workers play results again that were sent but not judged.
func TestTheStreamIsWiped(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("wiped", 40, 9)
		f.hand("w0", 4)
		time.Sleep(time.Minute)
		_ = f.stop()
		f.until("results wait", func() bool { return f.broker.Waiting() > 0 })
		lost := f.broker.Wipe()
		f.start()
		f.complete(p)
		s := f.test("wiped")
		testutil.Check(t, lost != 0 && s.Lost != 0, "%d messages lost, %+v", lost, s)
	})
}

// TestForgeries requires that a result without a grant, or one that is impossible, is rejected and stored for
// inspection. After three of them the worker gets no more pairs, and others play the pair.
func TestForgeries(t *testing.T) {
	type forgery func(f *theFarm, p *match.Plan, b *farm.Batch)
	// another replaces the result of the pair, and changed changes it.
	another := func(other func(p *match.Plan, id int) match.PairResult) forgery {
		return func(_ *theFarm, p *match.Plan, b *farm.Batch) {
			b.Items[0].Pair, _ = match.EncodePair(other(p, b.Items[0].Lease.Pair))
		}
	}
	changed := func(change func(r *match.PairResult)) forgery {
		return another(func(p *match.Plan, id int) match.PairResult {
			r := play(p, id)
			change(&r)
			return r
		})
	}
	for name, forge := range map[string]forgery{
		"outcome": changed(func(r *match.PairResult) {
			if r.Games[0].Outcome == match.WinFor(0) {
				r.Games[0].Outcome = match.WinFor(1)
			} else {
				r.Games[0].Outcome = match.WinFor(0)
			}
			r.Games[0].Record.Winner = r.Games[0].Outcome.String()
		}),
		"games of another pair": another(func(p *match.Plan, id int) match.PairResult { return play(p, (id+1)%p.Pairs) }),
		"another seed": another(func(_ *match.Plan,
			id int) match.PairResult {
			return play(testPlan("forged", 60, 99), id)
		}),
		"a pair that was not granted": func(_ *theFarm, p *match.Plan, b *farm.Batch) {
			b.Items[0].Lease.Pair = p.Pairs - 1
			b.Items[0].Pair, _ = match.EncodePair(play(p, p.Pairs-1))
		},
		"another worker's lease": func(f *theFarm, _ *match.Plan, b *farm.Batch) {
			b.Items[0].Lease.Token = f.config.Secret.Token("w1", b.Items[0].Lease)
		},
		"half of the pair": changed(func(r *match.PairResult) { r.Games = r.Games[:1] }),
		"the last moves cut": changed(func(r *match.PairResult) {
			for i := range r.Games {
				moves := r.Games[i].Record.Moves
				r.Games[i].Record.Moves = moves[:len(moves)-1]
			}
		}),
		"its games swapped": changed(func(r *match.PairResult) {
			r.Games[0].Record, r.Games[1].Record = r.Games[1].Record, r.Games[0].Record
		}),
		"bytes": func(_ *theFarm, _ *match.Plan, b *farm.Batch) { b.Items[0].Pair[len(b.Items[0].Pair)/2] ^= 1 },
		"an attempt elsewhere": func(_ *theFarm, p *match.Plan, b *farm.Batch) {
			b.Items[0].Pair, b.Items[0].Attempt = nil, &match.Attempt{Pair: b.Items[0].Lease.Pair + 1, Why: "x"}
		},
		"a year that nobody can tell": changed(func(r *match.PairResult) {
			r.Games[0].Ended = time.Date(200_000, 1, 1, 0, 0, 0, 0, time.UTC)
		}),
	} {
		t.Run(name, func(t *testing.T) {
			inFarm(t, func(t *testing.T, f *theFarm) {
				p := f.plays("forged", 60, 10)
				bad := &hand{name: "w0", slots: 2, takes: seconds(5)}
				bad.changes = func(b *farm.Batch) {
					b.Items = slices.Clone(b.Items)
					b.Items[0].Pair = slices.Clone(b.Items[0].Pair)
					forge(f, p, b)
				}
				f.begin(bad)
				f.hand("w1", 3)
				f.complete(p)
				w := f.worker("w0")
				if w.Refused < 3 || w.Quarantine == "" || len(f.broker.Evidence()) < 3 {
					t.Errorf("%+v, evidence %q", w, f.broker.Evidence())
				}
				good := f.worker("w1")
				testutil.Check(t, good.Refused == 0 && good.Quarantine == "", "the other is blamed: %+v", good)
			})
		})
	}
}

// TestInAnothersName requires that a message with a signature of another worker does not count and blames no worker.
func TestInAnothersName(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("forged", 60, 10)
		bad := &hand{f: f, name: "w0", slots: 2, takes: func(int) time.Duration { return 5 * time.Second },
			plans: map[string]*match.Plan{}}
		bad.changes = func(b *farm.Batch) { b.Worker = "w1" }
		bad.begin()
		f.hand("w1", 3)
		f.until("messages are refused", func() bool { return len(f.broker.Evidence()) > 2 })
		bad.kill() // the worker might request the same pair without end
		f.complete(p)
		for _, name := range []string{"w0", "w1"} {
			w := f.worker(name)
			testutil.Check(t, w.Refused == 0 && w.Quarantine == "" && (name != "w0" || w.Added == 0), "%s: %+v", name, w)
		}
	})
}

// TestNothingCountsAfterQuarantine has a worker ignore its quarantine and send results under valid leases. None counts,
// and others play its pairs. After a pardon the worker's results count again.
func TestNothingCountsAfterQuarantine(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		var mu sync.Mutex
		barred := map[string]string{}
		f.config.Bar = func(worker, why string) {
			mu.Lock()
			defer mu.Unlock()
			barred[worker] = why
		}
		reason := func() string {
			mu.Lock()
			defer mu.Unlock()
			return barred["w0"]
		}
		f.restart()
		p := f.plays("quarantine", 40, 11)
		bad := f.line(t, "w0")
		send := func(grants []farm.Grant) {
			for _, g := range grants {
				bad.send(result(t, g, play(p, g.Pair)))
			}
			f.until("they are judged", func() bool { return f.broker.Waiting() == 0 })
		}
		grants := bad.want(4)
		send(grants[:2])
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Why: "odd"}, nil))
		testutil.Equal(t, reason(), "odd (boss)", "the bar")
		send(grants[2:])
		if s := f.test("quarantine"); s.Added != 2 || s.Stale != 2 || s.Refused != 0 {
			t.Errorf("in quarantine: %+v", s.ResultCounts)
		}
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w0", Off: true}, nil))
		testutil.Equal(t, reason(), "", "the bar after the pardon")
		send(bad.want(2))
		if s := f.test("quarantine"); s.Added != 4 {
			t.Errorf("after the pardon: %+v", s.ResultCounts)
		}
		f.hand("w1", 3)
		f.complete(p)
	})
}

// TestARevokedKey requires that results judged after the revocation do not count (I9), and that other workers play the
// pairs.
func TestARevokedKey(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("revoked", 40, 11)
		h := f.hand("w0", 3)
		f.hand("w1", 3)
		f.until("it has played", func() bool { return f.worker("w0").Added > 3 })
		f.keys.revoke("w0")
		before := f.worker("w0").Added
		f.complete(p)
		got := f.worker("w0").Added
		testutil.Check(t, got == before, "I9: %d pairs of a revoked key were counted", got-before)
		testutil.Check(t, h.exit() != nil && h.exit().Exit == 4, "the worker was told %+v", h.exit())
	})
}

// TestResultsOfARevokedKeyWait requires that results in the stream that were not judged when the key was revoked do not
// count (I9). Other workers play the pairs. No worker is blamed for results with a key that was valid then.
func TestResultsOfARevokedKeyWait(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("waiting", 20, 14)
		l := f.line(t, "w0")
		granted := l.want(4)
		_ = f.stop()
		for _, g := range granted {
			l.send(result(t, g, play(p, g.Pair)))
		}
		f.keys.revoke("w0")
		f.start()
		f.until("they are judged", func() bool { return f.broker.Waiting() == 0 })
		if s := f.c.Status(f.ctx).Judge; s.Unsigned != 4 || f.test("waiting").Stored != 0 {
			t.Errorf("%+v, %+v", s, f.test("waiting"))
		}
		f.hand("w1", 3)
		f.complete(p)
		for id, r := range f.disk.stores[p.Digest()].pairs {
			testutil.Check(t, r.Played.Worker != "w0", "I9: pair %d of a revoked key counts", id)
		}
	})
}

// TestClocksAnHourOff requires that the farm stores the times that workers report unchanged. They do not decide which
// leases end, which games count or which machine is slow.
func TestClocksAnHourOff(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("clocks", 60, 15)
		for i, off := range []time.Duration{time.Hour, -time.Hour, 0} {
			h := &hand{name: fmt.Sprint("w", i), slots: 3, takes: seconds(15)}
			h.plays = func(p *match.Plan, id int) match.PairResult {
				r := play(p, id)
				for j := range r.Games {
					r.Games[j].Started, r.Games[j].Ended = r.Games[j].Started.Add(off), r.Games[j].Ended.Add(off)
				}
				return r
			}
			f.begin(h)
		}
		f.until("the run is over", func() bool { return f.test("clocks").State == farm.Over })
		s := f.test("clocks")
		testutil.Check(t, s.Stored == 60 && s.Expired+s.Revoked+s.Refused+s.Lost == 0, "%+v", s)
		off := map[time.Duration]int{}
		for id, r := range f.disk.stores[p.Digest()].pairs {
			off[r.Games[0].Started.Sub(play(p, id).Games[0].Started)]++
		}
		testutil.Check(t, off[time.Hour] != 0 && off[-time.Hour] != 0 && off[0] != 0, "the clocks were not off: %v", off)
	})
}

// TestOtherProtocols requires that the coordinator uses its own protocol with a newer worker. It orders a worker with a
// too old protocol to update. Other workers continue to play.
func TestOtherProtocols(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("protocols", 20, 16)
		hello := func(name string, protocol int) (w farm.HelloReply) {
			h := farm.Hello{Protocol: protocol, Session: "s", Start: 1, Slots: 2}
			testutil.OK(t, f.broker.Connect(name).Request(f.ctx, farm.SubjectHello+name, h, &w))
			return w
		}
		if w := hello("w8", farm.Protocol+1); w.Refusal != nil || w.Protocol != farm.Protocol {
			t.Errorf("a newer one: %+v", w)
		}
		if w := hello("w7", farm.Oldest); w.Refusal != nil || w.Protocol != farm.Oldest {
			t.Errorf("the oldest that is known: %+v", w)
		}
		if w := hello("w9", farm.Oldest-1); w.Refusal == nil || w.Refusal.Exit != 5 ||
			!strings.Contains(w.Refusal.Why, "newer gogi") {
			t.Errorf("one that is too old: %+v", w)
		}
		f.hand("w0", 2)
		f.complete(p)
	})
}

// TestAnOlderProcess requires that the newer of two processes with one key has the name. The older one is rejected, and
// never gets the name back.
func TestAnOlderProcess(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.run(testPlan("session", 40, 12))
		way := f.broker.Connect("w0")
		hello := func(session string, start uint64) (w farm.HelloReply) {
			testutil.OK(t, way.Request(f.ctx, "hello.w0",
				farm.Hello{Protocol: farm.Protocol, Session: session, Start: start, Slots: 2}, &w))
			return w
		}
		ask := func(session string) (g farm.Grants) {
			testutil.OK(t, way.Request(f.ctx, "lease.w0", farm.Ask{Session: session, Want: 2}, &g))
			return g
		}
		beat := func(session string, number uint64, grants ...farm.Grant) (told farm.BeatReply) {
			b := farm.Beat{Session: session, Number: number}
			for _, g := range grants {
				b.Held = append(b.Held, g.Held)
			}
			testutil.OK(t, way.Request(f.ctx, "beat.w0", b, &told))
			return told
		}
		testutil.Check(t, ask("old").Unknown, "a session that has not said hello is granted pairs")
		if w := hello("old", 1); w.Refusal != nil || w.Lease != lease || w.Beat != lease/3 || len(w.Plans) != 1 {
			t.Fatalf("%+v", w)
		}
		held := ask("old").Grants
		again := hello("old", 1)
		testutil.Check(t, again.Refusal == nil && len(held) == 2, "the same session says hello again, and something happens")
		if told := beat("old", 1, held...); len(told.Drop) != 0 {
			t.Errorf("%+v", told)
		}
		if w := hello("new", 2); w.Refusal != nil {
			t.Fatal(w.Refusal)
		}
		if w := hello("old", 1); w.Refusal == nil || w.Refusal.Exit != 4 || !strings.Contains(w.Refusal.Why, "newer") {
			t.Errorf("the older process: %+v", w)
		}
		if told := beat("old", 2, held...); !told.Unknown {
			t.Errorf("the older process beats: %+v", told)
		}
		if told := beat("new", 5); len(told.Drop) != 0 {
			t.Errorf("%+v", told)
		}
		if got := ask("new").Grants; len(got) != 2 || got[0].Pair != 0 || got[1].Pair != 1 {
			t.Errorf("what the older had is not granted to the newer: %+v", got)
		}
		forged := held[0]
		forged.Token = []byte("made up")
		if told := beat("new", 6, forged); len(told.Drop) != 1 {
			t.Errorf("a lease that was not granted: %+v", told)
		}
		if told := beat("new", 4, held...); len(told.Drop) != 0 {
			t.Errorf("a beat that was overtaken is heard: %+v", told)
		}
		for _, w := range []farm.Hello{{Protocol: farm.Oldest - 1, Session: "x", Slots: 1}, {Protocol: 1, Slots: 1},
			{Protocol: 1, Session: "x"}} {
			var answer farm.HelloReply
			err := way.Request(f.ctx, "hello.w0", w, &answer)
			testutil.Check(t, err == nil && answer.Refusal != nil, "%+v: %+v, %v", w, answer, err)
		}
	})
}

// TestAPairThatKills requires that a pair that crashes workers is played alone at the end, and given up after two
// machines. Three such pairs pause the run, and a resume tries them again.
func TestAPairThatKills(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("killer", 40, 13)
		killers, armed := []int{5, 17, 23}, true
		var hands []*hand
		for i := range 3 {
			h := &hand{name: fmt.Sprint("w", i), slots: 2, takes: seconds(10)}
			h.dies = func(pair int) bool { return armed && slices.Contains(killers, pair) }
			hands = append(hands, h)
			f.begin(h)
		}
		f.until("the run is paused", func() bool { return f.test("killer").State == farm.Paused })
		s := f.test("killer")
		testutil.Check(t, slices.Equal(s.Condemned, killers) && strings.Contains(s.Why, "crash"), "%+v", s)
		f.restart()
		if s := f.test("killer"); s.State != farm.Paused || !slices.Equal(s.Condemned, killers) {
			t.Errorf("after a restart: %+v", s)
		}
		for _, h := range hands {
			h.mu.Lock()
		}
		armed = false
		for _, h := range hands {
			h.mu.Unlock()
		}
		testutil.OK(t, f.do("ann", "resume", farm.Order{Run: "killer"}, &s))
		f.complete(p)
	})
}
