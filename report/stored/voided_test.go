package stored

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/gate"
	"gogi/report"
	"gogi/results"
	"gogi/shogi"
	"gogi/stats"
)

// wonPair returns a pair in which A won both games, or lost both.
func wonPair(plan *match.Plan, id int, won bool) match.PairResult {
	r := resignedPair(plan, id, 0)
	for leg := range r.Games {
		g := &r.Games[leg]
		winner := shogi.Black
		if (g.Players[0] == 0) != won {
			winner = shogi.White
		}
		g.Verdict = match.LossFor(winner.Opponent(), match.Resignation, "")
	}
	return r
}

// manyOpenings is [gatedSeries] with an opening for each pair.
func manyOpenings(t *testing.T) (*results.Store, *match.Plan) {
	t.Helper()
	store, plan := gatedSeries(t)
	plan.Openings, plan.Gate.Elo1, plan.Pairs = nil, 400, 30
	p := shogi.StartPos()
	for _, m := range p.LegalMoves(nil) {
		plan.Openings = append(plan.Openings, match.Opening{ID: m.String(), Start: "startpos", Moves: []shogi.Move{m}})
	}
	return store, plan
}

// judged returns the state of the SPRT after the pairs of won, which has an entry for each pair from the first on.
func judged(t *testing.T, plan *match.Plan, won []bool) *report.Tested {
	t.Helper()
	test := testutil.Must(gate.New(plan.Gate, plan.Pairs))(t)
	for id, w := range won {
		play, err := gate.OfResult(plan, wonPair(plan, id, w))
		if err == nil {
			err = test.Add(id, play)
		}
		testutil.OK(t, err)
	}
	j := test.State().Judgement
	return &report.Tested{LLR: &j.LLR, Pairs: j.Units, Decision: j.Decision}
}

func sameTest(got, want *report.Tested) bool {
	return got != nil && got.Pairs == want.Pairs && got.Decision == want.Decision && math.Abs(*got.LLR-*want.LLR) < 1e-12
}

// TestWithdrawnVerdict: a pass that depends on voided pairs is withdrawn, and the report has the old and the new
// counts. The pass is withdrawn until the SPRT passes again.
func TestWithdrawnVerdict(t *testing.T) {
	t.Parallel()
	store, plan := manyOpenings(t)
	enough := 1
	for judged(t, plan, slices.Repeat([]bool{true}, enough)).Decision == stats.Continue {
		enough++
	}
	testutil.Require(t, enough >= 4 && enough <= 25, "the gate passes after %d pairs", enough)
	run := testutil.Must(store.Begin(t.Context(), plan))(t)
	add := func(won bool, ids ...int) {
		t.Helper()
		for _, id := range ids {
			p := wonPair(plan, id, won)
			if id < 2 {
				p.Played = match.Provenance{Worker: "bad"}
			}
			added, err := run.Add(t.Context(), p)
			testutil.Require(t, added && err == nil, "%v %v", added, err)
		}
	}
	for id := range enough {
		add(true, id)
	}
	tell := func() *report.GateVerdict {
		t.Helper()
		rep := testutil.Must(Report(t.Context(), store, "r"))(t)
		return rep.GateVerdict(report.Registration{})
	}
	// If a farm does not regard the verdict as final yet, the verdict is inconclusive, also for a later process.
	stamp := testutil.Must(store.Stamp(t.Context(), 1))(t)
	testutil.OK(t, run.SetProvisional(t.Context(), "3 of 4 audits are missing"))
	testutil.OK(t, run.Change(t.Context(), plan.Pairs, 7, match.RunPlaying))
	if v := tell(); v.Verdict != report.Inconclusive || !slices.ContainsFunc(v.Why, func(w i18n.Message) bool {
		return strings.Contains(w.String(), "pass, is provisional: 3 of 4 audits are missing")
	}) || testutil.Must(store.Stamp(t.Context(), 1))(t) == stamp {
		t.Errorf("provisional: %+v", v)
	}
	testutil.OK(t, run.SetProvisional(t.Context(), ""))
	if v := tell(); v.Gate.Decision != stats.Pass || v.Verdict != report.Passed || v.Gate.Withdrawn != "" ||
		len(v.Report.Voided) > 0 {
		t.Fatalf("%+v", v.Gate)
	}
	void := func(why string, which func(match.Row) bool) {
		t.Helper()
		testutil.Must(run.Void(t.Context(), why, "koto", which))(t)
	}
	void("its disk is slow", func(r match.Row) bool { return r.Worker == "bad" })
	v := tell()
	if v.Verdict != report.Inconclusive || v.Gate.Withdrawn != stats.Pass ||
		!slices.ContainsFunc(v.Gate.Notes, func(w i18n.Message) bool {
			return strings.Contains(w.String(), "pass, is withdrawn")
		}) {
		t.Errorf("%+v", v.Gate)
	}
	one := v.Report.Voided[0]
	if !slices.Equal(one.Pairs, []int{0, 1}) || one.By != "koto" || one.Why != "its disk is slow" ||
		time.Since(one.At) > time.Hour ||
		!sameTest(one.Before, judged(t, plan, slices.Repeat([]bool{true}, enough))) ||
		!sameTest(one.After, judged(t, plan, nil)) {
		t.Errorf("%+v, before %+v, after %+v", one, one.Before, one.After)
	}
	remarks := strings.Join(i18n.Each(i18n.English, v.Report.Looks.Remarks), "\n")
	for _, want := range []string{"2 pairs voided by koto: its disk is slow",
		"counted again without the voided pairs: LLR ", " before, 0.000 after\nthe earlier verdict, pass, is withdrawn"} {
		testutil.Contains(t, remarks, want, "lacks")
	}
	add(false, 0) // pair 0 is played again, and lost
	void("of another kind", func(r match.Row) bool { return r.Pair == enough-1 })
	two := tell().Report.Voided
	lost := append([]bool{false}, slices.Repeat([]bool{true}, enough)...)
	if len(two) != 2 || !sameTest(two[0].Before, one.Before) || !sameTest(two[0].After, one.After) ||
		!sameTest(two[1].Before, judged(t, plan, lost[:1])) || two[1].Withdrawn() != stats.Continue {
		t.Errorf("%+v", two)
	}
	void("again", func(r match.Row) bool { return r.Pair == 0 })
	add(true, 0, 1, enough-1)
	if v := tell(); v.Verdict != report.Passed || v.Gate.Withdrawn != "" || len(v.Report.Voided) != 3 ||
		len(v.Gate.Because) > 0 || len(v.Gate.Notes) > 0 {
		t.Errorf("played again: %+v", v.Gate)
	}
	testutil.OK(t, run.Close())
}

// TestGatheringAfterVoid: if pairs are voided and played again after a report began, the report counts the present
// pairs.
func TestGatheringAfterVoid(t *testing.T) {
	t.Parallel()
	store, plan := manyOpenings(t)
	run, err := store.Begin(t.Context(), plan)
	testutil.OK(t, err)
	defer func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	}()
	put := func(ctx context.Context, won bool) error {
		added, err := run.Add(ctx, wonPair(plan, 0, won))
		if !added {
			err = errors.Join(err, errors.New("not added"))
		}
		return err
	}
	testutil.OK(t, put(t.Context(), true))
	g := testutil.Must(Gather(t.Context(), store, "r"))(t)
	testutil.OK(t, store.Pairs(t.Context(), run.ID(), results.Filter{}, g.Add))
	testutil.Must(run.Void(t.Context(), "test", "me", func(match.Row) bool { return true }))(t)
	testutil.OK(t, put(t.Context(), false))
	rep, err := g.Finish(t.Context(), store)
	testutil.Check(t, err == nil && rep.Players[0].Losses == 2 && rep.Players[0].Wins == 0 && len(rep.Voided) == 1,
		"%+v, %v", rep, err)
}

// TestClockSetBack: if the clock is set back between a void and the next play of a pair, only one of the two plays
// counts.
func TestClockSetBack(t *testing.T) {
	t.Parallel()
	_, plan := manyOpenings(t)
	at := func(minute int) time.Time { return time.Date(2026, 1, 1, 0, minute, 0, 0, time.UTC) }
	evidence := func(id int, won bool) stats.Play {
		return testutil.Must(gate.OfResult(plan, wonPair(plan, id, won)))(t)
	}
	plays := []play{
		{pair: 0, stored: at(5), gone: at(40), evidence: evidence(0, true)},
		{pair: 0, stored: at(10), evidence: evidence(0, false)}, // stored after the clock was set back by half an hour
		{pair: 1, stored: at(20), evidence: evidence(1, true)},
	}
	r := report.Registration{Design: plan.Gate, Pairs: plan.Pairs}
	for minute, won := range map[int][]bool{1: {}, 6: {true}, 19: {true}, 30: {true, true}, 40: {false, true}} {
		got, err := tested(r, plays, at(minute))
		testutil.Check(t, err == nil && sameTest(got, judged(t, plan, won)), "at %d: %+v, %v", minute, got, err)
	}
}
