package check

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/players"
	"gogi/usi/usitest"
)

func TestMain(m *testing.M) { usitest.RunTests(m) }

// patient has waits that are long enough for an answer on a busy machine.
var patient = waits{overrun: time.Minute, stop: time.Minute, end: time.Minute}

// inVain returns the waits for an engine that plays these faults. The wait for an event that never comes is short.
func inVain(script string) waits {
	w := patient
	for fault := range strings.SplitSeq(script, ",") {
		switch what, command, _ := strings.Cut(fault, "@"); {
		case what == "late": // does not answer before stop
			w.overrun = time.Second
		case what == "hang" && strings.HasPrefix(command, "go"):
			w.overrun, w.stop = time.Second, time.Second
		case what == "stubborn", command == "quit":
			w.end = time.Second
		}
	}
	return w
}

// anyVerdict accepts every verdict. It is for items in which a slow machine alone can cause a warning.
const anyVerdict Verdict = -1

// A checked is the examination of a fake engine.
type checked struct {
	sheet *Examination
	mark  string
}

// checkFake does the same as check and asserts that no process of the engine is left.
func checkFake(t *testing.T, options Options, change func(*match.Player), arguments ...string) *checked {
	t.Helper()
	x := check(t, options, change, arguments...)
	x.noneLeft(t)
	return x
}

// check examines the fake engine, started with arguments; change may be nil.
func check(t *testing.T, options Options, change func(*match.Player), arguments ...string) *checked {
	t.Helper()
	x := &checked{mark: filepath.Join(t.TempDir(), "mark")}
	p := match.Player{
		Name: "engine", Dir: t.TempDir(), Command: usitest.Command(append([]string{"-mark", x.mark}, arguments...)...),
		Limits:   match.Limits{Clock: match.TimeControl{Byoyomi: time.Second}, Margin: match.DefaultMargin},
		Greeting: time.Minute, Ready: time.Minute,
	}
	if change != nil {
		change(&p)
	}
	plan := &match.Plan{Rules: match.RulesProfiles()[match.DefaultRules], Players: []match.Player{p}}
	var found []Finding
	options.Found = func(f Finding) { found = append(found, f) }
	var err error
	if x.sheet, err = Engine(t.Context(), &players.Opener{Plan: plan}, p, options); err != nil {
		t.Fatal(err)
	}
	testutil.Equal(t, len(found), len(x.sheet.Checks), "findings were told of, the sheet")
	for _, f := range x.sheet.Checks {
		testutil.Check(t, !strings.ContainsAny(f.Detail, "\x1b\x07"), "terminal escapes came through: %q", f.Detail)
	}
	return x
}

// marked asserts that the fault was played.
func (x *checked) marked(t *testing.T, fault string) {
	t.Helper()
	text, err := os.ReadFile(x.mark)
	testutil.Check(t, err == nil && strings.Contains(string(text), fault), "the fault %s did not happen (%v): %s", fault,
		err, text)
}

// noneLeft asserts that every process of the engine has ended.
func (x *checked) noneLeft(t *testing.T) {
	t.Helper()
	left := running(t, x.mark)
	testutil.Check(t, len(left) == 0, "left alive: %v", left)
}

// running lists the processes that have an argument.
func running(t *testing.T, argument string) []string {
	t.Helper()
	files := testutil.Must(filepath.Glob("/proc/[0-9]*/cmdline"))(t)
	return slices.DeleteFunc(files, func(file string) bool {
		line, err := os.ReadFile(file)
		return err != nil || !bytes.Contains(line, []byte("\x00"+argument+"\x00"))
	})
}

// found asserts an item's verdict and a part of its detail.
func (x *checked) found(t *testing.T, check string, verdict Verdict, detail string) {
	t.Helper()
	for _, c := range x.sheet.Checks {
		if c.Check != check {
			continue
		}
		testutil.Check(t, (verdict == anyVerdict || c.Verdict == verdict) && strings.Contains(c.Detail, detail),
			"%s: %s: %s; want %d: %s", check, c.Verdict, c.Detail, verdict, detail)
		return
	}
	t.Errorf("%s was not looked at: %+v", check, x.sheet.Checks)
}

// TestCheckFindsFaults: in a quick check the searches of one process are nodes, depth, movetime, byoyomi, infinite,
// stop, ponderhit, ponder stop, and two for the declaration. After a fault the next process counts from one again.
func TestCheckFindsFaults(t *testing.T) {
	t.Parallel()
	const ponder = "name USI_Ponder type check default false"
	type want struct {
		check   string
		verdict Verdict
		detail  string
	}
	for _, test := range []struct {
		script  string
		options string // of the engine
		wants   []want
	}{
		{"exit@go:2", "", []want{
			{"go_nodes", Warn, "100 nodes in"}, // of 10,000
			{"go_depth", Warn, "aborts on go depth 5: exit status 7; stderr: fake: leaving on purpose"},
			{"go_movetime", anyVerdict, "of 500 ms"}, // a fresh process
			{"go_byoyomi", Fail, "aborts on go btime 0 wtime 0 byoyomi 500: exit status 7"},
			{"go_infinite", anyVerdict, "after stop"},
			{"stop", Fail, "aborts on "},
		}},
		{"abort@go:2", "", []want{{"go_depth", Warn, "killed by signal 6 (aborted); stderr: terminate called on purpose"}}},
		// of 5
		{"exit@isready:3", "", []want{{"go_nodes", Fail, "aborts on isready after the search"},
			{"go_depth", Warn, "depth 1 in "}}},
		{"hang@go:4", "", []want{
			{"go_byoyomi", Fail, "hangs on go btime 0 wtime 0 byoyomi 500: no bestmove"},
			{"go_infinite", anyVerdict, "after stop"},
			{"ponder_stop", Warn, "hangs on go ponder and stop"},
		}},
		{"late@go:4", "", []want{{"go_byoyomi", Fail, "does not end by itself: stopped after 1.5 s"},
			{"go_infinite", anyVerdict, "after stop"}}},
		{"illegal@go:1,malformed@go:2,none@go:3,win@go:4,resign@go:6", "", []want{
			{"go_nodes", Fail, "bestmove 5a5b is illegal: "},
			{"go_depth", Fail, `cannot parse the reply "bestmove P@5e"`},
			{"go_movetime", Fail, `cannot parse the reply "bestmove none"`},
			{"go_byoyomi", Fail, "bestmove win: "},
			{"go_infinite", anyVerdict, "after stop"},
			{"stop", Warn, "resigns"},
		}},
		{"twice@go:4,twice@go:6,win@go:9", "", []want{
			{"go_byoyomi", Fail, "2 bestmoves for one go"},
			{"go_infinite", anyVerdict, "after stop"},
			{"stop", Fail, "2 bestmoves for one go"},
			{"declaration", Pass, "sends bestmove win with 28 points; does not with 27"},
		}},
		{"twice@go:5,early@go:7,win@go:10", "", []want{
			{"go_infinite", Warn, "without waiting for stop"},
			{"stop", anyVerdict, ""},
			{"ponderhit", Warn, "answers before it is asked to"},
			{"ponderhit", Warn, "does not offer USI_Ponder"},
			{"declaration", Fail, "declares a win that loses: Black has 27 points and needs 28"},
			{"declaration", Fail, "does not declare a win with 28 points"},
		}},
		{"early@go:7,early@go:8", ponder, []want{
			{"ponderhit", Fail, "answers before it is asked to"},
			{"ponder_stop", Fail, "answers before it is asked to"},
			{"declaration", Warn, "does not declare"},
		}},
		{"exit@ponderhit", ponder, []want{{"ponderhit", Fail, "aborts on go ponder and ponderhit: exit status 7"},
			{"ponder_stop", anyVerdict, "after stop"}}},
		{"garbage@usi,stderr@go:2,flood@go:4,garbage@go:5,longline@position:6", "", []want{
			{"usiok", Pass, "fake by nobody"},
			{"go_infinite", anyVerdict, "after stop"},
			{"stop", anyVerdict, ""},
			{"declaration", Warn, "does not declare"},
			{"stderr", Pass, "noise on stderr"},
		}},
	} {
		t.Run(test.script+" "+test.options, func(t *testing.T) {
			t.Parallel()
			x := checkFake(t, Options{Quick: true, waits: inVain(test.script)}, nil, "-script", test.script, "-options",
				test.options)
			for fault := range strings.SplitSeq(test.script, ",") {
				what, _, _ := strings.Cut(fault, ":")
				x.marked(t, what)
			}
			for _, w := range test.wants {
				x.found(t, w.check, w.verdict, w.detail)
			}
		})
	}
}

// TestCheckStopsWithoutAnEngine: an engine that never becomes ready gets no further checks.
func TestCheckStopsWithoutAnEngine(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ script, check, detail string }{
		{"exit@usi", "usiok", "aborts on usi, waiting for usiok: exit status 7"},
		{"hang@usi", "usiok", "fails on usi, waiting for usiok: silent for 1s"},
		{"exit@isready", "readyok", "aborts on isready, waiting for readyok: exit status 7"},
		{"hang@isready", "readyok", "fails on isready, waiting for readyok: silent for 1s"},
	} {
		t.Run(test.script, func(t *testing.T) {
			t.Parallel()
			x := checkFake(t, Options{waits: patient}, func(p *match.Player) {
				switch test.script {
				case "hang@usi":
					p.Greeting = time.Second
				case "hang@isready":
					p.Ready = time.Second
				}
			}, "-script", test.script)
			what, _, _ := strings.Cut(test.script, ":")
			x.marked(t, what)
			x.found(t, test.check, Fail, test.detail)
			last := x.sheet.Checks[len(x.sheet.Checks)-1]
			testutil.Check(t, last.Check == test.check, "went on to %s", last.Check)
		})
	}
}

// TestCheckTheEnd: an engine that ignores quit and the end of its input is killed and reported.
func TestCheckTheEnd(t *testing.T) {
	t.Parallel()
	x := checkFake(t, Options{waits: inVain("hang@quit,stubborn@eof")}, nil, "-script", "hang@quit,stubborn@eof")
	x.marked(t, "hang@quit")
	x.found(t, "quit", Warn, "it had to be killed")
	x.found(t, "end_of_input", Warn, "it had to be killed")
	x.found(t, "legal_moves", Pass, "all of 50 answers")
	x.found(t, "repeatable", Pass, "go nodes 10000: the same move, score and nodes")
	x.found(t, "mate_search", Warn, "bestmove ")
	testutil.Check(t, x.sheet.Version == 1 && x.sheet.Name == "fake", "head of the sheet: %+v", x.sheet)
}

func TestCheckSilentMateSearch(t *testing.T) {
	t.Parallel()
	x := checkFake(t, Options{waits: patient}, nil, "-script", "exit@go:1")
	x.marked(t, "exit@go")
	x.found(t, "mate_search", Warn, "aborts on go mate 1000: exit status 7")
	x.found(t, "legal_moves", Fail, "no kind of search worked")
	for _, f := range x.sheet.Checks {
		testutil.Check(t, f.Check != "legal_moves" || !strings.Contains(f.Detail, "answers"),
			"%s: there was no answer to count", f.Detail)
	}
	x.found(t, "declaration", Warn, "no kind of search worked")
	x.found(t, "repeatable", Warn, "undecided")
	x.found(t, "quit", Pass, "exit status 0")
}

func TestCheckOptions(t *testing.T) {
	t.Parallel()
	const declared = "name Clear Hash type button|name Odd type nonsense|name Low type spin default 9 min 1 max 5" +
		"|name NetworkDelay type spin default 120 min 0 max 10000"
	x := checkFake(t, Options{Quick: true, waits: patient}, func(p *match.Player) {
		p.Options = []match.Option{{Name: "USI_Hahs", Value: "5"}, {Name: "hash", Value: "99999"}}
	}, "-options", declared)
	x.found(t, "usiok", Warn, `1 unreadable option lines, the first: usi: option "Odd": unknown type`)
	x.found(t, "options", Fail, `refused: option "USI_Hahs" is not offered; nearest: USI_Hash`)
	x.found(t, "options", Fail, "refused: option USI_Hash: 99999 is outside 1 to 1024")
	x.found(t, "options", Fail, "refuses its own default: option Low: 9 is outside 1 to 5")
	x.found(t, "options", Fail, "names with spaces, which some GUIs cannot set: Clear Hash")
	x.found(t, "defaults", Warn, "NetworkDelay 120")
	x.found(t, "defaults", Warn, "--profile yaneuraou sets them right")

	x = checkFake(t, Options{Quick: true, waits: patient}, func(p *match.Player) { p.Profile = "yaneuraou" }, "-options",
		declared)
	x.found(t, "defaults", Pass, "")
}

// TestStrictOrder requires that the examination gives the commands in the order of the protocol. Some engines end at
// any other command, and play matches without a fault.
func TestStrictOrder(t *testing.T) {
	t.Parallel()
	x := checkFake(t, Options{waits: patient}, nil, "-strict", "-options", "name USI_Ponder type check default false",
		"-mate", "nomate")
	for _, f := range x.sheet.Checks {
		testutil.Check(t, !strings.Contains(f.Detail, "aborts") && !strings.Contains(f.Detail, "out of order"), "%s: %s",
			f.Check, f.Detail)
	}
}
