package usitest

import (
	"fmt"
	"os"
	"os/exec"

	"golang.org/x/sys/windows"
)

// abort ends this process as a crash does, with words, or says why it cannot.
func abort() error {
	fmt.Fprintln(os.Stderr, "terminate called on purpose")
	return windows.TerminateProcess(windows.CurrentProcess(), uint32(windows.STATUS_ACCESS_VIOLATION))
}

// sleeper is a program that sleeps, and must outlive us: this one, since Windows has
// none.
func sleeper() *exec.Cmd {
	self, err := os.Executable()
	if err != nil {
		self = os.Args[0]
	}
	return exec.Command(self, "-sleep") //nolint:noctx // see above
}
