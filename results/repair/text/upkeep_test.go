package text

import (
	"encoding/json"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/results/repair"
)

func TestForms(t *testing.T) {
	var many []repair.Problem
	for id := range 30 {
		many = append(many, repair.Problem{Run: "r\x1b[2J", Pair: id, What: "a row"})
	}
	many = append(many, repair.Problem{Pair: -1, What: "the log"})
	check := &repair.Checkup{Runs: []repair.CheckedRun{{Name: "r", Pairs: 40, Sound: 10, Unchecked: 3, Replayed: 2}}, Problems: many, More: 5}
	repaired := &repair.Repaired{Runs: []repair.RepairedRun{{Name: "r", Saved: 10, Unchecked: 1, Lost: 31}}, Lost: many, LostRuns: []string{"q with 7 pairs"}}
	merged := &repair.Merged{Runs: []repair.MergedRun{{Name: "r", Pairs: 9, Taken: []int{7, 2}, Same: 4}}, Conflicts: many[:1]}
	var text strings.Builder
	Check(&text, i18n.English, check)
	Repair(&text, i18n.English, repaired)
	Merge(&text, i18n.English, merged, []string{"a.db", "b.db"})
	for _, want := range []string{"40", "and 16 more", "Unchecked pairs", "and 11 more", "lost: run q with 7 pairs", "7 + 2", "those of a.db and later databases count"} {
		testutil.Contains(t, text.String(), want, "the text lacks")
	}
	testutil.Check(t, !strings.Contains(text.String(), "\x1b"), "a name of a run reaches the terminal as it is")
	for name, test := range map[string]struct {
		write func(*strings.Builder) error
		want  map[string]any
	}{
		"check":  {func(b *strings.Builder) error { return CheckJSON(b, check) }, map[string]any{"version": 1., "sound": false, "more_problems": 5., "runs": 1, "problems": 31}},
		"repair": {func(b *strings.Builder) error { return RepairJSON(b, repaired) }, map[string]any{"version": 1., "whole": false, "runs": 1, "lost": 31, "lost_runs": 1}},
		"merge":  {func(b *strings.Builder) error { return MergeJSON(b, merged) }, map[string]any{"version": 1., "runs": 1, "conflicts": 1}},
	} {
		var b strings.Builder
		var got map[string]any
		testutil.OK(t, test.write(&b))
		testutil.OK(t, json.Unmarshal([]byte(b.String()), &got))
		for key, value := range got {
			if list, ok := value.([]any); ok {
				got[key] = len(list)
			}
		}
		testutil.Diff(t, test.want, got, "%s", name)
	}
}
