//go:build unix

package results_test

import "syscall"

// become gives this process to another user.
func become(user int) error { return syscall.Setuid(user) }
