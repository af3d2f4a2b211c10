//go:build unix

package results_test

import "syscall"

// become changes the user of this process.
func become(user int) error { return syscall.Setuid(user) }
