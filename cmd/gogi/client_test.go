package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// realClient returns the programs xboard and uci2wb, which is Debian's adapter for USI engines. If one of them or Xvfb
// is missing, it skips the test. With GOGI_REAL_CLIENT=required, as in CI, the test fails instead.
func realClient(t *testing.T) (xboard, adapter string) {
	t.Helper()
	find := func(program string) string {
		return testutil.Installed(t, "GOGI_REAL_CLIENT", program, "xboard uci2wb xvfb")
	}
	find("Xvfb")
	return find("xboard"), find("uci2wb")
}

// display starts an X server and returns its name.
func display(t *testing.T) string {
	t.Helper()
	read, write, err := os.Pipe()
	testutil.OK(t, err)
	server := exec.CommandContext(t.Context(), "Xvfb", "-displayfd", "3", "-screen", "0", "1024x768x24", "-nolisten",
		"tcp")
	server.ExtraFiles = []*os.File{write}
	testutil.OK(t, server.Start())
	t.Cleanup(func() { server.Process.Kill(); server.Wait() })
	write.Close()
	var number int
	testutil.OK(t, testutil.Err(fmt.Fscan(read, &number)), "Xvfb said no display")
	return fmt.Sprintf(":%d", number)
}

// TestRealClient: xboard plays a whole game between two councils, from the handshake to the end.
func TestRealClient(t *testing.T) {
	t.Parallel()
	xboard, adapter := realClient(t)
	g := &gui{t: t, dir: t.TempDir()}
	g.tag = filepath.Base(filepath.Dir(g.dir)) + "-" + filepath.Base(g.dir)
	write := func(name, text string, mode os.FileMode) {
		testutil.OK(t, os.WriteFile(filepath.Join(g.dir, name), []byte(text), mode))
	}
	for side, nodes := range map[string]int{"first": 600, "second": 30} { // the much stronger side mates soon
		var text strings.Builder
		for i := range 3 {
			fmt.Fprintf(&text,
				"[[engine]]\nname = \"m%d\"\ncmd = \"builtin\"\nlimits = {nodes = %d}\noptions = {EvalNoise = %d}\n"+
					"env = [\"GOGI_TEST_TAG=%s\"]\n", i+1, nodes, 10*(i+1)+len(side), g.tag)
		}
		write(side+".toml", text.String()+"[[council]]\nname = \""+side+
			"\"\nrule = \"majority\"\nmembers = [\"m1\", \"m2\", \"m3\"]\n", 0o600)
		// The adapter accepts one word as the command of an engine.
		testutil.WriteProgram(t, filepath.Join(g.dir, side),
			"#!/bin/sh\nexec gogi council "+side+".toml --log "+side+".votes 2>>errors\n")
	}
	client := exec.CommandContext(t.Context(), xboard, "-variant", "shogi", "-matchMode", "true", "-matchGames", "1",
		"-firstChessProgram", adapter+" -s ./first", "-firstDirectory", g.dir,
		"-secondChessProgram", adapter+" -s ./second", "-secondDirectory", g.dir,
		"-timeControl", "5", "-ponderNextMove", "false", "-saveGameFile", filepath.Join(g.dir, "game.pgn"), "-soundProgram",
		"")
	client.Dir = g.dir
	client.Env = append(os.Environ(), "DISPLAY="+display(t), "HOME="+g.dir,
		"XDG_CACHE_HOME="+filepath.Join(g.dir, "cache"))
	testutil.OK(t, client.Start())
	// xboard saves the game at its end. It keeps running to show the result.
	over := regexp.MustCompile(`\{([^}]*)\} (1-0|0-1|1/2-1/2)\s*$`)
	var how []string
	deadline := time.Now().Add(5 * guiWaitLimit)
	for tick := time.NewTicker(50 * time.Millisecond); how == nil && time.Now().Before(deadline); <-tick.C {
		how = over.FindStringSubmatch(g.file("game.pgn"))
	}
	client.Process.Signal(syscall.SIGTERM)
	client.Wait() // SIGTERM ended it, so its exit code has no meaning
	if how == nil || regexp.MustCompile(`(?i)time|flag|illegal|forfeit|exit|died|disconnect|abort`).MatchString(how[1]) {
		t.Errorf("how the game ended: %q\n%s\n%s", how, g.file("game.pgn"), g.file("errors"))
	}
	for _, side := range []string{"first", "second"} {
		n := strings.Count(g.file(side+".votes"), "\n")
		testutil.Check(t, n >= 8, "%s took %d decisions", side, n)
	}
	testutil.Equal(t, strings.TrimSpace(g.file("errors")), "", "on stderr")
	noneTagged(t, g.tag)
}
