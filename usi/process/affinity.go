package process

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"gogi/cpus"
)

// Allowed is the CPUs that processes which are started here may run on: what the
// affinity of this one leaves (taskset, numactl), within the cpuset of its cgroup
// (a container's --cpuset-cpus), online.
func Allowed() (cpus.Set, error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return nil, fmt.Errorf("process: asking for the CPUs that can be used here: %w", err)
	}
	var s cpus.Set
	for c := 0; len(s) < mask.Count(); c++ {
		if mask.IsSet(c) {
			s = append(s, c)
		}
	}
	return s, nil
}

// Strayed tells of an engine that has bound itself to other CPUs than it was started
// on (Spec.CPUs), or to fewer: all threads of its group together.
// It is "" where they keep to what was given, where nothing was, and where it cannot
// be known. Engines bind their threads when they make them, so after a game it is
// settled.
func (p *Process) Strayed() string {
	p.mu.Lock() // so that pid is not reaped, and reused, meanwhile
	defer p.mu.Unlock()
	given := cpus.Set{}.Union(p.cpus)
	if p.reaped || len(given) == 0 {
		return ""
	}
	now := mayRunOn(p.pid)
	if len(now) == 0 || now.String() == given.String() {
		return ""
	}
	return fmt.Sprintf("it was started on CPUs %s, and has bound itself to %s", given, now)
}

// mayRunOn adds up the affinities of all threads of a process group: a wrapper's
// engine is in it, too. What has just ended adds nothing.
func mayRunOn(group int) (all cpus.Set) {
	processes, _ := filepath.Glob("/proc/[0-9]*") // the patterns are well formed
	for _, dir := range processes {
		pid, err := strconv.Atoi(filepath.Base(dir))
		if err != nil {
			continue
		}
		if of, err := unix.Getpgid(pid); err != nil || of != group {
			continue
		}
		threads, _ := filepath.Glob(dir + "/task/*/status")
		for _, file := range threads {
			if status, err := os.ReadFile(file); err == nil {
				all = all.Union(affinityIn(status))
			}
		}
	}
	return all
}

// affinityIn is Cpus_allowed_list of a status file of /proc, see proc_pid_status(5).
func affinityIn(status []byte) cpus.Set {
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		if list, ok := strings.CutPrefix(lines.Text(), "Cpus_allowed_list:"); ok {
			s, err := cpus.ParseSet(list)
			if err != nil {
				return nil
			}
			return s
		}
	}
	return nil
}
