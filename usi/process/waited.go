package process

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Waited is the time that all threads of the process and of its descendants have
// spent runnable, but waiting for a CPU, as far as it has been seen. The difference
// of two calls tells how much the machine slowed the engine down between them; it is
// never negative.
//
// Two things make it too small. A thread that has ended took with it what it waited
// after the last call. And the kernel adds a wait up when it is over: one that goes
// on counts from the second call in a row that has found the thread waiting, and
// not having run in between.
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
	d, err := p.waits.look(p.pid, time.Now())
	return d, p.wrap("reading its waiting time", err)
}

// waits is what was seen of the waiting of a process, from look to look. The zero
// value has seen nothing.
type waits struct {
	threads   map[int]wait  // by number
	ended     time.Duration // what threads had waited that are gone
	looks     int
	processes []int // descendants that the last look has seen
}

// wait is one thread's.
type wait struct {
	schedstat
	look   int           // the last that it was seen in
	queued time.Time     // since when it is known to wait for a CPU; zero: it is not
	going  time.Duration // what it waits already, and waited does not know yet
}

// schedstat is what /proc/PID/task/TID/schedstat says.
type schedstat struct {
	ran, waited time.Duration // on a CPU, and ready for one
	slices      int64         // how often it was given one
}

// look adds up for a process and its descendants.
func (w *waits) look(pid int, now time.Time) (time.Duration, error) {
	if w.threads == nil {
		w.threads = map[int]wait{}
	}
	w.looks++
	w.processes = w.processes[:0]
	if err := w.see(pid, now); err != nil {
		return 0, err
	}
	return w.sum(), nil
}

// sum is what has been waited up to the last look. Threads that it has not seen have
// ended.
func (w *waits) sum() time.Duration {
	var living time.Duration
	for tid, t := range w.threads {
		if t.look != w.looks {
			w.ended += t.waited + t.going
			delete(w.threads, tid)
			continue
		}
		living += t.waited + t.going
	}
	return w.ended + living
}

// see looks at all threads of a process and, recursively, at its children.
func (w *waits) see(pid int, now time.Time) error {
	tasks := "/proc/" + strconv.Itoa(pid) + "/task/"
	entries, err := os.ReadDir(tasks)
	if err != nil && !gone(err) {
		return err
	}
	alive := 0
	for _, entry := range entries {
		tid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		thread := tasks + entry.Name()
		stat, err := readSchedstat(thread)
		if gone(err) {
			continue
		}
		if err != nil {
			return err
		}
		alive++
		w.note(tid, stat, now, func() bool { return isReady(thread) })
		for _, child := range childrenOf(thread) {
			w.processes = append(w.processes, child)
			_ = w.see(child, now) // a child that cannot be read has just ended
		}
	}
	if alive == 0 {
		return fmt.Errorf("no /proc/%d/task/*/schedstat", pid)
	}
	return nil
}

// note takes what was read of a thread. ready tells whether it is on a CPU or waits
// for one; it is asked only where the thread has not run since the last look, so that
// ready means that it waits.
func (w *waits) note(tid int, stat schedstat, now time.Time, ready func() bool) {
	last, known := w.threads[tid]
	if known && (stat.ran < last.ran || stat.waited < last.waited) { // another thread with its number
		w.ended += last.waited + last.going
		known = false
	}
	t := wait{schedstat: stat, look: w.looks}
	if known && stat == last.schedstat && ready() {
		if t.queued = last.queued; t.queued.IsZero() {
			t.queued = now
		}
		t.going = now.Sub(t.queued)
	}
	w.threads[tid] = t
}

// isReady reports whether a thread's state is R, running or ready to, proc(5).
func isReady(thread string) bool { return stateOf(thread) == 'R' }

// stateOf is the state of a process or a thread, by its folder in /proc; 0: it is gone.
func stateOf(folder string) byte {
	b, err := readProc(folder + "/stat")
	if err != nil {
		return 0
	}
	_, state, ok := bytes.Cut(b[max(0, bytes.LastIndexByte(b, ')')):], []byte(") "))
	if !ok || len(state) == 0 {
		return 0
	}
	return state[0]
}

// readSchedstat reads "running waiting timeslices", the first two in nanoseconds.
func readSchedstat(thread string) (s schedstat, err error) {
	b, err := readProc(thread + "/schedstat")
	if err != nil {
		return s, err
	}
	fields := strings.Fields(string(b))
	if len(fields) != 3 {
		return s, fmt.Errorf("%s/schedstat: %q: want 3 fields", thread, b)
	}
	var n [3]int64
	for i, field := range fields {
		if n[i], err = strconv.ParseInt(field, 10, 64); err != nil {
			return s, fmt.Errorf("%s/schedstat: %w", thread, err)
		}
	}
	return schedstat{time.Duration(n[0]), time.Duration(n[1]), n[2]}, nil
}

// childrenOf lists what thread forked. What cannot be read has just ended, or is not
// told by this kernel.
func childrenOf(thread string) (pids []int) {
	b, err := readProc(thread + "/children")
	if err != nil {
		return nil
	}
	for _, f := range strings.Fields(string(b)) {
		if pid, err := strconv.Atoi(f); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

// gone reports whether a file of /proc is missing because its thread ended.
func gone(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH)
}
