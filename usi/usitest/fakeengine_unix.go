//go:build unix

package usitest

import (
	"os"
	"os/exec"
	"syscall"
)

// abort ends this process by SIGABRT, with words, or says why it cannot. The runtime
// would turn the signal into a trace and an exit status.
func abort() error {
	return syscall.Exec("/bin/sh", []string{"sh", "-c", "echo terminate called on purpose >&2; kill -ABRT $$"}, os.Environ())
}

// sleeper is a program that sleeps, and must outlive us.
func sleeper() *exec.Cmd { return exec.Command("sleep", "1000") } //nolint:noctx // see above
