package file

import (
	"errors"
	"fmt"
	"os"
)

// ErrTaken is the error if another process has locked the byte.
var ErrTaken = errors.New("somebody else has locked it")

// LockBeside locks one byte of the lock file next to the database at path. The lock ends when the caller closes the
// returned file or the process ends, even if it is killed. If another process has locked the byte, LockBeside waits
// if wait is true, and otherwise returns ErrTaken.
func LockBeside(path string, offset int64, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o666) // the umask decides, as for the database
	if err != nil {
		return nil, fmt.Errorf("opening the lock file: %w", err)
	}
	if err := lockRange(f, offset, wait); err != nil {
		_ = f.Close() // nothing was written to it
		return nil, err
	}
	return f, nil
}
