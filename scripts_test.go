package gogi_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestNotPlayed: make test and make nightly say that no game against a shogi-server was played exactly if
// GOGI_SHOGI_SERVER is unset. A night without any stage has the same last lines as a whole one.
func TestNotPlayed(t *testing.T) {
	for _, command := range []string{".ci/not-played", ".ci/nightly"} {
		for _, server := range []string{"", "folder"} {
			cmd := exec.CommandContext(t.Context(), command)
			cmd.Env = append(os.Environ(), "STAGES=none", "GOGI_SHOGI_SERVER="+server)
			out, err := cmd.CombinedOutput()
			testutil.OK(t, err, "%s: %s", command, out)
			testutil.Equal(t, strings.Contains(string(out), "GOGI_SHOGI_SERVER does not name the folder of one"), server == "",
				"%s: %s", command, out)
		}
	}
}
