package process

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// killedRunner starts a runner with engines, kills it with SIGKILL, and returns
// the numbers of everything that it had started.
func killedRunner(t *testing.T, what string) map[string]int {
	t.Helper()
	// A plain start without guard: only the runner's leader matters here. Its
	// engines and guard have groups of their own and are not touched by it.
	runner := start(t, self(what), nil)
	pids := make(map[string]int)
	for {
		name, number, _ := strings.Cut(line(t, runner), " ")
		if name == "all" {
			break
		}
		pid, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		if !alive(pid) {
			t.Fatalf("%s %d does not run: nothing is tested", name, pid)
		}
		pids[name] = pid
	}
	if err := syscall.Kill(runner.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-runner.Done()
	if got := runner.Diagnosis(); got != "killed by signal 9 (killed)" {
		t.Fatalf("the runner: %s", got)
	}
	return pids
}

func TestGuardKillsWhatAKilledRunnerLeaves(t *testing.T) {
	for name, pid := range killedRunner(t, "runner") {
		eventually(t, name+" dies", func() bool { return !alive(pid) })
	}
}

// The control: without a guard Pdeathsig kills the leaders, and the wrapper's
// child lives on. Should this ever fail, the guard has become superfluous.
func TestWithoutGuardTheGrandchildSurvives(t *testing.T) {
	pids := killedRunner(t, "runner-noguard")
	defer syscall.Kill(-pids["wrapper"], syscall.SIGKILL)
	defer syscall.Kill(-pids["stubborn"], syscall.SIGKILL)
	for _, name := range []string{"plain", "wrapper", "stubborn"} {
		eventually(t, name+" dies", func() bool { return !alive(pids[name]) })
	}
	if !alive(pids["grandchild"]) {
		t.Error("the wrapper's child died without a guard")
	}
}

func TestGuardSurvivesSignals(t *testing.T) {
	g := startGuard(t)
	pid := g.cmd.Process.Pid
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	eventually(t, "the guard ignores them", func() bool {
		mask, err := strconv.ParseUint(status(t, fmt.Sprintf("/proc/%d/status", pid), "SigIgn"), 16, 64)
		return err == nil && mask>>(syscall.SIGINT-1)&1 == 1 && mask>>(syscall.SIGTERM-1)&1 == 1 && mask>>(syscall.SIGHUP-1)&1 == 1
	})
	for _, sig := range signals {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
	closeOK(t, start(t, sh("cat"), g))
	if err := g.Close(); err != nil {
		t.Error(err)
	}
}

func TestGuardsCloseKillsWhatStillRuns(t *testing.T) {
	g := startGuard(t)
	p := start(t, sh(stubbornScript), g)
	line(t, p)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got := p.Diagnosis(); got != "killed by signal 9 (killed)" {
		t.Errorf("Diagnosis = %q", got)
	}
	closeOK(t, p)
}

func TestStartFailsOnceTheGuardIsDead(t *testing.T) {
	g := startGuard(t)
	p := start(t, sh("cat"), g)
	if err := g.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	<-g.done
	closeOK(t, p) // what ran before is ended as ever
	files := descriptors(t)
	dead, err := Start(sh("cat"), g)
	if err == nil {
		dead.Close()
		t.Fatal("started without its guard")
	}
	if got := err.Error(); got != "process: starting /bin/sh: the guard has died: signal: killed" {
		t.Error(got)
	}
	if n := descriptors(t); n != files {
		t.Errorf("%d open files before, %d after", files, n)
	}
	if err := g.Close(); err == nil || err.Error() != "process: the guard failed: signal: killed" {
		t.Errorf("Close: %v", err)
	}
}

// A guard that is a pipe in our hands: what is it told, and when?
func TestGuardIsToldOfStartAndEnd(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	g := &Guard{pipe: w, done: make(chan struct{})}
	p := start(t, sh("cat"), g)
	if got, want := line(t, r), "+"+itoa(p.PID()); got != want {
		t.Errorf("at the start %q, want %q", got, want)
	}
	closeOK(t, p)
	if got, want := line(t, r), "-"+itoa(p.PID()); got != want {
		t.Errorf("at the end %q, want %q", got, want)
	}
	w.Close()
	if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
		t.Errorf("and then %q, %v", rest, err)
	}
}

func TestStartFailsWhenTheGuardCannotBeTold(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	r.Close() // the guard dies, and nobody has noticed yet
	pidFile := t.TempDir() + "/pid"
	p, err := Start(sh("echo $$ >"+pidFile+"; exec sleep 1000"), &Guard{pipe: w, done: make(chan struct{})})
	if err == nil {
		p.Close()
		t.Fatal("started without its guard")
	}
	if got := err.Error(); got != "process: starting /bin/sh: telling the guard: broken pipe" || !errors.Is(err, syscall.EPIPE) {
		t.Error(got)
	}
	// It was killed before or after it could write its number.
	if b, err := os.ReadFile(pidFile); err == nil && len(b) > 0 {
		pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
		if err != nil || alive(pid) {
			t.Errorf("process %s is left, %v", b, err)
		}
	}
}

func TestStartFailsOnAClosedGuard(t *testing.T) {
	g := startGuard(t)
	if err := g.Close(); err != nil {
		t.Fatal(err)
	}
	if p, err := Start(sh("cat"), g); err == nil {
		p.Close()
		t.Error("started on a closed guard")
	}
}

func TestStartGuardErrors(t *testing.T) {
	if _, err := StartGuard(nil); err == nil || err.Error() != "process: guard: no command to start" {
		t.Errorf("%v", err)
	}
	want := "process: starting the guard /no/gogi: no such file or directory"
	if _, err := StartGuard([]string{"/no/gogi"}); err == nil || err.Error() != want {
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
		if want := fmt.Sprintf("line %q: want +pgid or -pgid", test.line+"\n"); err == nil || err.Error() != want {
			t.Errorf("%q: %v", test.in, err)
		}
		if len(groups) > 0 {
			t.Errorf("%q: would kill %v", test.in, groups)
		}
	}
}

// A line cut short by the runner's death must not become another number.
func TestServeGuardIgnoresACutLine(t *testing.T) {
	groups := make(map[int]bool)
	if err := readGroups(reader("+12345\n+678\n-12345\n+23"), groups); err != nil {
		t.Error(err)
	}
	if len(groups) != 1 || !groups[678] {
		t.Errorf("groups %v, want 678", groups)
	}
}
