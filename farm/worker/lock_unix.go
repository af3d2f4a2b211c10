//go:build unix

package worker

import (
	"os"

	"golang.org/x/sys/unix"
)

// lockFile locks a file until it is closed or the process dies, or fails at once.
func lockFile(f *os.File) error {
	return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) //nolint:gosec // a descriptor is small
}
