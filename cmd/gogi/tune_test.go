package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/results"
)

// quickTune is a tune of the built-in engine with games that take some milliseconds.
const quickTune = `run = "t"
games = %d
seed = 3
concurrency = 3
openings = "builtin-1000"
limits = {nodes = 20}
rules = {max_plies = %d}
resign = "500x1"
[[engine]]
name = "builtin"
cmd = "builtin --tunable"
[[param]]
name = "Material.Rook"
start = 200
scale = 400
[[param]]
name = "Attack"
start = 20
[tune]
block = 8
inflight = 16
`

func writeTune(t *testing.T, games, plies int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "t.toml"), fmt.Appendf(nil, quickTune, games, plies), 0o600))
	return dir
}

// gogiIn runs gogi in a folder, and returns its output and exit code.
func gogiIn(t *testing.T, dir string, args ...string) (out string, code int) {
	t.Helper()
	cmd := exec.Command("gogi", args...)
	cmd.Dir = dir
	text, err := cmd.CombinedOutput()
	testutil.Require(t, cmd.ProcessState != nil, "%v", err)
	return string(text), cmd.ProcessState.ExitCode()
}

// pairsOf returns the number of stored pairs of the tune.
func pairsOf(dir string) int {
	store, err := results.OpenExisting(context.Background(), filepath.Join(dir, "gogi.db"))
	if err != nil {
		return 0
	}
	defer store.Close()
	info, err := store.FindRun(context.Background(), "t")
	if err != nil {
		return 0
	}
	return info.Finished
}

// TestKilledTune: a tune that is killed many times ends with the same games, parameters and states as an undisturbed
// tune.
func TestKilledTune(t *testing.T) {
	t.Parallel()
	games, kills, plies := testutil.ByLength(160, 4000), testutil.ByLength(2, 20), testutil.ByLength(20, 50)
	play := []string{"tune", "t.toml", "--no-validate", "--no-probe", "-q"}
	calm := writeTune(t, games, plies)
	if out, code := gogiIn(t, calm, play...); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	killed := writeTune(t, games, plies)
	for n := range kills {
		cmd := exec.Command("gogi", play...)
		cmd.Dir = killed
		var said bytes.Buffer
		cmd.Stdout, cmd.Stderr = &said, &said
		testutil.OK(t, cmd.Start())
		until := (n + 1) * games / 4 / (kills + 1) // the last kill leaves more than half
		deadline := time.Now().Add(2 * time.Minute)
		for tick := time.NewTicker(15 * time.Millisecond); pairsOf(killed) < until && time.Now().Before(deadline); <-tick.C {
		}
		_ = cmd.Process.Kill() // it may have ended
		_ = cmd.Wait()
		if !time.Now().Before(deadline) {
			t.Fatalf("kill %d: %d pairs: %s", n, pairsOf(killed), said.String())
		}
	}
	if n := pairsOf(killed); n >= games/2 {
		t.Fatalf("nothing was left after the last kill: %d pairs", n)
	}
	if out, code := gogiIn(t, killed, play...); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	want, _ := gogiIn(t, calm, "db", "dump", "--stable", "t")
	got, _ := gogiIn(t, killed, "db", "dump", "--stable", "t")
	testutil.Check(t, strings.Count(want, `{"type":"state"`) == games/16 && got == want,
		"the dumps differ: %d bytes and %d", len(want), len(got))
	for _, verb := range [][]string{{"tune", "verify"}, {"db", "verify"}, {"db", "check"}} {
		if out, code := gogiIn(t, killed, verb...); code != 0 {
			t.Errorf("%v: %d: %s", verb, code, out)
		}
	}
}

// TestValidateRun: gogi registers the validations of a tune when the tune begins. gogi tune validate needs only the
// name of the run, plays them once, and requires all to pass. With more games, the file is another tune that starts at
// the final values.
func TestValidateRun(t *testing.T) {
	t.Parallel()
	dir := writeTune(t, 80, 30) // long enough for the tune to change the parameters
	file := filepath.Join(dir, "t.toml")
	text := testutil.Must(os.ReadFile(file))(t)
	const two = "[[tune.validate]]\nsprt = [0, 300]\ngames = 40\n[[tune.validate]]\nsprt = [0, 300]\ngames = 40\nlimits = {nodes = 30}\n"
	testutil.OK(t, os.WriteFile(file,
		append(bytes.Replace(text, []byte("inflight = 16"), []byte("inflight = 8"), 1), two...), 0o600))
	if out, code := gogiIn(t, dir, "tune", "t.toml", "--no-validate", "--no-probe", "-q"); code != 0 {
		t.Fatalf("%d: %s", code, out)
	}
	testutil.OK(t, os.Rename(file, file+".away"))
	first, code := gogiIn(t, dir, "tune", "validate", "t", "-q")
	testutil.Require(t, (code == 0 || code == 10 || code == 11) && strings.Contains(first, "tuned against start"),
		"%d: %s", code, first)
	again, same := gogiIn(t, dir, "tune", "validate", "t", "-q")
	testutil.Check(t, same == code && strings.HasSuffix(first, again[max(0, len(again)-200):]), "then %d: %s", same, again)
	report, _ := gogiIn(t, dir, "tune", "report", "t")
	if !strings.Contains(report, "t-validation-1)") || !strings.Contains(report, "t-validation-1-2)") ||
		strings.Contains(report, "t-validation-1-2): not begun") != (code != 0) {
		t.Errorf("%d: %s", code, report)
	}
	testutil.OK(t, os.Rename(file+".away", file))
	if out, code := gogiIn(t, dir, "tune", "t.toml", "--games", "96", "--no-validate", "--no-probe", "-q"); code != 0 ||
		!strings.Contains(out, "started at the final values of t") {
		t.Errorf("%d: %s", code, out)
	}
	if out, code := gogiIn(t, dir, "tune", "verify", "t-2"); code != 0 {
		t.Errorf("%d: %s", code, out)
	}
}
