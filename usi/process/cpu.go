//go:build !windows

package process

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"
)

// CPU is how much processor time the process and its descendants have used, as far
// as the kernel still knows: descendants that ended count when their parents have
// waited for them. Of an ended process it is what was found at its end.
func (p *Process) CPU() (time.Duration, error) {
	p.mu.Lock() // so that pid is not reaped, and reused, meanwhile
	defer p.mu.Unlock()
	if p.reaped {
		state := p.cmd.ProcessState
		return state.UserTime() + state.SystemTime(), nil
	}
	ticks, err := cpuTicks(p.pid)
	return time.Duration(ticks) * tick, p.wrap("reading its processor time", err)
}

// tick is the unit of /proc/PID/stat: proc(5) calls it sysconf(_SC_CLK_TCK), which is
// 100 a second for programs on every Linux that Go runs on.
const tick = 10 * time.Millisecond

// Where /proc/PID/stat has what, counted behind the name of the program: utime,
// stime, and those of the children that were waited for (proc(5), fields 14 to 17).
const firstTime, times = 11, 4

// cpuTicks sums over pid and, recursively, over its living children.
func cpuTicks(pid int) (int64, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	text := string(b)
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:]) // a program's name may hold anything
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
