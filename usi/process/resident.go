//go:build !windows

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Resident returns the memory of the process and its descendants in bytes, without shared file pages:
// resident minus shared of /proc/PID/statm. It returns an error for an ended process, see Waited.
func (p *Process) Resident() (int64, error) {
	p.mu.Lock() // so that nothing reaps pid and the system reuses it
	defer p.mu.Unlock()
	if p.reaped {
		return 0, p.wrap("reading its memory", os.ErrProcessDone)
	}
	pages, err := residentPages(p.pid)
	return pages * int64(os.Getpagesize()), p.wrap("reading its memory", err)
}

// residentPages returns the sum over pid and, recursively, its children.
func residentPages(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(b)) // size resident shared …, in pages
	if len(fields) < 3 {
		return 0, fmt.Errorf("/proc/%d/statm: %q: want 7 fields", pid, b)
	}
	resident, err := strconv.ParseInt(fields[1], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/%d/statm: %w", pid, err)
	}
	shared, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("/proc/%d/statm: %w", pid, err)
	}
	sum := resident - shared
	for _, child := range children(pid) {
		if more, err := residentPages(child); err == nil { // else it has just ended
			sum += more
		}
	}
	return sum, nil
}

// children returns the running children of all threads of a process, if the kernel lists them.
func children(pid int) []int {
	threads, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil
	}
	var list []int
	for _, thread := range threads {
		b, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/children", pid, thread.Name()))
		if err != nil {
			continue
		}
		for _, f := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				list = append(list, child)
			}
		}
	}
	return list
}
