package results

import (
	"context"
	"errors"
	"os"
	"time"

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
func holdRun(s *Store, run int64) (*hold, error) {
	beside, err := file.LockBeside(s.file, run, false)
	if err == nil {
		if err = s.inode.Lock(run); err != nil {
			_ = beside.Close() // nothing was written to it
		}
	}
	if errors.Is(err, file.ErrTaken) {
		return nil, lockedBy(s, run)
	}
	if err != nil {
		return nil, err
	}
	h := &hold{beside, s.inode, run}
	if err := signIn(s, h); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// dyingWait is how long a start waits for the lock of another process. A killed process keeps its locks until the
// kernel has freed its memory, and a user may resume the run at once.
const dyingWait = 2 * time.Second

// holdRunOfDying locks a run like holdRun. It waits up to dyingWait if another process of this machine holds the lock.
func holdRunOfDying(ctx context.Context, s *Store, run int64) (*hold, error) {
	for end := time.Now().Add(dyingWait); ; {
		h, err := holdRun(s, run)
		if !errors.Is(err, ErrRunLocked) || s.shared != "" || holdsItself(s, run) || time.Now().After(end) {
			return h, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// holdsItself reports whether this process plays the run already.
func holdsItself(s *Store, run int64) bool {
	holders, err := readHolders(s.file)
	return err == nil && run < int64(len(holders)) && holders[run].Boot == s.here.Boot && holders[run].PID == s.here.PID
}

// Close releases the run.
func (h *hold) Close() error {
	return errors.Join(h.signOut(), h.inode.Unlock(h.run), h.beside.Close())
}
