package grants

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/parttest"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match/trust"
	"gogi/stats"
)

// begin returns grants of a farm whose owners have a quota.
func begin(quota Quota) (*parttest.Farm, *Grants) {
	f := parttest.New()
	quotas := NewQuotas(func(string) Quota { return quota }, f.Tests)
	audits := audit.New(audit.Config{State: f.State, Roster: f.Roster, Tests: f.Tests, Epochs: f.Epochs,
		Lease: parttest.Lease, Log: f.Log})
	g := New(Config{
		Roster: f.Roster, Tests: f.Tests, Audits: audits, Quotas: quotas, Secret: parttest.Secret, Lease: parttest.Lease,
		Beat:     parttest.Lease / 3,
		OwnerMax: 1, Log: f.Log,
	})
	f.Tests.Changed = g.Place
	return f, g
}

func ask(t *testing.T, f *parttest.Farm, g *Grants, worker string, want int) farm.Grants {
	t.Helper()
	return g.Lease(t.Context(), time.Now(), f.Roster.Sessions[worker], &farm.Ask{Session: worker + "-1", Want: want}, true)
}

// TestWhoGetsNothing: a worker that drains, one in quarantine, and any worker after the failure of a store.
func TestWhoGetsNothing(t *testing.T) {
	f, g := begin(Quota{})
	f.Run(t, parttest.Plan("t", 100, stats.SPRT{}))
	for _, name := range []string{"red1", "blue1", "gold1"} {
		f.Join(t, name, 4)
	}
	f.Roster.Workers["red1"].Draining = true
	f.Roster.Quarantine(f.Roster.Workers["blue1"], "blue1", "it lies", "farm")
	for _, name := range []string{"red1", "blue1"} {
		got := ask(t, f, g, name, 4)
		testutil.Check(t, got.Drain && len(got.Grants) == 0, "%s: %+v", name, got)
	}
	got := g.Lease(t.Context(), time.Now(), f.Roster.Sessions["gold1"], &farm.Ask{Session: "gold1-1", Want: 4}, false)
	testutil.Check(t, !got.Drain && len(got.Grants) == 0, "after a failure: %+v", got)
	got = ask(t, f, g, "gold1", 4)
	testutil.Check(t, len(got.Grants) == 4 && len(got.Plans) == 1, "%d pairs and %d plans", len(got.Grants),
		len(got.Plans))
	for _, x := range got.Grants {
		testutil.Check(t, parttest.Secret.Granted("gold1", x.Held) && !parttest.Secret.Granted("red1", x.Held),
			"the token of %+v", x.Held)
	}
}

// TestRefusedTests: a worker gets no pairs of a test that it refuses, and the reason is one of its errors.
func TestRefusedTests(t *testing.T) {
	f, g := begin(Quota{})
	r := f.Run(t, parttest.Plan("t", 100, stats.SPRT{}))
	f.Join(t, "red1", 1)
	request := &farm.Ask{Session: "red1-1", Want: 1, Refuse: []string{r.Digest}, Why: []string{"no engine"}}
	got := g.Lease(t.Context(), time.Now(), f.Roster.Sessions["red1"], request, true)
	testutil.Check(t, len(got.Grants) == 0 && !got.Later, "%+v", got)
	errs := f.Roster.Workers["red1"].Errors
	testutil.Check(t, len(errs) == 1 && errs[0].What == "the worker does not play it: no engine", "%+v", errs)
	testutil.Equal(t, g.Unfit(f.Roster.Sessions["red1"], f.Keys["ben"])[0], "t: no engine", "in the status")
}

// TestPairsForOthers: if audits dispute the results of a worker for all free pairs, the worker does not ask again soon,
// and the status of the test names it.
func TestPairsForOthers(t *testing.T) {
	f, g := begin(Quota{})
	r := f.Run(t, parttest.Plan("t", 3, stats.SPRT{}))
	for _, name := range []string{"red1", "red2", "blue1", "gold1"} {
		f.Join(t, name, 1)
	}
	for pair := range 3 {
		r.Ledger.Stored(time.Now(), pair)
	}
	r.Ledger.Void(time.Now(), 1)
	now := time.Now()
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{
		{Pair: 1, Worker: "red1", Owner: "red", At: now},
		{Pair: 1, Worker: "gold1", Owner: "gold", At: now},
	}))
	refuses := &farm.Ask{Session: "gold1-1", Want: 1, Refuse: []string{r.Digest}, Why: []string{"no engine"}}
	_ = g.Lease(t.Context(), now, f.Roster.Sessions["gold1"], refuses, true)
	why := ": audits dispute its results, or its owner's, for all pairs that are free; a worker of another owner must play them"
	testutil.Equal(t, strings.Join(g.Refusals(now, r, f.Keys["ben"]), "\n"),
		"gold1: no engine\nred1"+why+"\nred2"+why, "who does not play")
	testutil.Equal(t, len(g.Refusals(now.Add(2*parttest.Lease), r, f.Keys["ben"])), 1,
		"workers that are not connected, but for one that refused the test lately")
	for _, name := range []string{"red1", "red2"} {
		got := ask(t, f, g, name, 1)
		testutil.Check(t, len(got.Grants) == 0 && !got.Later, "%s: %+v", name, got)
	}
	first := ask(t, f, g, "blue1", 1)
	testutil.Check(t, len(first.Grants) == 1, "blue1: %+v", first)
	testutil.Equal(t, len(g.Refusals(now, r, f.Keys["ben"])), 1, "workers without a free pair")
	r.Ledger = nil // a test that has ended or cannot be opened
	testutil.Equal(t, len(g.Refusals(now, r, f.Keys["ben"])), 1, "workers of a test that is not open")
}

// TestSlotsOfAnOwner: workers hold no more pairs of an owner's tests than the quota.
func TestSlotsOfAnOwner(t *testing.T) {
	f, g := begin(Quota{Slots: 3})
	f.Run(t, parttest.Plan("t", 100, stats.SPRT{}))
	f.Join(t, "blue1", 8)
	testutil.Equal(t, len(ask(t, f, g, "blue1", 8).Grants), 3, "granted")
	testutil.Equal(t, len(ask(t, f, g, "blue1", 8).Grants), 0, "granted beyond the quota")
}

// TestTestsBeginWithinTheQuota: the tests of an owner begin in the order of submission, as many as may run.
func TestTestsBeginWithinTheQuota(t *testing.T) {
	f, g := begin(Quota{Running: 1})
	var all []*tests.Test
	for i, name := range []string{"a", "b"} {
		p := parttest.Plan(name, 4, stats.SPRT{})
		p.Seed = uint64(i)
		r := f.Submit(t, p)
		testutil.OK(t, f.Tests.Turn(t.Context(), r, farm.Approved, "ben", ""))
		all = append(all, r)
	}
	testutil.OK(t, g.Begin(t.Context()))
	testutil.Check(t, all[0].State == farm.Running && all[1].State == farm.Approved, "%s, %s", all[0].State, all[1].State)
	testutil.OK(t, f.Tests.Turn(t.Context(), all[0], farm.Stopped, "ann", ""))
	testutil.OK(t, g.Begin(t.Context()))
	testutil.Equal(t, all[1].State, farm.Running, "the next")
}

// TestPairsThatComeBack: a returned pair is granted again. A pair that crashed its players is an error of the worker,
// once.
func TestPairsThatComeBack(t *testing.T) {
	f, g := begin(Quota{})
	r := f.Run(t, parttest.Plan("t", 100, stats.SPRT{}))
	f.Join(t, "red1", 2)
	pairs := ask(t, f, g, "red1", 2).Grants
	testutil.Require(t, len(pairs) == 2, "granted %d", len(pairs))
	s := f.Roster.Sessions["red1"]
	testutil.Check(t, g.TakeBack(time.Now(), s, &farm.Back{Held: pairs[0].Held}) == nil,
		"an unplayed pair counts as a crash")
	crashed := &farm.Back{Held: pairs[1].Held, Crashed: true, Why: "signal 11"}
	testutil.Check(t, g.TakeBack(time.Now(), s, crashed) == r, "a crash does not count")
	testutil.Check(t, g.TakeBack(time.Now(), s, crashed) == nil, "a repeated return counts again")
	forged := &farm.Back{Held: pairs[0].Held, Crashed: true}
	forged.Pair = 7
	testutil.Check(t, g.TakeBack(time.Now(), s, forged) == nil, "a lease that was not granted counts")
	held, _ := f.Tests.HeldBy("red1")
	testutil.Check(t, held == 0 && len(f.Roster.Workers["red1"].Errors) == 1, "%d held, %+v", held,
		f.Roster.Workers["red1"].Errors)
}

// TestVerdictsThatWaitComeFirst: a worker gets the audits of a test whose verdict waits for them before those of
// earlier tests.
func TestVerdictsThatWaitComeFirst(t *testing.T) {
	f, g := begin(Quota{})
	config := audit.Config{
		State: f.State, Roster: f.Roster, Tests: f.Tests, Epochs: f.Epochs, Secret: parttest.Secret, Lease: parttest.Lease,
		Auditor: every{}, Log: f.Log,
	}
	g.config.Audits = audit.New(config)
	var runs []*tests.Test
	for i, name := range []string{"first", "second"} {
		plan := parttest.Plan(name, 100, stats.SPRT{})
		plan.Seed += uint64(i)
		runs = append(runs, f.Run(t, plan))
	}
	f.Join(t, "red1", 1)
	f.Join(t, "blue1", 4)
	for pair := range 3 {
		for _, r := range runs {
			g.config.Audits.Start(time.Now(), r, "red1", f.Roster.Workers["red1"], pair, pair)
		}
	}
	runs[1].Provisional = &tests.Provisional{End: 3}
	var got []string
	known := &farm.Ask{Session: "blue1-1", Want: 4, Known: []string{runs[0].Digest, runs[1].Digest}}
	for _, x := range g.Lease(t.Context(), time.Now(), f.Roster.Sessions["blue1"], known, true).Grants {
		got = append(got, f.Tests.All[x.Run].Name)
	}
	testutil.Equal(t, strings.Join(got, " "), "second second second first", "audits")
}

// every is an audit.Auditor that audits all pairs.
type every struct{ audit.Auditor }

func (every) Audits(string, int, trust.Level, int) bool { return true }

// TestHeartbeatsExtendLeases: a lease lives as long as heartbeats list it. Then another worker gets the pair.
func TestHeartbeatsExtendLeases(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, g := begin(Quota{})
		r := f.Run(t, parttest.Plan("t", 1, stats.SPRT{}))
		f.Join(t, "red1", 1)
		f.Join(t, "blue1", 1)
		pair := ask(t, f, g, "red1", 1).Grants
		testutil.Require(t, len(pair) == 1, "granted %d", len(pair))
		for range 5 {
			time.Sleep(parttest.Lease - time.Second)
			var reply farm.BeatReply
			g.Extend(time.Now(), f.Roster.Sessions["red1"], &farm.Beat{Held: []farm.Held{pair[0].Held}}, &reply)
			testutil.Check(t, len(reply.Drop) == 0 && len(r.Ledger.Expire(time.Now())) == 0, "%+v", reply)
			testutil.Equal(t, len(ask(t, f, g, "blue1", 1).Grants), 0, "granted while the lease lives")
		}
		time.Sleep(parttest.Lease)
		testutil.Equal(t, len(r.Ledger.Expire(time.Now())), 1, "expired")
		testutil.Equal(t, len(ask(t, f, g, "blue1", 1).Grants), 1, "granted after it")
	})
}

// TestLimitsOfUntrustedWorkers: with a trusted worker in a test with an SPRT, the untrusted workers of one owner hold
// at most a quarter of the window, and all of them at most half.
func TestLimitsOfUntrustedWorkers(t *testing.T) {
	f, g := begin(Quota{})
	r := f.Run(t, parttest.Plan("t", 5000,
		stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic}))
	for _, name := range []string{"red1", "red2", "blue1", "gold1"} {
		f.Join(t, name, 100)
		f.Roster.Workers[name].Played = 1000
	}
	f.Roster.Workers["gold1"].Trust = trust.Owner
	testutil.Check(t, len(ask(t, f, g, "gold1", 10).Grants) == 10 && r.Window > 0, "window %d", r.Window)
	held := func(name string) int {
		for range 100 {
			if len(ask(t, f, g, name, 1000).Grants) == 0 {
				break
			}
		}
		n, _ := f.Tests.HeldBy(name)
		return n
	}
	red1, red2, blue := held("red1"), held("red2"), held("blue1")
	testutil.Check(t, red1+red2 <= r.Window/4 && blue <= r.Window/4 && red1+red2+blue <= r.Window/2 && red1 > 0 &&
		blue > 0,
		"window %d: %d and %d of red, %d of blue", r.Window, red1, red2, blue)
}
