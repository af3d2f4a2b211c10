package usitest

import (
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

// abort prints a message and ends this process like a crash. It returns only on failure.
func abort() error {
	fmt.Fprintln(os.Stderr, "terminate called on purpose")
	return windows.TerminateProcess(windows.CurrentProcess(), uint32(windows.STATUS_ACCESS_VIOLATION))
}

// sleeper returns a program that sleeps and must outlive this process. Windows has no such program, so it is
// this program.
func sleeper() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, "-sleep") //nolint:noctx // see above
}
