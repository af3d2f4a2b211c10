package repair

import (
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/results"
	"gogi/results/resultstest"
)

// TestTuneIsKept: the data of a tune are stored, are in the stable dump, and survive a merge, a backup and a repair.
func TestTuneIsKept(t *testing.T) {
	t.Parallel()
	path, _ := resultstest.Tuned(t, 18)
	if c := checkup(t, path); !c.Sound() {
		t.Fatalf("%+v", c.Problems)
	}
	want := resultstest.DumpLines(t, path)
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
	half, _ := resultstest.Tuned(t, 9)
	testutil.Must(Merge(t.Context(), merged, []string{half, path}, true, nil))(t)
	testutil.Must(Repair(t.Context(), path, mended, nil))(t)
	s := resultstest.Open(t, path)
	testutil.OK(t, s.Backup(t.Context(), copied))
	for _, other := range []string{mended, copied} {
		testutil.Diff(t, want, resultstest.DumpLines(t, other), "%s", filepath.Base(other))
	}
	for _, other := range []string{merged, mended, copied} {
		if c := checkup(t, other); !c.Sound() {
			t.Errorf("%s: %+v", filepath.Base(other), c.Problems)
		}
		o := resultstest.Open(t, other)
		list, err := results.TuneCandidates(t.Context(), o, 1)
		if err != nil || len(list) != 1 || list[0].Run != "r-validation-1" || len(list[0].Point) != 2 ||
			list[0].Point[1].Name != "Slow Mover" {
			t.Errorf("%s: %+v, %v", filepath.Base(other), list, err)
		}
		states, err := results.TuneStates(t.Context(), o, 1)
		if err != nil || len(states) != 4 || states[3].Pairs != 16 || len(states[3].Centre) != 2 {
			t.Errorf("%s: %+v, %v", filepath.Base(other), states, err)
		}
	}
}

// TestCheckTune: Check compares points and states with those that follow from the results, even if every row has a
// right checksum.
func TestCheckTune(t *testing.T) {
	t.Parallel()
	for want, spoil := range map[string]string{
		"table tune_states: a row is not": "UPDATE tune_states SET factor = 2 WHERE blocks = 2",
		"table tune_candidates: a row":    "UPDATE tune_candidates SET point = '[]'",
		"pairs, pair 5":                   `UPDATE pairs SET options = '[["X","1","Slow Mover","1"],["X","2","Slow Mover","1"]]' WHERE pair = 5`,
		"stored as 12":                    `UPDATE tune_states SET centre = '[12,0.5]', checksum = NULL WHERE blocks = 3`,
		"pair 5 was played with X=1":      `UPDATE pairs SET checksum = NULL, options = '[["X","1","Slow Mover","1"],["X","2","Slow Mover","1"]]' WHERE pair = 5`,
		"after 4 blocks is not stored":    "DELETE FROM tune_states WHERE blocks = 4",
	} {
		path, _ := resultstest.Tuned(t, 18)
		resultstest.Exec(t, path, spoil)
		text := ""
		for _, p := range checkup(t, path).Problems {
			text += p.Error() + "\n"
		}
		testutil.Contains(t, text, want)
	}
}
