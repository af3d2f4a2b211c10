//go:build linux

package process

import (
	"os/exec"
	"testing"

	"gogi/internal/testutil"
)

// TestAChildInAnotherSessionEndsWithTheGuard has a child that leaves its engine's group and session. It runs longer
// than the engine and ends with the guard. A process of another guard and a process without an engine continue.
func TestAChildInAnotherSessionEndsWithTheGuard(t *testing.T) {
	const daemon = `setsid sh -c 'echo $$; exec sleep 1000' & cat`
	ours, other := startGuard(t), startGuard(t)
	ends, stays := start(t, sh(daemon), ours), start(t, sh(daemon), other)
	pid, others := lineNumber(t, ends), lineNumber(t, stays)
	stranger := exec.CommandContext(t.Context(), "sleep", "1000")
	testutil.OK(t, stranger.Start())
	defer stranger.Wait()
	defer stranger.Process.Kill()
	for _, p := range []*Process{ends, stays} {
		testutil.OK(t, p.Close())
	}
	testutil.Require(t, alive(pid) && alive(others), "a child ended with its engine: it has not left the group")
	testutil.OK(t, ours.Close())
	testutil.Eventually(t, "the child ends", func() bool { return !alive(pid) })
	testutil.Check(t, alive(others) && alive(stranger.Process.Pid), "a process of somebody else was killed")
	testutil.OK(t, other.Close())
	testutil.Eventually(t, "the other guard's child ends", func() bool { return !alive(others) })
}
