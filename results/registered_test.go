package results_test

import (
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results/resultstest"
)

// The data that are registered when a tune begins never change, and are not reported as a change of settings at every
// start.
func TestRegistered(t *testing.T) {
	plan, _ := resultstest.TunePlan(t)
	s := resultstest.Open(t, resultstest.Path(t))
	run := resultstest.Begin(t, s, plan)
	if text, err := s.Registered(t.Context(), run.ID()); err != nil || text != "" {
		t.Fatalf("%q, %v", text, err)
	}
	first, second := *plan, *plan
	first.Tune, first.Seed, second.Tune, second.Seed = "", 11, "", 12
	for _, p := range []*match.Plan{&first, &second} {
		testutil.OK(t, run.Register(t.Context(), p))
	}
	run = resultstest.Restart(t, s, run, func(p *match.Plan) { *p = *plan })
	again := resultstest.Restart(t, s, run, func(p *match.Plan) { *p = *plan; p.Concurrency++ })
	text := testutil.Must(s.Registered(t.Context(), again.ID()))(t)
	if got, err := match.DecodePlan([]byte(text)); err != nil || got.Digest() != first.Digest() {
		t.Errorf("%+v, %v", got, err)
	}
	log, err := s.Settings(t.Context(), again.ID())
	testutil.Check(t, err == nil && len(log) == 3 && log[2].Validation == text && len(log[2].Changes) == 1,
		"%d settings, %v", len(log), err)
}
