package process

import (
	"bytes"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// markedRounds limits the number of searches for marked processes. A second search is needed because a
// process may fork just before it is killed.
const markedRounds = 10

// killMarked kills all processes of this user that have a variable in their environment, except this process.
func killMarked(variable string) {
	for range markedRounds {
		if !killMarkedOnce(variable) {
			return
		}
	}
}

// killMarkedOnce kills the marked processes that it finds in /proc. It reports whether it killed any.
func killMarkedOnce(variable string) (found bool) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return false
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		if text, err := readProc("/proc/" + e.Name() + "/environ"); err == nil && hasVariable(text, variable) {
			found = unix.Kill(pid, unix.SIGKILL) == nil || found // fails if the process has just ended
		}
	}
	return found
}

// hasVariable reports whether environ, the content of /proc/PID/environ, contains variable, which has the
// form KEY=VALUE. The content is empty for a zombie.
func hasVariable(environ []byte, variable string) bool {
	for word := range bytes.SplitSeq(environ, []byte{0}) {
		if string(word) == variable {
			return true
		}
	}
	return false
}
