package main

import (
	"bytes"
	"context"
	"errors"
	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// ground returns a folder with the files that disturb commands.
func ground(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"plain":      "not executable\n",
		"binary":     "\x00\x01\x02 no program\n",
		"text.db":    strings.Repeat("no database\n", 100),
		"empty.sfen": "",
		"bad.toml":   "games = \n",
		"mute":       "#!/bin/sh\nexec sleep 1000\n",
		"folder/x":   "",
		"council.toml": `
[[engine]]
name = "dev"
cmd = "./missing"
[[engine]]
name = "other"
cmd = "fakeengine"
[[council]]
name = "C"
rule = "majority"
members = ["dev", "other"]
`,
		"vary.toml": `
[[engine]]
name = "dev"
cmd = "fakeengine -script exit@isready -options 'name Seed type spin default 0 min 0 max 9'"
[[engine]]
name = "base"
cmd = "fakeengine"
[[council]]
name = "C"
rule = "majority"
members = ["dev"]
vary = {Seed = [1, 2, 3]}
`,
		"mute-series.toml": `
[[engine]]
name = "dev"
cmd = "./mute"
greeting_timeout = "200ms"
[[engine]]
name = "base"
cmd = "fakeengine"
`,
		"dir-series.toml": `
[[engine]]
name = "dev"
cmd = "fakeengine"
dir = "nowhere"
[[engine]]
name = "base"
cmd = "fakeengine"
`,
	} {
		path := filepath.Join(dir, name)
		testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		if name == "binary" || name == "mute" {
			testutil.WriteProgram(t, path, text)
		} else if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// exitCode runs a program in dir. If a signal ends the program, the code is 128 plus the number of the signal, as in
// git.
func exitCode(t *testing.T, dir string, args ...string) (code int, stderr string) {
	t.Helper()
	var errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir, cmd.Stderr = dir, &errs
	return codeOf(t, cmd.Run()), errs.String()
}

func codeOf(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	exit, ok := errors.AsType[*exec.ExitError](err)
	testutil.Require(t, ok, "%v", err)
	if status := exit.Sys().(syscall.WaitStatus); status.Signaled() { // on Linux
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

// TestExitCodes: exit code 2 means an error in the command line, its flags or the files that describe the work. Exit
// code 1 means that the work failed, or that a database or run does not fit the command line.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	dir := ground(t)
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "empty.db"), nil, 0o600))
	series := []string{"gogi", "match", "-q", "--engine", "a=fakeengine", "--engine", "b=fakeengine", "--nodes", "1",
		"--max-plies", "20", "--games", "2"}
	if code, stderr := exitCode(t, dir, append(series, "--db", "run.db")...); code != cli.Done {
		t.Fatal(code, stderr)
	}
	stored := []string{"report", "gate", "games", "votes", "votes show", "votes replay", "runs", "db dump"}
	cases := map[string]int{
		"": 2, "nonsense": 2, "runs extra": 2, "db": 2, "stats": 2,
		"match nowhere.toml": 2, "match folder": 2, "match bad.toml": 2, "match plain": 2,
		"gate --db run.db": 2, "gate --db run.db --gate nowhere.toml": 2, "gate --db run.db --gate folder": 2,
		"gate --db run.db --gate bad.toml": 2,
		"report --db run.db nobody":        1, "gate --db run.db nobody": 1, "games --db run.db nobody": 1,
		"db dump --db run.db nobody":               1,
		"report --db run.db --html nowhere/x.html": 1, "report --db run.db --html folder": 1,
		"report --db run.db --json --text": 2,
		"games --db run.db --game first":   2, "games --db run.db --game 9.0": 1, "votes --db run.db --game first": 2,
		"votes show --db run.db": 1, "votes replay --db run.db": 1,
		"init folder": 2, "init bad.toml": 2, "init nowhere/x.toml": 1,
		"council": 2, "council nowhere.toml": 2, "council folder": 2, "council bad.toml": 2, "council mute-series.toml": 2,
		"check": 2, "check ./missing": 2, "check ./folder": 2, "csa": 2, "csa localhost": 2,
		"stats lab": 2, "dev perft": 2, "dev perft --depth x": 2, "dev perft --depth 2 --sfen nonsense": 2,
		"book make x.usi --engine builtin --count 0": 2, "farm bench --concurrency 0": 2,
		"selfplay play x.toml --concurrency 0": 2, "farm audit t --replay 1% --concurrency 0": 2,
		"stats interval": 2, "stats interval --wins x --losses 2": 2, "stats plan --elo x": 2, "stats elo": 2,
	}
	broken := []string{"nowhere.db", "folder", "empty.db", "text.db", "nowhere/x.db"}
	for i, name := range stored {
		cases[name+" --nonsense"] = 2
		at := i % len(broken)
		for _, db := range testutil.ByLength(broken[at:at+1], broken) {
			cases[name+" --db "+db] = 1
		}
	}
	for _, db := range []string{"folder", "text.db", "nowhere/x.db", "/dev/full"} {
		cases[strings.Join(series[1:], " ")+" --db "+db] = 1
	}
	for _, flag := range []string{
		"--games 3", "--games x", "--nodes 10k", "--concurrency 0", "--openings nowhere.sfen", "--openings folder",
		"--openings empty.sfen",
		"--openings text.db", "--engine c", "--option Hash", "--sprt x", "--design nonsense", "--rules nonsense",
		"--players a,c", "--tc x",
	} {
		cases[strings.Join(series[1:], " ")+" "+flag] = 2
	}
	for line, want := range cases {
		t.Run(line, func(t *testing.T) {
			t.Parallel()
			code, stderr := exitCode(t, dir, append([]string{"gogi"}, strings.Fields(line)...)...)
			says := strings.Contains(stderr, "gogi: ") || line == "" && strings.Contains(stderr, "Usage: gogi COMMAND")
			testutil.Check(t, code == want && says, "code %d, want %d, and what is wrong in:\n%s", code, want, stderr)
		})
	}
}

// failing is a writer that returns an error.
type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

// TestLostResult: a result that gogi cannot write is an error in every format. A reader that disappears is not an
// error, and a lost report does not change the result of a bisection.
func TestLostResult(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		args string
		code int
	}{
		{syscall.ENOSPC, "dev perft --depth 1", cli.Failed},
		{syscall.ENOSPC, "stats interval --wins 3 --losses 2", cli.Failed},
		{syscall.ENOSPC, "stats interval --wins 3 --losses 2 --json", cli.Failed},
		{syscall.EPIPE, "dev perft --depth 1", cli.Done},
		{errors.New("odd"), "dev perft --depth x", cli.Usage},
	} {
		var errs bytes.Buffer
		code := run(context.Background(), strings.Fields(c.args), &cli.Env{Out: failing{c.err}, Err: &errs})
		if code != c.code || c.code == cli.Failed && !strings.Contains(errs.String(), c.err.Error()) {
			t.Errorf("%s: %v: code %d, want %d: %s", c.args, c.err, code, c.code, &errs)
		}
	}
	dir := ground(t)
	code, stderr := exitCode(t, dir, "sh", "-c",
		"exec gogi check --replay '"+dumpOf(t, dir)+"' --exit bisect --fast --engine fakeengine >/dev/full")
	testutil.Check(t, code == cli.BisectGood, "a judged commit whose report was lost: code %d: %s", code, stderr)
}
