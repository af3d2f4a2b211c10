//go:build linux

package process

import (
	"fmt"
	"io"
	"maps"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
)

// killedRunner starts a runner with engines, kills it with SIGKILL, and returns the process IDs of everything that it
// started.
func killedRunner(t *testing.T, what string) map[string]int {
	t.Helper()
	// This start has no guard, because the test kills only the runner. The runner's engines and guard have groups of their
	// own and stay alive.
	runner := start(t, self(what), nil)
	pids := make(map[string]int)
	for {
		name, number, _ := strings.Cut(line(t, runner), " ")
		if name == "all" {
			break
		}
		pid := testutil.Must(strconv.Atoi(number))(t)
		testutil.Require(t, alive(pid), "%s %d does not run: nothing is tested", name, pid)
		pids[name] = pid
	}
	testutil.OK(t, syscall.Kill(runner.PID(), syscall.SIGKILL))
	<-runner.Done()
	got := runner.Diagnosis()
	testutil.Require(t, got == "killed by signal 9 (killed)", "the runner: %s", got)
	return pids
}

func TestGuardKillsWhatAKilledRunnerLeaves(t *testing.T) {
	for name, pid := range killedRunner(t, "runner") {
		testutil.Eventually(t, name+" dies", func() bool { return !alive(pid) })
	}
}

// TestWithoutGuardTheGrandchildSurvives is the control. Without a guard, Pdeathsig kills the leaders, and the wrapper's
// child survives. If this test fails, the guard is superfluous.
func TestWithoutGuardTheGrandchildSurvives(t *testing.T) {
	pids := killedRunner(t, "runner-noguard")
	defer syscall.Kill(-pids["wrapper"], syscall.SIGKILL)
	defer syscall.Kill(-pids["stubborn"], syscall.SIGKILL)
	for _, name := range []string{"plain", "wrapper", "stubborn"} {
		testutil.Eventually(t, name+" dies", func() bool { return !alive(pids[name]) })
	}
	testutil.Check(t, alive(pids["grandchild"]), "the wrapper's child died without a guard")
}

func TestGuardSurvivesSignals(t *testing.T) {
	g := startGuard(t)
	pid := g.life.cmd.Process.Pid
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	testutil.Eventually(t, "the guard ignores them", func() bool {
		mask, err := strconv.ParseUint(status(t, fmt.Sprintf("/proc/%d/status", pid), "SigIgn"), 16, 64)
		return err == nil && mask>>(syscall.SIGINT-1)&1 == 1 && mask>>(syscall.SIGTERM-1)&1 == 1 &&
			mask>>(syscall.SIGHUP-1)&1 == 1
	})
	for _, sig := range signals {
		testutil.OK(t, syscall.Kill(pid, sig))
	}
	closeOK(t, start(t, sh("cat"), g))
	testutil.OK(t, g.Close())
}

func TestGuardsCloseKillsWhatStillRuns(t *testing.T) {
	g := startGuard(t)
	p := start(t, sh(stubbornScript), g)
	line(t, p)
	testutil.OK(t, g.Close())
	<-p.Done()
	testutil.Equal(t, p.Diagnosis(), "killed by signal 9 (killed)", "Diagnosis")
	closeOK(t, p)
}

// changes returns a channel for the changes of a guard, with a buffer for more changes than any test makes.
func changes() (chan GuardChange, func(GuardChange)) {
	c := make(chan GuardChange, 100)
	return c, func(change GuardChange) { c <- change }
}

func next(t *testing.T, c <-chan GuardChange) GuardChange {
	t.Helper()
	select {
	case change := <-c:
		return change
	case <-time.After(waitLimit):
		t.Fatal("no change was told")
		panic("unreachable")
	}
}

// TestAnotherGuardTakesThePlaceOfADeadOne requires that a new guard replaces a killed one. It has all running
// processes, also those started before it, and none that have ended.
func TestAnotherGuardTakesThePlaceOfADeadOne(t *testing.T) {
	told, tell := changes()
	g := testutil.Must(StartGuard([]string{os.Args[0], "guard"}, tell))(t)
	before := start(t, sh(stubbornScript), g)
	line(t, before)
	ended := start(t, sh("cat"), g)
	closeOK(t, ended)
	testutil.OK(t, g.life.cmd.Process.Kill())
	testutil.Equal(t, next(t, told), (GuardChange{Died: "signal: killed"}), "told")
	after := start(t, sh(stubbornScript), g)
	line(t, after)
	g.mu.Lock()
	known := maps.Clone(g.groups)
	g.mu.Unlock()
	want := map[int]bool{before.PID(): true, after.PID(): true}
	testutil.Check(t, maps.Equal(known, want), "the groups are %v, want %v", known, want)
	testutil.OK(t, g.Close(), "Close")
	for _, p := range []*Process{before, after} {
		<-p.Done()
		testutil.Equal(t, p.Diagnosis(), "killed by signal 9 (killed)", "the second guard left it")
		closeOK(t, p)
	}
	if len(told) > 0 {
		t.Errorf("and then was told %+v", <-told)
	}
}

// TestTheSecondGuardKillsWhatAKilledRunnerLeaves kills the runner's guard, and then the runner itself.
func TestTheSecondGuardKillsWhatAKilledRunnerLeaves(t *testing.T) {
	for name, pid := range killedRunner(t, "runner-second-guard") {
		testutil.Eventually(t, name+" dies", func() bool { return !alive(pid) })
	}
}

// quick is the pace of a test that needs several guards.
var quick = guardPace{steady: waitLimit, pause: time.Millisecond, longest: 2 * time.Millisecond}

// TestEnginesStartWithoutAGuardThatCannotLive requires that engines start even if no guard can run. gogi reports this
// once.
func TestEnginesStartWithoutAGuardThatCannotLive(t *testing.T) {
	told, tell := changes()
	births := t.TempDir() + "/births"
	g := testutil.Must(startGuardAt([]string{"/bin/sh", "-c", "echo >>" + births + "; exit 3"}, tell, quick))(t)
	testutil.Equal(t, next(t, told), (GuardChange{Died: "exit status 3"}), "told")
	got := next(t, told)
	testutil.Check(t, got.Died == "exit status 3" && got.Err != nil && got.Err.Error() == "it was new itself", "told %+v",
		got)
	closeOK(t, start(t, sh("cat"), g))
	testutil.Eventually(t, "it is tried again and again", func() bool {
		b, err := os.ReadFile(births)
		return err == nil && len(b) >= 8
	})
	if len(told) > 0 {
		t.Errorf("and then was told %+v", <-told)
	}
	g.Close() // the error depends on the timing
}

func TestAGuardThatCannotBeStartedAgainIsToldAndTriedAgain(t *testing.T) {
	told, tell := changes()
	program := t.TempDir() + "/guard"
	testutil.OK(t, os.Symlink(os.Args[0], program))
	pace := quick
	pace.steady = time.Millisecond
	g := testutil.Must(startGuardAt([]string{program, "guard"}, tell, pace))(t)
	first := g.life
	testutil.OK(t, os.Remove(program))
	testutil.OK(t, first.cmd.Process.Kill())
	want := "the guard process died (signal: killed), and there is no other: starting the guard " + program +
		": no such file or directory. " +
		"It is tried again; if this program is killed before, what wrappers of engines started lives on"
	testutil.Equal(t, next(t, told).String(), want, "told")
	p := start(t, sh(stubbornScript), g)
	line(t, p)
	testutil.OK(t, os.Symlink(os.Args[0], program))
	testutil.Equal(t, next(t, told).String(), "the guard process works again", "told")
	testutil.OK(t, g.Close())
	<-p.Done() // the new guard knows the processes that started without one
	if len(told) > 0 {
		t.Errorf("and then was told %+v", <-told)
	}
}

// TestAGuardThatDoesNotReadIsReplaced requires that gogi replaces a stopped guard when its pipe is full.
func TestAGuardThatDoesNotReadIsReplaced(t *testing.T) {
	told, tell := changes()
	g := testutil.Must(StartGuard([]string{os.Args[0], "guard"}, tell))(t)
	p := start(t, sh(stubbornScript), g)
	line(t, p)
	testutil.OK(t, g.life.cmd.Process.Signal(syscall.SIGSTOP))
	g.mu.Lock()
	for l := g.life; g.life == l; { // as many starts and ends do
		g.send("-", 1<<30)
	}
	g.mu.Unlock()
	testutil.Equal(t, next(t, told), (GuardChange{Died: "signal: killed"}), "told")
	testutil.OK(t, g.Close())
	<-p.Done()
}

// TestGuardIsToldOfStartAndEnd replaces the guard with a pipe, so that the test can read the messages to it.
func TestGuardIsToldOfStartAndEnd(t *testing.T) {
	r, w, err := os.Pipe()
	testutil.OK(t, err)
	defer r.Close()
	testutil.OK(t, r.SetReadDeadline(time.Now().Add(waitLimit)))
	g := &Guard{life: &guardLife{pipe: w}, groups: make(map[int]bool)}
	p := start(t, sh("cat"), g)
	testutil.Equal(t, line(t, r), "+"+itoa(p.PID()), "at the start")
	closeOK(t, p)
	testutil.Equal(t, line(t, r), "-"+itoa(p.PID()), "at the end")
	w.Close()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("and then %q, %v", rest, err)
	}
}

// TestAGuardThatIsKilledAtTheEnd requires that a guard that is killed at the end is an error only if a group was left
// to guard. Another program kills it, or gogi does because it does not end.
func TestAGuardThatIsKilledAtTheEnd(t *testing.T) {
	for name, command := range map[string][]string{
		"by somebody": {"sh", "-c", "cat >/dev/null; kill -9 $$"},
		"by us":       {"sleep", "1000"},
	} {
		for _, living := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, with a living group %v", name, living), func(t *testing.T) {
				t.Parallel()
				g := testutil.Must(StartGuard(command, func(GuardChange) {}))(t)
				if living {
					if err := g.add(1 << 30); err != nil { // a group that does not exist
						t.Fatal(err)
					}
				}
				if err := g.Close(); (err != nil) != living {
					t.Error(err)
				}
			})
		}
	}
}

func TestStartFailsOnAClosedGuard(t *testing.T) {
	g := startGuard(t)
	testutil.OK(t, g.Close())
	files := descriptors(t)
	pidFile := t.TempDir() + "/pid"
	p, err := Start(sh("echo $$ >"+pidFile+"; exec sleep 1000"), g)
	if err == nil {
		p.Close()
		t.Fatal("started on a closed guard")
	}
	testutil.Equal(t, err.Error(), "process: starting /bin/sh: the guard is closed")
	testutil.Equal(t, descriptors(t), files, "open files before")
	// The process was killed before or after it could write its process ID.
	if b, err := os.ReadFile(pidFile); err == nil && len(b) > 0 {
		pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
		testutil.Check(t, err == nil && !alive(pid), "process %s is left, %v", b, err)
	}
}

func TestStartGuardErrors(t *testing.T) {
	if _, err := StartGuard(nil, nil); err == nil || err.Error() != "process: guard: no command to start" {
		t.Errorf("%v", err)
	}
	want := "process: starting the guard /no/gogi: no such file or directory"
	if _, err := StartGuard([]string{"/no/gogi"}, nil); err == nil || err.Error() != want {
		t.Errorf("%v", err)
	}
}

func TestServeGuardRefuses(t *testing.T) {
	for _, test := range []struct{ in, line string }{
		{"+1\n", "+1"},
		{"+0\n", "+0"},
		{"+-5\n", "+-5"},
		{"-+5\n", "-+5"},
		{"\n", ""},
		{"5\n", "5"},
		{"+5x\n+99999999999\n", "+5x"},
		{"+ 5\n", "+ 5"},
	} {
		groups := make(map[int]bool)
		err := readGroups(reader(test.in), groups)
		want := fmt.Sprintf("line %q: want +pgid or -pgid", test.line+"\n")
		testutil.Check(t, err != nil && err.Error() == want, "%q: %v", test.in, err)
		testutil.Check(t, len(groups) == 0, "%q: would kill %v", test.in, groups)
	}
}

// TestServeGuardIgnoresACutLine requires that a line cut short by the runner's death does not become another number.
func TestServeGuardIgnoresACutLine(t *testing.T) {
	groups := make(map[int]bool)
	testutil.OK(t, readGroups(reader("+12345\n+678\n-12345\n+23"), groups))
	testutil.Check(t, len(groups) == 1 && groups[678], "groups %v, want 678", groups)
}
