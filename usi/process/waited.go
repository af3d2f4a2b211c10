package process

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Waited is the time that all living threads of the process and of its
// descendants have spent runnable, but waiting for a CPU. The difference of two
// calls tells how much the machine slowed the engine down between them (an
// ended thread takes its time with it, so the difference can be negative).
//
// On a kernel without /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN) only
// the leader is counted: there a wrapper script should exec its engine. It is
// an error that wraps os.ErrProcessDone when the process has ended, and another
// one when the kernel keeps no such statistics.
func (p *Process) Waited() (time.Duration, error) {
	p.mu.Lock() // so that pid is not reaped, and reused, meanwhile
	defer p.mu.Unlock()
	if p.reaped {
		return 0, p.wrap("reading its waiting time", os.ErrProcessDone)
	}
	d, err := waited(p.pid)
	return d, p.wrap("reading its waiting time", err)
}

// waited sums over the threads of pid and, recursively, over its children.
func waited(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", pid))
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	alive := 0
	for _, thread := range threads {
		d, err := threadWaited(thread)
		if gone(err) {
			continue
		}
		if err != nil {
			return 0, err
		}
		alive++
		sum += d + childrenWaited(thread)
	}
	if alive == 0 {
		return 0, fmt.Errorf("no /proc/%d/task/*/schedstat", pid)
	}
	return sum, nil
}

// threadWaited reads "running waiting timeslices", the first two in
// nanoseconds.
func threadWaited(thread string) (time.Duration, error) {
	b, err := os.ReadFile(thread + "/schedstat")
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(b))
	if len(fields) != 3 {
		return 0, fmt.Errorf("%s/schedstat: %q: want 3 fields", thread, b)
	}
	ns, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%s/schedstat: %w", thread, err)
	}
	return time.Duration(ns), nil
}

// childrenWaited sums over the children that thread forked. What cannot be read
// has just ended, or is not told by this kernel, and counts nothing.
func childrenWaited(thread string) time.Duration {
	b, err := os.ReadFile(thread + "/children")
	if err != nil {
		return 0
	}
	var sum time.Duration
	for _, f := range strings.Fields(string(b)) {
		pid, err := strconv.Atoi(f)
		if err != nil {
			continue
		}
		if d, err := waited(pid); err == nil {
			sum += d
		}
	}
	return sum
}

// gone reports whether a file of /proc is missing because its thread ended.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}
