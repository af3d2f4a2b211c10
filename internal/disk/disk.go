// Package disk is what differs between systems about files: how they outlive the
// machine's end, who else may read them, what is a program, and when a volume is full.
package disk

import (
	"errors"
	"os"
)

// ErrLocked is that somebody else has locked a file.
var ErrLocked = errors.New("another process has it")

// sync opens a file or a folder and waits until it is on the disk.
func sync(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
