//go:build !windows

package process

import (
	"os"
	"strconv"
	"time"
)

// CPU returns the processor time that the process and its descendants have used. An ended descendant counts
// only if its parent has waited for it. If the process has ended, CPU returns its total time.
func (p *Process) CPU() (time.Duration, error) {
	p.mu.Lock() // the lock keeps pid valid
	defer p.mu.Unlock()
	if p.reaped {
		state := p.cmd.ProcessState
		return state.UserTime() + state.SystemTime(), nil
	}
	ticks, err := sumOver(p.pid, func(proc string) (int64, error) {
		// These are the fields utime and stime, and the same for awaited children (proc(5), fields 14 to 17).
		n, err := procFields(proc+"/stat", 11, 4)
		return n[0] + n[1] + n[2] + n[3], err
	})
	return time.Duration(ticks) * tick, p.wrap("reading its processor time", err)
}

// tick is the unit of /proc/PID/stat, sysconf(_SC_CLK_TCK) in proc(5). It is 100 per second for programs on every
// Linux that Go supports.
const tick = 10 * time.Millisecond

// Resident returns the memory use of the process and its descendants in bytes, without shared file pages: the
// fields resident minus shared of /proc/PID/statm. If the process has ended, the error wraps
// os.ErrProcessDone.
func (p *Process) Resident() (int64, error) {
	p.mu.Lock() // the lock keeps pid valid
	defer p.mu.Unlock()
	if p.reaped {
		return 0, p.wrap("reading its memory", os.ErrProcessDone)
	}
	pages, err := sumOver(p.pid, func(proc string) (int64, error) {
		n, err := procFields(proc+"/statm", 1, 2) // size resident shared …, in pages
		return n[0] - n[1], err
	})
	return pages * int64(os.Getpagesize()), p.wrap("reading its memory", err)
}

// sumOver adds the numbers that read returns for the folders in /proc of pid and, recursively, of its running
// children.
func sumOver(pid int, read func(proc string) (int64, error)) (int64, error) {
	proc := "/proc/" + strconv.Itoa(pid)
	sum, err := read(proc)
	if err != nil {
		return 0, err
	}
	threads, _ := os.ReadDir(proc + "/task") // fails if the process has just ended
	for _, thread := range threads {
		for _, child := range childrenOf(proc + "/task/" + thread.Name()) {
			if more, err := sumOver(child, read); err == nil { // otherwise the child has just ended
				sum += more
			}
		}
	}
	return sum, nil
}
