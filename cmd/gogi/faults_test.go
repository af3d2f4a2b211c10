package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/report/stored"
)

// folder is where one pair is played between a good and a bad engine, over real processes.
type folder struct {
	dir    string
	mark   string
	tag    string // in the cli.Env of every engine, to find those that are left
	code   int
	stdout string
	stderr string
	took   time.Duration
}

// The good engine has all the time that a busy machine needs.
const seriesFile = `
games = %d
concurrency = %d
limits = {nodes = 10, stall = "10m"}
rules = {name = "default", max_plies = 40}
[[engine]]
name = "bad"
limits = {%s}
command = [%s]
env = ["GOGI_TEST_TAG=%s"]
greeting_timeout = "5s"
ready_timeout = "1s"
[[engine]]
name = "good"
command = ["fakeengine"]
env = ["GOGI_TEST_TAG=%s"]
`

// against plays one pair, or more, of a bad engine against a good one.
func against(t *testing.T, limits string, games, concurrency int, command ...string) *folder {
	t.Helper()
	s := &folder{dir: t.TempDir()}
	s.mark, s.tag = filepath.Join(s.dir, "mark"), filepath.Base(filepath.Dir(s.dir))+"-"+filepath.Base(s.dir)
	if command[0] == "fakeengine" {
		command = append(command, "-mark", s.mark)
	}
	quoted := make([]string, len(command))
	for i, word := range command {
		quoted[i] = fmt.Sprintf("%q", strings.ReplaceAll(word, "MARK", s.mark))
	}
	text := fmt.Sprintf(seriesFile, games, concurrency, limits, strings.Join(quoted, ", "), s.tag, s.tag)
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "series.toml"), []byte(text), 0o600))
	began := time.Now()
	s.stdout, s.stderr, s.code = s.gogi(t, "match", "series.toml")
	s.took = time.Since(began)
	s.noneLeft(t)
	return s
}

// gogi runs the program in the series' folder.
func (s *folder) gogi(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "gogi", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &out, &errs
	code = codeOf(t, cmd.Run())
	return out.String(), errs.String(), code
}

// noneLeft asserts that no engine of the series is alive.
func (s *folder) noneLeft(t *testing.T) {
	t.Helper()
	if left := tagged(t, s.tag); len(left) > 0 {
		t.Errorf("left alive: %v", left)
	}
}

// tagged lists the living processes with the tag in their environment.
func tagged(t *testing.T, tag string) []string {
	t.Helper()
	files := testutil.Must(filepath.Glob("/proc/[0-9]*/environ"))(t)
	return slices.DeleteFunc(files, func(file string) bool {
		environ, err := os.ReadFile(file)
		return err != nil || !bytes.Contains(environ, []byte("GOGI_TEST_TAG="+tag+"\x00"))
	})
}

// noneTagged waits until no process has the tag.
func noneTagged(t *testing.T, tag string) {
	t.Helper()
	testutil.Eventually(t, "the processes with the tag "+tag+" end", func() bool { return len(tagged(t, tag)) == 0 })
}

// marked asserts that the fault was played.
func (s *folder) marked(t *testing.T, fault string) {
	t.Helper()
	text, err := os.ReadFile(s.mark)
	if err != nil || !strings.Contains(string(text), fault) {
		t.Errorf("the fault %s did not happen (%v): %s", fault, err, text)
	}
}

// gameRows are the stored games.
func (s *folder) gameRows(t *testing.T) []stored.Game {
	t.Helper()
	out, errs, code := s.gogi(t, "games", "--json")
	if code != 0 {
		t.Fatalf("gogi games: %s", errs)
	}
	var list struct{ Games []stored.Game }
	testutil.OK(t, json.Unmarshal([]byte(out), &list))
	return list.Games
}

const (
	nodes   = `nodes = 10, stall = "700ms"`
	patient = `nodes = 10, stall = "30s"` // where nothing is waited for, on a machine that has more to do
	byoyomi = `byoyomi = "1s", margin = "1s"`
)

// TestFaultsInPlay: an engine that fails after the first "go" loses the game. The series continues with a new process.
func TestFaultsInPlay(t *testing.T) {
	t.Parallel()
	type fault struct{ fault, limits, termination, note string }
	faults := []fault{
		{"exit@go:3", nodes, "crash", "exit status 7; stderr: fake: leaving on purpose"},
		{"hang@go:3", nodes, "stall", "waiting for bestmove after stop"},
		{"hang@go:3", byoyomi, "time_forfeit", "waiting for bestmove after stop"},
		{"deaf@go:3", nodes, "stall", "waiting for bestmove after stop"},
		{"closestdout@go:3", nodes, "crash", ""},
		{"illegal@go:3", nodes, "illegal_move", "5a5b: "},
		{"malformed@go:3", nodes, "illegal_move", `cannot read bestmove "P@5e"`},
		{"win@go:3", nodes, "false_declaration", "declaration fails"},
		{"resign@go:3", nodes, "resignation", ""},
	}
	if testutil.Long() {
		faults = append(faults, // which end as those do
			fault{"abort@go:3", nodes, "crash", "aborted"},
			fault{"spin@go:3", nodes, "stall", "waiting for bestmove after stop"},
			fault{"chatter@go:3", nodes, "stall", "waiting for bestmove after stop"},
			fault{"chatter@go:3", byoyomi, "time_forfeit", "waiting for bestmove after stop"},
			fault{"longline@go:3", nodes, "stall", "waiting for bestmove after stop"},
			fault{"none@go:3", nodes, "illegal_move", `cannot read bestmove "none"`},
		)
	}
	for _, test := range faults {
		t.Run(test.fault+" "+test.termination, func(t *testing.T) {
			t.Parallel()
			s := against(t, test.limits, 4, 2, "fakeengine", "-script", test.fault)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			s.marked(t, test.fault[:strings.Index(test.fault, ":")])
			games := s.gameRows(t)
			if len(games) != 4 {
				t.Errorf("%d games", len(games))
			}
			faulty := 0
			for _, g := range games {
				if g.Termination != test.termination {
					continue // a process that was reused has had its third "go" before
				}
				faulty++
				if loser := map[string]string{"black": g.White, "white": g.Black}[g.Outcome]; loser != "bad" {
					t.Errorf("game %d.%d: lost by %q", g.Pair, g.Leg, loser)
				}
				if !strings.Contains(g.Note, test.note) {
					t.Errorf("game %d.%d: note %q, want %q", g.Pair, g.Leg, g.Note, test.note)
				}
			}
			if faulty == 0 {
				t.Errorf("no game ended by %s: %+v", test.termination, games)
			}
			if strings.ContainsAny(s.stdout+s.stderr, "\x1b\x07") {
				t.Errorf("terminal escapes reached the terminal: %q", s.stderr)
			}
		})
	}
}

// TestFaultsThatDoNotMatter: bad manners that lose no game.
func TestFaultsThatDoNotMatter(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		"flood@go:2", "garbage@go:2", "garbage@usi:1", "stderr@go:2", "stderr@usi:1", "keepalive@isready",
		"fork@usi:1", "hang@quit", "stubborn@eof", "longline@usinewgame:1",
	} {
		t.Run(script, func(t *testing.T) {
			t.Parallel()
			args := []string{"-script", script}
			if script == "stubborn@eof" {
				args[1] = "stubborn@eof,hang@quit"
			}
			s := against(t, patient, 4, 2, append([]string{"fakeengine"}, args...)...)
			if s.code != 0 {
				t.Fatalf("exit code %d: %s", s.code, s.stderr)
			}
			if what, _, _ := strings.Cut(script, ":"); script != "stubborn@eof" {
				s.marked(t, what)
			}
			for _, g := range s.gameRows(t) {
				switch g.Termination {
				case "max_plies", "checkmate", "repetition", "perpetual_check":
				default:
					t.Errorf("game %d.%d ended by %s: %s", g.Pair, g.Leg, g.Termination, g.Note)
				}
			}
			if strings.ContainsAny(s.stdout+s.stderr, "\x1b\x07") {
				t.Errorf("terminal escapes reached the terminal: %q", s.stderr)
			}
		})
	}
}

// TestFaultsBeforePlay: nothing is lost, and the run ends with a clear word.
func TestFaultsBeforePlay(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		fault string
		code  int
		want  string
	}{
		{"exit@usi", 1, "bad: waiting for usiok: crash: exit status 7; stderr: fake: leaving on purpose"},
		{"hang@usi", 1, "bad: waiting for usiok: start: silent for 5s"},
		{"exit@isready", 3, "bad: waiting for readyok: crash: exit status 7; stderr: fake: leaving on purpose"},
		{"hang@isready", 3, "bad: waiting for readyok: start: silent for 1s"},
	} {
		t.Run(test.fault, func(t *testing.T) {
			t.Parallel()
			s := against(t, nodes, 2, 1, "fakeengine", "-script", test.fault)
			s.marked(t, test.fault)
			if s.code != test.code || !strings.Contains(s.stderr, test.want) {
				t.Errorf("exit code %d, want %d; stderr %q, want %q", s.code, test.code, s.stderr, test.want)
			}
		})
	}
}

// TestStaleBestmoveStaysInItsGame: an engine that answers twice, and late after
// a stop, plays on without harm.
func TestStaleBestmoveStaysInItsGame(t *testing.T) {
	t.Parallel()
	s := against(t, `byoyomi = "2s", margin = "1s"`, 4, 1, "fakeengine", "-script", "late@go:2", "-late", "300ms")
	if s.code != 0 {
		t.Fatal(s.stderr)
	}
	s.marked(t, "late@go")
	forfeits := 0
	for _, g := range s.gameRows(t) {
		switch g.Termination {
		case "time_forfeit":
			forfeits++
		case "max_plies", "checkmate", "repetition", "perpetual_check":
		default:
			t.Errorf("game %d.%d ended by %s: %s", g.Pair, g.Leg, g.Termination, g.Note)
		}
	}
	if forfeits != 1 {
		t.Errorf("%d games lost on time, want the one with the late move; stderr %s", forfeits, s.stderr)
	}
}

// TestWrappersChildDies: a script that starts a helper and then the engine.
func TestWrappersChildDies(t *testing.T) {
	t.Parallel()
	s := against(t, nodes, 2, 1, "sh", "-c", "sleep 1000 & echo child $! >>MARK; fakeengine; exit 0")
	if s.code != 0 {
		t.Fatal(s.stderr)
	}
	s.marked(t, "child")
}

// TestKilledRunnerLeavesNobody: kill -9 of gogi in the middle of a game takes
// the engines and their children with it; the same command then finishes.
func TestKilledRunnerLeavesNobody(t *testing.T) {
	t.Parallel()
	s := &folder{dir: t.TempDir()}
	s.tag = filepath.Base(filepath.Dir(s.dir)) + "-killed"
	text := fmt.Sprintf(seriesFile, 60, 2, nodes, `"sh", "-c", "sleep 1000 & fakeengine -think 2ms; exit 0"`, s.tag, s.tag)
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "series.toml"), []byte(text), 0o600))
	cmd := exec.CommandContext(t.Context(), "gogi", "match", "series.toml", "--json")
	cmd.Dir = s.dir
	events := testutil.Must(cmd.StdoutPipe())(t)
	testutil.OK(t, cmd.Start())
	stored := map[int]bool{}
	for d := json.NewDecoder(events); len(stored) < 5; {
		var e struct {
			Type string
			Pair int
		}
		testutil.OK(t, d.Decode(&e))
		if e.Type == "pair" {
			stored[e.Pair] = true
		}
	}
	if living := tagged(t, s.tag); len(living) < 4 {
		t.Errorf("only %d engines and children were alive before the kill", len(living))
	}
	testutil.OK(t, cmd.Process.Kill())
	if err := cmd.Wait(); err == nil {
		t.Fatal("the runner was not killed")
	}
	noneTagged(t, s.tag)

	before := map[string]bool{}
	for _, g := range s.gameRows(t) {
		before[fmt.Sprint(g.Pair, g.Leg)] = true
		delete(stored, g.Pair)
	}
	if len(stored) > 0 {
		t.Errorf("pairs that were stored are lost: %v", stored)
	}
	if len(before)%2 != 0 || len(before) >= 60 {
		t.Errorf("%d games are stored after the kill", len(before))
	}
	if _, errs, code := s.gogi(t, "match", "series.toml"); code != 0 {
		t.Fatalf("going on: exit code %d: %s", code, errs)
	}
	seen := map[string]bool{}
	for _, g := range s.gameRows(t) {
		seen[fmt.Sprint(g.Pair, g.Leg)] = true
	}
	if len(seen) != 60 {
		t.Errorf("%d games in the end, want 60", len(seen))
	}
}
