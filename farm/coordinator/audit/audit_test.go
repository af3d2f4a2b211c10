package audit

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/parttest"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/lists"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/gate"
	"gogi/match/trust"
	"gogi/stats"
)

// all is an Auditor that audits every pair. Two results differ if their factors of the clocks differ.
type all struct{}

func (all) Exact(*match.Plan) bool                    { return true }
func (all) Audits(string, int, trust.Level, int) bool { return true }
func (all) Verified() int                             { return 2 }
func (all) Sample(_ string, pairs []int) []int        { return pairs }
func (all) Differ(a, b *match.PairResult) (what string) {
	if a.Played.Scale != b.Played.Scale {
		what = "the first move"
	}
	return what
}

func (all) Print(p *match.PairResult) []byte { return fmt.Append(nil, p.Played.Scale) }

func result(pair int, worker string, value float64) *match.PairResult {
	return &match.PairResult{Pair: match.Pair{ID: pair}, Played: match.Provenance{Worker: worker, Scale: value}}
}

// begin returns a farm with a running test, of which red1 has played pair 0 with the value 1.
func begin(t *testing.T, g stats.SPRT) (*parttest.Farm, *Audits, *tests.Test) {
	t.Helper()
	f := parttest.New()
	a := New(Config{
		State: f.State, Roster: f.Roster, Tests: f.Tests, Epochs: f.Epochs, Secret: parttest.Secret, Lease: parttest.Lease,
		Auditor: all{}, Log: f.Log,
	})
	r := f.Run(t, parttest.Plan("t", 8, g))
	for _, name := range []string{"red1", "red2", "blue1", "blue2", "gold1"} {
		f.Join(t, name, 1)
	}
	f.Stores["t"].Pairs[0] = *result(0, "red1", 1)
	r.Ledger.Stored(time.Now(), 0)
	a.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], 0, 0)
	return f, a, r
}

// grant grants the audit to a worker and returns its lease. ok is false if the worker may not play it.
func grant(t *testing.T, f *parttest.Farm, a *Audits, r *tests.Test, worker string) (h farm.Held, ok bool) {
	t.Helper()
	list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions[worker], 1)
	if len(list) == 0 {
		return h, false
	}
	return list[0].Held, true
}

func play(t *testing.T, f *parttest.Farm, a *Audits, r *tests.Test, worker string, value float64) Accusation {
	t.Helper()
	h, ok := grant(t, f, a, r, worker)
	testutil.Require(t, ok, "%s gets no audit", worker)
	return a.Count(t.Context(), r,
		Played{Worker: worker, Owner: f.Roster.OwnerOf(worker), Lease: h, Pair: result(0, worker, value)})
}

// TestResultsAgree: a worker of another owner plays the pair again. If the farm trusts it, both come nearer to the
// level verified.
func TestResultsAgree(t *testing.T) {
	for _, level := range []trust.Level{trust.Untrusted, trust.Owner} {
		f, a, r := begin(t, stats.SPRT{})
		_, ok := grant(t, f, a, r, "red2")
		testutil.Check(t, !ok, "a worker of the same owner plays the audit")
		f.Roster.Workers["blue1"].Trust = level
		accused := play(t, f, a, r, "blue1", 1)
		testutil.Equal(t, accused, Accusation{}, "accused")
		want := map[trust.Level]int{trust.Untrusted: 0, trust.Owner: 1}[level]
		testutil.Check(t, r.Counts.Agreed == 1 && !a.Waits(r) && f.Roster.Workers["red1"].Agreed == want,
			"%s: %+v, waits %t, %d agreeing", level, r.Counts, a.Waits(r), f.Roster.Workers["red1"].Agreed)
	}
}

// TestTheSecondAgreementVerifies: Auditor.Verified agreements make an untrusted worker verified.
func TestTheSecondAgreementVerifies(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{})
	f.Roster.Workers["blue1"].Trust = trust.Owner
	play(t, f, a, r, "blue1", 1)
	testutil.Equal(t, f.Roster.Workers["red1"].Trust, trust.Untrusted, "after one agreement")
	a.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], 0, 1)
	play(t, f, a, r, "blue1", 1)
	testutil.Equal(t, f.Roster.Workers["red1"].Trust, trust.Verified, "after two")
}

// TestAThirdResultDecides: only a trusted worker of a third owner plays it. The worker whose result is alone is
// accused. If all three differ, the players do not repeat their games, and no worker is accused.
func TestAThirdResultDecides(t *testing.T) {
	for third, want := range map[float64]string{1: "blue1", 2: "red1", 3: ""} {
		f, a, r := begin(t, stats.SPRT{})
		testutil.Equal(t, play(t, f, a, r, "blue1", 2), Accusation{}, "accused after two results")
		_, ok := grant(t, f, a, r, "gold1")
		testutil.Check(t, !ok && a.Waits(r), "an untrusted worker decides")
		f.Roster.Workers["gold1"].Trust = trust.Verified
		accused := play(t, f, a, r, "gold1", third)
		ok = accused.Worker == want && (want == "") == (accused.Why == "") && r.Inexact == (want == "") &&
			r.Counts.Differed == 1 && !a.Waits(r)
		testutil.Check(t, ok, "third result %v: %+v, inexact %t, %+v", third, accused, r.Inexact, r.Counts)
	}
}

// TestAResultThatDecidesNothing: a machine of the test's owner that confirms an untrusted worker against a trusted one
// decides nothing. No machine of that owner plays the pair again. Another trusted worker decides.
func TestAResultThatDecidesNothing(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{})
	f.Stores["t"].Pairs[0] = *result(0, "blue1", 1)
	a.Void(r, []int{0}) // the audit of red1's result
	a.Start(time.Now(), r, "blue1", f.Roster.Workers["blue1"], 0, 0)
	f.Roster.Workers["gold1"].Trust = trust.Verified
	play(t, f, a, r, "gold1", 2)
	testutil.Equal(t, play(t, f, a, r, "red1", 1), Accusation{}, "accused by a machine of the owner")
	testutil.Check(t, a.Waits(r) && r.Counts.Differed == 0, "decided: %+v", r.Counts)
	for _, name := range []string{"red1", "red2"} {
		_, ok := grant(t, f, a, r, name)
		testutil.Check(t, !ok, "%s plays the pair again", name)
	}
}

// TestALeaseOfAnAuditEnds: without heartbeats after its lifetime, and with its session. Heartbeats extend it, but not
// for ever if they list the result as finished.
func TestALeaseOfAnAuditEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a, r := begin(t, stats.SPRT{})
		h, _ := grant(t, f, a, r, "blue1")
		beat := func(finished bool) {
			var reply farm.BeatReply
			rest := a.Extend(time.Now(), f.Roster.Sessions["blue1"], []farm.Held{h, {Run: r.Digest, Pair: 5}}, finished, &reply)
			testutil.Check(t, len(rest) == 1 && rest[0].Pair == 5 && len(reply.Drop) == 0, "rest %v, dropped %v", rest,
				reply.Drop)
		}
		held := func(want bool) {
			t.Helper()
			a.Expire(time.Now(), r)
			testutil.Equal(t, a.HeldBy(r, "blue1"), want, "held")
		}
		for range 40 {
			time.Sleep(parttest.Lease - time.Second)
			beat(false)
			held(true)
		}
		time.Sleep(parttest.Lease)
		held(false)

		h, _ = grant(t, f, a, r, "blue1")
		beats := 0
		for a.HeldBy(r, "blue1") {
			time.Sleep(parttest.Lease - time.Second)
			var reply farm.BeatReply
			a.Extend(time.Now(), f.Roster.Sessions["blue1"], []farm.Held{h}, true, &reply)
			a.Expire(time.Now(), r)
			beats++
		}
		testutil.Check(t, beats >= unsentAudit && beats <= unsentAudit+4, "a finished result was held for %d lifetimes",
			beats)

		_, _ = grant(t, f, a, r, "blue1")
		a.Leave("blue1", "blue1-1")
		held(true)
		a.Leave("blue1", "another session")
		held(false)
	})
}

// TestAProvisionalVerdict: while pairs of an untrusted worker are not confirmed, the verdict is provisional. Agreeing
// audits by a trusted worker make it final. A quarantine makes it wait for the void pairs.
func TestAProvisionalVerdict(t *testing.T) {
	gate := stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic}
	f, a, r := begin(t, gate)
	f.Roster.Workers["blue1"].Trust = trust.Owner
	r.PlayedBy.Set(0, "red1")
	r.Provisional = &tests.Provisional{End: 1, By: []string{"red1"}}

	a.Prove(t.Context(), time.Now(), r)
	testutil.Check(t, r.Provisional != nil && strings.HasPrefix(r.Provisional.Why(), "1 of 1 audits are missing"), "%q",
		r.Provisional.Why())
	testutil.Equal(t, f.Stores["t"].Why, r.Provisional.Why(), "stored in the database")
	play(t, f, a, r, "blue1", 1)
	a.Prove(t.Context(), time.Now(), r)
	testutil.Check(t, r.Provisional == nil && f.Stores["t"].Why == "", "after the audit: %q, %q", r.Provisional.Why(),
		f.Stores["t"].Why)

	r.Provisional = &tests.Provisional{End: 1, By: []string{"red1"}}
	testutil.OK(t, a.Doubt(t.Context(), r, []int{0}))
	a.Prove(t.Context(), time.Now(), r)
	testutil.Check(t, strings.HasPrefix(r.Provisional.Why(), "1 of 1 audits are missing"), "after the doubt: %q",
		r.Provisional.Why())
	f.Roster.Quarantine(f.Roster.Workers["red1"], "red1", "it lies", "farm")
	a.ProveAgain()
	a.Prove(t.Context(), time.Now(), r)
	testutil.Check(t, strings.Contains(r.Provisional.Why(), "because of a quarantine"), "after the quarantine: %q",
		r.Provisional.Why())
}

// TestADoubtedVerdict: a verdict waits until the pairs of a worker are void that audits contradict, also if the sample
// of the worker has none of these pairs.
func TestADoubtedVerdict(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	a.config.Auditor = some{}
	f.Epochs.Fresh = 1 << 40
	r.PlayedBy.Set(0, "red1")
	r.Provisional = &tests.Provisional{End: 1, By: []string{"red1"}}
	f.Roster.Workers["blue1"].Trust = trust.Verified
	f.Roster.Workers["gold1"].Trust = trust.Verified
	play(t, f, a, r, "blue1", 2)
	accused := play(t, f, a, r, "gold1", 2)
	testutil.Require(t, accused.Worker == "red1" && accused.Kept == r, "%+v", accused)

	tests.Doubt(t.Context(), f.Tests, r, accused.Worker, accused.Why)
	a.Prove(t.Context(), time.Now(), r)
	testutil.Equal(t, r.Provisional.Why(),
		"pairs of red1 will be void and played again, because of audits that contradict them", "the verdict")
}

// TestAuditsSurviveARestart: the waiting and the agreed audits are read again.
func TestAuditsSurviveARestart(t *testing.T) {
	gate := stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic}
	f, a, r := begin(t, gate)
	f.Roster.Workers["blue1"].Trust = trust.Owner
	play(t, f, a, r, "blue1", 1)
	f.Roster.Worker("red1", "").Unlike = "delays"
	a.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], 3, 1)
	a.Keep(t.Context(), r)

	b := New(a.config)
	testutil.OK(t, b.Read(t.Context()))
	due := b.of(r).due
	ok := len(due) == 1 && due[0].Pair == 3 && due[0].Worker == "red1" && due[0].Owner == "red" &&
		b.of(r).agreed[0] == "blue1"
	testutil.Check(t, ok, "%+v, agreed %v", due, b.of(r).agreed)
	b.Void(r, []int{3})
	testutil.Check(t, !b.Waits(r), "an audit of a void pair waits")
}

// TestTrustIsSetByALevel: an unknown level is rejected.
func TestTrustIsSetByALevel(t *testing.T) {
	f, a, _ := begin(t, stats.SPRT{})
	w := f.Roster.Workers["blue1"]
	testutil.OK(t, a.SetTrust(t.Context(), roster.Key{Name: "boss"}, "blue1", w, &farm.Order{Level: "verified"}))
	testutil.Equal(t, w.Trust, trust.Verified, "level")
	err := a.SetTrust(t.Context(), roster.Key{Name: "boss"}, "blue1", w, &farm.Order{Level: "much"})
	testutil.Check(t, err != nil && w.Trust == trust.Verified, "%v: %s", err, w.Trust)
}

// dispute makes red1 play pairs 0 to n-1 with the value 1, and blue1 audit them with the value 2.
func dispute(t *testing.T, n int, level trust.Level) (*parttest.Farm, *Audits, *tests.Test) {
	t.Helper()
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	f.Roster.Workers["blue1"].Trust = level
	for pair := 1; pair < n; pair++ {
		f.Stores["t"].Pairs[pair] = *result(pair, "red1", 1)
		r.Ledger.Stored(time.Now(), pair)
		a.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], pair, pair)
	}
	r.Provisional = &tests.Provisional{End: n, By: []string{"red1"}}
	list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["blue1"], n)
	testutil.Require(t, len(list) == n, "blue1 audits %+v", list)
	for _, g := range list {
		r.PlayedBy.Set(g.Pair, "red1")
		count(t, f, a, r, "blue1", g.Held, 2)
	}
	return f, a, r
}

func count(t *testing.T, f *parttest.Farm, a *Audits, r *tests.Test, worker string, h farm.Held,
	value float64) Accusation {
	t.Helper()
	return a.Count(t.Context(), r,
		Played{Worker: worker, Owner: f.Roster.OwnerOf(worker), Lease: h, Pair: result(h.Pair, worker, value)})
}

// TestOneTrustedWorkerRepeats: without another trusted worker, the one that got other results plays the pairs again. If
// its results repeat for three pairs of an untrusted worker, that worker is accused.
func TestOneTrustedWorkerRepeats(t *testing.T) {
	f, a, r := dispute(t, 4, trust.Verified)
	f.Stores["t"].Pairs[6] = *result(6, "blue1", 2)
	r.Ledger.Stored(time.Now(), 6)
	a.Start(time.Now(), r, "blue1", f.Roster.Workers["blue1"], 6, 6)
	audit := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["gold1"], 1)
	testutil.Require(t, len(audit) == 1 && audit[0].Pair == 6, "gold1 audits the trusted worker: %+v", audit)
	count(t, f, a, r, "gold1", audit[0].Held, 9)
	a.Prove(t.Context(), time.Now(), r)
	testutil.Equal(t, r.Provisional.Why(),
		"4 audits of red1 differ from the results of blue1, of 4 that the verdict needs, which plays these pairs again to prove its results", "the verdict")
	list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["blue1"], 9)
	testutil.Require(t, len(list) == 5 && list[4].Pair == 6, "blue1 repeats its audits and its own pair 6: %+v", list)
	for i, g := range list[:3] {
		accused := count(t, f, a, r, "blue1", g.Held, 2)
		want := map[bool]string{true: "red1", false: ""}[i == 2]
		testutil.Check(t, accused.Worker == want, "after %d pairs: %+v", i+1, accused)
	}
	testutil.Check(t, !r.Inexact, "the players repeat their games")
	_, ok := grant(t, f, a, r, "blue1")
	testutil.Check(t, !ok, "a pair is repeated twice")
}

// fewDisputes makes red1 play pairs 0 and 1, and blue1 get other results for them twice.
func fewDisputes(t *testing.T) (*parttest.Farm, *Audits, *tests.Test) {
	t.Helper()
	f, a, r := dispute(t, 2, trust.Verified)
	for range 2 {
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		testutil.Equal(t, count(t, f, a, r, "blue1", h, 2), Accusation{}, "accused")
	}
	return f, a, r
}

// settled examines the verdict of a test and returns the settled disputes.
func settled(t *testing.T, a *Audits, r *tests.Test) []Settled {
	t.Helper()
	a.Prove(t.Context(), time.Now(), r)
	return testutil.Must(a.Settled(t.Context(), time.Now(), r))(t)
}

// TestAFewDisputes: two pairs accuse no worker. They become void, also after a restart. No worker of the same owner
// repeats them.
func TestAFewDisputes(t *testing.T) {
	f, a, r := fewDisputes(t)
	a.Keep(t.Context(), r)
	for _, a := range []*Audits{a, New(a.config)} {
		if a.byTest[r] == nil {
			testutil.OK(t, a.Read(t.Context()))
		}
		for _, name := range []string{"blue1", "blue2"} {
			_, ok := grant(t, f, a, r, name)
			testutil.Check(t, !ok, "%s repeats a pair once more", name)
		}
		f.Tests.VoidDue = false
		list := settled(t, a, r)
		why := "blue1 twice got another result (the first move), and no other trusted worker can decide; no worker is accused"
		testutil.Require(t, len(list) == 1 && list[0].Worker == "red1" && slices.Equal(list[0].Pairs, []int{0, 1}) &&
			list[0].Why == why && f.Tests.VoidDue, "%+v", list)
		testutil.Equal(t, r.Provisional.Why(), "pairs [0 1] of red1 will be void and played again: "+why, "the verdict")
		testutil.Check(t, len(r.Disputes) == 2 && r.InDispute(0) && r.InDispute(1) && !r.InDispute(2), "%+v", r.Disputes)
	}
	for _, next := range []*tests.Provisional{nil, {End: 2, By: []string{"red1"}}} {
		r.Provisional = next
		testutil.Equal(t, len(testutil.Must(a.Settled(t.Context(), time.Now(), r))(t)), 0,
			"settled disputes of a test that runs again, or has a verdict again")
	}
}

// TestAnotherTrustedWorkerDecides: no pair becomes void while another trusted worker can decide. Its result accuses a
// worker.
func TestAnotherTrustedWorkerDecides(t *testing.T) {
	f, a, r := fewDisputes(t)
	testutil.Equal(t, len(settled(t, a, r)), 1, "settled disputes before it is trusted")
	f.Roster.Workers["gold1"].Trust = trust.Verified
	a.ProveAgain()
	testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes")
	testutil.Contains(t, r.Provisional.Why(),
		"2 audits of red1 differ from the results of blue1, of 2 that the verdict needs. A trusted worker of another owner must decide", "the verdict")
	testutil.Equal(t, play(t, f, a, r, "gold1", 2).Worker, "red1", "accused")
}

// TestDisputesAfterTheyAreSettled: pairs that became void count as evidence against their worker for a week. The third
// pair accuses it. All its pairs are audited meanwhile, and a pair that became void is audited whoever plays it.
func TestDisputesAfterTheyAreSettled(t *testing.T) {
	for late, want := range map[bool]string{false: "red1", true: ""} {
		synctest.Test(t, func(t *testing.T) {
			f, a, r := fewDisputes(t)
			a.config.Auditor = some{}
			for _, s := range settled(t, a, r) {
				a.Void(r, s.Pairs)
			}
			plan := parttest.Plan("other", 8, stats.SPRT{})
			plan.Seed++
			other := f.Run(t, plan)
			if late {
				time.Sleep(tests.DisputeKept)
			}
			starts := func(r *tests.Test, worker string, pair int) bool {
				f.Stores[r.Name].Pairs[pair] = *result(pair, worker, 1)
				a.Start(time.Now(), r, worker, f.Roster.Workers[worker], pair, 100)
				h, ok := grant(t, f, a, r, "blue1")
				a.Release(r, "blue1", h)
				return ok
			}
			testutil.Equal(t, starts(other, "red1", 5), !late, "an audit of the worker in another test")
			a.Void(other, []int{5})
			testutil.Check(t, starts(r, "gold1", 0) && !starts(other, "gold1", 6), "audits of another worker")
			a.Void(r, []int{0})

			testutil.Check(t, starts(r, "red1", 5), "no audit of the worker in the same test")
			for range 2 {
				h, ok := grant(t, f, a, r, "blue1")
				testutil.Require(t, ok, "blue1 plays nothing")
				accused := count(t, f, a, r, "blue1", h, 2)
				if accused.Worker != "" {
					testutil.Contains(t, accused.Why, "pairs [0 1 5] of t", "accused")
				}
				if testutil.Check(t, accused.Worker == "" || want != "", "late: %+v", accused); accused.Worker != "" {
					want = ""
				}
			}
			testutil.Equal(t, want, "", "accused")
		})
	}
}

// TestAResultBeforeTheVoid: a third result that arrives before the pairs of a settled dispute become void is not too
// late.
func TestAResultBeforeTheVoid(t *testing.T) {
	f, a, r := fewDisputes(t)
	testutil.Equal(t, len(settled(t, a, r)), 1, "settled disputes")
	f.Roster.Workers["gold1"].Trust = trust.Verified
	play(t, f, a, r, "gold1", 1)
	testutil.Equal(t, len(testutil.Must(a.Settled(t.Context(), time.Now(), r))(t)), 0,
		"settled disputes after a third result")
}

// TestADisputeInAnotherTest: it makes the verdict of each test need all pairs of the worker.
func TestADisputeInAnotherTest(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{})
	a.config.Auditor = some{}
	f.Roster.Workers["blue1"].Trust = trust.Verified
	plan := parttest.Plan("other", 8, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	plan.Seed++
	other := f.Run(t, plan)
	other.PlayedBy.Set(2, "red1")
	other.PlayedBy.Set(3, "red1")
	other.Provisional = &tests.Provisional{End: 4, By: []string{"red1"}}
	a.of(other).add(time.Now(), 2, "red1", "red")
	a.Prove(t.Context(), time.Now(), other)
	testutil.Contains(t, other.Provisional.Why(), "1 of 1 audits are missing", "before the dispute")
	play(t, f, a, r, "blue1", 2)
	a.Prove(t.Context(), time.Now(), other)
	testutil.Contains(t, other.Provisional.Why(), "2 of 2 audits are missing", "after the dispute in t")
}

// TestAPairOfADisputeIsAlwaysNecessary: whichever untrusted worker has played it again.
func TestAPairOfADisputeIsAlwaysNecessary(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	a.Void(r, []int{0})
	a.config.Auditor = some{}
	r.PlayedBy.Set(0, "gold1")
	r.Provisional = &tests.Provisional{End: 1, By: []string{"gold1"}}
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{{Pair: 0, Worker: "red1"}}))
	a.Prove(t.Context(), time.Now(), r)
	testutil.Contains(t, r.Provisional.Why(), "1 of 1 audits are missing", "the verdict")
}

// TestADisputeThatNobodyDecides: after a day the pair becomes void, also if its second worker, which the farm trusts,
// has not repeated its result. Then it is no evidence against the first worker.
func TestADisputeThatNobodyDecides(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a, r := dispute(t, 3, trust.Verified)
		for _, x := range a.of(r).due { // the age is that of the second result, not that of the audit
			x.Since = x.Since.Add(-disputeAge)
		}
		f.Roster.Workers["gold1"].Trust = trust.Verified // it can decide
		a.ProveAgain()
		testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes at once")
		testutil.Contains(t, r.Provisional.Why(),
			"If nobody decides in 24 h, they become void if the other pairs are confirmed", "the verdict")
		time.Sleep(disputeAge)
		a.Expire(time.Now(), r)
		list := settled(t, a, r)
		testutil.Require(t, len(list) == 1 && len(list[0].Pairs) == 3, "%+v", list)
		testutil.Equal(t, list[0].Why,
			"blue1 got another result (the first move), and no trusted worker of another owner decided in 24 h; no worker is accused", "the reason")
		testutil.Check(t, !r.Disputes[0].Proved, "%+v", r.Disputes)
	})
}

// TestAnUntrustedDispute: no pair becomes void because of a worker that the farm does not trust, such as a machine of
// the test's owner. The owner could else remove the pairs of others by their results. A trusted worker decides.
func TestAnUntrustedDispute(t *testing.T) {
	for _, proved := range []bool{false, true} { // by a worker that the farm trusted then
		synctest.Test(t, func(t *testing.T) {
			f, a, r := dispute(t, 2, trust.Verified)
			for _, x := range a.of(r).due {
				x.Second.Repeated = proved
			}
			f.Roster.Workers["blue1"].Trust = trust.Untrusted
			r.Owner, r.Provisional.End = "blue", 3
			r.PlayedBy.Set(2, "red1")
			a.ProveAgain()
			time.Sleep(2 * disputeAge)
			a.Expire(time.Now(), r)
			testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes")
			testutil.Check(t, strings.Contains(r.Provisional.Why(), "A trusted worker of another owner must decide") &&
				!strings.Contains(r.Provisional.Why(), "void and are") && !strings.Contains(r.Provisional.Why(), "24 h"), "%q",
				r.Provisional.Why())
			f.Roster.Workers["gold1"].Trust = trust.Verified
			testutil.Equal(t, play(t, f, a, r, "gold1", 1).Worker, "blue1", "accused")
		})
	}
}

// TestTheOtherWorkerLeaves: a proved dispute is settled when the other trusted worker, which could decide, does not
// decide any more.
func TestTheOtherWorkerLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a, r := fewDisputes(t)
		f.Roster.Workers["gold1"].Trust = trust.Verified
		a.ProveAgain()
		a.Expire(time.Now(), r)
		testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes")
		time.Sleep(2 * parttest.Lease)
		a.Expire(time.Now(), r)
		testutil.Equal(t, len(settled(t, a, r)), 1, "settled disputes after it left")
	})
}

// TestWhichDisputesCount: in their own test always, in others for a week if a trusted worker has proved its result, or
// while they are open. This holds for the worker of the first result, and for a stranger that contradicts one.
func TestWhichDisputesCount(t *testing.T) {
	otherTest := func(t *testing.T, f *parttest.Farm) *tests.Test {
		t.Helper()
		plan := parttest.Plan("other", 8, stats.SPRT{})
		plan.Seed++
		return f.Run(t, plan)
	}
	now := time.Now()
	week := now.Add(tests.DisputeKept)
	for _, proved := range []bool{false, true} {
		f, a, r := begin(t, stats.SPRT{})
		a.Void(r, []int{0})
		other := otherTest(t, f)
		testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r,
			[]tests.Dispute{{Pair: 0, Worker: "red1", Proved: proved, At: now}}))
		testutil.Check(t, a.disputed(now, r, "red1") && a.disputed(week, r, "red1"), "not in the test itself")
		testutil.Check(t, a.disputed(now, other, "red1") == proved && !a.disputed(week, other, "red1"),
			"in another test, proved %t", proved)
		testutil.Check(t, !a.disputed(now, r, "gold1"), "another worker is in dispute")
	}
	f, a, r := dispute(t, 1, trust.Verified)
	other := otherTest(t, f)
	testutil.Check(t, a.disputed(now, r, "red1") && a.disputed(now, other, "red1"), "an open dispute counts nowhere")
	week = week.Add(time.Minute)
	testutil.Check(t, a.disputed(week, r, "red1") && !a.disputed(week, other, "red1"), "an open dispute after a week")
	_, a, r, _ = contradict(t, 1)
	testutil.Check(t, a.disputed(now, r, "gold1") && !a.disputed(week, r, "gold1"), "a stranger's contradiction")
}

// TestWhichPairsRefute: those for which workers of one owner got another result twice, each pair once. The audits of a
// worker in quarantine end one by one.
func TestWhichPairsRefute(t *testing.T) {
	f, a, r := fewDisputes(t)
	now := time.Now()
	add := func(d tests.Dispute) {
		d.Worker, d.At = "red1", now
		testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{d}))
	}
	add(tests.Dispute{Pair: 0, ByOwner: "blue", Proved: true}) // its pair is not void yet
	add(tests.Dispute{Pair: 4, ByOwner: "blue"})
	add(tests.Dispute{Pair: 5, ByOwner: "gold", Proved: true})
	pairs := func() []int {
		var all []int
		for _, of := range a.refuted(now, "red1", "blue") {
			all = append(all, of.pairs...)
		}
		return all
	}
	testutil.Check(t, slices.Equal(pairs(), []int{0, 1}), "%v", pairs())
	add(tests.Dispute{Pair: 6, ByOwner: "blue", Proved: true})
	testutil.Check(t, slices.Equal(pairs(), []int{0, 1, 6}), "%v", pairs())

	f, a, r = dispute(t, 2, trust.Verified)
	f.Roster.Quarantine(f.Roster.Workers["red1"], "red1", "it lies", "farm")
	for i := range 2 {
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		testutil.Equal(t, count(t, f, a, r, "blue1", h, 2), Accusation{}, "accused again")
		testutil.Check(t, r.Counts.Differed == i+1 && len(a.of(r).due) == 1-i, "%+v, %d wait", r.Counts, len(a.of(r).due))
	}
}

// TestDisputesOfSeveralTests: a worker that lies now and then has few false pairs in each test. Three of them in two
// tests accuse it, and while one is open, all its later pairs are audited.
func TestDisputesOfSeveralTests(t *testing.T) {
	f, a, r := dispute(t, 2, trust.Verified)
	a.config.Auditor = some{}
	plan := parttest.Plan("other", 8, stats.SPRT{})
	plan.Seed++
	other := f.Run(t, plan)
	start := func(worker string, pair int) {
		f.Stores["other"].Pairs[pair] = *result(pair, worker, 1)
		other.Ledger.Stored(time.Now(), pair)
		a.Start(time.Now(), other, worker, f.Roster.Workers[worker], pair, 100)
	}
	f.Roster.Workers["red1"].Trust = trust.Verified
	start("red1", 2)
	f.Roster.Workers["red1"].Trust = trust.Untrusted
	start("red1", 3)
	start("blue2", 4)
	for _, g := range a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["blue1"], 9) {
		testutil.Equal(t, count(t, f, a, r, "blue1", g.Held, 2), Accusation{}, "accused")
	}
	list := a.Grant(t.Context(), time.Now(), other, f.Roster.Sessions["blue1"], 9)
	testutil.Require(t, len(list) == 1 && list[0].Pair == 3, "audits in another test: %+v", list)
	testutil.Equal(t, count(t, f, a, other, "blue1", list[0].Held, 2), Accusation{}, "accused by a second result")
	h, ok := grant(t, f, a, other, "blue1")
	testutil.Require(t, ok, "blue1 repeats nothing")
	testutil.Equal(t, count(t, f, a, other, "blue1", h, 2),
		Accusation{Worker: "red1",
			Why: "audits of pairs [0 1] of t, pairs [3] of other: the first move; blue1 got other results, twice the same"})
	testutil.Check(t, r.Counts.Differed == 2 && other.Counts.Differed == 1 && !a.Waits(r) && !a.Waits(other), "%+v, %+v",
		r.Counts, other.Counts)
	start("red1", 5)
	testutil.Check(t, !a.Waits(other), "a pair is audited without an open dispute")
}

// TestADisputeOutsideTheSample: an audit that contradicts a pair of the verdict makes all pairs of its worker
// necessary, also if the sample of the worker has none of its false pairs. The false ones become void when all others
// are confirmed.
func TestADisputeOutsideTheSample(t *testing.T) {
	f, a, r := dispute(t, 2, trust.Verified)
	a.config.Auditor = some{}
	for pair := 2; pair < 6; pair++ {
		f.Stores["t"].Pairs[pair] = *result(pair, "red1", 1)
		r.Ledger.Stored(time.Now(), pair)
		r.PlayedBy.Set(pair, "red1")
	}
	r.Provisional.End = 6
	a.Prove(t.Context(), time.Now(), r)
	testutil.Contains(t, r.Provisional.Why(),
		"2 audits of red1 differ from the results of blue1, of 6 that the verdict needs", "the verdict")
	list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["blue1"], 9)
	testutil.Require(t, len(list) == 6, "blue1 repeats two pairs and audits four others: %+v", list)
	for _, g := range list {
		testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes before pair %d", g.Pair)
		accused := count(t, f, a, r, "blue1", g.Held, map[bool]float64{true: 2, false: 1}[g.Pair < 2])
		testutil.Equal(t, accused, Accusation{}, "pair %d", g.Pair)
	}
	a.Prove(t.Context(), time.Now(), r)
	void := testutil.Must(a.Settled(t.Context(), time.Now(), r))(t)
	testutil.Check(t, len(void) == 1 && slices.Equal(void[0].Pairs, []int{0, 1}),
		"when its other pairs are confirmed: %+v", void)
}

// TestAnUntrustedContradiction: a result of a worker that the farm does not trust any more does not make all pairs
// necessary. One of a machine of the test's owner does.
func TestAnUntrustedContradiction(t *testing.T) {
	for owner, want := range map[string]string{"red": "of 2 that", "blue": "of 6 that"} {
		f, a, r := dispute(t, 2, trust.Verified)
		a.config.Auditor = some{}
		f.Roster.Workers["blue1"].Trust = trust.Untrusted
		r.Owner, r.Provisional.End = owner, 6
		for pair := 2; pair < 6; pair++ {
			r.PlayedBy.Set(pair, "red1")
		}
		a.ProveAgain()
		a.Prove(t.Context(), time.Now(), r)
		testutil.Contains(t, r.Provisional.Why(), want, "the owner "+owner)
	}
}

// TestTheVerdictComesFirst: workers play the audits that a provisional verdict needs before all others, and these
// audits have room although maxAudits others wait.
func TestTheVerdictComesFirst(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	a.Void(r, []int{0})
	a.config.Auditor = some{}
	f.Roster.Workers["gold1"].Trust = trust.Verified
	for range maxAudits / 2 { // audits of a pair beyond the verdict, and of a trusted worker
		a.of(r).add(time.Now(), 7, "red1", "red")
		a.of(r).add(time.Now(), 4, "gold1", "gold")
	}
	f.Roster.Workers["blue1"].Trust = trust.Verified
	r.Provisional = &tests.Provisional{End: 5, By: []string{"red1"}}
	for pair := range 4 {
		f.Stores["t"].Pairs[pair] = *result(pair, "red1", 1)
		r.PlayedBy.Set(pair, "red1")
	}
	r.Ledger.Stored(time.Now(), 7)
	// all pairs of red1 are necessary
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{{Pair: 7, Worker: "red1"}}))
	a.Prove(t.Context(), time.Now(), r)
	testutil.Contains(t, r.Provisional.Why(), "4 of 4 audits are missing", "the verdict")
	pairs := lists.Map(a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["blue1"], 6), func(g farm.Grant) int {
		return g.Pair
	})
	testutil.Check(t, slices.Equal(pairs, []int{0, 1, 2, 3, 7, 4}), "audits of the pairs %v", pairs)
}

// TestALongVerdict: if it needs all pairs of a worker, at most maxAudits audits of them wait at once.
func TestALongVerdict(t *testing.T) {
	f, a, _ := begin(t, stats.SPRT{})
	a.config.Auditor = some{}
	plan := parttest.Plan("long", 400, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	plan.Seed++
	r := f.Run(t, plan)
	for pair := range 400 {
		r.PlayedBy.Set(pair, "red1")
	}
	r.Ledger.Stored(time.Now(), 0)
	r.Provisional = &tests.Provisional{End: 400, By: []string{"red1"}}
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{{Pair: 0, Worker: "red1"}}))
	for pair := range 10 { // these wait already
		a.of(r).add(time.Now(), pair, "red1", "red")
	}
	a.Prove(t.Context(), time.Now(), r)
	testutil.Contains(t, r.Provisional.Why(), "400 of 400 audits are missing", "the verdict")
	testutil.Equal(t, len(a.of(r).due), maxAudits, "audits that wait")
}

// TestVoidPairsOfAVerdict: the process ended after the pairs of disputes became void. They are settled again, and the
// verdict is not final meanwhile.
func TestVoidPairsOfAVerdict(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	a.Void(r, []int{0})
	f.Roster.Workers["blue1"].Trust = trust.Verified
	r.PlayedBy.Set(0, "red1")
	r.Provisional = &tests.Provisional{End: 4, By: []string{"red1"}}
	a.of(r).agreed = map[int]string{0: "blue1"}
	var disputes []tests.Dispute
	for pair := range 3 { // pair 0 was played again
		disputes = append(disputes, tests.Dispute{Pair: pair, Worker: "red1", By: "blue1"})
	}
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, disputes))
	list := settled(t, a, r)
	testutil.Require(t, len(list) == 1 && list[0].Worker == "red1" && len(list[0].Pairs) == 0, "%+v", list)
	testutil.Equal(t, r.Provisional.Why(),
		"pairs of red1 are void and are played again: blue1 got other results for [1 2]", "the verdict")
}

// TestAVoidPairBeyondTheVerdict: a pair that is void because of a dispute holds no verdict that does not use it.
func TestAVoidPairBeyondTheVerdict(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 200, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	a.Void(r, []int{0})
	r.Gate = testutil.Must(gate.New(r.Match.Gate, 400))(t)
	won := stats.Leg{Outcome: stats.Win, Points: 1}
	lost := stats.Leg{Outcome: stats.Loss}
	n := 0
	for ; r.Decided() == "" && n < 8; n++ {
		pair := map[bool]stats.Pair{true: {won, lost}, false: {lost, lost}}[n%2 == 0]
		pair[0].AIsBlack = true
		testutil.OK(t, r.Gate.Add(n, stats.Play{Pair: pair}))
		r.PlayedBy.Set(n, "red1")
	}
	testutil.Require(t, r.Decided() != "" && n <= 7, "no decision after %d pairs", n)
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{{Pair: 7, Worker: "red1", By: "blue1"}}))
	r.Provisional = &tests.Provisional{End: n, By: []string{"red1"}}
	testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes")
	testutil.Contains(t, r.Provisional.Why(), fmt.Sprintf("%d of %[1]d audits are missing", n), "the verdict")
}

// TestASecondVerdict: if a test has another verdict later, audits must confirm the samples of the pairs of that one.
func TestASecondVerdict(t *testing.T) {
	_, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	for end := range 3 {
		r.PlayedBy.Set(end, "red1")
		r.Provisional = &tests.Provisional{End: end + 1, By: []string{"red1"}}
		a.Prove(t.Context(), time.Now(), r)
		testutil.Contains(t, r.Provisional.Why(), fmt.Sprintf("%d of %[1]d audits are missing", end+1), "the verdict")
	}
}

// TestTheVerdictWaitsForItsAudits: a verdict is not final while audits of its pairs wait, also if its sample is
// confirmed.
func TestTheVerdictWaitsForItsAudits(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	a.config.Auditor = some{}
	f.Roster.Workers["blue1"].Trust = trust.Verified
	r.PlayedBy.Set(0, "red1")
	r.Provisional = &tests.Provisional{End: 1, By: []string{"red1"}}
	a.Prove(t.Context(), time.Now(), r)
	testutil.Contains(t, r.Provisional.Why(), "1 of 1 audits are missing", "the verdict")
	testutil.Equal(t, play(t, f, a, r, "blue1", 1), Accusation{}, "accused")
	a.Prove(t.Context(), time.Now(), r)
	testutil.Equal(t, r.Provisional.Why(), "", "the verdict after the audit")
}

// some audits no pair by itself, and its samples have no pair.
type some struct{ all }

func (some) Sample(string, []int) []int { return []int{} }

func (some) Audits(string, int, trust.Level, int) bool { return false }

// TestNoRepeat: no worker repeats its own result if another trusted worker can decide, if the farm does not trust it,
// or if the farm trusts the audited worker too.
func TestNoRepeat(t *testing.T) {
	for name, change := range map[string]func(f *parttest.Farm){
		"another decides": func(f *parttest.Farm) { f.Roster.Workers["gold1"].Trust = trust.Owner },
		"untrusted":       func(f *parttest.Farm) { f.Roster.Workers["blue1"].Trust = trust.Untrusted },
		"both trusted":    func(f *parttest.Farm) { f.Roster.Workers["red1"].Trust = trust.Verified },
		"the trusted has a lie": func(f *parttest.Farm) {
			f.Roster.Quarantine(f.Roster.Workers["blue2"], "blue2", "it lies", "farm")
		},
	} {
		f, a, r := dispute(t, 3, trust.Verified)
		change(f)
		_, ok := grant(t, f, a, r, "blue1")
		testutil.Check(t, !ok, "%s: blue1 repeats its result", name)
		if a.Prove(t.Context(), time.Now(), r); name != "both trusted" { // then the verdict needs no audits
			testutil.Contains(t, r.Provisional.Why(), "3 audits of red1 differ from the results of blue1", name)
		}
	}
}

// TestAnotherThatNeverDecides: a trusted worker repeats its result if the other one plays no third result of the test.
func TestAnotherThatNeverDecides(t *testing.T) {
	for name, change := range map[string]func(f *parttest.Farm, r *tests.Test){
		"another decides": func(*parttest.Farm, *tests.Test) {},
		"refuses": func(f *parttest.Farm, r *tests.Test) {
			f.Roster.Sessions["gold1"].Refuses = []string{r.Digest}
		},
		"drains": func(f *parttest.Farm, _ *tests.Test) { f.Roster.Workers["gold1"].Draining = true },
		"in quarantine": func(f *parttest.Farm, _ *tests.Test) {
			f.Roster.Quarantine(f.Roster.Workers["gold1"], "gold1", "it lies", "farm")
		},
		"untrusted with the right run": func(f *parttest.Farm, _ *tests.Test) {
			f.Roster.Workers["gold1"].Trust = trust.Untrusted
			f.Keys["gold1"] = roster.Key{Name: "gold1", Owner: "gold", Rights: []string{roster.Work, roster.Run}}
		},
		"no worker of these needs": func(f *parttest.Farm, r *tests.Test) { r.Needs = map[string]string{"os": "plan9"} },
		"an earlier protocol":      func(f *parttest.Farm, r *tests.Test) { f.Roster.Sessions["gold1"].Hello.Protocol = 0 },
	} {
		f, a, r := dispute(t, 2, trust.Verified)
		f.Roster.Workers["gold1"].Trust = trust.Owner
		change(f, r)
		_, ok := grant(t, f, a, r, "blue1")
		testutil.Equal(t, ok, name != "another decides", name+": blue1 repeats its result")
	}
}

// TestARepeatThatDiffers: a trusted worker that gets two results shows that the players do not repeat their games.
func TestARepeatThatDiffers(t *testing.T) {
	for _, value := range []float64{1, 5} {
		f, a, r := dispute(t, 3, trust.Verified)
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		testutil.Equal(t, count(t, f, a, r, "blue1", h, value), Accusation{}, "accused")
		testutil.Check(t, r.Inexact && !r.Exact, "%v: the players count as exact", value)
	}
}

// TestEarlierResults: a result of before Epochs.Fresh accuses no worker. A second result of before is no result, and a
// connected worker of an earlier protocol does not prevent a repeat.
func TestEarlierResults(t *testing.T) {
	begin := func(t *testing.T, repeat bool) (*parttest.Farm, *Audits, *tests.Test) {
		t.Helper()
		f, a, r := begin(t, stats.SPRT{})
		f.Epochs.Fresh = 1 << 32
		f.Roster.Workers["blue1"].Trust = trust.Verified
		f.Roster.Workers["gold1"].Trust = trust.Verified
		if repeat {
			f.Roster.Sessions["gold1"].Hello.Protocol = farm.ProtocolFresh - 1
		}
		testutil.Equal(t, play(t, f, a, r, "blue1", 2), Accusation{}, "accused after two results")
		return f, a, r
	}
	for third, want := range map[float64]string{1: "blue1", 2: "red1", 3: "red1"} {
		f, a, r := begin(t, false)
		accused := play(t, f, a, r, "gold1", third)
		testutil.Check(t, accused.Worker == want && (accused.Kept == r) == (want == "red1") && !r.Inexact && !a.Waits(r),
			"third result %v: %+v", third, accused)
	}
	for again, want := range map[float64]string{2: "red1", 1: "", 3: ""} {
		f, a, r := begin(t, true)
		accused := play(t, f, a, r, "blue1", again)
		testutil.Check(t, accused.Worker == want && (accused.Kept == r) == (want != "") && r.Inexact == (want == "") &&
			!a.Waits(r), "repeat %v: %+v", again, accused)
	}

	f, a, r := begin(t, false)
	first := f.Stores["t"].Pairs[0]
	first.Played.Epoch = 1<<32 + 1
	f.Stores["t"].Pairs[0] = first
	a.Keep(t.Context(), r)
	for _, earlier := range []bool{true, false} {
		if earlier {
			f.Epochs.Fresh = 2 << 32
		}
		b := New(a.config)
		testutil.OK(t, b.Read(t.Context()))
		testutil.Check(t, b.Waits(r) && (b.of(r).due[0].Second == nil) == earlier, "earlier %t: %+v", earlier, b.of(r).due)
		f.Epochs.Fresh = 1 << 32
	}
	testutil.Equal(t, play(t, f, a, r, "gold1", 2).Kept, nil, "the first result is of new engines")
	_, a, r = begin(t, false)
	r.Protocol = farm.ProtocolFresh - 1
	testutil.Check(t, a.fresh(r, 0), "the engines of this plan always start anew")
}

// drawn selects pairs as a farm does.
type drawn struct {
	all
	trust.Auditor
}

func (d drawn) Audits(run string, pair int, level trust.Level, n int) bool {
	return d.Auditor.Audits(run, pair, level, n)
}
func (d drawn) Sample(run string, pairs []int) []int { return d.Auditor.Sample(run, pairs) }
func (drawn) Verified() int                          { return trust.AgreeToVerify }

// TestFoundByThreePairs: the numbers of pairs in docs/research/trust.md after which one trusted worker has refuted a
// worker that lies now and then. The trusted worker plays each audit at once.
func TestFoundByThreePairs(t *testing.T) {
	t.Parallel()
	const rounds = 400
	for games, want := range map[float64][2]int{0.2: {8, 16}, 0.1: {14, 32}, 0.05: {28, 92}, 0.02: {82, 353},
		0.01: {210, 780}} {
		random := rand.New(rand.NewPCG(1, uint64(1000*games)))
		var found []int
		for round := range rounds {
			found = append(found, foundAfter(t, round, func() bool { return random.Float64() < 1-(1-games)*(1-games) }))
		}
		slices.Sort(found)
		half, most := found[rounds/2], found[rounds*95/100]
		near := func(got, want int) bool { return 6*want <= 7*got+6 && 6*got <= 7*want+6 }
		testutil.Check(t, near(half, want[0]) && near(most, want[1]),
			"%v of the games: half of the workers are found after %d pairs, 95%% after %d, and the page has %v", games, half,
			most, want)
	}
}

// foundAfter returns the number of pairs of an untrusted worker until it is accused. lies reports whether its next pair
// is false.
func foundAfter(t *testing.T, round int, lies func() bool) int {
	t.Helper()
	f, a, r := begin(t, stats.SPRT{})
	a.Void(r, []int{0})
	a.config.Auditor = drawn{Auditor: trust.Auditor{Secret: fmt.Append(nil, "secret", round)}}
	f.Roster.Workers["blue1"].Trust = trust.Verified
	store := f.Stores["t"]
	for n := range 5000 {
		value := 1.0
		if lies() {
			value = 2
		}
		store.Pairs[n] = *result(n, "red1", value)
		a.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], n, n)
		for range 2 { // the audit, and the repeat if it differs
			for _, g := range a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["blue1"], 1) {
				if accused := count(t, f, a, r, "blue1", g.Held, 1); accused.Worker != "" {
					testutil.Equal(t, accused.Worker, "red1", "accused")
					return n + 1
				}
			}
		}
	}
	return 5000
}

// contradict makes blue1, which the farm trusts, play pairs 1 to n, and gold1 audit them with another result. It
// returns how many gold1 gets.
func contradict(t *testing.T, n int) (f *parttest.Farm, a *Audits, r *tests.Test, got int) {
	t.Helper()
	f, a, r = begin(t, stats.SPRT{})
	a.Void(r, []int{0})
	f.Roster.Workers["blue1"].Trust = trust.Verified
	for pair := 1; pair <= n; pair++ {
		f.Stores["t"].Pairs[pair] = *result(pair, "blue1", 1)
		r.Ledger.Stored(time.Now(), pair)
		a.Start(time.Now(), r, "blue1", f.Roster.Workers["blue1"], pair, pair)
	}
	for {
		h, ok := grant(t, f, a, r, "gold1")
		if !ok {
			return f, a, r, got
		}
		testutil.Equal(t, count(t, f, a, r, "gold1", h, 2), Accusation{}, "accused by a stranger")
		got++
	}
}

// TestAStrangerThatContradicts: workers that the farm does not trust contradict a trusted one. They get three pairs in
// a run, their own pairs are all audited, and the trusted worker repeats its results. Three of them accuse the
// stranger.
func TestAStrangerThatContradicts(t *testing.T) {
	f, a, r, got := contradict(t, 5)
	testutil.Equal(t, got, soleDisputes, "contradictions")
	a.config.Auditor = some{}
	disputed := func(name string) bool { return a.disputed(time.Now(), r, name) }
	testutil.Check(t, disputed("gold1") && !disputed("blue1") && !disputed("red1"), "whose pairs are all audited")
	_, ok := grant(t, f, a, r, "red1")
	testutil.Check(t, ok, "another owner audits nothing")

	for i := range soleDisputes {
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		a.Keep(t.Context(), r)
		if i == 1 { // after a restart
			a.Release(r, "blue1", h)
			a = New(a.config)
			testutil.OK(t, a.Read(t.Context()))
			h, _ = grant(t, f, a, r, "blue1")
		}
		accused := count(t, f, a, r, "blue1", h, 1)
		testutil.Equal(t, accused.Worker, map[bool]string{true: "gold1"}[i == 2], "accused by pair %d", i+1)
		if i == 2 {
			testutil.Contains(t, accused.Why,
				"audits by the workers of gold: 3 pairs of trusted workers have other results, the last one pair 3 of t: the first move; blue1 got its own results again")
		}
	}
	testutil.Check(t, r.Counts.Differed == 3 && len(a.of(r).due) == 2 && !r.Inexact, "%+v, %d wait", r.Counts,
		len(a.of(r).due))
}

// TestAStrangerContradictsFewPairs: the untrusted workers of one owner contradict together at most soleDisputes pairs
// of a run, also with one request. The other audits wait for other workers. Agreements and trusted workers have no such
// limit.
func TestAStrangerContradictsFewPairs(t *testing.T) {
	f, a, r, _ := contradict(t, 0)
	for pair := range 8 {
		a.Start(time.Now(), r, "blue1", f.Roster.Workers["blue1"], pair, pair)
		f.Stores["t"].Pairs[pair] = *result(pair, "blue1", 1)
	}
	want := func(worker string, n, want int) []farm.Grant {
		t.Helper()
		list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions[worker], n)
		testutil.Equal(t, len(list), want, "audits of "+worker)
		return list
	}
	first := want("red1", 4, 4)
	second := want("red2", 9, 4)
	for i := range 4 {
		count(t, f, a, r, "red1", first[i].Held, map[bool]float64{true: 2, false: 1}[i < 2])
	}
	stale := r.Counts.Stale
	for _, g := range second {
		count(t, f, a, r, "red2", g.Held, 2)
	}
	testutil.Check(t, r.Counts.Agreed == 2 && r.Counts.Stale == stale+3, "%+v", r.Counts)
	want("red1", 9, 0)
	f.Roster.Workers["gold1"].Trust = trust.Verified
	want("gold1", 9, 6) // the third results of three pairs, and three audits without a second one
}

// TestTheOwnersMachineContradicts: an untrusted machine of the test's owner plays all audits that the verdict needs,
// although it contradicts some, and no others then.
func TestTheOwnersMachineContradicts(t *testing.T) {
	f, a, r := begin(t, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	r.Owner = "blue"
	for pair := range 7 {
		f.Stores["t"].Pairs[pair] = *result(pair, "red1", 1)
		r.Ledger.Stored(time.Now(), pair)
		r.PlayedBy.Set(pair, "red1")
	}
	f.Roster.Workers["gold1"].Trust = trust.Verified
	a.Start(time.Now(), r, "gold1", f.Roster.Workers["gold1"], 7, 0)
	f.Stores["t"].Pairs[7] = *result(7, "gold1", 1)
	r.Provisional = &tests.Provisional{End: 7, By: []string{"red1"}}
	a.Prove(t.Context(), time.Now(), r)
	for pair := range 7 {
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 gets no audit after %d", pair)
		count(t, f, a, r, "blue1", h, map[bool]float64{true: 2, false: 1}[h.Pair <= soleDisputes])
	}
	_, ok := grant(t, f, a, r, "blue1")
	testutil.Check(t, !ok, "blue1 audits a pair that the verdict does not need")
	a.Prove(t.Context(), time.Now(), r)
	testutil.Contains(t, r.Provisional.Why(), "4 audits of red1 differ from the results of blue1, of 7", "the verdict")
	f.Roster.Workers["blue1"].Trust = trust.Verified
	_, ok = grant(t, f, a, r, "blue1")
	testutil.Check(t, ok, "blue1 repeats nothing when the farm trusts it")
}

// TestDenialsOfTwoOwners: contradictions by workers of different owners accuse none of them together.
func TestDenialsOfTwoOwners(t *testing.T) {
	f, a, r, _ := contradict(t, 4)
	a.Void(r, []int{3})
	a.Start(time.Now(), r, "blue1", f.Roster.Workers["blue1"], 3, 3)
	list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions["red1"], 9)
	testutil.Require(t, len(list) == 2 && list[0].Pair == 4 && list[1].Pair == 3, "red1 audits %+v", list)
	for _, g := range list {
		count(t, f, a, r, "red1", g.Held, 2)
	}
	for range 4 {
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		testutil.Equal(t, count(t, f, a, r, "blue1", h, 1), Accusation{}, "accused by two pairs of each owner")
	}
}

// TestNoDenial: no worker repeats its first result if another trusted worker can decide, or if the farm trusts the
// auditor too, or does not trust the worker. A worker that gets another result shows that the players do not repeat
// their games, unless the engines of the first result may have kept data.
func TestNoDenial(t *testing.T) {
	for name, change := range map[string]func(f *parttest.Farm){
		"another decides": func(f *parttest.Farm) { f.Roster.Workers["red1"].Trust = trust.Owner },
		"both trusted":    func(f *parttest.Farm) { f.Roster.Workers["gold1"].Trust = trust.Verified },
		"untrusted":       func(f *parttest.Farm) { f.Roster.Workers["blue1"].Trust = trust.Untrusted },
	} {
		f, a, r, _ := contradict(t, 1)
		change(f)
		_, ok := grant(t, f, a, r, "blue1")
		testutil.Check(t, !ok, "%s: blue1 repeats its result", name)
	}
	for _, kept := range []bool{false, true} {
		f, a, r, _ := contradict(t, 1)
		if kept {
			f.Epochs.Fresh = 1 << 32
		}
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		accused := count(t, f, a, r, "blue1", h, 2)
		testutil.Check(t, r.Inexact != kept && !a.Waits(r) && (accused.Worker == "blue1") == kept &&
			(accused.Kept == r) == kept, "kept %t: %+v, inexact %t", kept, accused, r.Inexact)
	}
}

// bar quarantines a worker.
func bar(f *parttest.Farm, a *Audits, worker string) {
	f.Roster.Quarantine(f.Roster.Workers[worker], worker, "it lies", "farm")
	a.Bar(worker)
	a.ProveAgain()
}

// TestAContradictionByALiar: the results of a worker in quarantine with which it contradicted others count no more,
// also after a restart. Others play these audits again, and no pair becomes void.
func TestAContradictionByALiar(t *testing.T) {
	for _, restart := range []bool{false, true} {
		f, a, r := fewDisputes(t)
		bar(f, a, "red2") // it has contradicted none
		testutil.Equal(t, len(settled(t, a, r)), 1, "settled disputes")
		if restart {
			a.Keep(t.Context(), r)
			f.Roster.Quarantine(f.Roster.Workers["blue1"], "blue1", "it lies", "farm")
			a = New(a.config)
			testutil.OK(t, a.Read(t.Context()))
		} else {
			bar(f, a, "blue1")
		}
		testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes after the quarantine")
		testutil.Contains(t, r.Provisional.Why(), "2 of 2 audits are missing", "the verdict")
		f.Roster.Workers["gold1"].Trust = trust.Verified
		f.Roster.Workers["blue2"].Trust = trust.Owner // not limited by a quarantine of its owner
		for _, name := range []string{"gold1", "blue2"} {
			testutil.Equal(t, play(t, f, a, r, name, 1), Accusation{}, "accused by "+name)
		}
	}
	f, a, r := fewDisputes(t)
	a.Keep(t.Context(), r)
	bar(f, a, "blue1")
	a.Keep(t.Context(), r)
	testutil.Check(t, !strings.Contains(string(f.State.Rows[[2]string{bucketAudits, r.Digest}]), "blue1"),
		"the second results are stored")
}

// TestALiarAndAnother: an old dispute with a liar ends, and another worker that contradicts the pair later has a day
// for a decision, too. A liar holds no lease of an audit.
func TestALiarAndAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, a, r := dispute(t, 1, trust.Verified)
		_, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		time.Sleep(disputeAge)
		a.of(r).due[0].deadline = time.Now().Add(time.Hour)
		a.Expire(time.Now(), r)
		testutil.Check(t, a.HeldBy(r, "blue1"), "blue1 has lost its lease")
		bar(f, a, "blue1")
		testutil.Check(t, !a.HeldBy(r, "blue1"), "a worker in quarantine holds an audit")

		f.Roster.Workers["gold1"].Trust = trust.Verified
		play(t, f, a, r, "gold1", 2)
		testutil.Equal(t, len(settled(t, a, r)), 0, "settled disputes at once")
		time.Sleep(disputeAge)
		a.Expire(time.Now(), r)
		testutil.Equal(t, len(settled(t, a, r)), 1, "settled disputes after a day")
	})
}

// TestDenialsByALiar: a worker that has contradicted two workers, of which one is in quarantine, is not accused by the
// pairs of that one. They no longer count as disputes.
func TestDenialsByALiar(t *testing.T) {
	f, a, r, _ := contradict(t, 2)
	f.Roster.Workers["blue1"].Trust = trust.Owner
	for range 2 {
		h, ok := grant(t, f, a, r, "blue1")
		testutil.Require(t, ok, "blue1 repeats nothing")
		testutil.Equal(t, count(t, f, a, r, "blue1", h, 1), Accusation{}, "accused")
	}
	testutil.Check(t, a.disputed(time.Now(), r, "gold1"), "gold1 is in no dispute")
	bar(f, a, "blue1")
	testutil.Check(t, !a.disputed(time.Now(), r, "gold1"), "gold1 is in dispute with a liar")

	f.Roster.Workers["red1"].Trust = trust.Verified
	f.Stores["t"].Pairs[4] = *result(4, "red1", 1)
	r.Ledger.Stored(time.Now(), 4)
	a.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], 4, 4)
	for _, name := range []string{"gold1", "red1"} {
		list := a.Grant(t.Context(), time.Now(), r, f.Roster.Sessions[name], 9)
		last := list[len(list)-1].Held // red1 may also decide about the pairs of the liar
		testutil.Require(t, last.Pair == 4, "%s plays %+v", name, list)
		accused := count(t, f, a, r, name, last, map[string]float64{"gold1": 2, "red1": 1}[name])
		testutil.Equal(t, accused, Accusation{}, "accused by "+name)
	}
}
