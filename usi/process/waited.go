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

// Waited returns the total time in which threads of the process and its descendants were ready to run but had
// no CPU. Each call reads the counters of the kernel. The difference of two results is the machine-induced
// delay between the calls; it is never negative.
//
// Two effects make the result too small. If a thread ends, its wait after the last call is lost. And the
// kernel counts a wait only when the thread runs again. Waited itself adds a wait that is not over yet, from
// the second call in a row that finds the thread waiting and not having run.
//
// On a kernel without /proc/PID/task/TID/children (CONFIG_PROC_CHILDREN) only the started program counts; a
// wrapper script should then exec its engine. The error wraps os.ErrProcessDone if the process has ended.
// Waited also returns an error if the kernel has no such statistics.
func (p *Process) Waited() (time.Duration, error) {
	p.mu.Lock() // the lock keeps pid valid
	defer p.mu.Unlock()
	if p.reaped {
		return 0, p.wrap("reading its waiting time", os.ErrProcessDone)
	}
	d, err := p.waits.look(p.pid, time.Now())
	return d, p.wrap("reading its waiting time", err)
}

// waits has samples of the time that a process's threads wait for a CPU. The zero value has no samples.
type waits struct {
	threads   map[int]wait  // by number
	ended     time.Duration // the waits of ended threads
	looks     int
	processes []int // descendants in the last sample
}

// wait is the sample of one thread.
type wait struct {
	schedstat
	look   int           // number of the last sample with this thread
	queued time.Time     // time of the first sample that found it waiting; zero: it is not waiting
	going  time.Duration // its current wait, which is not part of waited yet
}

// schedstat has the content of /proc/PID/task/TID/schedstat.
type schedstat struct {
	ran, waited time.Duration // time on a CPU, and time ready for a CPU
	slices      int64         // number of time slices
}

// look takes a sample of a process and its descendants and returns the total wait.
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

// sum returns the total wait up to the last sample. Threads that are missing in the last sample have ended.
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

// see samples all threads of a process and, recursively, its children.
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
			_ = w.see(child, now) // an error means that the child has just ended
		}
	}
	if alive == 0 {
		return fmt.Errorf("no /proc/%d/task/*/schedstat", pid)
	}
	return nil
}

// note stores the sample of the thread tid. ready reports whether the thread is on a CPU or waits for one. note calls
// ready only if the thread has not run since the last sample; then true means that the thread waits.
func (w *waits) note(tid int, stat schedstat, now time.Time, ready func() bool) {
	last, known := w.threads[tid]
	if known && (stat.ran < last.ran || stat.waited < last.waited) { // another thread has the same number now
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

// isReady reports whether a thread's state is R (running or runnable), proc(5).
func isReady(thread string) bool { return stateOf(thread) == 'R' }

// stateOf reads the state of a process or thread from its folder in /proc. It returns 0 if it has ended.
func stateOf(folder string) byte {
	text, err := readProc(folder + "/stat")
	if err != nil {
		return 0
	}
	return stateIn(text)
}

// stateIn returns the state in the content of a file stat, proc(5). It returns 0 if there is none.
func stateIn(stat []byte) byte {
	_, state, ok := bytes.Cut(stat[max(0, bytes.LastIndexByte(stat, ')')):], []byte(") "))
	if !ok || len(state) == 0 {
		return 0
	}
	return state[0]
}

// readSchedstat reads and parses the file schedstat of a thread from its folder in /proc.
func readSchedstat(thread string) (schedstat, error) {
	text, err := readProc(thread + "/schedstat")
	if err != nil {
		return schedstat{}, err
	}
	return parseSchedstat(text)
}

// parseSchedstat parses "running waiting timeslices", the first two in nanoseconds.
func parseSchedstat(text []byte) (schedstat, error) {
	n, err := fieldsOf(text, 0, 3)
	if err != nil {
		return schedstat{}, fmt.Errorf("schedstat: %w", err)
	}
	return schedstat{time.Duration(n[0]), time.Duration(n[1]), n[2]}, nil
}

// procFields reads a file of /proc and parses some of its fields, see fieldsOf.
func procFields(file string, first, count int) ([4]int64, error) {
	text, err := readProc(file)
	if err != nil {
		return [4]int64{}, err
	}
	numbers, err := fieldsOf(text, first, count)
	if err != nil {
		err = fmt.Errorf("%s: %w", file, err)
	}
	return numbers, err
}

// fieldsOf parses count whole numbers, at most four. first is the index of the first field, from 0; in stat it counts
// from the field after the program's name. It allocates nothing.
func fieldsOf(text []byte, first, count int) (numbers [4]int64, err error) {
	rest := text[bytes.LastIndexByte(text, ')')+1:] // a program's name may contain any character
	for i := range first + count {
		var field []byte
		rest = bytes.TrimLeft(rest, " \n")
		field, rest = cutField(rest)
		if len(field) == 0 {
			return [4]int64{}, fmt.Errorf("%q: want %d fields", text, first+count)
		}
		if i < first {
			continue
		}
		if numbers[i-first], err = strconv.ParseInt(string(field), 10, 64); err != nil {
			return [4]int64{}, err
		}
	}
	return numbers, nil
}

// cutField returns the bytes before the first blank, and the rest.
func cutField(text []byte) (field, rest []byte) {
	if i := bytes.IndexAny(text, " \n"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, nil
}

// childrenOf returns the children of a thread. It returns nothing if the thread has ended or the kernel has
// no such list.
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
