//go:build linux

package wine

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gogi/internal/testutil"
)

// TestFarmWorker requires that a Windows worker plays the games of a Linux coordinator's test. The built-in engines are
// the same on both systems, so a match played here gives the same games.
func TestFarmWorker(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), waitLimit)
	defer cancel()
	said, err := os.Create(filepath.Join(dir, "said"))
	testutil.OK(t, err)
	defer said.Close() // the test reads the file by its name
	serve := world.native.command(ctx, dir, "farm", "serve", "--demo", "--games", "8")
	serve.Stdout, serve.Stderr = said, said
	serve.Cancel = func() error { return serve.Process.Signal(os.Interrupt) }
	testutil.OK(t, serve.Start())
	line := regexp.MustCompile(`gogi farm work --once --creds (\S+)\n`)
	var creds string
	testutil.Eventually(t, "the command for a worker was said", func() bool {
		if found := line.FindStringSubmatch(readAll(said.Name())); found != nil {
			creds = found[1]
		}
		return creds != ""
	})
	world.wine.must(t, 0, t.TempDir(), "farm", "work", "--once", "--creds", "Z:"+creds)
	if err := serve.Wait(); err != nil || !strings.Contains(readAll(said.Name()), "8 games (4 pairs) · finished") {
		t.Fatalf("%v:\n%s", err, readAll(said.Name()))
	}
	world.native.must(t, 0, dir, "match", "-q", "--run", "default-farm", "--openings", "builtin-1000", "--games", "8",
		"--db", "here.db")
	here := world.native.must(t, 0, dir, "db", "dump", "--stable", "--db", "here.db")
	there := world.native.must(t, 0, dir, "db", "dump", "--stable", "--db", "farm-demo.db")
	testutil.Check(t, here == there && strings.Count(here, "\n") >= 8,
		"the runs differ, or are none:\n%.2000s\n%.2000s", here, there)
	nothingLeft(t)
}

// TestCoordinator requires that gogi.exe runs the coordinator as its child: with its arguments, streams and exit code,
// and no longer than gogi.exe itself runs.
func TestCoordinator(t *testing.T) {
	dir := t.TempDir()
	o := world.wine.gogi(t, dir, "farm", "serve", "--games", "8")
	testutil.Check(t, o.code == 2 && strings.Contains(o.err, "gogi: --games belongs to --demo"), "exit code %d: %s",
		o.code, o.err)
	said := testutil.Must(os.Create(filepath.Join(dir, "said")))(t)
	defer said.Close() // the test reads the file by its name
	serve := world.wine.command(t.Context(), dir, "farm", "serve", "--demo", "--games", "8")
	serve.Stdout, serve.Stderr = said, said
	testutil.OK(t, serve.Start())
	testutil.Eventually(t, "the command for a worker was said", func() bool {
		return strings.Contains(readAll(said.Name()), "gogi farm work --once")
	})
	testutil.Check(t, len(processes(t, "gogi-farm.exe")) > 0, "no coordinator runs")
	testutil.OK(t, serve.Process.Kill())
	_ = serve.Wait()
	testutil.Eventually(t, "the coordinator ended", func() bool { return len(processes(t, "gogi-farm.exe")) == 0 })
}
