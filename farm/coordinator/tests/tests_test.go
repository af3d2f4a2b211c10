package tests_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/parttest"
	"gogi/farm/coordinator/tests"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/trust"
	"gogi/stats"
)

// gate is the design of a test with an SPRT.
var gate = stats.SPRT{Elo0: 0, Elo1: 10, Alpha: 0.05, Beta: 0.05, Model: "logistic"}

// TestStates: a test that begins opens its run and is announced. A stopped test grants nothing. Each state is stored
// before it takes effect, with a line of the log.
func TestStates(t *testing.T) {
	f := parttest.New()
	var changed []farm.State
	f.Tests.Changed = func(r *tests.Test) { changed = append(changed, r.State) }
	r := f.Submit(t, parttest.Plan("t", 4, stats.SPRT{}))
	testutil.Check(t, r.State == farm.Submitted && r.Ledger == nil && !r.Task.Approved, "submitted: %+v", r.Record)

	for _, state := range []farm.State{farm.Approved, farm.Running, farm.Paused, farm.Running, farm.Stopped} {
		testutil.OK(t, f.Tests.Turn(t.Context(), r, state, "ben", "why"))
		testutil.Equal(t, r.State, state, "state")
		testutil.Equal(t, r.Log[len(r.Log)-1].What, string(state)+": why", "the last line")
		if r.Ledger != nil {
			testutil.Equal(t, r.Ledger.Free(), state == farm.Running, "%s: free pairs", state)
		}
	}
	testutil.Equal(t, len(changed), 5, "changes: %v", changed)
	testutil.Equal(t, f.Tests.Running("red"), 0, "running")
	hints := strings.Join(f.Hints, " ")
	want := strings.Join([]string{farm.SubjectAll, farm.SubjectRun + r.Digest, farm.SubjectAll,
		farm.SubjectRun + r.Digest}, " ")
	testutil.Equal(t, hints, want, "hints")
}

// TestAStateThatCannotBeStored: nothing changes.
func TestAStateThatCannotBeStored(t *testing.T) {
	f := parttest.New()
	r := f.Run(t, parttest.Plan("t", 4, gate))
	lines := len(r.Log)
	f.State.Full = true
	err := f.Tests.Turn(t.Context(), r, farm.Paused, "ben", "")
	testutil.Check(t, err != nil && r.State == farm.Running && len(r.Log) == lines && r.Ledger.Free(), "%v: %+v", err,
		r.Record)
}

// TestDisputes: before the pairs of disputes become void, they are stored with the test. Their worker, and other
// untrusted workers of its owner, do not get the pairs for a week, also after a restart. A pardon ends that.
func TestDisputes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := parttest.New()
		r := f.Run(t, parttest.Plan("t", 6, gate))
		f.Stores["t"].Pairs[3] = match.PairResult{Pair: match.Pair{ID: 3}}
		r.Ledger.Stored(time.Now(), 3)
		for _, name := range []string{"red1", "red2", "blue1"} {
			f.Join(t, name, 1)
		}
		about := func(pair int, proved bool) tests.Dispute {
			return tests.Dispute{Pair: pair, Worker: "red1", Owner: "red", By: "blue1", ByOwner: "blue", Proved: proved,
				At: time.Now()}
		}
		testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{about(0, true), about(1, false)}))
		f.State.Full = true
		testutil.Check(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{about(2, true)}) != nil &&
			len(r.Disputes) == 2, "not stored: %+v", r.Disputes)
		f.State.Full = false
		testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{about(1, true)}))
		testutil.Check(t, len(r.Disputes) == 2 && r.Disputes[1].Proved, "%+v", r.Disputes)

		f.Roster.Workers["red2"].Trust = trust.Verified
		first := func(r *tests.Test, worker string) int {
			leases := r.Ledger.Grant(time.Now(), worker, worker+"-1", 1)
			testutil.Require(t, len(leases) == 1, "%s gets no pair", worker)
			r.Ledger.Return(time.Now(), worker, leases[0], false)
			return leases[0].Pair
		}
		again := *f.Tests
		again.All = map[string]*tests.Test{}
		testutil.OK(t, again.Read(t.Context()))
		testutil.Equal(t, first(again.All[r.Digest], "red1"), 4,
			"pair just after a restart, when workers may hold those below 3")
		time.Sleep(parttest.Lease)
		for name, r := range map[string]*tests.Test{"at once": r, "after a restart": again.All[r.Digest]} {
			got := []int{first(r, "red1"), first(r, "red1"), first(r, "red2"), first(r, "blue1")}
			testutil.Check(t, slices.Equal(got, []int{2, 2, 0, 0}), "%s: pairs of red1 twice, red2 and blue1: %v", name, got)
		}
		f.Roster.Workers["red2"].Trust = trust.Untrusted
		testutil.Equal(t, first(r, "red2"), 2, "pair of an untrusted worker of the owner")
		f.Roster.Workers["red1"].Trust = trust.Verified
		testutil.Equal(t, first(r, "red1"), 2, "pair of the worker, which is now verified")
		time.Sleep(tests.DisputeKept)
		testutil.Equal(t, first(r, "red1"), 0, "pair after a week")
		other := about(0, true)
		other.Worker, other.By = "red2", "gold1" // it replaces no dispute about the pair of red1
		testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, []tests.Dispute{other}))
		testutil.Check(t, !r.Retract("red1") && r.Retract("gold1") && len(r.Disputes) == 2, "%+v", r.Disputes)
		testutil.Check(t, !r.Absolve("blue1") && r.Absolve("red1") && len(r.Disputes) == 0, "%+v", r.Disputes)

		var many []tests.Dispute
		for pair := range 300 {
			many = append(many, about(pair, true))
		}
		testutil.OK(t, tests.AddDisputes(t.Context(), f.Tests, r, many))
		testutil.Check(t, len(r.Disputes) == 256 && r.InDispute(299) && !r.InDispute(0), "%d are stored", len(r.Disputes))
	})
}

// TestADoubt: the doubt about a worker's pairs is stored, and the verdict of a test that uses them is provisional. It
// ends when the pairs are void, and a later one is stored, too.
func TestADoubt(t *testing.T) {
	f := parttest.New()
	r := f.Run(t, parttest.Plan("t", 2, gate))
	f.Join(t, "red1", 1)
	f.Roster.Workers["red1"].Trust = trust.Verified
	stored := func() map[string]string {
		var rec tests.Record
		testutil.OK(t, farm.Decode(f.State.Rows[[2]string{"tests", r.Digest}], &rec))
		return rec.Doubted
	}
	for pair := range 2 {
		r.PlayedBy.Set(pair, "red1")
		legs := stats.Pair{{Outcome: stats.Win, Points: 1, AIsBlack: true}, {Outcome: stats.Loss}}
		testutil.OK(t, r.Gate.Add(pair, stats.Play{Pair: legs}))
		r.Ledger.Stored(time.Now(), pair)
	}
	for _, text := range []string{"pair 1 differs", "pair 2 differs"} {
		f.Tests.VoidDue = false
		tests.Doubt(t.Context(), f.Tests, r, "red1", text)
		testutil.Check(t, strings.HasPrefix(stored()["red1"], text) && f.Tests.VoidDue && r.WasDoubted("red1"), "%q",
			stored())

		f.Tests.VoidDue = false
		testutil.Check(t, f.Tests.Examine(t.Context(), r) && r.Provisional != nil && f.Tests.VoidDue, "%+v", r.Provisional)

		f.State.Full = true
		testutil.Check(t, tests.ClearDoubt(t.Context(), f.Tests, r, "red1") != nil &&
			tests.VoidReason(f.Tests, r, "red1") != "", "the doubt ends although this is not stored")
		f.State.Full = false
		testutil.OK(t, tests.ClearDoubt(t.Context(), f.Tests, r, "red1"))
		testutil.Check(t, tests.VoidReason(f.Tests, r, "red1") == "" && len(stored()) == 0, "%q", stored())
		f.Tests.VoidDue = false
		testutil.OK(t, f.Tests.Turn(t.Context(), r, farm.Running, "farm", ""))
		testutil.Check(t, f.Tests.VoidDue, "the doubts of a test that runs again are forgotten")
	}
	testutil.Check(t, f.Tests.Examine(t.Context(), r) && r.Provisional == nil, "without a doubt: %+v", r.Provisional)

	for _, name := range []string{"red1", "red2", "red1"} { // the first reason stays
		tests.Doubt(t.Context(), f.Tests, r, name, fmt.Sprintf("pair %d differs", 3+len(r.Doubted)))
	}
	testutil.Check(t, len(stored()) == 2 && strings.HasPrefix(tests.VoidReason(f.Tests, r, "red1"), "pair 3 differs") &&
		strings.HasPrefix(tests.VoidReason(f.Tests, r, "red2"), "pair 4 differs"), "%q", stored())
	f.Roster.Quarantine(f.Roster.Workers["red1"], "red1", "it lies", "farm")
	testutil.Equal(t, tests.VoidReason(f.Tests, r, "red1"), "it lies", "the reason with a quarantine")
}

// TestAVerdictIsMarked: without a reason it is final. If pairs of it are void, it is withdrawn instead: a test that has
// ended runs again, and a stopped one stays stopped.
func TestAVerdictIsMarked(t *testing.T) {
	for _, test := range []struct {
		stored       int
		state, after farm.State
		log          string
	}{
		{2, farm.Over, farm.Over, "the verdict pass is final"},
		{1, farm.Over, farm.Running, "running: the verdict pass is withdrawn, because pairs of it are void"},
		{1, farm.Stopped, farm.Stopped, "stopped: the verdict pass is withdrawn, because pairs of it are void"},
	} {
		f := parttest.New()
		r := f.Run(t, parttest.Plan("t", 2, gate))
		for pair := range test.stored {
			r.Ledger.Stored(time.Now(), pair)
		}
		r.State, r.Verdict, r.Provisional = test.state, "pass", &tests.Provisional{End: 2, By: []string{"red1"}}
		testutil.OK(t, f.Tests.Mark(t.Context(), time.Now(), r, "audits are missing"))
		testutil.Check(t, r.State == test.state && f.Stores["t"].Why == "audits are missing", "%+v: %s", test, r.State)

		f.State.Full = true
		testutil.Check(t, f.Tests.Mark(t.Context(), time.Now(), r, "") != nil && r.State == test.state &&
			r.Provisional != nil, "%+v, not stored: %s", test, r.State)
		f.State.Full = false
		testutil.OK(t, f.Tests.Mark(t.Context(), time.Now(), r, ""))
		testutil.Check(t, r.State == test.after && r.Provisional == nil && f.Stores["t"].Why == "" &&
			r.Log[len(r.Log)-1].What == test.log, "%+v: %s, %q", test, r.State, r.Log[len(r.Log)-1].What)
	}
}

// TestOneTestOfAPlan: a plan is submitted once, and a name belongs to one test, also after its end. An owner has no
// more waiting tests than the quota.
func TestOneTestOfAPlan(t *testing.T) {
	f := parttest.New()
	submit := func(name string, seed uint64, queued int) error {
		p := parttest.Plan(name, 4, stats.SPRT{})
		p.Seed = seed
		in := &farm.Submission{Plan: testutil.Must(match.EncodePlan(p))(t), Share: 1}
		_, err := f.Tests.Submit(t.Context(), f.Keys["ann"], in, p, queued, "")
		return err
	}
	testutil.OK(t, submit("a", 1, 0))
	for _, test := range []struct {
		name   string
		seed   uint64
		queued int
		why    string
	}{
		{"a", 1, 0, "this plan is test a"}, {"b", 1, 0, "this plan is test a"}, {"a", 2, 0, "there is a test a already"},
		{"b", 2, 1, "may have 1"}, {"b", 2, 2, ""},
	} {
		err := submit(test.name, test.seed, test.queued)
		testutil.Check(t, (err == nil) == (test.why == "") && (err == nil || strings.Contains(err.Error(), test.why)),
			"%+v: %v", test, err)
	}
	r := testutil.Must(f.Tests.Found("a"))(t)
	testutil.OK(t, f.Tests.Turn(t.Context(), r, farm.Stopped, "ann", ""))
	testutil.Fails(t, submit("a", 3, 0),
		"there is a test a already, which is stopped, and a name belongs to one test for ever; choose another, such as --run a-2")
	testutil.OK(t, submit("a-2", 3, 0))
	for _, means := range []string{"a", r.Digest, r.Digest[:8]} {
		testutil.Check(t, testutil.Must(f.Tests.Found(means))(t) == r, "%s means another test", means)
	}
	testutil.Fails(t, testutil.Err(f.Tests.Found(r.Digest[:3])), "there is no test")
}

// TestPairsThatCrash: the first pair that is given up pauses a test with an SPRT. Without one, the third does.
func TestPairsThatCrash(t *testing.T) {
	for g, want := range map[stats.SPRT][]farm.State{gate: {farm.Paused}, {}: {farm.Running, farm.Running, farm.Paused}} {
		f := parttest.New()
		r := f.Run(t, parttest.Plan("t", 8, g))
		for pair, state := range want {
			r.Ledger.Condemn(time.Now(), pair)
			testutil.Check(t, !f.Tests.Examine(t.Context(), r) && r.State == state, "after %d pairs: %s (%s), expected %s",
				pair+1, r.State, r.Why, state)
		}
	}
}

// TestATestEnds: when every pair is stored.
func TestATestEnds(t *testing.T) {
	f := parttest.New()
	r := f.Run(t, parttest.Plan("t", 2, stats.SPRT{}))
	for pair, over := range []bool{false, true} {
		r.Ledger.Stored(time.Unix(0, 0), pair)
		testutil.Equal(t, f.Tests.Examine(t.Context(), r), over, "ended after %d pairs", pair+1)
	}
	testutil.Check(t, r.State == farm.Over && !f.Tests.Examine(t.Context(), r), "%s", r.State)
}

// TestWhoMayApprove: a key with the right and of another owner.
func TestWhoMayApprove(t *testing.T) {
	f := parttest.New()
	of := func(owner, by string) *tests.Test { return &tests.Test{Record: tests.Record{Owner: owner, By: by}} }
	testutil.OK(t, tests.MayApprove(f.Keys["ben"], of("red", "ann")))
	testutil.Check(t, tests.MayApprove(f.Keys["ben"], of("blue", "bob")) != nil, "its own owner's test")
	testutil.Check(t, tests.MayApprove(f.Keys["ben"], of("red", "ben")) != nil, "its own test")
	testutil.Check(t, tests.MayApprove(f.Keys["ann"], of("blue", "ben")) != nil, "a key without the right")
	stop := tests.MayControl("stop")
	testutil.OK(t, stop(f.Keys["ann"], of("red", "x")))
	testutil.OK(t, stop(f.Keys["ben"], of("red", "x")))
	testutil.Check(t, stop(f.Keys["ann"], of("blue", "x")) != nil, "a test of another owner")
}
