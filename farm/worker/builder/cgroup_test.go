package builder_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gogi/farm/worker/builder"
	"gogi/internal/testutil"
)

// TestCgroup: gogi makes a cgroup for builds exactly if the system has delegated one. The files are those of cgroup
// version 2 as the kernel's documentation (admin-guide/cgroup-v2) describes them, in ordinary folders.
func TestCgroup(t *testing.T) {
	self := fmt.Sprint(os.Getpid())
	for name, c := range map[string]struct {
		change map[string]string // content of files; "-": the file is missing
		want   string
	}{
		"delegated": {nil, "root/a/gogi-builds"},
		"alone":     {map[string]string{"root/a/cgroup.procs": self + "\n"}, "root/a/gogi-builds"},
		"after an update": {map[string]string{"proc/self/cgroup": "0::/a/gogi-worker\n", "root/a/cgroup.procs": "",
			"root/a/gogi-worker/cgroup.procs": self + "\n"}, "root/a/gogi-builds"},
		"the same name": {map[string]string{"proc/self/cgroup": "0::/gogi-worker\n",
			"root/gogi-worker/cgroup.controllers": "memory\n"}, ""},
		"version 1":             {map[string]string{"proc/self/cgroup": "4:memory:/a\n0::/a\n"}, ""},
		"version 1 alone":       {map[string]string{"proc/self/cgroup": "4:memory:/a\n"}, ""},
		"no /proc":              {map[string]string{"proc/self/cgroup": "-"}, ""},
		"no memory":             {map[string]string{"root/a/cgroup.controllers": "cpu pids\n"}, ""},
		"another program":       {map[string]string{"proc/4242/status": "Name:\tsh\nPPid:\t1\n"}, ""},
		"a program that ended":  {map[string]string{"proc/4242/status": "-"}, ""},
		"the system rejects it": {map[string]string{"root/a/cgroup.subtree_control": "-"}, ""},
		"no limit of memory":    {map[string]string{"root/a/gogi-builds/memory.max": "-"}, ""},
		"no swap, an old system": {map[string]string{"root/a/gogi-builds/memory.swap.max": "-",
			"root/a/gogi-builds/memory.oom.group": "-"}, "root/a/gogi-builds"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			files := map[string]string{
				"proc/self/cgroup": "0::/a\n", "proc/4242/status": "Name:\tgogi\nPPid:\t" + self + "\nTracerPid:\t0\n",
				"root/a/cgroup.procs": self + "\n4242\n", "root/a/cgroup.controllers": "cpu memory pids\n",
				"root/a/cgroup.subtree_control":   "",
				"root/a/gogi-worker/cgroup.procs": "", "root/a/gogi-builds/memory.max": "",
				"root/a/gogi-builds/memory.swap.max": "", "root/a/gogi-builds/memory.oom.group": "",
			}
			maps.Copy(files, c.change)
			for _, file := range slices.Sorted(maps.Keys(files)) {
				path := filepath.Join(dir, file)
				testutil.OK(t, os.MkdirAll(filepath.Dir(path), 0o755))
				if files[file] != "-" {
					testutil.OK(t, os.WriteFile(path, []byte(files[file]), 0o600))
				}
			}
			got := builder.Cgroup(filepath.Join(dir, "root"), filepath.Join(dir, "proc"))
			testutil.Equal(t, strings.TrimPrefix(got, dir+"/"), c.want, "the cgroup")
			if got == "" {
				return
			}
			read := func(file string) string {
				return string(testutil.Must(os.ReadFile(filepath.Join(dir, "root/a", file)))(t))
			}
			testutil.Equal(t, read("cgroup.subtree_control"), "+memory", "the controllers of the children")
			testutil.Equal(t, read("gogi-builds/memory.max"), "10737418240", "10 GiB, for 8 of memory and 2 of files")
			if name == "delegated" {
				testutil.Check(t, strings.HasPrefix(read("gogi-worker/cgroup.procs"), "4242"), "the child has not moved last")
				testutil.Equal(t, read("gogi-builds/memory.swap.max")+read("gogi-builds/memory.oom.group"), "01",
					"swap and the end of a job")
			}
		})
	}
}
