package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"gogi/cmd/gogi/cli"
	"gogi/internal/fail"
	"gogi/internal/testutil"
	"gogi/match"
	"gogi/report/calculator"
	"gogi/stats"
	"gogi/stats/binomial"
	"gogi/usi"
)

// ground returns a folder with the files that can disturb a bisection.
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
	if status := exit.Sys().(syscall.WaitStatus); status.Signaled() { //nolint:forcetypeassert // on Linux
		return 128 + int(status.Signal())
	}
	return exit.ExitCode()
}

const (
	equal = "dev=fakeengine"
	base  = "base=fakeengine -name base"
)

// TestBisectCodes tests every exit code of a bisection step. Code 0 is good and 1 is bad. Code 125 skips a commit whose
// engine cannot play, and 255 stops the bisection.
func TestBisectCodes(t *testing.T) {
	t.Parallel()
	line := func(dev, base string, more ...string) []string {
		return append([]string{"match", "-q", "--exit", "bisect", "--engine", dev, "--engine", base, "--nodes", "10", "--max-plies", "40", "--games", "10"}, more...)
	}
	series := func(file string, more ...string) []string {
		return append([]string{"match", file, "-q", "--exit=bisect", "--nodes", "10", "--max-plies", "40", "--games", "10"}, more...)
	}
	type step struct {
		args []string
		code int
		says string
	}
	steps := map[string]step{
		"equal":                       {line(equal, base), 0, "bisect: good: "},
		"weaker":                      {line("dev=fakeengine -script resign@go", base), 1, "bisect: bad: "},
		"a gate that fails":           {line("dev=fakeengine -script resign@go", base, "--games", "40", "--sprt=-400,0"), 1, "bisect: bad: SPRT"},
		"the program is missing":      {line("dev=./missing", base), 125, "no such file"},
		"it is no program":            {line("dev=./binary", base), 125, "exec format"},
		"it crashes at isready":       {line("dev=fakeengine -script exit@isready", base), 125, "bisect: skip"},
		"it crashes before its moves": {line("dev=fakeengine -script exit@go", base), 125, "crashing before its first move"},
		"it lacks an option":          {line(equal, base, "--option", "dev.Nonsense=1"), 125, "Nonsense"},
		"a member does not start":     {series("council.toml", "--engine", base, "--players", "C,base"), 125, "missing"},
		"mistyped flag":               {line(equal, base, "--bad"), 255, "--bad"},
		"another verb":                {[]string{"report", "--exit", "bisect"}, 255, "--exit"},
		"mistyped exit flag":          {[]string{"match", "--exti", "bisect"}, 255, "--exti"},
		"a negative value":            {line(equal, base, "--sprt", "-60,0"), 255, "-60,0"},
		"help":                        {line(equal, base, "--help"), 255, "bisect: stop"},
		"a dry run":                   {line(equal, base, "--dry-run"), 255, "dry run"},
		"commits alone":               {[]string{"match", "--bisect-commits", "16"}, 255, "--exit bisect"},
		"too few for the steps":       {line(equal, base, "--bisect-commits", "256"), 255, "at least 8"},
		"no series":                   {series("nowhere.toml"), 255, "nowhere.toml"},
		"a series with an error":      {series("bad.toml"), 255, "bad.toml"},
		"the database is text":        {line(equal, base, "--db", "text.db"), 255, "text.db"},
		"a full disk":                 {line(equal, base, "--db", "/dev/full"), 255, "/dev/full"},
		"the other is missing":        {line(equal, "base=./missing"), 255, "missing"},
		"the other crashes at ready":  {line(equal, "base=fakeengine -script exit@isready"), 255, "base"},
		"the other wins nothing":      {line("dev=fakeengine -script resign@go:3", "base=fakeengine -script exit@go"), 255, "by faults"},
		"both are missing":            {line("dev=./missing", "base=./missing"), 255, "missing"},
	}
	if testutil.Long() {
		maps.Copy(steps, map[string]step{ // each is a variant of a case above
			"crashes later in each game": {line("dev=fakeengine -script exit@go:3", base, "--restart", "game"), 1, "bisect: bad: "},
			"a gate that passes":         {line(equal, "base=fakeengine -script resign@go", "--games", "40", "--sprt=-400,0"), 0, "bisect: good: SPRT"},
			"a gate that cannot decide":  {line(equal, base, "--games", "40", "--sprt=-20,0", "--bisect-commits", "100"), 255, "cannot decide"},
			"it is not in PATH":          {line("dev=nosuchprogram", base), 125, "nosuchprogram"},
			"it is a folder":             {line("dev=./folder", base), 125, "folder"},
			"it is not executable":       {line("dev=./plain", base), 125, "chmod"},
			"it ends at once":            {line("dev=false", base), 125, "bisect: skip"},
			"it says nothing":            {series("mute-series.toml"), 125, "bisect: skip"},
			"its option's range":         {line("dev=builtin", base, "--option", "dev.MultiPV=1000"), 125, "MultiPV"},
			"a varied member crashes":    {series("vary.toml", "--players", "C,base"), 125, "bisect: skip"},
			"mistyped verb":              {append([]string{"mach"}, line(equal, base)[1:]...), 255, "mach"},
			"mistyped exit":              {append(line(equal, base), "--exit", "bisct"), 255, "bisct"},
			"exit without value":         {[]string{"match", "--exit"}, 255, "--exit"},
			"nodes of words":             {line(equal, base, "--nodes", "10k"), 255, "10k"},
			"hypotheses":                 {line(equal, base, "--sprt=0,-60"), 255, "lower one first"},
			"commits that are no number": {line(equal, base, "--bisect-commits", "many"), 255, "many"},
			"one commit":                 {line(equal, base, "--bisect-commits", "1"), 255, "no bisection"},
			"too few pairs":              {line(equal, base, "--games", "8"), 255, "at least 5"},
			"an odd number of games":     {line(equal, base, "--games", "11"), 255, "odd"},
			"three players":              {line(equal, base, "--engine", "c=fakeengine", "--games", "30", "--design", "round_robin"), 255, "3 players"},
			"openings missing":           {line(equal, base, "--openings", "nowhere.sfen"), 255, "nowhere.sfen"},
			"openings a folder":          {line(equal, base, "--openings", "folder"), 255, "folder"},
			"openings empty":             {line(equal, base, "--openings", "empty.sfen"), 255, "empty.sfen"},
			"a series that is a folder":  {series("folder"), 255, "folder"},
			"its working directory":      {series("dir-series.toml"), 255, "nowhere"},
			"the database is a folder":   {line(equal, base, "--db", "folder"), 255, "folder"},
			"the database's folder":      {line(equal, base, "--db", "nowhere/x.db"), 255, "nowhere"},
			"the other ends at once":     {line(equal, "base=false"), 255, "base"},
			"the other is no program":    {line(equal, "base=./binary"), 255, "exec format"},
			"the other lacks an option":  {line(equal, base, "--option", "base.Nonsense=1"), 255, "Nonsense"},
			"an option that nobody has":  {line(equal, base, "--option", "all.Nonsense=1"), 255, "Nonsense"},
			"missing, and no openings":   {line("dev=./missing", base, "--openings", "nowhere.sfen"), 255, "nowhere.sfen"},
			"it plays on both sides":     {series("council.toml", "--players", "dev,C"), 255, "missing"},
		})
	}
	for name, c := range steps {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stderr := exitCode(t, ground(t), append([]string{"gogi"}, c.args...)...)
			testutil.Check(t, code == c.code && strings.Contains(stderr, c.says),
				"code %d, want %d, and %q in:\n%s", code, c.code, c.says, stderr)
		})
	}
}

// TestBisectOtherCodes: without --exit bisect, a usage error has its normal exit code.
func TestBisectOtherCodes(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"match", "--exit", "default", "--bad"}, {"match", "--exit=default", "--nodes", "10k"}, {"match", "--db", "bisect", "nowhere.toml"},
	} {
		code, stderr := exitCode(t, t.TempDir(), append([]string{"gogi"}, args...)...)
		testutil.Check(t, code == cli.Usage, "%q: code %d, want %d: %s", args, code, cli.Usage, stderr)
	}
}

// TestBisectDiskFills: a step of a bisection stops the bisection if the disk fills during the match.
func TestBisectDiskFills(t *testing.T) {
	t.Parallel()
	dir := ground(t)
	const series = "exec gogi match -q --exit bisect --engine dev=fakeengine --engine base=fakeengine --nodes 10 --max-plies 40 --games 10"
	for _, blocks := range []string{"4", "150"} { // limit of each file, in blocks of 512 bytes
		code, stderr := exitCode(t, dir, "sh", "-c", "ulimit -f "+blocks+"; trap '' XFSZ; "+series+" --db "+blocks+".db")
		testutil.Check(t, code == cli.BisectAbort, "%s blocks: code %d, want %d: %s", blocks, code, cli.BisectAbort, stderr)
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
	code := run(context.Background(), []string{"match", "--exit", "bisect", "--help"}, &cli.Env{Out: explosive{}, Err: &errs})
	if text := errs.String(); code != cli.BisectAbort || !strings.Contains(text, "in the middle of a report") || !strings.Contains(text, "explosive.Write") {
		t.Errorf("code %d, want %d, with the panic and its stack:\n%s", code, cli.BisectAbort, text)
	}
	defer func() {
		testutil.Check(t, recover() != nil, "a panic outside of a bisection was swallowed")
	}()
	run(context.Background(), []string{"match", "--help"}, &cli.Env{Out: explosive{}, Err: &errs})
}

// waiting starts a step of a bisection whose engines wait for the file go. It returns when an engine has got its first
// go command.
func waiting(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	mark, engine := filepath.Join(dir, "mark"), "fakeengine -gate go -mark mark -script wait@go"
	cmd := exec.CommandContext(t.Context(), "gogi", "match", "-q", "--exit", "bisect", "--run", "wait", "--concurrency", "1",
		"--engine", "dev="+engine, "--engine", "base="+engine, "--nodes", "10", "--games", "10")
	cmd.Dir, cmd.Stderr = dir, &bytes.Buffer{}
	testutil.OK(t, cmd.Start())
	testutil.Eventually(t, "an engine was asked for a move", func() bool {
		text, _ := os.ReadFile(mark)
		return len(text) > 0
	})
	return cmd
}

// TestBisectSignals: a signal during a game ends gogi with a code that stops the bisection. On SIGQUIT the Go runtime
// ends gogi, as after a panic of any goroutine.
func TestBisectSignals(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		signal syscall.Signal
		code   int
	}{{syscall.SIGTERM, cli.Interrupted}, {syscall.SIGHUP, cli.Interrupted}, {syscall.SIGQUIT, 128 + int(syscall.SIGABRT)}, {syscall.SIGKILL, 128 + int(syscall.SIGKILL)}} {
		t.Run(c.signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd := waiting(t, t.TempDir())
			testutil.OK(t, cmd.Process.Signal(c.signal))
			if code := codeOf(t, cmd.Wait()); code != c.code {
				t.Errorf("code %d, want %d: %s", code, c.code, cmd.Stderr)
			}
		})
	}
}

// TestBisectLocked: a step stops the bisection if another process plays its run.
func TestBisectLocked(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := waiting(t, dir)
	code, stderr := exitCode(t, dir, first.Args...)
	testutil.Check(t, code == cli.BisectAbort && strings.Contains(stderr, "another process"),
		"code %d, want %d: %s", code, cli.BisectAbort, stderr)
	testutil.OK(t, os.WriteFile(filepath.Join(dir, "go"), nil, 0o600))
	if code := codeOf(t, first.Wait()); code != cli.BisectGood {
		t.Errorf("the first: code %d, want %d: %s", code, cli.BisectGood, first.Stderr)
	}
}

func bisectPlan(pairs int, gate match.Gate) *match.Plan {
	return &match.Plan{
		Pairs: pairs, Gate: gate, Design: match.Design{Swap: true},
		Players: []match.Player{{Name: "dev"}, {Name: "base"}},
	}
}

// TestBisectRates: gogi divides the error rates of the whole bisection among its steps. With an SPRT, alpha is the
// probability that a bad commit passes.
func TestBisectRates(t *testing.T) {
	t.Parallel()
	gate := match.Gate{Elo0: -60, Elo1: 0, Alpha: 0.05, Beta: 0.10, Model: match.GateLogistic}
	sixteen := 16
	for name, c := range map[string]struct {
		commits *int
		gate    match.Gate
		divided match.Gate
		says    []string
	}{
		"fixed": {nil, match.Gate{}, match.Gate{}, []string{"called bad with probability at most 0.05", "good with about 0.05 (in 400 pairs", "0.81, of 256 with 0.66"}},
		"fixed, 16 commits": {&sixteen, match.Gate{}, match.Gate{}, []string{
			"called bad with probability at most 0.0125", "good with about 0.0125", "in 4 steps, the right one of 16 commits is named with probability 0.950 or more",
		}},
		"gate": {nil, gate, gate, []string{"(+0 Elo or more against base, logistic) is called bad with probability at most 0.1,", "(-60 Elo or less) good with at most 0.05\n"}},
		"gate, 16 commits": {&sixteen, gate, match.Gate{Elo0: -60, Elo1: 0, Alpha: 0.0125, Beta: 0.025, Model: match.GateLogistic}, []string{
			"bad with probability at most 0.025,", "good with at most 0.0125\n", "in 4 steps",
		}},
		"a gate that asks for gains": {nil, match.Gate{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.10, Model: match.GateLogistic},
			match.Gate{Elo0: 0, Elo1: 60, Alpha: 0.05, Beta: 0.10, Model: match.GateLogistic}, []string{"as strong as base is not a good one"}},
	} {
		step, plan := &bisectStep{commits: c.commits}, bisectPlan(400, c.gate)
		got, err := step.design(plan)
		if err != nil || got.Gate != c.divided || plan.Gate != c.gate {
			t.Errorf("%s: gate %+v, want %+v (%v)", name, got.Gate, c.divided, err)
			continue
		}
		var said strings.Builder
		step.printErrors(&said, got)
		for _, words := range c.says {
			testutil.Contains(t, said.String(), words, "%s", name)
		}
	}
}

// TestBisectMissed: for the printed Elo difference, stats.PairDesign requires the number of pairs of the match, within
// 3% because of rounding.
func TestBisectMissed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pairs int
		rates binomial.Bisection
	}{{400, binomial.Bisection{Alpha: 0.05, Beta: 0.05}}, {1000, binomial.Bisection{Alpha: 0.0125, Beta: 0.02}}} {
		var elo float64
		said := missed(bisectPlan(c.pairs, match.Gate{}), c.rates)
		testutil.OK(t, testutil.Err(fmt.Sscanf(said, "a bad one of %f Elo", &elo)), "%q", said)
		length, err := stats.PairDesign{
			Alpha: c.rates.Alpha, Power: 1 - c.rates.Beta, Alternative: binomial.Less, Conditions: stats.Conditions{DrawRate: calculator.TypicalDraws},
		}.Length(elo)
		testutil.Check(t, err == nil && math.Abs(float64(length.Pairs-c.pairs)) <= 0.03*float64(c.pairs),
			"%q: that takes %+v pairs, not %d (%v)", said, length, c.pairs, err)
	}
}

// TestBisectOurs: an error belongs to this commit if all of its causes belong to this commit.
func TestBisectOurs(t *testing.T) {
	t.Parallel()
	step := &bisectStep{ours: []string{"dev", "both"}, theirs: []string{"base", "both"}}
	dev, other := &usi.Fault{Kind: usi.FaultStart, Engine: "dev"}, errors.New("other")
	for _, c := range []struct {
		err  error
		ours bool
	}{
		{dev, true},
		{&usi.Fault{Kind: usi.FaultCrash, Engine: "dev", Searching: true}, true},
		{&usi.Fault{Kind: usi.FaultConnection, Engine: "dev"}, false},
		{&usi.Fault{Kind: usi.FaultStart, Engine: "base"}, false},
		{&usi.Fault{Kind: usi.FaultStart, Engine: "both"}, false},
		{fail.Engine("dev", other), true},
		{fail.Engine("base", other), false},
		{other, false},
		{os.ErrNotExist, false},
		{&cli.Exit{Code: cli.Unplayed, Err: fmt.Errorf("%w; 3 pairs are unplayed", dev)}, true},
		{fail.Usage(errors.Join(fmt.Errorf("dev: %w", fail.Engine("dev", other)), dev)), true},
		{errors.Join(dev, other), false},
		{errors.Join(dev, fail.Engine("base", other)), false},
		{fmt.Errorf("%w: %w", other, dev), false},
		{&cli.Exit{Code: cli.Unplayed}, false},
	} {
		testutil.Equal(t, step.isOurs(c.err), c.ours, "%v", c.err)
	}
}
