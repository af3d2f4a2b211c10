package stored

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/report"
	"gogi/results"
	"gogi/shogi"
	"gogi/stats"
)

// gatedSeries returns an empty store and the plan of a match with an SPRT.
func gatedSeries(t *testing.T) (*results.Store, *match.Plan) {
	t.Helper()
	store := testutil.Must(results.Open(t.Context(), filepath.Join(t.TempDir(), "gate.db")))(t)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	player := func(name string) match.Player {
		return match.Player{Name: name, Command: []string{"/gogi"}, Builtin: true, Limits: match.Limits{Nodes: 1},
			Identity: match.Identity{Fixed: name}}
	}
	return store, &match.Plan{
		Run: "r", Players: []match.Player{player("A"), player("B")},
		Design: match.Design{Kind: match.DesignMatch, Swap: true},
		Rules:  match.RulesProfiles()["default"], Openings: []match.Opening{{ID: "1", Start: "startpos"}}, Pairs: 10,
		Gate: stats.SPRT{Elo1: 4, Alpha: 0.05, Beta: 0.1, Model: stats.ModelLogistic},
	}
}

// resignedPair returns a pair in which White resigned at once. The clock of its machine is fast by the given duration.
func resignedPair(plan *match.Plan, id int, fast time.Duration) match.PairResult {
	return matchtest.Resigned(plan, id, shogi.White, time.Now().Add(fast))
}

// TestGateIsOrderedByTheLog: a change of the design after the first stored pair is reported. The clock of the machine
// that played the pair may be an hour fast.
func TestGateIsOrderedByTheLog(t *testing.T) {
	t.Parallel()
	store, plan := gatedSeries(t)
	beginAndAdd(t, store, plan, resignedPair(plan, 0, time.Hour))
	changed := *plan
	changed.Gate.Elo1 = 40
	beginAndAdd(t, store, &changed, resignedPair(plan, 1, time.Hour))
	settings := testutil.Must(store.Settings(t.Context(), 1))(t)
	first := testutil.Must(store.FirstStored(t.Context(), 1))(t)
	got := registrationOf(settings, first)
	if got.Design != plan.Gate || len(got.Changes) != 1 || !strings.Contains(got.Changes[0].String(), "[0, 4]") ||
		!strings.Contains(got.Changes[0].String(), "[0, 40]") {
		t.Errorf("%+v", got)
	}
	latest := registrationOf(settings, 0)
	testutil.Check(t, latest.Design == changed.Gate && len(latest.Changes) == 0, "without a first pair: %+v", latest)
}

// TestLateDesign: an SPRT that is set after the first pair is reported as late, even if the run had no SPRT before.
func TestLateDesign(t *testing.T) {
	t.Parallel()
	store, plan := gatedSeries(t)
	plain := *plan
	plain.Gate = stats.SPRT{}
	beginAndAdd(t, store, &plain, resignedPair(plan, 0, 0))
	beginAndAdd(t, store, plan, resignedPair(plan, 1, 0))
	info := testutil.Must(store.FindRun(t.Context(), "r"))(t)
	run := testutil.Must(ReportRun(t.Context(), store, info))(t)
	if g := run.Gate; g.Registered || g.Design != plan.Gate || len(run.Starts) != 2 || run.Starts[0].Late ||
		!run.Starts[1].Late {
		t.Errorf("%+v, starts %+v", g, run.Starts)
	}
	rep := testutil.Must(Report(t.Context(), store, "r"))(t)
	v := rep.GateVerdict(run.Gate)
	testutil.Check(t, v.Verdict == report.Inconclusive && !v.Registered, "%+v", v)
}

func beginAndAdd(t *testing.T, store *results.Store, plan *match.Plan, pairs ...match.PairResult) {
	t.Helper()
	run, err := store.Begin(t.Context(), plan)
	for _, p := range pairs {
		if err == nil {
			_, err = run.Add(t.Context(), p)
		}
	}
	testutil.OK(t, errors.Join(err, run.Close()))
}

// TestMaximumIsNoDesign: the bounds of an SPRT do not depend on the maximum, so a maximum that was changed after the
// first pair is a remark, and neither a new design nor a reason against the verdict.
func TestMaximumIsNoDesign(t *testing.T) {
	t.Parallel()
	store, plan := gatedSeries(t)
	beginAndAdd(t, store, plan, resignedPair(plan, 0, 0))
	longer := *plan
	longer.Pairs = 2 * plan.Pairs
	beginAndAdd(t, store, &longer, resignedPair(plan, 1, 0))
	got := registrationOf(testutil.Must(store.Settings(t.Context(), 1))(t),
		testutil.Must(store.FirstStored(t.Context(), 1))(t))
	testutil.Check(t, len(got.Changes) == 0, "%v", got.Changes)
	testutil.Require(t, len(got.Maxima) == 1, "%v", got.Maxima)
	testutil.Contains(t, got.Maxima[0].String(), "the maximum was changed from")
}
