package results

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/match"
	"gogi/tune"
)

// tunePlan is a plan that is a tune of 40 pairs in blocks of 4.
func tunePlan(t *testing.T) (*match.Plan, tune.Settings) {
	t.Helper()
	s := tune.Defaults(tune.SPSA, 40)
	s.Block, s.Inflight, s.Seed = 4, 8, 3
	s.Params = []tune.Param{{Name: "X", Kind: tune.Int, Start: 40, Max: 100, Scale: 30}, {Name: "Slow Mover", Kind: tune.Float, Start: 0.5, Max: 1}}
	text, err := (&tune.Plan{Settings: s}).Text()
	if err != nil {
		t.Fatal(err)
	}
	plan := testPlan("r")
	plan.Design, plan.Pairs, plan.Tune, plan.Gate = match.Design{Kind: match.DesignMatch, Swap: true}, 40, text, match.Gate{}
	return plan, s
}

// tuned is a database with a tune whose pairs below n are played, all but those that are
// left out; with their states.
func tuned(t *testing.T, n int, without ...int) (path string, plan *match.Plan) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tune.db")
	plan, settings := tunePlan(t)
	walk, err := tune.NewPath(settings)
	if err != nil {
		t.Fatal(err)
	}
	s := openTest(t, path)
	run := beginTest(t, s, plan)
	for id := range n {
		duel, ok := walk.Draw(id)
		if !ok {
			t.Fatalf("pair %d cannot be drawn", id)
		}
		pair := playedPair(plan, id, 20)
		pair.Pair.Options = settings.Points(&duel)
		_, learnt, err := walk.Add(id, tune.ResultOf(plan.Rules, pair).Score, false)
		if err != nil {
			t.Fatal(err)
		}
		if slices.Contains(without, id) {
			continue
		}
		var states []match.TuneState
		for i := range learnt {
			states = append(states, learnt[i].Stored())
		}
		if added, err := run.AddStates(t.Context(), pair, states); !added || err != nil {
			t.Fatal(added, err)
		}
	}
	if _, err := run.Propose(t.Context(), match.TuneCandidate{Blocks: n / 4, Point: settings.Options(settings.Start()), Run: "r-validation-1"}); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(run.Close(), s.Close()); err != nil {
		t.Fatal(err)
	}
	return path, plan
}

// What a tune has comes back, is in the stable dump, and survives a merge, a backup and a
// repair.
func TestTuneIsKept(t *testing.T) {
	path, _ := tuned(t, 18)
	if c := checkup(t, path); !c.Sound() {
		t.Fatalf("%+v", c.Problems)
	}
	want := dumpLines(t, path)
	count := func(kind string) (n int) {
		for line := range want {
			if strings.HasPrefix(line, `{"type":"`+kind+`"`) {
				n++
			}
		}
		return n
	}
	if count("state") != 4 || count("points") != 18 {
		t.Errorf("%d states and %d points in the dump", count("state"), count("points"))
	}
	dir := t.TempDir()
	merged, mended, copied := filepath.Join(dir, "m.db"), filepath.Join(dir, "r.db"), filepath.Join(dir, "b.db")
	half, _ := tuned(t, 9)
	if _, err := Merge(t.Context(), merged, []string{half, path}, true, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := Repair(t.Context(), path, mended, nil); err != nil {
		t.Fatal(err)
	}
	s := openTest(t, path)
	if err := s.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	for _, other := range []string{mended, copied} {
		if diff := cmp.Diff(want, dumpLines(t, other)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", filepath.Base(other), diff)
		}
	}
	for _, other := range []string{merged, mended, copied} {
		if c := checkup(t, other); !c.Sound() {
			t.Errorf("%s: %+v", filepath.Base(other), c.Problems)
		}
		o := openTest(t, other)
		list, err := o.TuneCandidates(t.Context(), 1)
		if err != nil || len(list) != 1 || list[0].Run != "r-validation-1" || len(list[0].Point) != 2 || list[0].Point[1].Name != "Slow Mover" {
			t.Errorf("%s: %+v, %v", filepath.Base(other), list, err)
		}
		states, err := o.TuneStates(t.Context(), 1)
		if err != nil || len(states) != 4 || states[3].Pairs != 16 || len(states[3].Centre) != 2 {
			t.Errorf("%s: %+v, %v", filepath.Base(other), states, err)
		}
	}
}

// Check compares points and states with what the results lead to, also where every row is
// as it was stored.
func TestCheckTune(t *testing.T) {
	for want, spoil := range map[string]string{
		"table tune_states: a row is not": "UPDATE tune_states SET factor = 2 WHERE blocks = 2",
		"table tune_candidates: a row":    "UPDATE tune_candidates SET point = '[]'",
		"pairs, pair 5":                   `UPDATE pairs SET options = '[["X","1","Slow Mover","1"],["X","2","Slow Mover","1"]]' WHERE pair = 5`,
		"stored as 12":                    `UPDATE tune_states SET centre = '[12,0.5]', checksum = NULL WHERE blocks = 3`,
		"pair 5 was played with X=1":      `UPDATE pairs SET checksum = NULL, options = '[["X","1","Slow Mover","1"],["X","2","Slow Mover","1"]]' WHERE pair = 5`,
		"after 4 blocks is not stored":    "DELETE FROM tune_states WHERE blocks = 4",
	} {
		path, _ := tuned(t, 18)
		s := openTest(t, path)
		if _, err := s.write.ExecContext(t.Context(), spoil); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		text := ""
		for _, p := range checkup(t, path).Problems {
			text += p.Error() + "\n"
		}
		if !strings.Contains(text, want) {
			t.Errorf("%q: %s", want, text)
		}
	}
}

// Who voids a pair of a tune voids what was drawn after it, and the states that rest on it.
func TestVoidInATune(t *testing.T) {
	path, plan := tuned(t, 18)
	s := openTest(t, path)
	run := beginTest(t, s, plan)
	info, err := s.FindRun(t.Context(), "r")
	if err != nil {
		t.Fatal(err)
	}
	foretold, err := s.Voidable(t.Context(), info, []int{5})
	if err != nil {
		t.Fatal(err)
	}
	pairs, err := run.Void(t.Context(), "a bad machine", "me", func(g match.Row) bool { return g.Pair == 5 })
	// Pair 5 is of block 1. Eight in flight are a lag of one block: block 2 is drawn from
	// the state after block 0, block 3, which begins with pair 12, from that after block 1.
	want := []int{5, 12, 13, 14, 15, 16, 17}
	if err != nil || !slices.Equal(pairs, want) || !slices.Equal(foretold, want) {
		t.Errorf("%v, %v, foretold %v", pairs, err, foretold)
	}
	states, err := s.TuneStates(t.Context(), run.ID())
	if err != nil || len(states) != 1 || states[0].Blocks != 1 {
		t.Errorf("%+v, %v", states, err)
	}
}

func settingsOf(t *testing.T, plan *match.Plan) *tune.Settings {
	t.Helper()
	p, err := tune.ParsePlan(plan.Tune)
	if err != nil {
		t.Fatal(err)
	}
	return &p.Settings
}

// A pair without its states, or states without their pair, is never stored.
func TestAddStatesIsOneTransaction(t *testing.T) {
	path, plan := tuned(t, 8)
	s := openTest(t, path)
	run := beginTest(t, s, plan)
	settings := settingsOf(t, plan)
	walk, err := tune.NewPath(*settings)
	if err != nil {
		t.Fatal(err)
	}
	duel, _ := walk.Draw(0)
	pair := playedPair(plan, 8, 20)
	pair.Pair.Options = settings.Points(&duel)
	twice := match.TuneState{Blocks: 1, Pairs: 4, Centre: []float64{1, 2}, Factor: 1} // which is there
	if _, err := run.AddStates(t.Context(), pair, []match.TuneState{{Blocks: 3, Pairs: 12, Centre: []float64{1, 2}, Factor: 1}, twice}); err == nil {
		t.Error("a state is stored twice")
	}
	finished, err := run.Finished(t.Context())
	states, serr := run.States(t.Context())
	if err != nil || serr != nil || finished[8] || len(states) != 2 {
		t.Errorf("%v, %v, %+v, %v", finished, err, states, serr)
	}
}
