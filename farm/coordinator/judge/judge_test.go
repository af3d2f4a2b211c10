package judge

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/audit"
	"gogi/farm/coordinator/grants"
	"gogi/farm/coordinator/parttest"
	"gogi/farm/coordinator/rollout"
	"gogi/farm/coordinator/roster"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/trust"
	"gogi/stats"
)

// scales is an Auditor that audits only the pairs of verdicts. Two results differ if their factors of the clocks do.
type scales struct{}

func (scales) Exact(*match.Plan) bool                    { return true }
func (scales) Audits(string, int, trust.Level, int) bool { return false }
func (scales) Verified() int                             { return 2 }
func (scales) Sample(_ string, pairs []int) []int        { return pairs }
func (scales) Print(p *match.PairResult) []byte          { return fmt.Append(nil, p.Played.Scale) }
func (scales) Differ(a, b *match.PairResult) (what string) {
	if a.Played.Scale != b.Played.Scale {
		what = "the first move"
	}
	return what
}

func begin(t *testing.T) (*parttest.Farm, *Judge, *tests.Test) {
	t.Helper()
	f := parttest.New()
	audits := audit.New(audit.Config{State: f.State, Roster: f.Roster, Tests: f.Tests, Epochs: f.Epochs,
		Lease: parttest.Lease, Log: f.Log, Secret: parttest.Secret, Auditor: scales{}})
	j := New(Config{
		Roster: f.Roster, Tests: f.Tests, Audits: audits,
		Quotas:  grants.NewQuotas(func(string) grants.Quota { return grants.Quota{} }, f.Tests),
		Updates: rollout.NewUpdates(rollout.Config{State: f.State, Roster: f.Roster, Lease: parttest.Lease, Log: f.Log}),
		Secret:  parttest.Secret, Log: f.Log,
	})
	r := f.Run(t, parttest.Plan("t", 20, stats.SPRT{}))
	f.Join(t, "red1", 20)
	return f, j, r
}

// message returns a message of red1 with a verified item for each lease.
func message(f *parttest.Farm, r *tests.Test, leases ...farm.Held) Message {
	m := Message{worker: "red1", key: f.Keys["red1"]}
	for _, h := range leases {
		m.items = append(m.items, item{Item: farm.Item{Lease: h}, run: r, pair: match.PairResult{
			Pair: match.Pair{ID: h.Pair}, Played: match.Provenance{Worker: "red1"},
		}})
	}
	return m
}

// granted grants n pairs to red1.
func granted(t *testing.T, r *tests.Test, n int) (list []farm.Held) {
	t.Helper()
	for _, l := range r.Ledger.Grant(time.Now(), "red1", "red1-1", n) {
		h := farm.Held{Run: r.Digest, Pair: l.Pair, Epoch: l.Epoch, Take: l.Take}
		h.Token = parttest.Secret.Token("red1", h)
		list = append(list, h)
	}
	testutil.Require(t, len(list) == n, "granted %d of %d", len(list), n)
	return list
}

// count processes messages as the coordinator does.
func count(t *testing.T, j *Judge, messages ...Message) {
	t.Helper()
	j.Decide(t.Context(), messages)
	testutil.OK(t, Store(t.Context(), messages))
	for i := range messages {
		j.Settle(t.Context(), &messages[i])
	}
}

// TestTheFirstResultCounts: the first result of a pair in the stream is stored. Repeated ones are duplicates, and
// results of an older take are stale.
func TestTheFirstResultCounts(t *testing.T) {
	f, j, r := begin(t)
	leases := granted(t, r, 3)
	old := leases[2]
	old.Take = 1
	count(t, j, message(f, r, leases[0], leases[1]), message(f, r, leases[1], leases[0]), message(f, r, old))
	count(t, j, message(f, r, leases[0]))
	want := farm.ResultCounts{Added: 2, Duplicates: 3, Stale: 1}
	testutil.Equal(t, r.Counts, want, "counts")
	testutil.Equal(t, len(f.Stores["t"].Pairs), 2, "stored")
	testutil.Equal(t, f.Roster.Workers["red1"].Played, 2, "played")
	testutil.Equal(t, j.Status.Messages, 4, "messages")
}

// TestImpossibleResults: three rejected results put a worker in quarantine. Its leases end, and its later results do
// not count and accuse nobody.
func TestImpossibleResults(t *testing.T) {
	f, j, r := begin(t)
	leases := granted(t, r, 6)
	bad := func(h farm.Held) Message {
		m := message(f, r, h)
		m.items[0].refuse = "an impossible move"
		return m
	}
	count(t, j, bad(leases[0]), bad(leases[1]))
	w := f.Roster.Workers["red1"]
	testutil.Check(t, w.Refused == 2 && w.Quarantine == "" && r.Counts.Refused == 2, "%+v, %+v", w, r.Counts)
	count(t, j, bad(leases[2]))
	testutil.Check(t, strings.HasPrefix(w.Quarantine, "3 results were refused") && f.Barred["red1"] == w.Quarantine, "%q",
		w.Quarantine)
	held, _ := f.Tests.HeldBy("red1")
	testutil.Equal(t, held, 0, "held after the quarantine")
	count(t, j, message(f, r, leases[3]), bad(leases[4]))
	testutil.Check(t, r.Counts.Added == 0 && r.Counts.Stale == 2 && w.Refused == 3, "%+v, %d refused", r.Counts, w.Refused)
	testutil.OK(t, j.SetQuarantine(t.Context(), roster.Key{Name: "boss"}, "red1", w, &farm.Order{Off: true}))
	testutil.Check(t, w.Quarantine == "" && w.Refused == 0 && f.Barred["red1"] == "", "after the pardon: %+v", w)
	err := j.SetQuarantine(t.Context(), roster.Key{Name: "boss"}, "red1", w, &farm.Order{})
	testutil.Check(t, err != nil && w.Quarantine == "", "a quarantine without a reason: %v", err)
}

// TestRejectedMessagesAreKept: the stream keeps a message of which something was rejected, with the reason.
func TestRejectedMessagesAreKept(t *testing.T) {
	for why, m := range map[string]Message{
		"": {items: []item{{}}}, "unsigned": {why: "unsigned"}, "impossible": {items: []item{{}, {refuse: "impossible"}}},
		"lost": {items: []item{{lost: "lost"}}},
	} {
		got := "none"
		m.Ack = func(context.Context) error { got = ""; return nil }
		m.Refuse = func(_ context.Context, why string) error { got = why; return nil }
		testutil.OK(t, m.Answer(t.Context()))
		testutil.Equal(t, got, why, "answer")
	}
}

// TestLeasesAreFound: a result that comes after its pair was stored is late, and so is one with another take.
func TestLeasesAreFound(t *testing.T) {
	_, j, r := begin(t)
	r.Ledger.Stored(time.Now(), 3)
	for _, test := range []struct {
		lease farm.Held
		there bool
		late  bool
	}{
		{farm.Held{Run: r.Digest, Pair: 2}, true, false}, {farm.Held{Run: r.Digest, Pair: 3}, true, true},
		{farm.Held{Run: r.Digest, Pair: 2, Take: 1}, true, true}, {farm.Held{Run: fmt.Sprint(1)}, false, false},
	} {
		got, late := j.Find(test.lease)
		testutil.Check(t, (got == r) == test.there && late == test.late, "%+v: found %t, late %t", test.lease, got != nil,
			late)
	}
}

// sprtTest returns a test with an SPRT, and its store.
func sprtTest(t *testing.T, f *parttest.Farm) (*tests.Test, *parttest.Store) {
	t.Helper()
	plan := parttest.Plan("sprt", 20, stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: stats.ModelLogistic})
	plan.Seed++
	r := f.Run(t, plan)
	return r, f.Stores["sprt"]
}

// TestDoubtedPairs: pairs that audits contradict become void once, also if an admin makes them void, or if the process
// ends after the store has removed them. Later pairs of the worker count.
func TestDoubtedPairs(t *testing.T) {
	const farms, admins, crashed, barred = "the farm", "an admin", "a crash", "a quarantine that ends"
	for _, by := range []string{farms, admins, crashed, barred} {
		f, j, _ := begin(t)
		r, store := sprtTest(t, f)
		plays := func(pair int) {
			store.Pairs[pair] = match.PairResult{Pair: match.Pair{ID: pair},
				Played: match.Provenance{Worker: "red1"}}
			r.Ledger.Stored(time.Now(), pair)
			r.PlayedBy.Set(pair, "red1")
		}
		plays(0)
		if by == barred {
			f.Roster.Workers["red1"].Quarantine = "it lied"
		}
		j.accuse(t.Context(), audit.Accusation{Worker: "red1", Why: "pair 0 differs", Kept: r})
		switch by {
		case barred:
			f.Roster.Workers["red1"].Quarantine = ""
		case admins:
			testutil.OK(t, testutil.Err(j.Void(t.Context(), "boss", r, &farm.Order{Run: r.Digest, Worker: "red1", Dry: true})))
			testutil.Check(t, tests.VoidReason(f.Tests, r, "red1") != "", "%s: counting the pairs ends the doubt", by)
			testutil.OK(t, testutil.Err(j.Void(t.Context(), "boss", r, &farm.Order{Run: r.Digest, Worker: "red1"})))
		case crashed:
			delete(store.Pairs, 0)
			r.Ledger.Void(time.Now(), 0)
			r.PlayedBy = tests.PlayedBy{}
			f.Keys["red1"] = roster.Key{}
			delete(f.Roster.Workers, "red1")
		}
		testutil.Check(t, f.Tests.VoidDue, "%s: no pair is due", by)
		j.VoidDue(t.Context())
		testutil.Check(t, len(store.Pairs) == 0 && !f.Tests.VoidDue, "%s: %v, due %t", by,
			store.Pairs, f.Tests.VoidDue)

		plays(1)
		j.VoidDue(t.Context())
		testutil.Equal(t, len(store.Pairs), 1, by+": later pairs")
	}
}

// TestDoubtedPairsOfAVerdict: a verdict is withdrawn after an error or a crash, too, also because of a quarantine. A
// test that has ended runs again without the doubt. The database of a stopped one has no provisional verdict any more.
func TestDoubtedPairsOfAVerdict(t *testing.T) {
	for _, test := range []struct {
		void, barred bool
		state, after farm.State
	}{
		{state: farm.Over, after: farm.Running}, {void: true, state: farm.Over, after: farm.Running},
		{state: farm.Stopped, after: farm.Stopped},
		{void: true, barred: true, state: farm.Over, after: farm.Running},
	} {
		f, j, _ := begin(t)
		r, store := sprtTest(t, f)
		if !test.void {
			store.Pairs[0] = match.PairResult{Played: match.Provenance{Worker: "red1"}}
			r.Ledger.Stored(time.Now(), 0)
		}
		r.State, r.Provisional = test.state, &tests.Provisional{End: 1, By: []string{"red1"}}
		store.Why = "audits are missing"
		of := r
		if test.barred {
			of = nil
		}
		j.accuse(t.Context(), audit.Accusation{Worker: "red1", Why: "pair 0 differs", Kept: of})
		for _, full := range []bool{true, false} {
			f.State.Full = full
			if !full {
				store.Err = fmt.Errorf("an input error")
			}
			j.VoidDue(t.Context())
			testutil.Check(t, r.State == test.state && tests.VoidReason(f.Tests, r, "red1") != "" && f.Tests.VoidDue,
				"after an error: %s, due %t", r.State, f.Tests.VoidDue)
		}
		store.Err = nil
		j.VoidDue(t.Context())
		testutil.Check(t, r.State == test.after && strings.Contains(r.Voided, "pair 0 differs") && r.Provisional == nil &&
			store.Why == "" && (tests.VoidReason(f.Tests, r, "red1") == "") != test.barred, "%+v: %s, void %q", test, r.State,
			r.Voided)
	}
}

// dispute makes red1 play pair 0 of a test with an SPRT, and blue1 get another result for it twice. The test has a
// provisional verdict.
func dispute(t *testing.T) (*parttest.Farm, *Judge, *tests.Test, *parttest.Store) {
	t.Helper()
	f, j, _ := begin(t)
	blue := f.Join(t, "blue1", 1)
	f.Roster.Workers["blue1"].Trust = trust.Verified
	r, store := sprtTest(t, f)
	store.Pairs[0] = match.PairResult{Played: match.Provenance{Worker: "red1", Scale: 1}}
	r.Ledger.Stored(time.Now(), 0)
	r.PlayedBy.Set(0, "red1")
	r.State, r.Provisional = farm.Over, &tests.Provisional{End: 1, By: []string{"red1"}}
	audits := j.config.Audits
	audits.Prove(t.Context(), time.Now(), r)
	for range 2 {
		list := audits.Grant(t.Context(), time.Now(), r, blue, 1)
		testutil.Require(t, len(list) == 1, "blue1 audits %+v", list)
		audits.Count(t.Context(), r, audit.Played{Worker: "blue1", Owner: "blue", Lease: list[0].Held,
			Pair: &match.PairResult{Played: match.Provenance{Scale: 2}}})
	}
	audits.Prove(t.Context(), time.Now(), r)
	return f, j, r, store
}

// TestADisputeWithALiar: no pair becomes void because of a dispute with a worker that is in quarantine now.
func TestADisputeWithALiar(t *testing.T) {
	f, j, r, store := dispute(t)
	j.Quarantine(t.Context(), f.Roster.Workers["blue1"], "blue1", "it lies", "farm")
	for range 2 {
		j.VoidDue(t.Context())
		j.config.Audits.Prove(t.Context(), time.Now(), r)
	}
	testutil.Check(t, len(store.Pairs) == 1, "the pair is void")
	testutil.Contains(t, r.Provisional.Why(), "1 of 1 audits are missing", "the verdict")
}

// TestSettledDisputes: the pairs of a settled dispute become void, also if this fails at first. They count once. The
// dispute ends with the quarantine of the worker that caused it, also after a restart.
func TestSettledDisputes(t *testing.T) {
	f, j, r, store := dispute(t)
	for _, test := range []struct {
		full bool
		err  error
	}{{full: true}, {err: fmt.Errorf("an input error")}, {}} {
		f.State.Full, store.Err = test.full, test.err
		j.VoidDue(t.Context())
		fails := test.full || test.err != nil
		testutil.Check(t, (f.Tests.VoidDue || !fails) && (r.State == farm.Over) == fails && (r.Counts.Differed == 0) == fails,
			"%+v: due %t, %s, %d differ", test, f.Tests.VoidDue, r.State, r.Counts.Differed)
	}
	testutil.Check(t, len(store.Pairs) == 0 && len(r.Disputes) == 1 && r.Counts.Differed == 1, "%+v, %+v", r.Disputes,
		r.Counts)

	j.Quarantine(t.Context(), f.Roster.Workers["blue1"], "blue1", "it lies", "farm")
	var rec tests.Record
	testutil.OK(t, farm.Decode(f.State.Rows[[2]string{"tests", r.Digest}], &rec))
	testutil.Check(t, len(r.Disputes)+len(rec.Disputes) == 0, "after the quarantine of blue1: %+v, stored %+v", r.Disputes,
		rec.Disputes)
}

// TestAPardonEndsDisputes: the disputes of a pardoned worker no longer count, also after a restart. Those of others
// stay.
func TestAPardonEndsDisputes(t *testing.T) {
	f, j, r := begin(t)
	testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r,
		[]tests.Dispute{{Pair: 1, Worker: "red1"}, {Pair: 2, Worker: "blue1"}}))
	before := f.State.Puts["tests"]
	j.Pardon(t.Context(), "red1", f.Roster.Workers["red1"])
	testutil.Check(t, len(r.Disputes) == 1 && r.InDispute(2) && f.State.Puts["tests"] == before+1, "%+v, stored %d times",
		r.Disputes, f.State.Puts["tests"]-before)
}
