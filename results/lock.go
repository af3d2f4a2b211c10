package results

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// schemaByte is the byte of the lock file that is held while the database is
// being created or migrated; run n holds byte n, and runs are numbered from 1.
const schemaByte = 0

// lockByte locks one byte of the file beside the database until the file that it
// returns is closed or the process dies, however it dies. With wait false a byte
// that is taken gives ErrRunLocked.
//
// The lock belongs to the open file and not to the process (as POSIX locks do,
// which vanish when any other file descriptor of the same file is closed), so two
// Runs of one process exclude each other too. Children do not get the descriptor:
// os.OpenFile opens it close-on-exec.
func lockByte(path string, offset int64, wait bool) (*os.File, error) {
	f, err := os.OpenFile(path+"-lock", os.O_RDWR|os.O_CREATE, 0o666) // the umask decides, as for the database
	if err != nil {
		return nil, fmt.Errorf("opening the lock file: %w", err)
	}
	cmd := unix.F_OFD_SETLK
	if wait {
		cmd = unix.F_OFD_SETLKW
	}
	for {
		err = unix.FcntlFlock(f.Fd(), cmd, &unix.Flock_t{Type: unix.F_WRLCK, Start: offset, Len: 1})
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return f, nil
	}
	_ = f.Close() // nothing was written to it
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return nil, ErrRunLocked
	}
	return nil, fmt.Errorf("locking %s: %w", f.Name(), err)
}
