package testutil

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a script, or another program, that a test can run immediately. A process that another
// goroutine forks between the opening and the closing of a file holds it open until its own
// exec, and until then the kernel refuses to run the file: ETXTBSY, "text file busy". So
// nothing is forked while the file is open.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o755) //nolint:gosec // it is run
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Chmod(path, 0o755) //nolint:gosec // whatever the umask says
	}
	if err != nil {
		t.Fatal(err)
	}
}
