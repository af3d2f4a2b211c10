package results

import (
	"errors"
	"os"

	"gogi/results/file"
)

// schemaByte is the byte of the lock file that is held while the database is
// being created or migrated; run n holds byte n, and runs are numbered from 1.
const schemaByte = 0

// hold is the right to a run: a byte of the file beside the database, which older
// gogis know, and one of the database file itself, which no other name of it gets
// around. The lock file tells who has it.
type hold struct {
	beside *os.File
	inode  *file.File
	run    int64
}

// holdRun takes a run; ErrRunLocked where another has it.
func (s *Store) holdRun(run int64) (*hold, error) {
	beside, err := file.LockBeside(s.file, run, false)
	if err == nil {
		if err = s.inode.Lock(run); err != nil {
			_ = beside.Close() // nothing was written to it
		}
	}
	if errors.Is(err, file.ErrTaken) {
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
	return errors.Join(h.signOut(), h.inode.Unlock(h.run), h.beside.Close())
}
