package coordinator_test

import (
	"maps"
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

// strict is fifth, but requires 1000 agreements to verify a worker.
type strict struct{ fifth }

func (strict) Verified() int { return 1000 }

// inAudited is inFarm with audits and a third owner, green.
func inAudited(t *testing.T, test func(t *testing.T, f *theFarm)) {
	t.Helper()
	inFarm(t, func(t *testing.T, f *theFarm) {
		f.keys.add("w10", "green", "work")
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = strict{} })
		test(t, f)
	})
}

// wins forges a pair: the first player wins every game. The games are legal, but no engine played them.
func wins(p *match.Plan, id int) match.PairResult { return playAs(p, id, 10) }

// provisional returns why the decision of a test is not final. The database must have the same reason.
func (f *theFarm) provisional(p *match.Plan) string {
	f.t.Helper()
	why := f.test(p.Run).Provisional
	f.disk.mu.Lock()
	stored := f.disk.stores[p.Digest()].provisional
	f.disk.mu.Unlock()
	testutil.Check(f.t, why == stored, "the status says %q, the database %q", why, stored)
	return why
}

func (f *theFarm) over(p *match.Plan) {
	f.t.Helper()
	f.until("the test is over", func() bool { return f.test(p.Run).State == farm.Over })
}

// TestAForgedVerdictIsProvisional: the decision by a forging worker is provisional, also after a restart, until trusted
// machines detect the forgery. Its pairs become void at once. The SPRT decides again, and the honest decision is final.
func TestAForgedVerdictIsProvisional(t *testing.T) {
	for _, running := range []bool{false, true} {
		inAuditedRun(t, map[bool]string{false: "after the end", true: "while it runs"}[running],
			func(t *testing.T, f *theFarm) {
				p := gated("forged", 400, 5)
				f.run(p)
				liar := f.begin(&hand{name: "w1", slots: 8, takes: seconds(20), plays: wins})
				if !running {
					f.over(p)
					liar.kill()
					if s := f.test("forged"); s.Verdict != "pass" || !strings.Contains(f.provisional(p), "audits are missing") {
						t.Fatalf("the verdict is %s, provisional: %q", s.Verdict, s.Provisional)
					}
					f.restart()
					time.Sleep(time.Hour)
					testutil.Check(t, strings.Contains(f.provisional(p), "audits are missing"), "after a restart: %q",
						f.provisional(p))
					f.hand("w3", 8) // an untrusted worker of the same owner, and one of another owner: neither may audit
					f.hand("w10", 8)
					time.Sleep(10 * time.Minute)
					if s := f.test("forged"); s.State != farm.Over || s.Provisional == "" || s.Agreed+s.Differed > 0 {
						t.Errorf("untrusted workers audit: %+v", s)
					}
				} else {
					f.until("it has pairs", func() bool { return f.test("forged").Held == 8 })
					f.hand("w10", 4)
				}
				f.hand("w0", 4) // w0 belongs to the owner of the test
				f.trust("w10", "verified")
				f.until("the liar is found", func() bool { return f.worker("w1").Quarantine != "" })
				f.until("its pairs are void", func() bool { return f.test("forged").Voided != "" })
				if s := f.test("forged"); s.State != farm.Running ||
					!strings.Contains(s.Voided, "pairs of w1 voided: audit of pair") ||
					!running && (!strings.Contains(s.Voided, "the verdict pass is withdrawn") || s.Why != s.Voided) {
					t.Errorf("%+v", s)
				}
				f.over(p)
				f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
				f.verify(p)
				if s := f.test("forged"); s.Verdict == "pass" || s.State != farm.Over || s.Voided != "" {
					t.Errorf("%+v", s)
				}
			})
	}
}

// TestPushedPairsThatDiffer: pushed pairs whose engines may have kept data of earlier pairs accuse no key. They become
// void, and the key cannot push them again.
func TestPushedPairsThatDiffer(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		p := gated("pushed", 400, 5)
		f.run(p)
		testutil.OK(t, f.pushes(p, keeps))
		f.over(p)
		testutil.Contains(t, f.provisional(p), "audits are missing", "the verdict")
		f.hand("w10", 4)
		f.trust("w10", "verified")
		f.until("the pairs are void", func() bool { return f.test("pushed").Voided != "" })
		f.over(p)
		for _, w := range f.c.Status(f.ctx).Workers {
			testutil.Equal(t, w.Quarantine, "", "the quarantine of %s", w.Name)
		}
		f.restart()
		testutil.Fails(t, f.pushes(p, keeps), "audits of pushed differ from the pairs that you pushed", "it pushes again")
	})
}

// TestAFewFalsePairs: one trusted worker refutes two of a worker's pairs, and confirms its others. Exactly these two
// become void and are played again, but not by their worker, also if the process ends in between. The verdict is final
// without an admin, and no worker is in quarantine. The same happens if the trusted worker is wrong; then its results
// of the two pairs count.
func TestAFewFalsePairs(t *testing.T) {
	wrong := func(p *match.Plan, id int) match.PairResult {
		if id == 1 || id == 2 {
			return lies(p, id)
		}
		return play(p, id)
	}
	const liar, lost, auditor = "a liar", "the process ends", "the trusted worker is wrong"
	for _, name := range []string{liar, lost, auditor} {
		inAuditedRun(t, name, func(t *testing.T, f *theFarm) {
			p := gated("few", 400, 5)
			f.run(p)
			plays := map[bool]func(*match.Plan, int) match.PairResult{true: wrong, false: play}
			first := f.begin(&hand{name: "w1", slots: 8, takes: seconds(20), plays: plays[name != auditor]})
			f.over(p)
			verdict := f.test("few").Verdict
			first.kill()
			f.disk.lost = name == lost
			f.begin(&hand{name: "w10", slots: 1, plays: plays[name == auditor]})
			f.trust("w10", "verified")
			if name == lost {
				f.until("the pairs are void", func() bool {
					return len(testutil.Must(f.disk.stores[p.Digest()].Takes(f.ctx))(t)) > 0
				})
				time.Sleep(time.Second)
				_ = f.stop()
				f.disk.lost = false
				f.start()
			}
			f.hand("w1", 8)
			f.until("the test runs again", func() bool { return f.test("few").State == farm.Running })
			s := f.test("few")
			testutil.Check(t, name == lost || s.Differed == 2, "%d audits differ", s.Differed)
			what := "pairs [1 2] of w1 voided: w10 twice got another result (other moves), and no other trusted worker can decide; no worker is accused; the verdict " + verdict + " is withdrawn"
			if name == lost {
				what = "pairs of w1 voided: w10 got other results for [1 2]"
			}
			testutil.Check(t, s.Voided == what &&
				slices.ContainsFunc(s.Log, func(l farm.Change) bool { return strings.Contains(l.What, what) }),
				"%q, expected %q: %+v", s.Voided, what, s.Log)
			f.over(p)
			f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
			if name != auditor {
				f.verify(p)
			}
			testutil.Equal(t, f.worker("w1").Quarantine+f.worker("w10").Quarantine, "", "quarantine")
			of := f.disk.stores[p.Digest()]
			testutil.Check(t, len(of.takes) == 2 && of.pairs[1].Played.Worker == "w10" && of.pairs[2].Played.Worker == "w10",
				"voided %v, played by %s and %s",
				of.takes, of.pairs[1].Played.Worker, of.pairs[2].Played.Worker)
		})
	}
}

// pushes lets ann push all pairs of a test.
func (f *theFarm) pushes(p *match.Plan, plays func(p *match.Plan, id int) match.PairResult) error {
	var texts [][]byte
	for id := range p.Pairs {
		texts = append(texts, testutil.Must(match.EncodePair(plays(p, id)))(f.t))
	}
	return f.do("ann", "push", farm.Push{Run: p.Digest(), Pairs: texts}, nil)
}

// keeps returns the result of a pair by engines that keep data of earlier pairs: every tenth differs from that of new
// engines.
func keeps(p *match.Plan, id int) match.PairResult {
	if id%10 == 3 {
		return lies(p, id)
	}
	return play(p, id)
}

// ages restarts the coordinator as if an earlier gogi had granted all pairs.
func (f *theFarm) ages() {
	f.t.Helper()
	_ = f.stop()
	states.Lock()
	key := [2]string{"farm", "boot"}
	boot := states.files[f.state][key]
	var count map[string]uint32
	testutil.OK(f.t, farm.Decode(boot.body, &count))
	delete(count, "fresh")
	boot.body = testutil.Must(farm.Encode(count))(f.t)
	states.files[f.state][key] = boot
	states.Unlock()
	f.start()
}

// TestEarlierWorkers: a worker of an earlier gogi, whose engines keep data of earlier pairs, gets no pairs that audits
// compare. Those that an earlier coordinator has stored accuse no worker when new workers audit them, alone or
// together. They become void and are played again.
func TestEarlierWorkers(t *testing.T) {
	for _, auditors := range [][]string{{"w10"}, {"w10", "w11"}} {
		inAuditedRun(t, strings.Join(auditors, " "), func(t *testing.T, f *theFarm) {
			f.keys.add("w11", "yellow", "work")
			p := gated("kept", 400, 5)
			f.run(p)
			old := f.begin(&hand{name: "w1", slots: 8, takes: seconds(20), plays: keeps, speaks: farm.ProtocolFresh - 1})
			time.Sleep(time.Hour)
			w := f.worker("w1")
			testutil.Check(t, w.Held+w.Added == 0 && len(w.Unfit) == 1 &&
				strings.Contains(w.Unfit[0], "kept: its gogi speaks protocol 2"), "%+v", w)
			old.kill()
			old.speaks = 0
			old.begin()
			f.over(p)
			old.kill()

			f.ages()
			var of farm.PlanOf
			testutil.OK(t, f.do("ann", "plan", farm.Order{Run: "kept"}, &of))
			testutil.Equal(t, of.Fresh>>32, farm.Epoch(f.c.Status(f.ctx).Boot), "the first boot with new engines")

			for _, name := range auditors {
				f.hand(name, 4)
				f.trust(name, "verified")
			}
			f.until("the pairs are void", func() bool { return f.test("kept").Voided != "" })
			s := f.test("kept")
			testutil.Check(t, strings.Contains(s.Voided, "pairs of w1 voided: audit of pair 3 of kept: other moves") &&
				strings.Contains(s.Voided, "may have kept data of earlier pairs"), "%q", s.Voided)
			old.plays = nil // it is a new gogi now
			old.begin()
			f.until("it plays again", func() bool { return f.worker("w1").Held > 0 && f.test("kept").Stored > 4 })
			f.hand("w3", 1)
			time.Sleep(2 * time.Second)
			testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w3", Why: "it is broken"}, nil))
			f.over(p)
			voided := func(l farm.Change) bool { return strings.Contains(l.What, "of w1 voided") }
			testutil.Equal(t, len(slices.DeleteFunc(f.test("kept").Log, func(l farm.Change) bool { return !voided(l) })), 1,
				"how often its pairs became void")
			f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
			for _, name := range append(auditors, "w1") {
				testutil.Equal(t, f.worker(name).Quarantine, "", "the quarantine of %s", name)
			}
			fresh := of.Fresh
			f.restart()
			testutil.OK(t, f.do("ann", "plan", farm.Order{Run: "kept"}, &of))
			testutil.Equal(t, of.Fresh, fresh, "the first boot with new engines, after a restart")
		})
	}
}

// TestDoubtedPairsOfAStoppedTest: audits contradict a pair of an earlier gogi after its test was stopped. When the test
// runs again, the pairs of its worker become void, also after a restart.
func TestDoubtedPairsOfAStoppedTest(t *testing.T) {
	for _, restart := range []bool{false, true} {
		name := map[bool]string{true: "restart", false: "same process"}[restart]
		inAuditedRun(t, name, func(t *testing.T, f *theFarm) {
			p := gated("kept", 400, 5)
			f.run(p)
			old := f.begin(&hand{name: "w1", slots: 1, takes: seconds(20), plays: lies})
			f.until("it has some pairs", func() bool { return f.test("kept").Stored == 7 })
			testutil.OK(t, f.do("ann", "stop", farm.Order{Run: "kept"}, nil))
			old.kill()
			testutil.Equal(t, f.test("kept").Verdict, "continue", "the verdict")
			f.ages()
			f.hand("w10", 1)
			f.trust("w10", "verified")
			f.until("an audit contradicts a pair", func() bool { return f.test("kept").Differed > 0 })
			time.Sleep(time.Minute)
			testutil.Equal(t, f.test("kept").Voided, "", "void while the test is stopped")
			if restart {
				f.restart()
			}

			testutil.OK(t, f.do("ann", "resume", farm.Order{Run: "kept"}, nil))
			f.until("the pairs are void", func() bool { return f.test("kept").Voided != "" })
			testutil.Contains(t, f.test("kept").Voided, "pairs of w1 voided: audit of pair 0 of kept", "void")
			f.over(p)
			f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
			f.verify(p)
		})
	}
}

// TestForgedPairsArePushed: if forged pairs are pushed into a test that does not run, its decision is provisional.
// After the audits, the key is in quarantine and the pairs are void, because the plan starts the engines anew for each
// pair. This also holds if the process ended after it removed them.
func TestForgedPairsArePushed(t *testing.T) {
	for _, verb := range []string{"pause", "stop"} {
		inAuditedRun(t, verb, func(t *testing.T, f *theFarm) {
			p := gated("pushed", 400, 5)
			for i := range p.Players {
				p.Players[i].Restart = match.RestartPair
			}
			f.run(p)
			testutil.OK(t, f.do("ann", verb, farm.Order{Run: "pushed"}, nil))
			testutil.OK(t, f.pushes(p, wins))
			if s := f.test("pushed"); s.Verdict != "pass" || f.provisional(p) == "" {
				t.Fatalf("%+v", s)
			}
			if verb == "pause" {
				testutil.OK(t, f.do("ann", "resume", farm.Order{Run: "pushed"}, nil))
				f.over(p)
			}
			f.keys.add("w11", "yellow", "work")
			for _, name := range []string{"w10", "w11"} {
				f.hand(name, 4)
				f.trust(name, "verified")
			}
			f.until("the key is in quarantine", func() bool {
				return slices.ContainsFunc(f.c.Status(f.ctx).Workers, func(w farm.WorkerStatus) bool {
					return w.Name == "ann" && w.Quarantine != ""
				})
			})
			_ = f.stop()
			testutil.Must(f.disk.stores[p.Digest()].Void(f.ctx, tests.Selection{Worker: "ann"}, "", ""))(t)
			f.start()
			testutil.Fails(t, f.pushes(p, wins), "is in quarantine", "it pushes again")
			if verb == "pause" {
				f.over(p)
				f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
			}
			time.Sleep(time.Minute)
			if s := f.test("pushed"); s.Verdict == "pass" || s.Provisional != "" {
				t.Errorf("%+v", s)
			}
		})
	}
}

// TestAMachineOfTheOwner: a machine of the test's owner agrees with the liar against a trusted worker. This decides
// nothing, and a second trusted worker gets the audit. Rejected or missing results do not block an audit.
func TestAMachineOfTheOwner(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		f.keys.add("w11", "yellow", "work")
		p := gated("disputed", 400, 5)
		f.run(p)
		f.begin(&hand{name: "w1", slots: 8, takes: seconds(20), plays: wins})
		f.over(p)
		honest, owner := f.line(t, "w10"), f.line(t, "w0")
		f.trust("w10", "verified")
		grants := honest.want(100)
		honest.send(result(t, grants[0], play(p, grants[0].Pair)),
			farm.Item{Lease: grants[1].Held, Pair: []byte("no pair at all")})
		time.Sleep(time.Second)
		third := owner.want(2)
		testutil.Require(t, len(third) == 2, "%d audits are free, of which one was refused", len(third))
		for _, g := range third {
			owner.send(result(t, g, wins(p, g.Pair)))
		}
		time.Sleep(time.Second)
		w, s := f.worker("w10"), f.test("disputed")
		testutil.Check(t, w.Quarantine == "" && s.Differed == 0 && s.Agreed == 1, "%+v, %+v", w, s)
		n, free := uint64(1), 0
		for l := f.line(t, "w11"); n < 400 && free < len(grants)-1; n++ {
			var reply farm.BeatReply
			honest.ask(farm.SubjectBeat, farm.Beat{Session: "s", Number: n, Outbox: held2(grants[2:])}, &reply)
			if n == 1 {
				f.trust("w11", "verified")
			}
			free += len(l.want(100))
			l.beat(n)
			time.Sleep(5 * time.Second)
		}
		testutil.Check(t, free >= len(grants)-2, "%d of %d audits are free again", free, len(grants))
	})
}

func inAuditedRun(t *testing.T, name string, test func(t *testing.T, f *theFarm)) {
	t.Helper()
	t.Run(name, func(t *testing.T) { inAudited(t, test) })
}

// TestWhenAVerdictIsFinal: a decision is final at once if its workers are trusted. Otherwise it becomes final when the
// audited sample agrees or an operator trusts the worker. Pushed pairs need audits or a key with the right to run. It
// is not final because the owner of the test pushed the pairs.
func TestWhenAVerdictIsFinal(t *testing.T) {
	for name, c := range map[string]struct {
		run, worker, level, want string
		then                     func(t *testing.T, f *theFarm)
	}{
		"trusted": {"run", "w1", "verified", "", nil},
		"audited": {"run", "w1", "untrusted", "audits are missing", func(_ *testing.T, f *theFarm) { f.hand("w0", 4) }},
		"timed": {"timed", "w1", "untrusted", "gogi farm worker trust WORKER verified", func(_ *testing.T, f *theFarm) {
			f.trust("w1", "verified")
		}},
		"pushed": {"run", "", "", "audits are missing", func(_ *testing.T, f *theFarm) {
			f.hand("w10", 4)
			f.trust("w10", "owner")
		}},
		"right": {"run", "", "", "audits are missing", func(_ *testing.T, f *theFarm) {
			f.keys.add("ann", "red", "submit", "run")
		}},
		"verified": {"run", "w1", "untrusted", "audits are missing", func(_ *testing.T, f *theFarm) {
			f.trust("w1", "verified")
		}},
	} {
		inAuditedRun(t, name, func(t *testing.T, f *theFarm) {
			p := gated(c.run, 400, 5)
			if c.worker == "" {
				f.run(p)
				testutil.OK(t, f.pushes(p, play))
			} else {
				h := f.hand(c.worker, 8)
				f.trust(c.worker, c.level)
				f.run(p)
				f.over(p)
				h.kill()
			}
			f.over(p)
			if got := f.provisional(p); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
				t.Errorf("%q, expected %q", got, c.want)
			}
			if c.then == nil {
				return
			}
			f.restart()
			if name == "audited" {
				time.Sleep(8 * 24 * time.Hour) // audits of a provisional decision do not expire
			}
			time.Sleep(time.Minute)
			testutil.Check(t, f.provisional(p) != "", "it is final after a restart")
			c.then(t, f)
			f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
			if name == "pushed" && slices.ContainsFunc(f.c.Status(f.ctx).Workers, func(w farm.WorkerStatus) bool {
				return w.Name == "ann"
			}) {
				t.Error("a key that pushed pairs has become a worker, which can earn trust")
			}
			if s := f.test(c.run); s.State != farm.Over ||
				!slices.ContainsFunc(s.Log, func(l farm.Change) bool { return strings.Contains(l.What, "is final") }) {
				t.Errorf("%+v", s)
			}
			f.restart()
			time.Sleep(time.Minute)
			testutil.Equal(t, f.provisional(p), "", "after a restart")
		})
	}
}

// TestAnAuditorThatLosesItsTrust: if an auditor loses its trust, its agreements and its late audit results confirm
// nothing. A copied message of an auditor confirms nothing a second time.
func TestAnAuditorThatLosesItsTrust(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		p := gated("run", 400, 5)
		f.run(p)
		f.hand("w1", 8)
		f.over(p)
		auditor := f.line(t, "w10")
		f.trust("w10", "verified")
		grants := auditor.want(100)
		testutil.Require(t, len(grants) >= 2 && grants[0].Audit, "%+v", grants)
		slices.SortFunc(grants, func(a, b farm.Grant) int { return a.Pair - b.Pair }) // the decision needs the first pair
		late, last := grants[0], len(grants)-1
		for _, g := range grants[1:] {
			auditor.send(result(t, g, play(p, g.Pair)))
			auditor.send(result(t, g, play(p, g.Pair)))
		}
		time.Sleep(lease)
		if s := f.test("run"); s.Agreed != last || s.Stale != last || !strings.HasPrefix(s.Provisional, "1 of ") {
			t.Errorf("%+v", s)
		}
		f.trust("w10", "untrusted")
		auditor.send(result(t, late, play(p, late.Pair)))
		time.Sleep(time.Minute)
		if s := f.test("run"); s.Agreed != last || strings.HasPrefix(s.Provisional, "1 of ") || s.Provisional == "" {
			t.Errorf("%+v", s)
		}
		f.hand("w0", 4)
		f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
	})
}

// TestAQuarantineOfAnOwnersKey: while a key is in quarantine, the other keys of its owner have the limits of new keys
// and earn no slots. A pardon ends this. Machines with the level owner, and other owners, are not limited.
func TestAQuarantineOfAnOwnersKey(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		f.keys.add("w11", "green", "work")
		f.keys.add("w12", "green", "work")
		f.run(testPlan("long", 10_000, 1))
		bad := f.line(t, "w11", 8)
		for name, slots := range map[string]int{"w10": 1000, "w0": 16, "w1": 16} {
			f.line(t, name, slots)
		}
		for name, level := range map[string]string{"w10": "verified", "w0": "owner", "w1": "verified"} {
			f.trust(name, level)
		}
		good := bad.want(8)
		for _, g := range good {
			bad.send(result(t, g, play(testPlan("long", 10_000, 1), g.Pair)))
		}
		f.until("they are stored", func() bool { return f.test("long").Stored == len(good) })
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w11", Why: "lies"}, nil))
		f.restart()
		verified, own, other := f.line(t, "w10", 1000), f.line(t, "w0", 16), f.line(t, "w1", 16)
		fresh := f.line(t, "w12", 1000)
		if w := f.worker("w10"); w.Trust != "untrusted" || w.Suspect != "w11" ||
			!strings.Contains(w.Words(nil), "w11 of the same owner is in quarantine") {
			t.Errorf("%+v", w)
		}
		got := verified.want(1000)
		testutil.Check(t, len(got) == 64+16*8, "%d pairs are granted to a verified worker of the owner", len(got))
		testutil.Equal(t, len(fresh.want(1000)), 0, "pairs are granted to a new key of the owner")
		if a, b := len(own.want(1000)), len(other.want(1000)); a != 64+16*16 || b != a {
			t.Errorf("%d and %d pairs are granted to trusted workers of others", a, b)
		}
		for _, g := range got[:100] {
			verified.send(result(t, g, play(testPlan("long", 10_000, 1), g.Pair)))
		}
		f.until("they are stored", func() bool { return f.worker("w10").Added == 100 })
		time.Sleep(2 * time.Second)
		testutil.Equal(t, len(verified.want(1000)), 100, "more pairs are granted after 100 stored ones")
		asked := testutil.Must(farm.Encode(farm.SignUp{Name: "w13", Owner: "green", At: time.Now(),
			Note: "my third machine"}))(t)
		testutil.OK(t, testutil.Err(openState(t, f.state).Put(f.ctx, "signups", "w13", asked, 0)))
		var waiting []farm.SignUp
		testutil.OK(t, f.do("boss", "signups", farm.Order{}, &waiting))
		testutil.Check(t, len(waiting) == 1 &&
			strings.HasPrefix(waiting[0].Note, "w11 of this person is in quarantine: lies (boss). my third"), "%+v", waiting)
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w11", Off: true}, nil))
		if w := f.worker("w10"); w.Trust != "verified" || w.Suspect != "" {
			t.Errorf("after a pardon: %+v", w)
		}
		testutil.Equal(t, len(verified.want(800)), 800, "pairs are granted after a pardon")
	})
}

// TestAVerdictOfASuspectOwnersWorker: the decision is provisional although the worker was verified. The audits that
// make it final do not verify the worker again.
func TestAVerdictOfASuspectOwnersWorker(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		f.reconfigure(func(c *coordinator.Config) { c.Auditor = fifth{} }) // three agreements verify a worker
		f.keys.add("w11", "green", "work")
		f.line(t, "w11")
		p := gated("provisional", 400, 5)
		h := f.hand("w10", 8)
		f.trust("w10", "verified")
		f.run(p)
		testutil.OK(t, f.do("boss", "quarantine", farm.Order{Worker: "w11", Why: "lies"}, nil))
		f.over(p)
		h.kill()
		testutil.Check(t, f.provisional(p) != "", "the verdict by a suspect owner's verified worker is final")
		f.trust("w10", "untrusted")
		f.hand("w1", 8)
		f.trust("w1", "verified")
		f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
		if w := f.worker("w10"); w.Agreed != 0 || w.Trust != "untrusted" {
			t.Errorf("agreements have verified a suspect owner's worker: %+v", w)
		}
		testutil.Check(t, f.worker("w1").Agreed > 3, "the auditor has %d agreements", f.worker("w1").Agreed)
	})
}

// TestStrangersWhoAgree: two keys of two owners that forge alike gain no trust. They cannot cause the quarantine of a
// verified worker.
func TestStrangersWhoAgree(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		p := testPlan("long", 400, 1)
		f.keys.add("w11", "yellow", "work")
		f.hand("w0", 3)
		f.trust("w0", "verified")
		f.run(p)
		f.begin(&hand{name: "w1", slots: 8, plays: lies})
		f.begin(&hand{name: "w11", slots: 8, plays: lies})
		f.over(p)
		time.Sleep(time.Hour)
		if w := f.worker("w0"); w.Quarantine != "" {
			t.Errorf("%+v", w)
		}
		for _, name := range []string{"w1", "w11"} {
			if w := f.worker(name); w.Trust != "untrusted" || w.Agreed != 0 {
				t.Errorf("%+v", w)
			}
		}
		s := f.test("long")
		testutil.Check(t, s.Agreed != 0, "the strangers did not agree: %+v", s)
		f.hand("w10", 8)
		f.trust("w10", "owner")
		f.until("both are found", func() bool { return f.worker("w1").Quarantine != "" && f.worker("w11").Quarantine != "" })
	})
}

// TestTheAuditOfALostPair: another machine continues the run without a pair whose audit agreed. When the pair is played
// again, the old audit does not confirm it, also not in a later process.
func TestTheAuditOfALostPair(t *testing.T) {
	inAudited(t, func(t *testing.T, f *theFarm) {
		p := gated("run", 400, 5)
		f.run(p)
		h := f.hand("w1", 8)
		f.over(p)
		h.kill()
		auditor := f.hand("w10", 4)
		f.trust("w10", "verified")
		f.until("the verdict is final", func() bool { return f.provisional(p) == "" })
		auditor.kill()
		agreed := func() (pairs map[int]string) {
			states.Lock()
			defer states.Unlock()
			testutil.OK(t, farm.Decode(states.files[f.state][[2]string{"agreed", p.Digest()}].body, &pairs))
			return pairs
		}
		before := agreed()
		testutil.Require(t, len(before) > 1, "%v", before)
		_ = f.stop()
		lost := slices.Min(slices.Collect(maps.Keys(before)))
		delete(f.disk.stores[p.Digest()].pairs, lost)
		f.config.Lacks = func(string) bool { return true }
		f.start()
		time.Sleep(time.Minute)
		after := agreed()
		testutil.Check(t, after[lost] == "" && len(after) == len(before)-1, "pair %d: %v instead of %v", lost, after, before)
	})
}
