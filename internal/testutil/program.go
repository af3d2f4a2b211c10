package testutil

import (
	"os"
	"syscall"
	"testing"
)

// WriteProgram writes a script, or another program, that a test can run immediately. If another goroutine
// forks a process while the file is open, the process holds the file open until its own exec. Until then
// the kernel does not run the file: ETXTBSY, "text file busy". WriteProgram therefore prevents forks
// while the file is open.
func WriteProgram(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o755) //nolint:gosec // the test executes the file
	syscall.ForkLock.RUnlock()
	if err == nil {
		err = os.Chmod(path, 0o755) //nolint:gosec // independent of the umask
	}
	if err != nil {
		t.Fatal(err)
	}
}
