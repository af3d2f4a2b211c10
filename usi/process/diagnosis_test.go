//go:build linux

package process

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"gogi/internal/testutil"
)

func TestDiagnosis(t *testing.T) {
	for _, test := range []struct{ script, want string }{
		{"exit 1", "exit status 1"},
		{"echo no eval file >&2; echo giving up >&2; exit 3", "exit status 3; stderr: no eval file | giving up"},
		{"ulimit -c 0; echo assertion failed >&2; kill -ABRT $$", "killed by signal 6 (aborted); stderr: assertion failed"},
		{"kill -SEGV $$", "killed by signal 11 (segmentation fault)"},
	} {
		spec := sh(test.script)
		spec.Dir = t.TempDir() // for a core dump
		p := start(t, spec, nil)
		testutil.Must(io.ReadAll(p))(t)
		// No wait here: EOF may come before the exit status, and Diagnosis must wait for it.
		testutil.Equal(t, p.Diagnosis(), test.want, "%s", test.script)
	}
}

func TestExit(t *testing.T) {
	for _, test := range []struct {
		script string
		want   Exit
	}{
		{"exit 0", Exit{Mute: true}},
		{"echo no eval file >&2; exit 255", Exit{Mute: true, Status: 255, Stderr: "no eval file"}},
		{"kill -KILL $$", Exit{Mute: true, Status: -1, Signal: syscall.SIGKILL}},
	} {
		p := start(t, sh(test.script), nil)
		testutil.Must(io.ReadAll(p))(t)
		testutil.Equal(t, p.Exit(), test.want, "%s", test.script)
		if status, ok := p.ExitStatus(); ok != (test.want.Signal == 0) || status != max(0, test.want.Status) {
			t.Errorf("%s: exit status %d, %v", test.script, status, ok)
		}
	}
}

// TestAnEngineThatHangsUp requires that the error names the closed end if an engine runs but has closed its input or
// output.
func TestAnEngineThatHangsUp(t *testing.T) {
	p := start(t, sh("exec 1>&-; echo no more >&2; exec sleep 1000"), nil)
	testutil.Must(io.ReadAll(p))(t)
	testutil.Equal(t, p.Diagnosis(), "it closed its output, and is still running; stderr: no more")
	p = start(t, sh("exec <&-; echo closed; exec sleep 1000"), nil)
	got := line(t, p)
	testutil.Require(t, got == "closed", "%v", got)
	_, err := io.WriteString(p, "go\n")
	testutil.Require(t, errors.Is(err, syscall.EPIPE), "wrote to a closed pipe: %v", err)
	testutil.Equal(t, p.Diagnosis(), "it closed its input, and is still running")
}

// TestLastWords requires the last stderr line of a running engine. The text does not contain that the engine is
// running.
func TestLastWords(t *testing.T) {
	p := start(t, sh("echo ready; read go; echo help >&2; echo said; read go; exit 3"), nil)
	for _, step := range []struct{ send, wait, want string }{
		{"", "ready", ""}, {"go\n", "said", "stderr: help"},
	} {
		testutil.Must(io.WriteString(p, step.send))(t)
		got := line(t, p)
		testutil.Require(t, got == step.wait, "read %q", got)
		testutil.Eventually(t, "its last words are "+step.want, func() bool { return p.LastWords() == step.want })
		e := p.Exit()
		testutil.Check(t, e.Running && e.Status == -1, "exit %+v of a living process", e)
	}
	testutil.Must(io.WriteString(p, "go\n"))(t)
	<-p.Done()
	testutil.Equal(t, p.LastWords(), "exit status 3; stderr: help")
}

func TestTail(t *testing.T) {
	var tail tail
	var all strings.Builder
	for _, n := range []int{0, 1, 4000, 95, 1, 7, 5000, 4096, 3} {
		s := strings.Repeat(string(rune('a'+all.Len()%26)), n)
		m, err := tail.Write([]byte(s))
		testutil.Require(t, m == n && err == nil, "Write = %d, %v", m, err)
		all.WriteString(s)
		want := all.String()
		want = want[max(0, len(want)-tailSize):]
		if got, cut := tail.last(); string(got) != want || cut != (all.Len() > tailSize) {
			t.Fatalf("after %d bytes: %d kept, cut %v", all.Len(), len(got), cut)
		}
	}
}

// TestWaited runs two busy threads on one CPU, so they wait for each other, while the leader thread sleeps. The
// process's waiting time must not be that of the leader.
func TestWaited(t *testing.T) {
	cpu, _ := lastCPU(t)
	spec := self("spin")
	spec.CPUs = []int{cpu}
	p := start(t, spec, nil)
	testutil.Eventually(t, "the threads wait for each other", func() bool {
		all := testutil.Must(p.Waited())(t)
		leader := testutil.Must(readSchedstat("/proc/" + itoa(p.PID())))(t)
		return all > leader.waited+50*time.Millisecond
	})
	closeOK(t, p)
	testutil.Fails(t, testutil.Err(p.Waited()), os.ErrProcessDone.Error(), "Waited after the end")
}

func TestWaitedCountsChildren(t *testing.T) {
	if _, err := os.Stat("/proc/thread-self/children"); err != nil {
		t.Skip("this kernel does not tell children: ", err)
	}
	cpu, _ := lastCPU(t)
	spec := sh("(while :; do :; done) & (while :; do :; done) & cat")
	spec.CPUs = []int{cpu}
	p := start(t, spec, nil)
	testutil.Eventually(t, "the children wait for each other", func() bool {
		got := testutil.Must(p.Waited())(t)
		return got > 100*time.Millisecond
	})
}

// The numbers come from ntstatus.h.
func TestEndingOfWindows(t *testing.T) {
	for status, want := range map[int]string{
		3:          "exit status 3",
		0xC0000005: "exit status 0xC0000005 (access violation)",
		0xE06D7363: "exit status 0xE06D7363", // an uncaught C++ exception
	} {
		testutil.Equal(t, (Exit{Status: status}).Ending(), want, "Ending of %d", status)
	}
}
