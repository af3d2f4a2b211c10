package coordinator_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/internal/lists"
	"gogi/internal/testutil"
)

// TestPairsThatAreFreeLater: an answer without grants reports that pairs become free later, here in the grace period
// after a restart. Otherwise a worker with --once ends too early.
func TestPairsThatAreFreeLater(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p, l := f.plays("later", 6, 1), f.line(t, "w0")
		held := l.want(6)
		l.send(result(t, held[5], play(p, 5)))
		f.until("it is stored", func() bool { return f.test("later").Stored == 1 })
		for _, later := range []bool{false, true} {
			var g farm.Grants
			f.line(t, "w1").ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 10}, &g)
			testutil.Check(t, len(held) == 6 && len(g.Grants) == 0 && g.Later == later, "%+v, expected %t", g, later)
			f.restart()
		}
	})
}

func held2(grants []farm.Grant) (list []farm.Held) {
	return lists.Map(grants, func(g farm.Grant) farm.Held { return g.Held })
}

// TestNobodyKeepsPairs: the coordinator grants a pair again if its worker lists the result as sent but the result never
// arrives. Other messages, here without a valid signature, do not prevent this. A pair whose result is never sent is
// also granted again.
func TestNobodyKeepsPairs(t *testing.T) {
	for _, sent := range []bool{true, false} {
		t.Run(map[bool]string{true: "sent", false: "not sent"}[sent], func(t *testing.T) {
			inFarm(t, func(t *testing.T, f *theFarm) {
				f.run(testPlan("kept", 10, 1))
				keeper, junk := f.line(t, "w0"), f.line(t, "w1")
				list := held2(keeper.want(2))
				gone := false
				for n := 1; n <= 454 && !gone; n++ {
					b := farm.Beat{Session: "s", Number: uint64(n), Outbox: list}
					if sent {
						b.Outbox, b.Sent = nil, list
					}
					var reply farm.BeatReply
					keeper.ask(farm.SubjectBeat, b, &reply)
					gone = len(reply.Drop) == 2
					junk.publish([]byte("no signature"))
					time.Sleep(2 * time.Second)
					if sent && n > 30 {
						break
					}
				}
				if !gone || f.test("kept").Lost != 2 {
					t.Errorf("dropped: %t, %+v", gone, f.test("kept"))
				}
			})
		})
	}
}

// TestTheThirdRefusedResult: the third rejected result quarantines its worker. No later result counts, even in the same
// message or batch. The coordinator counts results, not messages.
func TestTheThirdRefusedResult(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := f.plays("bad", 20, 1)
		l := f.line(t, "w0")
		g := l.want(10)
		item := func(i int, good bool) farm.Item {
			it := result(t, g[i], play(p, g[i].Pair))
			if !good {
				it.Pair = []byte("no pair at all")
			}
			return it
		}
		_ = f.stop()
		l.send(item(0, true), item(1, false), item(2, false), item(3, true))
		l.send(item(4, false), item(5, true))
		l.send(item(6, true))
		f.start()
		f.until("they are judged", func() bool { return f.broker.Waiting() == 0 })
		w, s := f.worker("w0"), f.test("bad")
		testutil.Check(t, w.Refused == 3 && s.Refused == 3 && w.Quarantine != "" && s.Stored == 2 && s.Stale == 2, "%+v\n%+v",
			w, s)
		var hello farm.HelloReply
		l.ask(farm.SubjectHello, farm.Hello{Protocol: farm.Protocol, Session: "s2", Start: 2, Slots: 2, Labels: linux()},
			&hello)
		if hello.Refusal == nil || hello.Refusal.Exit != 4 ||
			!strings.Contains(hello.Refusal.Why, "quarantine: 3 results were refused") {
			t.Errorf("%+v", hello)
		}
	})
}

// TestARefusalIsShown: the status of the test and of the worker shows a refusal with its reason while the worker is
// connected, and shows the reason only to the owners of the machine and of the test and to keys with certain rights.
func TestARefusalIsShown(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		s := f.run(testPlan("refused", 20, 1)) // of the owner red
		const secret = "engine dev: crash: exit status 1: token=hunter2"
		f.keys.add("eve", "eve", "submit")
		f.keys.add("bea", "blue", "submit")
		f.keys.add("run", "eve", "run")
		l := f.line(t, "w1") // of the owner blue
		l.ask(farm.SubjectLease, farm.Ask{Session: "s", Want: 1, Refuse: []string{s.Run}, Why: []string{secret}},
			&farm.Grants{})
		for key, reads := range map[string]bool{"": false, "eve": false, "ann": true, "bea": true, "ben": true, "run": true,
			"boss": true} {
			status := f.c.StatusFor(f.ctx, key)
			w := status.Workers[0]
			texts := []string{status.Tests[0].Refusals[0], w.Unfit[0], w.Errors[0].What}
			if key != "" {
				var shown farm.TestStatus
				var list farm.Status
				testutil.OK(t, f.do(key, "show", farm.Order{Run: "refused"}, &shown))
				testutil.OK(t, f.do(key, "list", farm.Order{}, &list))
				texts = append(texts, shown.Refusals[0], list.Tests[0].Refusals[0], list.Workers[0].Unfit[0],
					list.Workers[0].Errors[0].What)
			}
			for i, text := range texts {
				testutil.Check(t, strings.Contains(text, secret) == reads, "text %d as %q reads it: %q", i, key, text)
			}
			testutil.Check(t, strings.HasPrefix(texts[0], "w1: ") && strings.HasPrefix(texts[1], "refused: "), "%q", texts)
		}
		var after farm.TestStatus
		testutil.OK(t, f.do("run", "pause", farm.Order{Run: "refused"}, &after))
		testutil.Contains(t, after.Refusals[0], secret, "the answer to an order")
		var w farm.WorkerStatus
		testutil.OK(t, f.do("run", "drain", farm.Order{Worker: "w1"}, &w))
		testutil.Contains(t, w.Errors[0].What, secret, "the answer to an order about a worker")
		time.Sleep(time.Hour)
		if list := f.test("refused").Refusals; len(list) > 0 {
			t.Errorf("of a worker that is away: %q", list)
		}
	})
}

// TestFalseCrashes: two new keys of one owner without a stored pair report each pair as crashing. The test with an SPRT
// goes on, and its log says who reported what. When a machine of the test's owner has played four of the pairs, the
// keys get no more pairs of this test.
func TestFalseCrashes(t *testing.T) {
	inFarm(t, func(t *testing.T, f *theFarm) {
		p := gated("accused", 600, 3)
		p.Gate.Elo1 = 1 // it needs more pairs
		f.run(p)        // of the owner red
		f.keys.add("mal", "mal", "work")
		f.keys.add("mal3", "mal", "work")
		liars := []*line{f.line(t, "mal"), f.line(t, "mal3")}
		reports, beats := 0, uint64(0)
		lie := func() {
			beats++
			for _, l := range liars {
				b := farm.Beat{Session: "s", Number: beats}
				for _, g := range l.want(50) {
					b.Back = append(b.Back, farm.Back{Held: g.Held, Why: "exit status 1: token=hunter2", Crashed: true})
				}
				reports += len(b.Back)
				var reply farm.BeatReply
				l.ask(farm.SubjectBeat, b, &reply)
			}
		}
		for range 20 {
			lie()
			time.Sleep(2 * time.Second)
		}
		s := f.test("accused")
		testutil.Require(t, reports >= 4 && s.State == farm.Running && len(s.Condemned) == 0, "%d reports, %+v", reports, s)
		testutil.Contains(t, s.Suspicions, "mal (mal)", "the status")

		f.hand("w0", 2) // of the owner red
		f.until("pairs are stored", func() bool {
			lie()
			return f.test("accused").Stored > 40
		})
		s = f.test("accused")
		text := fmt.Sprint(s.Log)
		for _, want := range []string{"mal (mal) reported that pair", "the workers of mal get no more pairs of this test"} {
			testutil.Check(t, strings.Contains(text, want), "the log lacks %q: %s", want, text)
		}
		testutil.Check(t, !strings.Contains(text, "hunter2"), "the log has a text of the worker: %s", text)
		testutil.Check(t, s.State == farm.Running && len(s.Condemned) == 0, "%+v", s)
		for _, l := range liars {
			testutil.Equal(t, len(l.want(50)), 0, l.name)
		}
	})
}
