package builder

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Limits of a job.
const (
	// bytes of the private memory of one process; in a cgroup of all memory of all processes without the files
	memory    = 8 << 30
	fileSpace = 2 << 30 // bytes of all files, see Sandbox.space
	tasks     = 512     // processes and threads
)

// Names of the cgroups that builds makes.
const (
	workerGroup = "gogi-worker"
	buildsGroup = "gogi-builds"
)

// delegated returns the folder of this process's cgroup (version 2), if a cgroup for builds can be made in it. For this
// the system must have delegated it: this user may write to it, it has the controller of memory, and it has no
// processes but this one and its children. Otherwise delegated returns "". root is where cgroups are mounted, and proc
// is where the system shows processes.
func delegated(root, proc string) string {
	text, err := os.ReadFile(filepath.Join(proc, "self/cgroup"))
	path, only := strings.CutPrefix(strings.TrimSpace(string(text)), "0::") // a system with version 1 has more lines
	if err != nil || !only || strings.Contains(path, "\n") {
		return ""
	}
	dir := filepath.Join(root, path)
	if outer := filepath.Dir(dir); filepath.Base(dir) == workerGroup && exists(filepath.Join(outer, buildsGroup)) {
		dir = outer // the program that this one replaced, as in an update, has moved into the inner one
	}
	controllers, _ := os.ReadFile(filepath.Join(dir, "cgroup.controllers"))
	if !slices.Contains(strings.Fields(string(controllers)), "memory") {
		return ""
	}
	for _, pid := range processes(dir) {
		if pid != strconv.Itoa(os.Getpid()) && parent(proc, pid) != strconv.Itoa(os.Getpid()) {
			return ""
		}
	}
	return dir
}

// processes returns the numbers of the processes in a cgroup.
func processes(dir string) []string {
	text, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")) // without it the cgroup is none
	return strings.Fields(string(text))
}

func exists(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// parent returns the number of a process's parent, or "" if the process has ended.
func parent(proc, pid string) string {
	text, _ := os.ReadFile(filepath.Join(proc, pid, "status"))
	_, after, _ := bytes.Cut(text, []byte("\nPPid:\t"))
	number, _, _ := bytes.Cut(after, []byte("\n"))
	return string(number)
}

// builds makes the cgroup buildsGroup in the folder of a cgroup and limits its memory. It moves this process
// and its children to another cgroup in the folder, because a cgroup with limited children has no processes of its
// own. builds returns the folder of the new cgroup. It returns "" for "", and if the system rejects a step: then a
// build has the limits of its processes only.
func builds(dir string) string {
	if dir == "" {
		return ""
	}
	worker, group := filepath.Join(dir, workerGroup), filepath.Join(dir, buildsGroup)
	for _, made := range []string{worker, group} {
		if err := os.Mkdir(made, 0o755); err != nil && !os.IsExist(err) {
			return ""
		}
	}
	for _, pid := range processes(dir) {
		if set(worker, "cgroup.procs", pid) != nil {
			return ""
		}
	}
	if set(dir, "cgroup.subtree_control", "+memory") != nil ||
		set(group, "memory.max", strconv.Itoa(memory+fileSpace)) != nil {
		return ""
	}
	_ = set(group, "memory.swap.max", "0")  // a system without swap has no such file
	_ = set(group, "memory.oom.group", "1") // the job ends as a whole; before Linux 4.19 single processes end
	return group
}

// set writes a value to a file of a cgroup.
func set(dir, file, value string) error {
	f, err := os.OpenFile(filepath.Join(dir, file), os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("cgroup: %w", err)
	}
	_, err = f.WriteString(value)
	if end := f.Close(); err == nil {
		err = end
	}
	return err
}
