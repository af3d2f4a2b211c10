//go:build !windows

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU returns the processor time that the process and its descendants have used. Descendants that ended count
// only if their parents have waited for them. For an ended process it is the time at its end.
func (p *Process) CPU() (time.Duration, error) {
	p.mu.Lock() // so that nothing reaps pid and the system reuses it
	defer p.mu.Unlock()
	if p.reaped {
		state := p.cmd.ProcessState
		return state.UserTime() + state.SystemTime(), nil
	}
	ticks, err := cpuTicks(p.pid)
	return time.Duration(ticks) * tick, p.wrap("reading its processor time", err)
}

// tick is the unit of /proc/PID/stat, sysconf(_SC_CLK_TCK) in proc(5). It is 100 per second for programs on
// every Linux that Go supports.
const tick = 10 * time.Millisecond

// The fields of /proc/PID/stat after the program's name: utime, stime, and those of awaited children
// (proc(5), fields 14 to 17).
const firstTime, times = 11, 4

// cpuTicks returns the sum over pid and, recursively, its running children.
func cpuTicks(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	text := string(b)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // a program's name may contain any character
	if len(fields) < firstTime+times {
		return 0, fmt.Errorf("/proc/%d/stat: %q: want 52 fields", pid, b)
	}
	sum := int64(0)
	for _, f := range fields[firstTime : firstTime+times] {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("/proc/%d/stat: %w", pid, err)
		}
		sum += n
	}
	for _, child := range children(pid) {
		if more, err := cpuTicks(child); err == nil { // else it has just ended
			sum += more
		}
	}
	return sum, nil
}
