package results

import (
	"errors"
	"fmt"
	"os"
)

// schemaByte is the byte of the lock file that is held while the database is
// being created or migrated; run n holds byte n, and runs are numbered from 1.
const schemaByte = 0

// hold is the right to a run: a byte of the file beside the database, which older
// gogis know, and one of the database file itself, which no other name of it gets
// around. The lock file tells who has it.
type hold struct {
	beside *os.File
	inode  *inode
	run    int64
}

// holdRun takes a run; ErrRunLocked where another has it.
func (s *Store) holdRun(run int64) (*hold, error) {
	beside, err := lockByte(s.file, run, false)
	if err == nil {
		if err = s.inode.lock(run); err != nil {
			_ = beside.Close() // nothing was written to it
		}
	}
	if errors.Is(err, ErrRunLocked) {
		return nil, s.lockedBy(run)
	}
	if err != nil {
		return nil, err
	}
	h := &hold{beside, s.inode, run}
	if err := s.signIn(h); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// Close gives the run up.
func (h *hold) Close() error {
	return errors.Join(h.signOut(), h.inode.unlock(h.run), h.beside.Close())
}

// lockByte locks one byte of the file beside the database until the file that it
// returns is closed or the process dies, however it dies. With wait false a byte
// that is taken gives ErrRunLocked.
func lockByte(path string, offset int64, wait bool) (*os.File, error) {
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
