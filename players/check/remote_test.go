package check

import (
	"path/filepath"
	"testing"

	"gogi/internal/testutil"
	"gogi/match"
)

// fakeSSH takes the place of ssh. It runs the command on this machine, in a session that does not end with the
// connection. The engines of the tests end only by SIGKILL.
const fakeSSH = `#!/bin/sh
shift # the host
exec setsid -w sh -c "$*"
`

// An engine on another machine that cares for nothing is killed over there, at a
// fault and at its end: its ssh can be killed from here, which it does not notice.
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

	x = check(t, Options{Quick: true, waits: inVain("hang@go:6,hang@quit,stubborn@eof")}, behind, "-script", "hang@go:6,hang@quit,stubborn@eof")
	x.found(t, "stop", Fail, "hangs on go btime 0 wtime 0 byoyomi 10000 and stop")
	x.found(t, "declaration", anyVerdict, "does not")
	x.goneSoon(t)
}

// goneSoon is noneLeft where a kill was answered before it was done.
func (x *checked) goneSoon(t *testing.T) {
	t.Helper()
	testutil.Eventually(t, "the processes of the engine end", func() bool { return len(running(t, x.mark)) == 0 })
}
