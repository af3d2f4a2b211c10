//go:build unix

package usitest

import (
	"os"
	"os/exec"
	"syscall"
)

// abort prints a message and ends this process by SIGABRT. It returns only on failure. (The Go runtime would
// turn the signal into a trace and an exit status.)
func abort() error {
	return syscall.Exec("/bin/sh", []string{"sh", "-c", "echo terminate called on purpose >&2; kill -ABRT $$"},
		os.Environ())
}

// sleeper returns a program that sleeps and must outlive this process.
func sleeper() *exec.Cmd { return exec.Command("sleep", "1000") } //nolint:noctx // see above
