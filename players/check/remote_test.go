package check

import (
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// fakeSSH replaces ssh. It runs the command on this machine, in a session that does not end with the connection. The
// engines of the tests end only by SIGKILL.
const fakeSSH = `#!/bin/sh
shift # the host
exec setsid -w sh -c "$*"
`

// TestCheckOfARemoteEngineKillsTheFarSide: gogi kills a remote engine that ignores quit and the end of its input. To
// kill only the local ssh is not enough, because the engine does not notice it.
func TestCheckOfARemoteEngineKillsTheFarSide(t *testing.T) {
	t.Parallel()
	ssh := filepath.Join(t.TempDir(), "ssh")
	testutil.WriteProgram(t, ssh, fakeSSH)
	behind := func(p *match.Player) { p.Command = append([]string{ssh, "host"}, p.Command...) }

	x := check(t, Options{waits: inVain("hang@quit,stubborn@eof")}, behind, "-script", "hang@quit,stubborn@eof")
	x.marked(t, "hang@quit")
	x.found(t, "usiok", Pass, "fake by nobody")
	x.found(t, "quit", Warn, "it had to be killed")
	x.found(t, "end_of_input", Warn, "it had to be killed")
	x.goneSoon(t)

	x = check(t, Options{Quick: true, waits: inVain("hang@go:6,hang@quit,stubborn@eof")}, behind, "-script",
		"hang@go:6,hang@quit,stubborn@eof")
	x.found(t, "stop", Fail, "hangs on go btime 0 wtime 0 byoyomi 10000 and stop")
	x.found(t, "declaration", anyVerdict, "does not")
	x.goneSoon(t)
}

// goneSoon asserts that every process of the engine ends. It waits, because a remote kill is answered before it is
// done.
func (x *checked) goneSoon(t *testing.T) {
	t.Helper()
	testutil.Eventually(t, "the processes of the engine end", func() bool { return len(running(t, x.mark)) == 0 })
}
