package results

import (
	"errors"
	"os"

	"gogi/results/file"
)

// schemaByte is the byte of the lock file that a process locks while it creates or migrates the database. Run
// n has byte n; runs are numbered from 1.
const schemaByte = 0

// hold is the exclusive right of this process to play a run. It locks a byte of the lock file next to the
// database, which older gogis respect. It also locks a byte of the database file itself, which works for all
// names of the file. The lock file contains the holder.
type hold struct {
	beside *os.File
	inode  *file.File
	run    int64
}

// holdRun locks a run. It returns ErrRunLocked if another process plays the run.
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

// Close releases the run.
func (h *hold) Close() error {
	return errors.Join(h.signOut(), h.inode.Unlock(h.run), h.beside.Close())
}
