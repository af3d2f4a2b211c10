// Package disk hides the differences between operating systems in file operations: writing durably
// ([SyncFile], [SyncDir]), locks ([LockFile]), permissions ([OthersMayRead], [IsProgram]) and full volumes
// ([IsFull]). [NewPart] writes a file that gets its name only when it is complete.
package disk

import (
	"errors"
	"os"
)

// ErrLocked is the error of LockFile if another process has locked the file.
var ErrLocked = errors.New("another process has it")

// sync opens a file or a folder and waits until the operating system has written it to the disk.
func sync(name string, flag int) error {
	f, err := os.OpenFile(name, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
