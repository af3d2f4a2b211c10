package farmcmd

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"gogi/farm"
	"gogi/internal/testutil"
	"gogi/match/matchtest"
)

// submitCommand parses a command line of gogi farm submit.
func submitCommand(t *testing.T, words ...string) *SubmitCommand {
	t.Helper()
	c := new(Command)
	parser, err := kong.New(c)
	if err == nil {
		_, err = parser.Parse(append([]string{"submit"}, words...))
	}
	testutil.OK(t, err)
	return &c.Submit
}

// TestSubmitFlags: the flags set the fields of a submission, and --scale-to sets the scaling of the plan.
func TestSubmitFlags(t *testing.T) {
	t.Parallel()
	plan := matchtest.Plan("t")
	c := submitCommand(t, "--priority=3", "--share=2.5", "--note=a b", "--needs=gpu=a100,trust=verified", "--json")
	got, err := c.submission(plan)
	got.Plan = nil
	want := farm.Submission{Priority: 3, Share: 2.5, Note: "a b",
		Needs: map[string]string{"gpu": "a100", "trust": "verified"}}
	diff := cmp.Diff(want, got)
	testutil.Check(t, diff == "" && err == nil && c.JSON, "%v, -want +got\n%s", err, diff)
	nps := filepath.Join(t.TempDir(), "nps.txt")
	testutil.OK(t, os.WriteFile(nps, []byte("1234 an engine 1\n"), 0o600))
	plan.Players[0].Limits.Clock.Main = time.Minute
	scaled, err := submitCommand(t, "--scale-to="+nps, "--scale-most=3").scaled(plan)
	testutil.Check(t, err == nil && scaled.Scaling.NPS == 1234 && scaled.Scaling.Most == 3, "%+v, %v", scaled, err)
}

// TestArgumentFiles: gogi rejects an engine's argument that names a file, because the workers do not have the file.
func TestArgumentFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "shogi.game"), nil, 0o600))
	for arg, good := range map[string]bool{
		"./shogi.game": false, "--game=shogi.game": false, filepath.Join(dir, "shogi.game"): false, "--file": true, ".": true,
		"": true, "=": true, "no.game": true,
	} {
		plan := matchtest.Plan("t")
		plan.Players[1].Command, plan.Players[1].Dir = []string{"/bin/engine", arg}, dir
		err := argumentFiles(plan)
		testutil.Check(t, good == (err == nil), "%q: %v", arg, err)
	}
}
