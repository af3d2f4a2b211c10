//go:build unix

package farmcmd

import (
	"os"
	"syscall"
)

// become replaces this process by another program, with the same arguments, environment and process number. It returns
// only after a failure.
func become(file string) error {
	// a program whose maintainers' signature was checked
	return syscall.Exec(file, append([]string{file}, os.Args[1:]...), os.Environ())
}

// handOver replaces this process by another program of gogi. The list of processes shows the command line that the user
// typed. handOver returns only after a failure.
func handOver(file string) error {
	return cannotRun(file, syscall.Exec(file, os.Args, os.Environ()))
}
