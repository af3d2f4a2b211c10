package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
)

// TestKeptTruths repeats the series in which figures of gogi were false once.
func TestKeptTruths(t *testing.T) {
	testutil.OnlyLong(t, "it plays hundreds of matches")
	plans := testutil.Must(filepath.Glob("../../configs/truth/kept/*.toml"))(t)
	testutil.Check(t, len(plans) > 0, "no plan is kept")
	for _, plan := range plans {
		t.Run(filepath.Base(plan), func(t *testing.T) {
			out, err := exec.Command("gogi-lab", "truth", plan, "-q", "--results",
				filepath.Join(t.TempDir(), "kept.jsonl")).CombinedOutput()
			testutil.OK(t, err, string(out))
		})
	}
}
