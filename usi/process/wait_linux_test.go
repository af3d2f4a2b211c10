package process

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"gogi/internal/testutil"
)

// TestAwaitExit requires of both ways to wait that they return only after the end of the process, and do not reap it.
func TestAwaitExit(t *testing.T) {
	for name, await := range map[string]func(*Process) bool{
		"descriptor": (*Process).awaitDescriptor,
		"thread":     func(p *Process) bool { p.awaitOnThread(); return true },
	} {
		t.Run(name, func(t *testing.T) {
			ours, theirs, err := makePipes()
			testutil.OK(t, err)
			defer closeAll(ours)
			p := &Process{cmd: sh("echo; read line; exit 3").cmd()}
			p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirs[0], theirs[1], theirs[2]
			testutil.OK(t, onStarter(func() error { return p.launch(nil) }))
			closeAll(theirs)
			testutil.Check(t, !hasEnded(p.pid), "it has ended before it began to wait for its input")
			ended := make(chan bool, 1)
			go func() { ended <- await(p) }()
			testutil.Must(ours[0].WriteString("\n"))(t)
			testutil.Check(t, <-ended, "this way to wait is not possible here")
			testutil.Check(t, hasEnded(p.pid), "it has not ended")
			var status unix.WaitStatus
			pid, err := unix.Wait4(p.pid, &status, 0, nil)
			testutil.Check(t, err == nil && pid == p.pid && status.ExitStatus() == 3, "pid %d, %v, status %v", pid, err, status)
		})
	}
}

// TestEnginesNeedNoThreads requires that this program has fewer new threads than engines that it started.
func TestEnginesNeedNoThreads(t *testing.T) {
	const engines = 40
	threads := func() int { return len(testutil.Must(os.ReadDir("/proc/self/task"))(t)) }
	before := threads()
	for range engines {
		p := start(t, sh("echo; exec cat"), nil)
		line(t, p)
	}
	if now := threads(); now-before >= engines/2 {
		t.Errorf("%d threads, before %d, with %d engines", now, before, engines)
	}
}
