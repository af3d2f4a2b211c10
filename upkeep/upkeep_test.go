package upkeep

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"gogi/internal/phrases"
	"gogi/results/mending"
)

func TestForms(t *testing.T) {
	var many []mending.Problem
	for id := range 30 {
		many = append(many, mending.Problem{Run: "r\x1b[2J", Pair: id, What: "a row"})
	}
	many = append(many, mending.Problem{Pair: -1, What: "the log"})
	check := &mending.Checkup{Runs: []mending.CheckedRun{{Name: "r", Pairs: 40, Sound: 10, Unchecked: 3, Replayed: 2}}, Problems: many, More: 5}
	repair := &mending.Repaired{Runs: []mending.RepairedRun{{Name: "r", Saved: 10, Unchecked: 1, Lost: 31}}, Lost: many, LostRuns: []string{"q with 7 pairs"}}
	merged := &mending.Merged{Runs: []mending.MergedRun{{Name: "r", Pairs: 9, Taken: []int{7, 2}, Same: 4}}, Conflicts: many[:1]}
	var text strings.Builder
	Check(&text, phrases.English, check)
	Repair(&text, phrases.English, repair)
	Merge(&text, phrases.English, merged, []string{"a.db", "b.db"})
	for _, want := range []string{"40", "and 16 more", "Unchecked pairs", "and 11 more", "lost: run q with 7 pairs", "7 + 2", "what a.db and those after it had first counts"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("the text lacks %q:\n%s", want, text.String())
		}
	}
	if strings.Contains(text.String(), "\x1b") {
		t.Error("a name of a run reaches the terminal as it is")
	}
	for name, test := range map[string]struct {
		write func(*strings.Builder) error
		want  map[string]any
	}{
		"check":  {func(b *strings.Builder) error { return CheckJSON(b, check) }, map[string]any{"version": 1., "sound": false, "more_problems": 5., "runs": 1, "problems": 31}},
		"repair": {func(b *strings.Builder) error { return RepairJSON(b, repair) }, map[string]any{"version": 1., "whole": false, "runs": 1, "lost": 31, "lost_runs": 1}},
		"merge":  {func(b *strings.Builder) error { return MergeJSON(b, merged) }, map[string]any{"version": 1., "runs": 1, "conflicts": 1}},
	} {
		var b strings.Builder
		var got map[string]any
		if err := test.write(&b); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(b.String()), &got); err != nil {
			t.Fatal(err)
		}
		for key, value := range got {
			if list, ok := value.([]any); ok {
				got[key] = len(list)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
