//go:build linux

package wine

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestDefaultSeries requires that both systems store the same run, because the built-in engines are the same. Both
// systems print the same report of one database.
func TestDefaultSeries(t *testing.T) {
	dir := t.TempDir()
	for s, db := range map[*system]string{&world.native: "native.db", &world.wine: "windows.db"} {
		s.must(t, 0, dir, "match", "-q", "--games", "20", "--db", db)
	}
	native := world.native.must(t, 0, dir, "db", "dump", "--stable", "--db", "native.db")
	windows := world.wine.must(t, 0, dir, "db", "dump", "--stable", "--db", "windows.db")
	testutil.Check(t, native == windows && strings.Count(native, "\n") >= 20,
		"the runs differ, or are none:\n%.2000s\n%.2000s", native, windows)
	native = world.native.must(t, 0, dir, "report", "--db", "windows.db")
	windows = world.wine.must(t, 0, dir, "report", "--db", "windows.db")
	testutil.Equal(t, native, windows, "the reports differ")
	testutil.Check(t, !strings.ContainsAny(windows, "\x1b\r"), "the report has control characters: %q", windows)
}

// faults lists faults of an engine and the end of the game that each causes. With "", the engine does not lose by the
// fault.
var faults = []struct{ script, ends string }{
	{"exit@go:3", "crash"},
	{"abort@go:3", "crash"},
	{"hang@go:5", "time forfeit"},
	{"deaf@go:4", "time forfeit"},
	{"longline@go:3", "time forfeit"},
	{"illegal@go:2", "illegal move"},
	{"malformed@go:2", "illegal move"},
	{"garbage@go", ""},
	{"flood@go:2", ""},
	{"stderr@go:2", ""},
	{"fork@go:1", ""},
	{"stubborn@eof", ""},
}

// TestFaults plays a match with each fault. It requires the end of the table, and that no engine process stays alive.
func TestFaults(t *testing.T) {
	for _, fault := range faults {
		t.Run(fault.script, func(t *testing.T) {
			dir := t.TempDir()
			out := world.wine.must(t, 0, dir, "match", "--run", "r", "--engine", "a=FAKE -script "+fault.script+",resign@go:20",
				"--engine", "b=FAKE -moves first -crlf", "--byoyomi", "300ms", "--margin", "1s", "--games", "2")
			line := regexp.MustCompile(`(?m)^ *Faults +(.*)$`).FindStringSubmatch(out)
			switch {
			case line == nil:
				t.Errorf("no line about faults:\n%s", out)
			case fault.ends == "" && line[1] != "none", !strings.Contains(line[1], fault.ends):
				t.Errorf("faults: %s, want %s", line[1], fault.ends)
			}
			nothingLeft(t)
		})
	}
}

func TestCrashIsNamed(t *testing.T) {
	dir := t.TempDir()
	o := world.wine.gogi(t, dir, "match", "--run", "r", "--engine", "a=FAKE -script abort@isready", "--engine", "b=FAKE",
		"--nodes", "5", "--games", "2")
	if o.code != 3 || !strings.Contains(o.err, "0xC0000005 (access violation)") ||
		!strings.Contains(o.err, "terminate called on purpose") {
		t.Errorf("exit code %d: %s", o.code, o.err)
	}
}

// series holds the arguments of a match whose games take long enough to be interrupted. The engines choose moves by the
// position, so a repeated game is the same.
var series = []string{
	"match", "-q", "--run", "r", "--engine", "a=FAKE -think 10ms -script fork@go:1,resign@go:30",
	"--engine", "b=FAKE -moves first", "--nodes", "10", "--games", "12", "--concurrency", "2", "--restart", "game",
}

// TestKilledRunner kills the runner in the middle of games, as kill -9 and the task manager do. No process that it or
// an engine started stays alive, and the same command completes the run with the same result.
func TestKilledRunner(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	world.wine.must(t, 0, other, series...)
	cmd := world.wine.command(t.Context(), dir, series...)
	testutil.OK(t, cmd.Start())
	testutil.Eventually(t, "a pair was stored and engines played", func() bool {
		return strings.Count(world.native.gogi(t, dir, "games", "r").out, "\n") > 2 && len(engines(t)) > 2
	})
	if o := world.wine.gogi(t, dir, series...); o.code != 1 || !strings.Contains(o.err, "another") {
		t.Errorf("a second runner of the run: exit code %d: %s", o.code, o.err)
	}
	testutil.OK(t, cmd.Process.Kill())
	_ = cmd.Wait()
	nothingLeft(t)
	world.wine.must(t, 0, dir, series...)
	want := world.wine.must(t, 0, other, "db", "dump", "--stable")
	testutil.Equal(t, world.wine.must(t, 0, dir, "db", "dump", "--stable"), want, "the run is another one")
	nothingLeft(t)
}

// TestInterrupt sends SIGINT, which Wine turns into Ctrl-C. gogi exits with code 130 and leaves no engine. The same
// command completes the run.
func TestInterrupt(t *testing.T) {
	dir := t.TempDir()
	cmd := world.wine.command(t.Context(), dir, series...)
	var said strings.Builder
	cmd.Stderr = &said
	testutil.OK(t, cmd.Start())
	testutil.Eventually(t, "engines played", func() bool { return len(engines(t)) > 2 })
	testutil.OK(t, cmd.Process.Signal(os.Interrupt))
	_ = cmd.Wait() // the test checks the exit code
	testutil.Equal(t, cmd.ProcessState.ExitCode(), 130, "%v: %s", cmd.ProcessState, said.String())
	nothingLeft(t)
	world.wine.must(t, 0, dir, series...)
}

// TestPaths plays into a folder with a Japanese name that is longer than 260 characters, the limit of Windows for 30
// years.
func TestPaths(t *testing.T) {
	dir := filepath.Join(t.TempDir(), strings.Repeat("連続対局の棋譜", 10), strings.Repeat("将棋", 40), strings.Repeat("x", 120))
	testutil.OK(t, os.MkdirAll(dir, 0o700))
	db := filepath.Join(dir, "結果.db")
	world.wine.must(t, 0, t.TempDir(), "match", "-q", "--games", "4", "--db", "Z:"+db)
	testutil.OK(t, testutil.Err(os.Stat(db)))
	// SQLite for Linux opens no path of more than 512 bytes, so the Windows program lists the games.
	out := world.wine.must(t, 0, t.TempDir(), "games", "--db", "Z:"+db)
	testutil.Check(t, strings.Count(out, "\n") >= 4, "games: %s", out)
}

// TestSeriesFile requires that a file with Windows line endings gives the same plan on both systems.
func TestSeriesFile(t *testing.T) {
	dir := t.TempDir()
	world.wine.must(t, 0, dir, "init", "s.toml")
	file := filepath.Join(dir, "s.toml")
	written, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, bytes.ReplaceAll(written, []byte("\n"), []byte("\r\n")), 0o600)
	}
	testutil.OK(t, err)
	digest := regexp.MustCompile(`digest [0-9a-f]{16}`)
	native := digest.FindString(world.native.must(t, 0, dir, "match", "s.toml", "--dry-run"))
	windows := digest.FindString(world.wine.must(t, 0, dir, "match", "s.toml", "--dry-run"))
	testutil.Check(t, windows == native && native != "", "the plans differ: %s, %s", windows, native)
}
