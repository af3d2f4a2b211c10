package main

import (
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"testing"

	"gogi/internal/testutil"
)

// TestStartIsSmall requires that the packages of gogi allocate little before main. Each command and each guard
// process pays for it. A regular expression of rare use belongs into sync.OnceValue.
func TestStartIsSmall(t *testing.T) {
	gogi := exec.Command("gogi", "--version")
	gogi.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out := testutil.Must(gogi.CombinedOutput())(t)

	const tables, rest = 330_000, 150_000 // the tables of package shogi, and all else
	sum := 0
	for _, m := range regexp.MustCompile(`(?m)^init (gogi/\S+) .* (\d+) bytes,`).FindAllStringSubmatch(string(out), -1) {
		sum += testutil.Must(strconv.Atoi(m[2]))(t)
	}
	testutil.Check(t, 0 < sum && sum <= tables+rest, "%d bytes:\n%s", sum, out)
}
