package process

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// TestStopped requires that a stop of the process or its child counts while it lasts, and still counts after it is
// over.
func TestStopped(t *testing.T) {
	for name, script := range map[string]string{
		"itself":    `echo $$; exec cat`,
		"its child": `sleep 1000 & echo $!; wait`,
	} {
		t.Run(name, func(t *testing.T) {
			p := start(t, sh(script), nil)
			pid := lineNumber(t, p)
			if _, err := p.Waited(); err != nil { // finds the child
				t.Fatal(err)
			}
			for range 3 {
				testutil.Equal(t, p.Stopped(), 0, "before it was stopped")
			}
			testutil.OK(t, unix.Kill(pid, unix.SIGSTOP))
			testutil.Eventually(t, "the process is stopped", func() bool { return stateOf("/proc/"+itoa(pid)) == 'T' })
			testutil.Eventually(t, "the stop is seen", func() bool { return p.Stopped() > 0 })
			testutil.OK(t, unix.Kill(pid, unix.SIGCONT))
			testutil.Eventually(t, "the process goes on", func() bool { return stateOf("/proc/"+itoa(pid)) != 'T' })
			kept := p.Stopped()
			again := p.Stopped()
			testutil.Check(t, kept != 0 && again == kept, "%v, then %v", kept, again)
		})
	}
}

// TestFrozen requires that a frozen cgroup counts as a stop, unless it is this program's own. The state of a frozen
// process is that of a sleeping one.
func TestFrozen(t *testing.T) {
	p := start(t, sh(`echo; exec cat`), nil)
	line(t, p)
	testutil.Equal(t, freezerOf(p.PID()), "", "its cgroup is not another than ours")
	folder := ""
	for _, mount := range []string{"/sys/fs/cgroup", "/sys/fs/cgroup/unified"} {
		name := mount + cgroupOf("self") + "/gogi-test-" + itoa(os.Getpid())
		if _, err := os.Stat(mount + "/cgroup.controllers"); err == nil && os.Mkdir(name, 0o755) == nil {
			folder = name
		}
	}
	if folder == "" {
		t.Skip("no cgroup can be made here")
	}
	defer os.Remove(folder)
	defer p.Close()
	set := func(file, text string) error { return os.WriteFile(folder+"/"+file, []byte(text), 0o600) }
	if err := set("cgroup.procs", itoa(p.PID())); err != nil {
		t.Skip("no process can be moved here: ", err)
	}
	testutil.Equal(t, p.Stopped(), 0, "before it was frozen")
	if err := set("cgroup.freeze", "1"); err != nil {
		t.Skip("this kernel freezes no cgroups: ", err)
	}
	testutil.Eventually(t, "the cgroup is frozen", func() bool {
		return isFrozen(testutil.Must(readProc(folder + "/cgroup.events"))(t))
	})
	state := stateOf("/proc/" + itoa(p.PID()))
	testutil.Check(t, state != 'T' && state != 't', "state %c: this tests no cgroup", state)
	testutil.Eventually(t, "the frozen process is seen", func() bool { return p.Stopped() > 0 })
	testutil.OK(t, set("cgroup.freeze", "0"))
}
