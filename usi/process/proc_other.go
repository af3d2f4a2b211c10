//go:build !linux

package process

import "os"

// readProc reads a file of /proc, if there is one.
func readProc(name string) ([]byte, error) { return os.ReadFile(name) }
