package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/runner/socket"
)

// failingTune is a tune of an engine that crashes, and its validation.
const failingTune = `
run = "t"
games = %d
limits = {nodes = 10}
rules = {max_plies = 40}
concurrency = 1
[[engine]]
name = "e"
cmd = "fakeengine -options 'name X type spin default 40 min 0 max 100' %s"
[[param]]
name = "X"
[tune]
faults = "forfeit"
[tune.validate]
games = 100000
sprt = [0, 0.1]
`

// TestSessionFlags: every command that plays has every session flag, and each flag has its effect.
func TestSessionFlags(t *testing.T) {
	t.Parallel()
	tuned := func(t *testing.T, dir string, games int, script string) {
		write(t, filepath.Join(dir, "t.toml"), fmt.Sprintf(failingTune, games, script))
	}
	for name, verb := range map[string]struct {
		run     string
		args    []string
		prepare func(t *testing.T, dir string)
	}{
		"match": {"m", []string{
			"match", "--run", "m", "--engine", "a=fakeengine", "--engine", "b=fakeengine -script exit@go:5", "--nodes", "10",
			"--max-plies", "40", "--games", "100000", "--concurrency", "1",
		}, nil},
		"tune run": {"t", []string{"tune", "run", "t.toml", "--no-probe"}, func(t *testing.T, dir string) {
			tuned(t, dir, 100000, "-script exit@go:5")
		}},
		"tune validate": {"t-validation-1", []string{"tune", "validate", "t.toml"}, func(t *testing.T, dir string) {
			tuned(t, dir, 80, "-script resign@go~X>41,exit@go:5~X>39")
			out, code := gogiIn(t, dir, "tune", "run", "t.toml", "--no-probe", "--no-validate", "-q")
			testutil.Require(t, code == 0, "%d: %s", code, out)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if verb.prepare != nil {
				verb.prepare(t, dir)
			}
			showsItself(t, dir, filepath.Join(dir, "gogi.db"), verb.run, name == "tune run", verb.args...)
		})
	}
}

// showsItself plays a run with all session flags until a fault and a warning have happened, and checks each flag. If
// the players are alike, it expects no warning, because they fail alike.
func showsItself(t *testing.T, dir, db, run string, alike bool, args ...string) {
	t.Helper()
	out := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name)) // "" until the file exists
		return string(text)
	}
	words := append(args, "--json", "--http", "127.0.0.1:0", "--public-host", "pages.example", "--metrics-file", "m.prom",
		"--on-end", `sh -c "env >end.txt"`, "--on-fault", `sh -c "env >fault.new; mv fault.new fault.txt"`)
	cmd := exec.CommandContext(t.Context(), "gogi", words...)
	cmd.Dir = dir
	stdout, stderr := create(t, dir, "stdout"), create(t, dir, "stderr")
	cmd.Stdout, cmd.Stderr = stdout, stderr
	testutil.OK(t, cmd.Start())
	ended := make(chan error, 1) // one value, from the goroutine
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("stdout ends with %s\nstderr: %s", out("stdout")[max(0, len(out("stdout"))-2000):], out("stderr"))
		}
	})
	for what, so := range map[string]func() bool{
		"a fault's command": func() bool { return strings.Contains(out("fault.txt"), "GOGI_RUN="+run+"\n") },
		"a warning":         func() bool { return alike || strings.Contains(out("stdout"), `"type":"warning"`) },
		"the pages":         func() bool { return strings.Contains(out("stderr"), "pages: http://") },
	} {
		testutil.Eventually(t, what, func() bool {
			select {
			case err := <-ended:
				t.Fatalf("it has ended: %v", err)
			default:
			}
			return so()
		})
	}
	url := regexp.MustCompile(`http://[0-9.:]+/`).FindString(out("stderr"))
	for path, want := range map[string]string{"": run, "metrics": `run="` + run + `"`} {
		page := fetch(t, url+path)
		testutil.Check(t, strings.Contains(page, want), "/%s has no %s:\n%s", path, want, page)
	}
	seen := testutil.Must(socket.Follow(t.Context(), socket.Path(db, run)))(t)
	if ev := <-seen.Events(); ev.Run != run || ev.State == nil || len(ev.State.Slots) == 0 {
		t.Errorf("those who watch see %+v", ev)
	}
	if text, code := gogiIn(t, dir, "ctl", run, "drain", "--db", db); code != 0 {
		t.Fatalf("gogi ctl: %d, %s", code, text)
	}
	<-ended
	testutil.Contains(t, out("stderr"), "gogi serve --db ", "how to see the pages again")
	testutil.Check(t, strings.Contains(out("end.txt"), "GOGI_RUN="+run+"\n") &&
		strings.Contains(out("end.txt"), "GOGI_DB="),
		"the command of the end was told %s", out("end.txt"))
	testutil.Check(t, strings.Contains(out("m.prom"), `run="`+run+`"`), "the metrics are %s", out("m.prom"))
	testutil.Check(t, strings.Contains(out("stderr"), "fault: ") && strings.Contains(out("stderr"), " games in "),
		"the progress is %s", out("stderr"))
	types := map[match.EventType]bool{}
	for line := range strings.Lines(out("stdout")) {
		var ev match.Event
		testutil.OK(t, json.Unmarshal([]byte(line), &ev), "%s", line)
		types[ev.Type] = true
	}
	for _, want := range []match.EventType{match.EventRun, match.EventMove, match.EventEnd, match.EventFault,
		match.EventPair, match.EventDone} {
		testutil.Check(t, types[want], "no event is a %s", want)
	}
}

// TestPagesStay: with --http-stay, gogi serves the pages after the last game and after the command of --on-end. An
// interrupt ends gogi.
func TestPagesStay(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "gogi", "match", "--run", "r", "--engine", "a=builtin", "--engine",
		"b=builtin", "--option", "a.Seed=1", "--nodes", "1", "--games", "2",
		"--db", "g.db", "--http", "127.0.0.1:0", "--public-host", "pages.example", "--http-stay", "--on-end",
		`sh -c "env >end.txt"`)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, create(t, dir, "stdout"), create(t, dir, "stderr")
	testutil.OK(t, cmd.Start())
	stays := regexp.MustCompile(`the pages stay at (http://[0-9.:]+/r/r) until`)
	said := func() []string {
		text, _ := os.ReadFile(filepath.Join(dir, "stderr")) // "" until the file exists
		return stays.FindStringSubmatch(string(text))
	}
	testutil.Eventually(t, "the last game", func() bool { return said() != nil })
	testutil.Contains(t, fetch(t, said()[1]), "1 of 1 pairs, 2 games", "the page")
	text := testutil.Must(os.ReadFile(filepath.Join(dir, "end.txt")))(t)
	testutil.Contains(t, string(text), "GOGI_ENDING=done", "the command of the end")
	testutil.OK(t, cmd.Process.Signal(os.Interrupt))
	testutil.OK(t, cmd.Wait())
}

// TestSessionFlagsOfAWorker: the session flags show a worker's own games.
func TestSessionFlagsOfAWorker(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	out := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(dir, name)) // "" until the file exists
		return string(text)
	}
	start := func(stdout, stderr string, words ...string) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "gogi", words...)
		cmd.Dir, cmd.Stdout, cmd.Stderr = dir, create(t, dir, stdout), create(t, dir, stderr)
		testutil.OK(t, cmd.Start())
		return cmd
	}
	coordinator := start("report", "said", "farm", "serve", "--demo", "--games", "100000")
	creds := regexp.MustCompile(`gogi farm work .*--creds (\S+)`)
	testutil.Eventually(t, "the coordinator", func() bool { return creds.MatchString(out("said")) })
	worker := start("stdout", "stderr", "farm", "work", "--creds", creds.FindStringSubmatch(out("said"))[1],
		"--concurrency", "1", "--cache", dir,
		"--json", "--http", "127.0.0.1:0", "--public-host", "pages.example", "--metrics-file", "m.prom",
		"--on-end", `sh -c "env >end.txt"`, "--on-fault", "true")
	testutil.Eventually(t, "a pair and the pages", func() bool {
		return strings.Contains(out("stdout"), `"type":"pair"`) && strings.Contains(out("stderr"), "pages: http://")
	})
	url := regexp.MustCompile(`http://[0-9.:]+/`).FindString(out("stderr"))
	page := fetch(t, url) + fetch(t, url+"metrics")
	testutil.Check(t, strings.Contains(page, `/r/default-farm`) && strings.Contains(page, `run="default-farm"`),
		"the pages are %s", page)
	dbs, _ := filepath.Glob(filepath.Join(dir, "*", "session.db"))
	testutil.Require(t, len(dbs) == 1, "databases: %v", dbs)
	if text, code := gogiIn(t, dir, "ctl", "default-farm", "pause", "--db", dbs[0]); code == 0 {
		t.Errorf("a worker was paused: %s", text)
	}
	if text, code := gogiIn(t, dir, "ctl", "default-farm", "drain", "--db", dbs[0]); code != 0 {
		t.Fatalf("gogi ctl: %d, %s", code, text)
	}
	if err := worker.Wait(); err != nil {
		t.Errorf("%v: %s", err, out("stderr"))
	}
	if !strings.Contains(out("end.txt"), "GOGI_EXIT=0\n") || !strings.Contains(out("m.prom"), `run="default-farm"`) ||
		!strings.Contains(out("stderr"), " games in ") {
		t.Errorf("at the end: %s%s", out("end.txt"), out("stderr"))
	}
	_ = coordinator.Process.Kill()
	_ = coordinator.Wait()
}

func create(t *testing.T, dir, name string) *os.File {
	t.Helper()
	f := testutil.Must(os.Create(filepath.Join(dir, name)))(t)
	t.Cleanup(func() { _ = f.Close() })
	return f
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testutil.OK(t, os.WriteFile(path, []byte(text), 0o600))
}

// fetch reads a page like a browser that uses another host name for it.
func fetch(t *testing.T, url string) string {
	t.Helper()
	r := testutil.Must(http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil))(t)
	r.Host = "pages.example"
	resp := testutil.Must(http.DefaultClient.Do(r))(t)
	defer resp.Body.Close()
	var text bytes.Buffer
	if _, err := io.Copy(&text, resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s, %v", url, resp.Status, &text, err)
	}
	return text.String()
}
