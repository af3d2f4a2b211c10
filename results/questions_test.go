package results_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/matchtest"
	"gogi/results/dump"
	"gogi/results/resultstest"
	"gogi/results/tables"
)

// TestQuestions: the questions to a mate solver in a game are returned with the game and with its pair, with and
// without a worker. A checksum covers them, and a stable dump omits them.
func TestQuestions(t *testing.T) {
	s, plan, run := resultstest.Begun(t)
	asked := match.Questions{Asked: 9, Claimed: 6, Proven: 1, Refuted: 2, Unproven: 3, Failed: 1}
	for id := range 4 {
		pair := matchtest.Pair(plan, id, 12)
		if id%2 == 1 {
			pair.Played = matchtest.PlayedBy(id)
		}
		if id < 2 {
			pair.Games[1].Questions = asked
		}
		matchtest.Put(t, run, pair)
	}
	checkWhole(t, s, run.ID())
	for _, g := range resultstest.Games(t, s, run.ID()) {
		want := match.Questions{}
		if g.Pair < 2 && g.Leg == 1 {
			want = asked
		}
		pair, err := s.Pair(t.Context(), run.ID(), g.Pair)
		testutil.Check(t, err == nil && g.Questions == want && pair.Games[g.Leg].Questions == want &&
			(g.Worker != "") == (g.Pair%2 == 1),
			"pair %d, leg %d: %+v, of the pair %+v (%v), want %+v", g.Pair, g.Leg, g.Questions, pair.Games, err, want)
	}
	var whole, stable bytes.Buffer
	testutil.OK(t, errors.Join(dump.Write(t.Context(), s, &whole, "r", false),
		dump.Write(t.Context(), s, &stable, "r", true)))
	if line := `"mate":{"asked":9,"claimed":6,"proven":1,"refuted":2,"unproven":3,"failed":1}`; strings.Count(whole.String(), line) != 2 || strings.Contains(stable.String(), `"asked"`) {
		t.Errorf("dumps:\n%s\n%s", whole.String(), stable.String())
	}
	const text = `'{"asked":9,"claimed":6,"proven":1,"refuted":2,"unproven":3,"failed":1}'`
	for change, back := range map[string]string{
		`UPDATE games SET questions = replace(questions, '9', '8') WHERE pair = 0 AND leg = 1`: `UPDATE games SET questions = ` + text + ` WHERE pair = 0 AND leg = 1`,
		`UPDATE games SET questions = NULL WHERE pair = 1 AND leg = 1`:                         `UPDATE games SET questions = ` + text + ` WHERE pair = 1 AND leg = 1`,
		`UPDATE games SET questions = '{"asked":1}' WHERE pair = 2 AND leg = 0`:                `UPDATE games SET questions = NULL WHERE pair = 2 AND leg = 0`,
	} {
		for _, step := range []string{change, back} {
			testutil.Must(s.Writer().ExecContext(t.Context(), step))(t)
			err := s.Games(t.Context(), run.ID(), func(match.Row) error { return nil })
			_, damaged := errors.AsType[*tables.Damaged](err)
			testutil.Check(t, damaged == (step == change), "%s: %v", step, err)
		}
	}
}
