package dbcmd

import (
	"encoding/json"
	"strings"
	"testing"

	"gogi/internal/i18n"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/results/repair"
)

func TestForms(t *testing.T) {
	var many []repair.Problem
	for id := range 30 {
		many = append(many, repair.Problem{Run: "r\x1b[2J", Pair: id, What: "a row"})
	}
	many = append(many, repair.Problem{Pair: -1, What: "the log"})
	check := &repair.Checkup{Runs: []repair.CheckedRun{{Name: "r", Pairs: 40, Sound: 10, Unchecked: 3, Replayed: 2}},
		Problems: many, More: 5}
	repaired := &repair.Repaired{Runs: []repair.RepairedRun{{Name: "r", Saved: 10, Unchecked: 1, Lost: 31}}, Lost: many,
		LostRuns: []string{"q with 7 pairs"}}
	merged := &repair.Merged{Runs: []repair.MergedRun{{Name: "r", Pairs: 9, Taken: []int{7, 2}, Same: 4}},
		Conflicts: many[:1]}
	var text strings.Builder
	printCheck(&text, i18n.English, check)
	printRepair(&text, i18n.English, repaired)
	printMerge(&text, i18n.English, merged, []string{"a.db", "b.db"})
	for _, want := range []string{"40", "and 16 more", "Unchecked pairs", "and 11 more", "lost: run q with 7 pairs",
		"7 + 2", "those of a.db and later databases count"} {
		testutil.Contains(t, text.String(), want, "the text lacks")
	}
	testutil.Check(t, !strings.Contains(text.String(), "\x1b"), "a name of a run reaches the terminal as it is")
	for name, test := range map[string]struct {
		write func(*strings.Builder) error
		want  map[string]any
	}{
		"check": {func(b *strings.Builder) error { return checkJSON(b, check) },
			map[string]any{"version": 1., "sound": false, "more_problems": 5., "runs": 1, "problems": 31}},
		"repair": {func(b *strings.Builder) error { return repairJSON(b, repaired) },
			map[string]any{"version": 1., "whole": false, "runs": 1, "lost": 31, "lost_runs": 1}},
		"merge": {func(b *strings.Builder) error { return mergeJSON(b, merged) },
			map[string]any{"version": 1., "runs": 1, "conflicts": 1}},
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

func TestSelection(t *testing.T) {
	t.Parallel()
	rows := []match.Row{{Pair: 0}, {Pair: 3, Worker: "w"}, {Pair: 4, Worker: "x"}, {Pair: 5, Worker: "w"},
		{Pair: 50, Worker: "w"}}
	for _, c := range []struct {
		s    selection
		want []int
	}{
		{selection{Worker: "w"}, []int{3, 5, 50}}, {selection{Pairs: "3-5"}, []int{3, 4, 5}},
		{selection{Pairs: "0"}, []int{0}},
		{selection{Worker: "w", Pairs: "4-49"}, []int{5}}, {selection{Worker: "nobody"}, nil},
	} {
		which := testutil.Must(c.s.Which())(t)
		var got []int
		for _, r := range rows {
			if which(r) {
				got = append(got, r.Pair)
			}
		}
		testutil.Diff(t, c.want, got, "%+v", c.s)
	}
	for _, s := range []selection{{}, {Pairs: "x"}, {Pairs: "5-3"}, {Pairs: "-1"}, {Pairs: "1-2-3"}, {Pairs: "1-"},
		{Worker: "w", Pairs: "a-b"}} {
		testutil.Fails(t, testutil.Err(s.Which()), "expected", "%+v", s)
	}
}

func TestVoidedForms(t *testing.T) {
	t.Parallel()
	v := VoidResult{Run: "r", Pairs: []int{1, 2, 3, 7}, Why: "slow", By: "me",
		Remarks: []i18n.Message{i18n.Verbatim("counted \x1b[2Janew")}}
	var text strings.Builder
	v.Print(&text, i18n.English)
	testutil.Equal(t, text.String(),
		"4 pairs of run r voided: the next gogi match plays them again\n  pairs 1-3, 7\n  counted anew\n")
	v.DryRun = true
	text.Reset()
	v.Print(&text, i18n.English)
	testutil.Check(t, strings.HasPrefix(text.String(), "4 pairs of run r would be voided\n"), "%q", text.String())
	v.Pairs = nil
	for i := range 20 {
		v.Pairs = append(v.Pairs, 2*i)
	}
	testutil.Equal(t, ranges(v.Pairs), "0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, and 8 more")
	text.Reset()
	v.Pairs = []int{9}
	testutil.OK(t, v.JSON(&text))
	var got map[string]any
	testutil.OK(t, json.Unmarshal([]byte(text.String()), &got))
	want := map[string]any{"version": 1., "run": "r", "pairs": []any{9.}, "why": "slow", "by": "me", "dry_run": true,
		"remarks": []any{"counted \x1b[2Janew"}}
	testutil.Diff(t, want, got)
}
