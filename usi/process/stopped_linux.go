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
		p.stops.look(p.pid, p.waits.processes, time.Now())
	}
	return p.stops.total
}

// stops has the samples that show for how long a process was suspended. Its files stay open from the first sample until
// close.
type stops struct {
	total  time.Duration
	at     time.Time // time of the last sample if it found the process suspended; else zero
	leader openStat  // stat of the started process
	// the file that reports a frozen cgroup; not open: there is none, or the cgroup also contains this program
	freezer openStat
	looked  bool
}

// look takes a sample of the started process pid and its descendants.
func (s *stops) look(pid int, descendants []int, now time.Time) {
	if !s.looked {
		s.looked = true
		s.open(pid)
	}
	if !s.isStopped(pid, descendants) {
		s.at = time.Time{}
		return
	}
	if !s.at.IsZero() {
		s.total += now.Sub(s.at)
	}
	s.at = now
}

// open opens the files. A file that cannot be opened stays closed.
func (s *stops) open(pid int) {
	// The file of the thread is cheaper than the one of the process, which sums over all threads. The state is the same.
	_ = s.leader.open(taskFile(pid, pid, "stat"))
	if file := freezerOf(pid); file != "" {
		_ = s.freezer.open(file)
	}
}

func (s *stops) close() {
	s.leader.close()
	s.freezer.close()
}

func (s *stops) isStopped(pid int, descendants []int) bool {
	if isSuspended(s.stateOf(pid)) {
		return true
	}
	for _, pid := range descendants {
		if isSuspended(stateOf("/proc/" + strconv.Itoa(pid))) {
			return true
		}
	}
	if !s.freezer.isOpen() {
		return false
	}
	text, err := s.freezer.read()
	return err == nil && isFrozen(text)
}

// stateOf returns the state of the started process. It uses a descriptor for a moment if none could stay open.
func (s *stops) stateOf(pid int) byte {
	if !s.leader.isOpen() {
		return stateOf("/proc/" + strconv.Itoa(pid))
	}
	text, err := s.leader.read()
	if err != nil {
		return 0
	}
	return stateIn(text)
}

// isSuspended reports whether a state of proc(5) is that of a process that a signal (T) or a debugger (t) has stopped.
func isSuspended(state byte) bool { return state == 'T' || state == 't' }

// freezerOf returns the path of the file cgroup.events of a process, see cgroups(7). It returns "" if there is no
// such file, or if the cgroup also contains this program. A freeze of such a cgroup also suspends gogi, so it is a
// standstill.
func freezerOf(pid int) string {
	group, ours := cgroupOf(strconv.Itoa(pid)), cgroupOf("self")
	if group == "" || group == ours {
		return ""
	}
	// version 2 alone, and together with version 1
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
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

// isFrozen reports whether the content of a file cgroup.events is that of a frozen cgroup, cgroups(7).
func isFrozen(events []byte) bool { return bytes.Contains(events, []byte("frozen 1")) }
