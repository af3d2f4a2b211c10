package process

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Stopped returns the total time for which the process, or one of its descendants, was suspended. A signal
// (state T), a debugger (t) or a frozen cgroup can suspend a process. The time between two calls counts if
// both calls find the process suspended. So a caller that calls Stopped every 20 ms misses at most 40 ms of a
// suspension. The descendants are those that the latest call of Waited found. The result is 0 on systems
// without /proc.
func (p *Process) Stopped() time.Duration {
	p.mu.Lock() // the lock keeps pid valid
	defer p.mu.Unlock()
	if !p.reaped {
		p.stops.look(append([]int{p.pid}, p.waits.processes...), time.Now())
	}
	return p.stops.total
}

// stops has the samples that show for how long a process was suspended.
type stops struct {
	total   time.Duration
	at      time.Time // time of the last sample if it found the process suspended; else zero
	freezer *string   // path of the file that reports a frozen cgroup; "": no file, or the cgroup also contains this program; nil: not known yet
}

func (s *stops) look(pids []int, now time.Time) {
	if !s.isStopped(pids) {
		s.at = time.Time{}
		return
	}
	if !s.at.IsZero() {
		s.total += now.Sub(s.at)
	}
	s.at = now
}

func (s *stops) isStopped(pids []int) bool {
	for _, pid := range pids {
		if state := stateOf("/proc/" + strconv.Itoa(pid)); state == 'T' || state == 't' {
			return true
		}
	}
	if s.freezer == nil {
		file := freezerOf(pids[0])
		s.freezer = &file
	}
	return *s.freezer != "" && isFrozen(*s.freezer)
}

// freezerOf returns the path of the file cgroup.events of a process, see cgroups(7). It returns "" if there is no
// such file, or if the cgroup also contains this program. A freeze of such a cgroup also suspends gogi, so it is a
// standstill.
func freezerOf(pid int) string {
	group, ours := cgroupOf(strconv.Itoa(pid)), cgroupOf("self")
	if group == "" || group == ours {
		return ""
	}
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} { // version 2 alone, and together with version 1
		file := mount + group + "/cgroup.events"
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// cgroupOf returns a process's cgroup of version 2. It returns "" without one.
func cgroupOf(pid string) string {
	text, err := readProc("/proc/" + pid + "/cgroup")
	if err != nil {
		return ""
	}
	for line := range bytes.Lines(text) {
		if group, ok := bytes.CutPrefix(line, []byte("0::")); ok {
			return string(bytes.TrimSpace(group))
		}
	}
	return ""
}

func isFrozen(events string) bool {
	text, err := readProc(events)
	return err == nil && bytes.Contains(text, []byte("frozen 1"))
}
