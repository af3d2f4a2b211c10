package process

import (
	"bytes"
	"os"
	"strconv"
	"time"
)

// Stopped is how long the process, or one of its descendants, has been seen to be stopped:
// by a signal (state T), by a debugger (t), or because its cgroup is frozen. It grows from
// one call to the next while both find it stopped, so a caller that asks every 20 ms misses
// at most 40 ms of a stop. Descendants are those that the last Waited has seen. It is 0 on
// systems without /proc.
func (p *Process) Stopped() time.Duration {
	p.mu.Lock() // so that pid is not reaped, and reused, meanwhile
	defer p.mu.Unlock()
	if !p.reaped {
		p.stops.look(append([]int{p.pid}, p.waits.processes...), time.Now())
	}
	return p.stops.total
}

// stops is what was seen of the stops of a process, from look to look.
type stops struct {
	total   time.Duration
	at      time.Time // of the last look that found it stopped; zero: the last one did not
	freezer *string   // the file that tells whether its cgroup is frozen; "": none that is not ours as well; nil: not known yet
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

// freezerOf is the cgroup.events file of a process, see cgroups(7); "" where it has none, and
// where it is this program's own: what freezes both is a standstill.
func freezerOf(pid int) string {
	group, ours := cgroupOf(strconv.Itoa(pid)), cgroupOf("self")
	if group == "" || group == ours {
		return ""
	}
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} { // alone, and beside version 1
		file := mount + group + "/cgroup.events"
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	return ""
}

// cgroupOf is a process's group of cgroup version 2; "" where there is none.
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
