//go:build linux

package soak

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// mark is in the environment of every process of the test, including the children of gogi.
const mark = "GOGI_SOAK="

// program is a gogi process.
type program struct {
	*exec.Cmd
	tag    string        // follows mark in the environment of gogi and its engines
	stderr string        // a file
	stdout string        // a file
	over   chan struct{} // closed when it has ended
}

// start starts gogi.
func (w *world) start(args ...string) (*program, error) {
	n := w.started.Add(1)
	p := &program{tag: fmt.Sprintf("%s-%d", w.tag, n), over: make(chan struct{})}
	p.stderr, p.stdout = filepath.Join(w.said, fmt.Sprintf("%d.err", n)), filepath.Join(w.said, fmt.Sprintf("%d.out", n))
	p.Cmd = exec.CommandContext(w.t.Context(), w.gogi, args...)
	p.Dir = w.dir
	p.Env = append(os.Environ(), mark+p.tag, "TMPDIR="+w.temp)
	var err error
	var files [2]*os.File
	for i, name := range []string{p.stdout, p.stderr} {
		if files[i], err = os.Create(name); err != nil {
			return nil, err
		}
		defer files[i].Close()
	}
	p.Stdout, p.Stderr = files[0], files[1]
	if err := p.Start(); err != nil {
		return nil, err
	}
	go func() {
		defer close(p.over)
		_ = p.Wait() // ProcessState has the result
	}()
	return p, nil
}

// run runs gogi to its end, and returns its output and exit code.
func (w *world) run(args ...string) (stdout, stderr string, code int) {
	p, err := w.start(args...)
	if err != nil {
		w.t.Errorf("gogi %v: %v", args, err)
		return "", "", -1
	}
	<-p.over
	out, _ := os.ReadFile(p.stdout) // the caller reports a missing text
	stdout, stderr, code = string(out), p.complaints(), p.ProcessState.ExitCode()
	_, _ = os.Remove(p.stdout), os.Remove(p.stderr) // because there are thousands of them
	return stdout, stderr, code
}

func (p *program) complaints() string {
	text, _ := os.ReadFile(p.stderr) // as above
	return string(text)
}

func (p *program) isOver() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

// waitLimit is the longest wait for an event. On a busy machine every event takes much less. Only an event that never
// comes exceeds it.
const waitLimit = 5 * time.Minute

// within waits for at most d until so is true, and reports whether it became true.
func within(d time.Duration, so func() bool) bool {
	limit := time.NewTimer(d)
	defer limit.Stop()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for !so() {
		select {
		case <-limit.C:
			return false
		case <-tick.C:
		}
	}
	return true
}

// rest waits for d, or until the context ends.
func rest(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// living returns the processes, except zombies, whose environment has a variable that begins with word.
func living(word string) (pids []int) {
	files, _ := filepath.Glob("/proc/[0-9]*/environ") // the pattern is valid
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !bytes.Contains(append([]byte{0}, environ...), []byte("\x00"+word)) {
			continue // it has ended, or is not ours
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// family returns the living processes of a program, including itself.
func (p *program) family() []int { return living(mark + p.tag + "\x00") }

// with returns the processes of the family whose environment has a variable.
func (p *program) with(word string) (pids []int) {
	for _, pid := range p.family() {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err == nil && bytes.Contains(environ, []byte("\x00"+word+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// called returns the processes of the family that have a word as an argument.
func (p *program) called(word string) (pids []int) {
	for _, pid := range p.family() {
		line, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err == nil && bytes.Contains(line, []byte("\x00"+word+"\x00")) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// stopped reports whether all threads of a process are stopped.
func stopped(pid int) bool {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid)) // the pattern is valid
	for _, file := range files {
		status, err := os.ReadFile(file)
		if err == nil && !bytes.Contains(status, []byte("\nState:\tT")) {
			return false
		}
	}
	return len(files) > 0
}

// suspend stops a process for a while. It reports whether the process was stopped at the beginning and at the end.
func suspend(pid int, d time.Duration) bool {
	if syscall.Kill(pid, syscall.SIGSTOP) != nil {
		return false
	}
	seen := within(waitLimit, func() bool { return stopped(pid) || gone(pid) }) && stopped(pid)
	if seen {
		rest(context.Background(), d)
		seen = stopped(pid)
	}
	return syscall.Kill(pid, syscall.SIGCONT) == nil && seen
}

// kill kills a process, and reports whether that ended it.
func kill(pid int) bool {
	if syscall.Kill(pid, syscall.SIGKILL) != nil {
		return false
	}
	return within(waitLimit, func() bool { return gone(pid) })
}

// gone reports whether a process has ended.
func gone(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err != nil || bytes.Contains(status, []byte("\nState:\tZ"))
}

// resident returns the resident memory of a process, in kB.
func resident(pid int) (kB float64, ok bool) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(status)) {
		if rest, is := strings.CutPrefix(line, "VmRSS:"); is {
			kB, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kB, err == nil
		}
	}
	return 0, false
}
