//go:build linux

package process

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// childEnv marks a test binary that was started again. Its first argument selects what it does.
const childEnv = "GOGI_PROCESS_TEST_CHILD"

// waitLimit is far longer than any step takes on a busy machine.
const waitLimit = testutil.WaitLimit

func TestMain(m *testing.M) {
	// A fuzzing worker is also this binary, but its arguments are flags.
	if os.Getenv(childEnv) != "" && !strings.HasPrefix(os.Args[1], "-") {
		os.Exit(beChild(os.Args[1]))
	}
	os.Setenv(childEnv, "1")                 // for every child; this process does not read it again
	os.Setenv("GORACE", "atexit_sleep_ms=0") // otherwise a child built with -race takes a second to exit
	os.Exit(m.Run())
}

func beChild(what string) int {
	var err error
	switch what {
	case "echo":
		_, err = io.Copy(os.Stdout, os.Stdin)
	case "spin":
		err = beSpinning()
	case "scarce":
		err = beScarce()
	case "stray":
		err = beStraying()
	case "guard":
		err = ServeGuard(os.Stdin)
	case "runner", "runner-noguard", "runner-second-guard":
		err = beRunner(what)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// beSpinning keeps two threads busy, neither of which is the leader.
func beSpinning() error {
	for range 2 {
		go func() {
			runtime.LockOSThread()
			for { //nolint:staticcheck // a busy hang is the point
			}
		}()
	}
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

// beStraying binds one of its threads to all its CPUs after the first line of its input. Another thread keeps its CPUs.
func beStraying() error {
	in := bufio.NewReader(os.Stdin)
	if _, err := in.ReadString('\n'); err != nil {
		return err
	}
	bound := make(chan error)
	go func() {
		runtime.LockOSThread()
		var all unix.CPUSet
		all.Fill()
		bound <- unix.SchedSetaffinity(0, &all)
		select {} // the thread does not end
	}()
	fmt.Println("bound", <-bound)
	_, err := io.Copy(io.Discard, in)
	return err
}

const (
	// wrapperScript prints the process ID of a background child that ignores SIGTERM and ends only when killed. The script
	// itself ends at the end of stdin.
	wrapperScript = `sh -c 'trap "" TERM; exec sleep 1000' & echo $!; cat >/dev/null`
	// stubbornScript ignores the end of stdin and SIGTERM, and so does its sleep.
	stubbornScript = `trap "" TERM; echo ready; while :; do sleep 1000; done`
)

// beRunner starts engines, prints "name pid" lines, and waits to be killed.
func beRunner(what string) error {
	var guard *Guard
	told, tell := changes()
	if what != "runner-noguard" {
		var err error
		if guard, err = StartGuard([]string{os.Args[0], "guard"}, tell); err != nil {
			return err
		}
		if what == "runner" {
			fmt.Println("guard", guard.life.cmd.Process.Pid)
		}
	}
	for name, spec := range map[string]Spec{
		"plain":    {Command: []string{os.Args[0], "echo"}},
		"wrapper":  sh(wrapperScript),
		"stubborn": sh(stubbornScript),
	} {
		p, err := Start(spec, guard)
		if err != nil {
			return err
		}
		fmt.Println(name, p.PID())
		if name == "wrapper" {
			line, err := bufio.NewReader(p).ReadString('\n')
			if err != nil {
				return err
			}
			fmt.Print("grandchild ", line)
		}
	}
	if what == "runner-second-guard" {
		if err := guard.life.cmd.Process.Kill(); err != nil {
			return err
		}
		<-told
		guard.mu.Lock()
		fmt.Println("guard", guard.life.cmd.Process.Pid)
		guard.mu.Unlock()
	}
	fmt.Println("all 0")
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func sh(script string) Spec { return Spec{Command: []string{"/bin/sh", "-c", script}} }

func self(what string) Spec { return Spec{Command: []string{os.Args[0], what}} }

// start starts a process whose Read fails after waitLimit.
func start(t *testing.T, spec Spec, guard *Guard) *Process {
	t.Helper()
	p := testutil.Must(Start(spec, guard))(t)
	t.Cleanup(func() { p.Close() })
	testutil.OK(t, p.SetReadDeadline(time.Now().Add(waitLimit)))
	return p
}

func startGuard(t *testing.T) *Guard {
	t.Helper()
	g := testutil.Must(StartGuard([]string{os.Args[0], "guard"}, nil))(t)
	t.Cleanup(func() { g.Close() })
	return g
}

// line reads one line. It reads single bytes, so it takes nothing of the next line.
func line(t *testing.T, r io.Reader) string {
	t.Helper()
	var s strings.Builder
	for b := make([]byte, 1); ; {
		testutil.OK(t, testutil.Err(io.ReadFull(r, b)), "after %q", s.String())
		if b[0] == '\n' {
			return s.String()
		}
		s.WriteByte(b[0])
	}
}

func lineNumber(t *testing.T, r io.Reader) int {
	t.Helper()
	return testutil.Must(strconv.Atoi(line(t, r)))(t)
}

// alive reports whether pid runs; a zombie does not.
func alive(pid int) bool {
	state, _ := stat(pid)
	return state != "" && state != "Z" && state != "X"
}

// group lists the living members of a process group.
func group(pgid int) []int {
	var members []int
	dirs, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range dirs {
		pid, _ := strconv.Atoi(filepath.Base(dir))
		if state, g := stat(pid); g == pgid && state != "Z" && state != "X" {
			members = append(members, pid)
		}
	}
	return members
}

// stat returns a process's state letter and group. state is "" if there is no such process.
func stat(pid int) (state string, pgid int) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return "", 0
	}
	// pid (name with any characters) state ppid pgrp …
	s := string(b)
	f := strings.Fields(s[strings.LastIndexByte(s, ')')+1:])
	pgid, _ = strconv.Atoi(f[2])
	return f[0], pgid
}

// status returns a field of the status file of a process or a thread.
func status(t *testing.T, file, field string) string {
	t.Helper()
	b := testutil.Must(os.ReadFile(file))(t)
	for l := range strings.Lines(string(b)) {
		if v, ok := strings.CutPrefix(l, field+":"); ok {
			return strings.TrimSpace(v)
		}
	}
	t.Fatalf("%s: no %s", file, field)
	return ""
}

// lastCPU returns the highest CPU that this process may use, and all of them in the kernel's format.
func lastCPU(t *testing.T) (cpu int, allowed string) {
	t.Helper()
	allowed = status(t, "/proc/self/status", "Cpus_allowed_list")
	last := allowed[strings.LastIndexAny(allowed, "-,")+1:]
	cpu = testutil.Must(strconv.Atoi(last))(t)
	return cpu, allowed
}

func first(n int, _ string) int { return n }

func itoa(n int) string { return strconv.Itoa(n) }

// threadsWith lists the threads of this process with exactly this affinity.
func threadsWith(t *testing.T, cpus string) (ids []string) {
	t.Helper()
	threads, _ := filepath.Glob("/proc/self/task/*/status")
	for _, file := range threads {
		b, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(b), "\nCpus_allowed_list:\t"+cpus+"\n") {
			ids = append(ids, filepath.Base(filepath.Dir(file)))
		}
	}
	return ids
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries := testutil.Must(os.ReadDir("/proc/self/fd"))(t)
	return len(entries)
}

func reader(s string) *bufio.Reader { return bufio.NewReader(strings.NewReader(s)) }
