package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gogi/internal/testutil"
	"gogi/report/stored"
)

// folder is a folder in which gogi plays a match with real processes.
type folder struct {
	dir    string
	mark   string
	tag    string // GOGI_TEST_TAG of every engine, to find engines that are left
	code   int
	stdout string
	stderr string
}

// seriesFile gives the good engine enough time for a busy machine.
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

// against plays games of a bad engine against a good one. It fails the test if an engine is left.
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
	s.stdout, s.stderr, s.code = s.gogi(t, "match", "series.toml")
	s.noneLeft(t)
	return s
}

// gogi runs gogi in the folder.
func (s *folder) gogi(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	return s.run(t, "gogi", args...)
}

// run runs a program in the folder.
func (s *folder) run(t *testing.T, program string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = s.dir, &out, &errs
	code = codeOf(t, cmd.Run())
	return out.String(), errs.String(), code
}

// noneLeft asserts that no engine of the match is alive.
func (s *folder) noneLeft(t *testing.T) {
	t.Helper()
	left := testutil.Tagged(t, s.tag)
	testutil.Check(t, len(left) == 0, "left alive: %v", left)
}

// noneTagged waits until no process has the tag.
func noneTagged(t *testing.T, tag string) {
	t.Helper()
	testutil.Eventually(t, "the processes with the tag "+tag+" end", func() bool {
		return len(testutil.Tagged(t, tag)) == 0
	})
}

// marked asserts that the bad engine played the fault.
func (s *folder) marked(t *testing.T, fault string) {
	t.Helper()
	text, err := os.ReadFile(s.mark)
	testutil.Check(t, err == nil && strings.Contains(string(text), fault), "the fault %s did not happen (%v): %s", fault,
		err, text)
}

// gameRows returns the stored games.
func (s *folder) gameRows(t *testing.T) []stored.Game {
	t.Helper()
	out, errs, code := s.gogi(t, "games", "--json")
	testutil.Require(t, code == 0, "gogi games: %s", errs)
	var list struct{ Games []stored.Game }
	testutil.OK(t, json.Unmarshal([]byte(out), &list))
	return list.Games
}

const (
	nodes   = `nodes = 10, stall = "700ms"`
	patient = `nodes = 10, stall = "30s"` // for faults that cause no wait; enough time for a busy machine
	byoyomi = `byoyomi = "1s", margin = "1s"`
)

// A badEngine is a script with a fault for the fake engine, and the engine's limits.
type badEngine struct{ script, limits string }

const gauntletFile = `
games = %d
concurrency = 6
design = "gauntlet"
limits = {nodes = 10, stall = "10m"}
rules = {name = "default", max_plies = 40}
[[engine]]
name = "good"
cmd = "fakeengine"
env = {GOGI_TEST_TAG = "%s"}
`

const badEngineTable = `
[[engine]]
name = "bad%d"
limits = {%s}
command = ["fakeengine", "-script", "%s", "-mark", "%d.mark"]
env = {GOGI_TEST_TAG = "%s"}
`

// gauntlet plays two pairs of a good engine against each bad one, in one run with real processes. It returns the games
// of each bad engine. It fails the test if the run fails, a fault does not happen, or an engine is left.
func gauntlet(t *testing.T, bad []badEngine) [][]stored.Game {
	t.Helper()
	s := &folder{dir: t.TempDir()}
	s.tag = filepath.Base(filepath.Dir(s.dir)) + "-" + filepath.Base(s.dir)
	text := fmt.Sprintf(gauntletFile, 4*len(bad), s.tag)
	for i, b := range bad {
		text += fmt.Sprintf(badEngineTable, i, b.limits, b.script, i, s.tag)
	}
	testutil.OK(t, os.WriteFile(filepath.Join(s.dir, "series.toml"), []byte(text), 0o600))
	stdout, stderr, code := s.gogi(t, "match", "series.toml")
	testutil.Require(t, code == 0, "exit code %d: %s", code, stderr)
	testutil.Check(t, !strings.ContainsAny(stdout+stderr, "\x1b\x07"), "terminal escapes reached the terminal: %q", stderr)
	s.noneLeft(t)
	games := make([][]stored.Game, len(bad))
	for _, g := range s.gameRows(t) {
		i := testutil.Must(strconv.Atoi(strings.TrimPrefix(strings.ReplaceAll(g.Black+g.White, "good", ""), "bad")))(t)
		games[i] = append(games[i], g)
	}
	for i, b := range bad {
		testutil.Check(t, len(games[i]) == 4, "%s: %d games", b.script, len(games[i]))
		if fault, _, _ := strings.Cut(b.script, ":"); !strings.Contains(fault, "@eof") {
			s.mark = filepath.Join(s.dir, fmt.Sprint(i, ".mark"))
			s.marked(t, fault)
		}
	}
	return games
}

// TestFaultsInPlay: an engine that fails after the first "go" loses the game. The match continues with a new process.
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
		faults = append(faults, // with the same endings as the faults above
			fault{"abort@go:3", nodes, "crash", "aborted"},
			fault{"spin@go:3", nodes, "stall", "waiting for bestmove after stop"},
			fault{"chatter@go:3", nodes, "stall", "waiting for bestmove after stop"},
			fault{"chatter@go:3", byoyomi, "time_forfeit", "waiting for bestmove after stop"},
			fault{"longline@go:3", nodes, "stall", "waiting for bestmove after stop"},
			fault{"none@go:3", nodes, "illegal_move", `cannot read bestmove "none"`},
		)
	}
	var bad []badEngine
	for _, f := range faults {
		bad = append(bad, badEngine{f.fault, f.limits})
	}
	for i, games := range gauntlet(t, bad) {
		faulty, f := 0, faults[i]
		for _, g := range games {
			if g.Termination != f.termination {
				continue // a reused process had its third "go" in an earlier game
			}
			faulty++
			winner := map[string]string{"black": g.Black, "white": g.White}[g.Outcome]
			testutil.Equal(t, winner, "good", "%s: game %d.%d: the winner", f.fault, g.Pair, g.Leg)
			testutil.Contains(t, g.Note, f.note, "%s: game %d.%d", f.fault, g.Pair, g.Leg)
		}
		testutil.Check(t, faulty > 0, "%s: no game ended by %s: %+v", f.fault, f.termination, games)
	}
}

// TestFaultsThatDoNotMatter: an engine that does not follow the protocol in a harmless way loses no game.
func TestFaultsThatDoNotMatter(t *testing.T) {
	t.Parallel()
	var bad []badEngine
	for _, script := range []string{
		"flood@go:2", "garbage@go:2", "garbage@usi:1", "stderr@go:2", "stderr@usi:1", "keepalive@isready",
		"fork@usi:1", "hang@quit", "stubborn@eof,hang@quit", "longline@usinewgame:1",
	} {
		bad = append(bad, badEngine{script, patient})
	}
	for i, games := range gauntlet(t, bad) {
		for _, g := range games {
			switch g.Termination {
			case "max_plies", "checkmate", "repetition", "perpetual_check":
			default:
				t.Errorf("%s: game %d.%d ended by %s: %s", bad[i].script, g.Pair, g.Leg, g.Termination, g.Note)
			}
		}
	}
}

// TestFaultsBeforePlay: an engine that fails before its first move loses no game. The run ends with an error that names
// the cause.
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
			testutil.Check(t, s.code == test.code && strings.Contains(s.stderr, test.want),
				"exit code %d, want %d; stderr %q, want %q", s.code, test.code, s.stderr, test.want)
		})
	}
}

// TestStaleBestmoveStaysInItsGame: an engine that sends its bestmove late, after stop, loses this game on time. The
// late bestmove does not disturb the next games.
func TestStaleBestmoveStaysInItsGame(t *testing.T) {
	t.Parallel()
	s := against(t, `byoyomi = "2s", margin = "1s"`, 4, 1, "fakeengine", "-script", "late@go:2", "-late", "300ms")
	testutil.Require(t, s.code == 0, "%v", s.stderr)
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
	testutil.Check(t, forfeits == 1, "%d games lost on time, want the one with the late move; stderr %s", forfeits,
		s.stderr)
}

// TestWrappersChildDies: if a wrapper script starts a helper and the engine, gogi also ends the helper.
func TestWrappersChildDies(t *testing.T) {
	t.Parallel()
	s := against(t, nodes, 2, 1, "sh", "-c", "sleep 1000 & echo child $! >>MARK; fakeengine; exit 0")
	testutil.Require(t, s.code == 0, "%v", s.stderr)
	s.marked(t, "child")
}

// TestKilledRunnerLeavesNobody: if gogi is killed with SIGKILL during games, its engines and their children end, too.
// No stored pair is lost. The same command then finishes the match.
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
	living := testutil.Tagged(t, s.tag)
	testutil.Check(t, len(living) >= 4, "only %d engines and children were alive before the kill", len(living))
	testutil.OK(t, cmd.Process.Kill())
	err := cmd.Wait()
	testutil.Require(t, err != nil, "the runner was not killed")
	noneTagged(t, s.tag)

	before := map[string]bool{}
	for _, g := range s.gameRows(t) {
		before[fmt.Sprint(g.Pair, g.Leg)] = true
		delete(stored, g.Pair)
	}
	testutil.Check(t, len(stored) == 0, "pairs that were stored are lost: %v", stored)
	testutil.Check(t, len(before)%2 == 0 && len(before) < 60, "%d games are stored after the kill", len(before))
	_, errs, code := s.gogi(t, "match", "series.toml")
	testutil.Require(t, code == 0, "going on: exit code %d: %s", code, errs)
	seen := map[string]bool{}
	for _, g := range s.gameRows(t) {
		seen[fmt.Sprint(g.Pair, g.Leg)] = true
	}
	testutil.Check(t, len(seen) == 60, "%d games in the end, want 60", len(seen))
}
