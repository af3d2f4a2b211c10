package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/testutil"
)

// dumpOf returns the crash dump of an engine that crashed in a match in dir.
func dumpOf(t *testing.T, dir string) string {
	t.Helper()
	code, stderr := exitCode(t, dir, "gogi", "match", "-q", "--run", "r", "--engine", "A=fakeengine -script abort@go:3",
		"--engine", "B=fakeengine",
		"--nodes", "5", "--max-plies", "40", "--games", "2", "--restart", "game")
	dump := filepath.Join(dir, "gogi.db-faults", "r", "A-crash-1.jsonl")
	testutil.Require(t, code == cli.Done && testutil.Err(os.Stat(dump)) == nil, "code %d: %s", code, stderr)
	return dump
}

// TestBisectMistakes: with --exit bisect, a command line with an error ends with a code that stops the bisection.
// Without it, the command line has its normal exit code.
func TestBisectMistakes(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]int{
		"check --replay nothing.jsonl --exit bisect":       cli.BisectAbort,
		"check --replay nothing.jsonl --exit=bisect --bad": cli.BisectAbort,
		"check --replay nothing.jsonl --exti bisect":       cli.BisectAbort,
		"check --replay nothing.jsonl --exit bisct":        cli.BisectAbort,
		"check --replay nothing.jsonl --exit":              cli.BisectAbort,
		"chek --replay nothing.jsonl --exit bisect":        cli.BisectAbort,
		"report --exit bisect":                             cli.BisectAbort,
		"check --exit bisect --help":                       cli.BisectAbort,
		"check --exit default --bad":                       cli.Usage,
		"match --db bisect nowhere.toml":                   cli.Usage,
	} {
		_, errs, code := gogi(t, strings.Fields(line)...)
		testutil.Check(t, code == want && (want == cli.Usage || strings.Contains(errs, "bisect: stop")),
			"gogi %s: code %d, want %d: %s", line, code, want, errs)
	}
}

// explosive is a writer that panics.
type explosive struct{}

func (explosive) Write([]byte) (int, error) { panic("in the middle of a report") }

// TestBisectPanic: in a bisection, gogi catches a panic, prints its stack and stops the bisection. Otherwise gogi does
// not catch a panic.
func TestBisectPanic(t *testing.T) {
	t.Parallel()
	var errs bytes.Buffer
	code := run(context.Background(), []string{"check", "--exit", "bisect", "--help"},
		&cli.Env{Out: explosive{}, Err: &errs})
	if text := errs.String(); code != cli.BisectAbort || !strings.Contains(text, "in the middle of a report") ||
		!strings.Contains(text, "explosive.Write") {
		t.Errorf("code %d, want %d, with the panic and its stack:\n%s", code, cli.BisectAbort, text)
	}
	defer func() {
		testutil.Check(t, recover() != nil, "a panic outside of a bisection was swallowed")
	}()
	run(context.Background(), []string{"match", "--help"}, &cli.Env{Out: explosive{}, Err: &errs})
}

// TestBisectSignals: a signal during a replay ends gogi with a code that stops the bisection. On SIGQUIT the Go runtime
// ends gogi, as after a panic of any goroutine.
func TestBisectSignals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	dump := dumpOf(t, dir)
	for name, c := range map[string]struct {
		signal syscall.Signal
		code   int
	}{"TERM": {syscall.SIGTERM, cli.Interrupted}, "QUIT": {syscall.SIGQUIT, 128 + int(syscall.SIGABRT)}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			mark := filepath.Join(dir, name)
			cmd := exec.CommandContext(t.Context(), "gogi", "check", "--replay", dump, "--exit", "bisect",
				"--engine", "fakeengine -gate go-on -mark "+mark+" -script wait@go")
			var errs bytes.Buffer
			cmd.Dir, cmd.Stderr = dir, &errs
			testutil.OK(t, cmd.Start())
			testutil.Eventually(t, "an engine was asked for a move", func() bool {
				text, _ := os.ReadFile(mark)
				return len(text) > 0
			})
			testutil.OK(t, cmd.Process.Signal(c.signal))
			code := codeOf(t, cmd.Wait())
			testutil.Check(t, code == c.code, "code %d, want %d: %s", code, c.code, &errs)
		})
	}
}
