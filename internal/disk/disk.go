// Package disk hides how operating systems differ about files: writing durably ([SyncFile],
// [SyncDir]), locks ([LockFile]), permissions ([OthersMayRead], [IsProgram]) and full volumes
// ([IsFull]). [NewPart] writes a file that gets its name only when it is whole.
package disk

import (
	"errors"
	"os"
)

// ErrLocked is the error if another process has locked a file.
var ErrLocked = errors.New("another process has it")

// sync opens a file or a folder and waits until it is on the disk.
func sync(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
