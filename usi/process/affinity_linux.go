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

	"gogi/usi/affinity"
)

// Allowed returns the online CPUs that child processes may use: the affinity of this process (taskset,
// numactl), within the cpuset of its cgroup (a container's --cpuset-cpus).
func Allowed() (affinity.Set, error) {
	var mask unix.CPUSet
	if err := unix.SchedGetaffinity(0, &mask); err != nil {
		return nil, fmt.Errorf("process: asking for the CPUs that can be used here: %w", err)
	}
	var s affinity.Set
	for c := 0; len(s) < mask.Count(); c++ {
		if mask.IsSet(c) {
			s = append(s, c)
		}
	}
	return s, nil
}

// pin binds the calling thread to the CPUs. Without CPUs it does nothing. unpin gives the thread back the CPUs that it
// had before. If pin returns an error, the thread has these CPUs, and unpin is nil.
func pin(cpus []int) (unpin func(), err error) {
	if len(cpus) == 0 {
		return func() {}, nil
	}
	var before, want, have unix.CPUSet
	for _, c := range cpus {
		want.Set(c)
		if c < 0 || !want.IsSet(c) { // want.Set ignores numbers that are too high
			return nil, fmt.Errorf("CPUs %v: there can be no CPU %d", cpus, c)
		}
	}
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, fmt.Errorf("CPUs %v: %w", cpus, err)
	}
	if err := unix.SchedSetaffinity(0, &want); err != nil {
		return nil, fmt.Errorf("CPUs %v: none of them can be used here: %w", cpus, err)
	}
	unpin = func() { restoreCPUs(&before) }
	if err := unix.SchedGetaffinity(0, &have); err != nil {
		unpin()
		return nil, fmt.Errorf("CPUs %v: %w", cpus, err)
	}
	if have != want { // the kernel drops CPUs that are offline or not allowed, without an error
		unpin()
		return nil, fmt.Errorf("CPUs %v: only %d of them can be used here", cpus, have.Count())
	}
	return unpin, nil
}

// restoreCPUs gives the calling thread the CPUs of a set. If all of them have gone since, it gives the thread every CPU
// that the system allows.
func restoreCPUs(to *unix.CPUSet) {
	if unix.SchedSetaffinity(0, to) == nil {
		return
	}
	var all unix.CPUSet
	all.Fill()
	_ = unix.SchedSetaffinity(0, &all) // the kernel drops CPUs that are not allowed
}

// mayRunOn returns the union of the CPUs of all threads of the group.
func (p *Process) mayRunOn() affinity.Set { return mayRunOn(p.pid) }

// mayRunOn returns the union of the affinities of all threads of a process group, which includes the engine
// of a wrapper script. It skips processes that have just ended.
func mayRunOn(group int) (all affinity.Set) {
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

// affinityIn parses Cpus_allowed_list of a status file of /proc, see proc_pid_status(5).
func affinityIn(status []byte) affinity.Set {
	for lines := bufio.NewScanner(bytes.NewReader(status)); lines.Scan(); {
		if list, ok := strings.CutPrefix(lines.Text(), "Cpus_allowed_list:"); ok {
			s, err := affinity.ParseSet(list)
			if err != nil {
				return nil
			}
			return s
		}
	}
	return nil
}
