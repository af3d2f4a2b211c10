package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// blind is an engine that has no evaluation file. It also writes a note after its first go, which is part of a search.
const blind = `#!/bin/sh
while read -r word rest; do
	case $word in
	usi) echo usiok ;;
	isready) echo "info string Failed to open params.bin"; echo readyok ;;
	go) echo "info string error of the evaluation: 5 cp"; echo "bestmove resign" ;;
	quit) exit ;;
	esac
done
`

// TestNotesOfAnEngine: what an engine reports before its first search is printed in the match, and is stored with the
// run: the first report, a report in JSON and a report after another start have it once.
func TestNotesOfAnEngine(t *testing.T) {
	t.Parallel()
	s := &folder{dir: t.TempDir()}
	testutil.WriteProgram(t, filepath.Join(s.dir, "blind"), blind)
	const note = "blind reports before its first search: Failed to open params.bin"
	for _, games := range []string{"2", "4"} {
		out, errs, code := s.gogi(t, "match", "--engine", "blind=./blind", "--engine", "B=builtin", "--nodes", "10",
			"--games", games)
		testutil.Check(t, code == 0 && strings.Count(out, note) == 1, "exit code %d: %s%s", code, out, errs)
		testutil.Contains(t, errs, "warning: blind: reports before its first search: Failed to open params.bin")
		testutil.Check(t, !strings.Contains(out+errs, "5 cp"), "a note of a search: %s%s", out, errs)
	}
	out, _, _ := s.gogi(t, "report", "--json")
	testutil.Check(t, strings.Count(out, `"text": "Failed to open params.bin"`) == 1, "%s", out)
	out, _, _ = s.gogi(t, "report", "-v")
	testutil.Check(t, strings.Count(out, note) == 1 && !strings.Contains(out, "settings changed"), "%s", out)
	testutil.OK(t, testutil.Err(os.Stat(filepath.Join(s.dir, "gogi.db"))))
}
