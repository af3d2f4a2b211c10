package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// examined is what "gogi check --json" said.
type examined struct {
	series
	sheet struct {
		Version      int
		Engine, Name string
		Checks       []struct{ Check, Verdict, Detail string }
	}
}

// checkFake examines the fake engine, with flags of "gogi check" and arguments
// of the engine.
func checkFake(t *testing.T, flags []string, arguments ...string) *examined {
	t.Helper()
	x := &examined{series: series{dir: t.TempDir()}}
	x.mark = filepath.Join(x.dir, "mark")
	args := slices.Concat([]string{"check", "--json"}, flags, []string{"--", "fakeengine", "-mark", x.mark}, arguments)
	x.stdout, x.stderr, x.code = x.gogi(t, args...)
	if err := json.Unmarshal([]byte(x.stdout), &x.sheet); err != nil {
		t.Fatalf("%v: %s%s", err, x.stdout, x.stderr)
	}
	if left := running(t, x.mark); len(left) > 0 {
		t.Errorf("left alive: %v", left)
	}
	if strings.ContainsAny(x.stdout+x.stderr, "\x1b\x07") {
		t.Errorf("terminal escapes came through: %q", x.stdout)
	}
	failed := strings.Contains(x.stdout, `"fail"`)
	if want := map[bool]int{false: 0, true: 1}[failed]; x.code != want {
		t.Errorf("exit code %d, want %d: %s%s", x.code, want, x.stdout, x.stderr)
	}
	return x
}

// running lists the processes that have an argument.
func running(t *testing.T, argument string) []string {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(files, func(file string) bool {
		line, err := os.ReadFile(file)
		return err != nil || !bytes.Contains(line, []byte("\x00"+argument+"\x00"))
	})
}

// found asserts an item's verdict and a part of its detail. The verdict is ""
// where a slow machine is reason enough for a warning.
func (x *examined) found(t *testing.T, check, verdict, detail string) {
	t.Helper()
	for _, c := range x.sheet.Checks {
		if c.Check != check {
			continue
		}
		if verdict != "" && c.Verdict != verdict || !strings.Contains(c.Detail, detail) {
			t.Errorf("%s: %s: %s; want %s: %s", check, c.Verdict, c.Detail, verdict, detail)
		}
		return
	}
	t.Errorf("%s was not looked at: %s", check, x.stdout)
}

// In a quick check the searches of one process are: nodes, depth, movetime,
// byoyomi, infinite, stop, ponderhit, ponder stop, and two for the declaration.
// After a fault the next process counts from one again.
func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	const ponder = "name USI_Ponder type check default false"
	type want struct{ check, Verdict, detail string }
	for _, test := range []struct {
		script  string
		options string // of the engine
		wants   []want
	}{
		{"exit@go:2", "", []want{
			{"go_nodes", "pass", "100 nodes"},
			{"go_depth", "warn", "aborts on go depth 5: exit status 7; stderr: fake: leaving on purpose"},
			{"go_movetime", "", "of 500 ms"}, // a fresh process
			{"go_byoyomi", "fail", "aborts on go btime 0 wtime 0 byoyomi 500: exit status 7"},
			{"go_infinite", "", "after stop"},
			{"stop", "fail", "aborts on "},
		}},
		{"abort@go:2", "", []want{{"go_depth", "warn", "killed by signal 6 (aborted); stderr: terminate called on purpose"}}},
		{"exit@isready:3", "", []want{{"go_nodes", "fail", "aborts on isready after the search"}, {"go_depth", "pass", ""}}},
		{"hang@go:4", "", []want{
			{"go_byoyomi", "fail", "hangs on go btime 0 wtime 0 byoyomi 500: no bestmove"},
			{"go_infinite", "", "after stop"},
			{"ponder_stop", "warn", "hangs on go ponder and stop"},
		}},
		{"late@go:4", "", []want{{"go_byoyomi", "fail", "does not end by itself: stopped after 2.5 s"}, {"go_infinite", "", "after stop"}}},
		{"illegal@go:1,malformed@go:2,none@go:3,win@go:4,resign@go:6", "", []want{
			{"go_nodes", "fail", "bestmove 5a5b is illegal: "},
			{"go_depth", "fail", `cannot read the answer "bestmove P@5e"`},
			{"go_movetime", "fail", `cannot read the answer "bestmove none"`},
			{"go_byoyomi", "fail", "bestmove win: "},
			{"go_infinite", "", "after stop"},
			{"stop", "warn", "resigns"},
		}},
		{"twice@go:4,twice@go:6,win@go:9", "", []want{
			{"go_byoyomi", "fail", "2 bestmoves for one go"},
			{"go_infinite", "", "after stop"},
			{"stop", "fail", "2 bestmoves for one go"},
			{"declaration", "pass", "says bestmove win with 28 points; does not with 27"},
		}},
		{"twice@go:5,early@go:7,win@go:10", "", []want{
			{"go_infinite", "warn", "without waiting for stop"},
			{"stop", "", ""},
			{"ponderhit", "warn", "answers before it is asked to"},
			{"ponderhit", "warn", "does not offer USI_Ponder"},
			{"declaration", "fail", "declares a win that loses: Black has 27 points and needs 28"},
			{"declaration", "fail", "does not declare a win with 28 points"},
		}},
		{"early@go:7,early@go:8", ponder, []want{
			{"ponderhit", "fail", "answers before it is asked to"},
			{"ponder_stop", "fail", "answers before it is asked to"},
			{"declaration", "warn", "does not declare"},
		}},
		{"exit@ponderhit", ponder, []want{{"ponderhit", "fail", "aborts on go ponder and ponderhit: exit status 7"}, {"ponder_stop", "", "after stop"}}},
		{"garbage@usi,stderr@go:2,flood@go:4,garbage@go:5,longline@position:6", "", []want{
			{"usiok", "pass", "fake by nobody"},
			{"go_infinite", "", "after stop"},
			{"stop", "", ""},
			{"declaration", "warn", "does not declare"},
			{"stderr", "pass", "noise on stderr"},
		}},
	} {
		t.Run(test.script+" "+test.options, func(t *testing.T) {
			t.Parallel()
			x := checkFake(t, []string{"--quick"}, "-script", test.script, "-options", test.options)
			for fault := range strings.SplitSeq(test.script, ",") {
				what, _, _ := strings.Cut(fault, ":")
				x.marked(t, what)
			}
			for _, w := range test.wants {
				x.found(t, w.check, w.Verdict, w.detail)
			}
		})
	}
}

// TestCheckStopsWithoutAnEngine: what never gets ready cannot be examined.
func TestCheckStopsWithoutAnEngine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ script, check, detail string }{
		{"exit@usi", "usiok", "aborts on usi, waiting for usiok: exit status 7"},
		{"hang@usi", "usiok", "fails on usi, waiting for usiok: silent for 3s"},
		{"exit@isready", "readyok", "aborts on isready, waiting for readyok: exit status 7"},
		{"hang@isready:2", "readyok", "fails on isready, waiting for readyok: silent for 3s"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			x := checkFake(t, []string{"--greeting-timeout", "3s", "--ready-timeout", "3s"}, "-script", test.script)
			what, _, _ := strings.Cut(test.script, ":")
			x.marked(t, what)
			x.found(t, test.check, "fail", test.detail)
			if last := x.sheet.Checks[len(x.sheet.Checks)-1]; last.Check != test.check {
				t.Errorf("went on to %s", last.Check)
			}
		})
	}
}

// TestCheckTheEnd: an engine that ignores quit and the end of its input is
// killed, and that is said.
func TestCheckTheEnd(t *testing.T) {
	t.Parallel()
	x := checkFake(t, nil, "-script", "hang@quit,stubborn@eof")
	x.marked(t, "hang@quit")
	x.found(t, "quit", "warn", "it had to be killed")
	x.found(t, "end_of_input", "warn", "it had to be killed")
	x.found(t, "legal_moves", "pass", "all of 50 answers")
	x.found(t, "repeatable", "pass", "go nodes 10000: the same move, score and nodes")
	x.found(t, "mate_search", "warn", "bestmove ")
	if x.sheet.Version != 1 || x.sheet.Name != "fake" || !strings.HasPrefix(x.sheet.Engine, "fakeengine ") {
		t.Errorf("head of the sheet: %+v", x.sheet)
	}
}

func TestCheckSilentMateSearch(t *testing.T) {
	t.Parallel()
	x := checkFake(t, nil, "-script", "exit@go:1")
	x.marked(t, "exit@go")
	x.found(t, "mate_search", "warn", "aborts on go mate 1000: exit status 7")
	x.found(t, "legal_moves", "fail", "no kind of search worked")
	x.found(t, "declaration", "warn", "no kind of search worked")
	x.found(t, "repeatable", "warn", "cannot be told")
	x.found(t, "quit", "pass", "exit status 0")
}

func TestCheckOptions(t *testing.T) {
	t.Parallel()
	const declared = "name Clear Hash type button|name Odd type nonsense|name Low type spin default 9 min 1 max 5" +
		"|name NetworkDelay type spin default 120 min 0 max 10000"
	x := checkFake(t, []string{"--quick", "--option", "USI_Hahs=5", "--option", "hash=99999"}, "-options", declared)
	x.found(t, "usiok", "warn", `1 unreadable option lines, the first: usi: option "Odd": unknown type`)
	x.found(t, "options", "fail", `refused: option "USI_Hahs" is not offered; nearest: USI_Hash`)
	x.found(t, "options", "fail", "refused: option USI_Hash: 99999 is outside 1 to 1024")
	x.found(t, "options", "fail", "refuses its own default: option Low: 9 is outside 1 to 5")
	x.found(t, "options", "fail", "names with spaces, which some GUIs cannot set: Clear Hash")
	x.found(t, "defaults", "warn", "NetworkDelay 120")
	x.found(t, "defaults", "warn", "--profile yaneuraou sets them right")

	x = checkFake(t, []string{"--quick", "--profile", "yaneuraou"}, "-options", declared)
	x.found(t, "defaults", "pass", "")
}
