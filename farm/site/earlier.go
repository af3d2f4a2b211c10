package site

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"gogi/results/farmstate"
)

// stateFile is the state of the coordinator, in SQLite.
const stateFile = "state.db"

// earlierDir is the folder in which an earlier gogi had a copy of the state, which was in the
// journal: a file for each row, named by its name in hex.
const earlierDir = "kept"

// openState opens the coordinator's state, and takes over that of an earlier gogi. A farm
// that was served before must have one: if the count of boots began again, numbers of
// leases would come twice.
func openState(ctx context.Context, dir string) (*farmstate.State, error) {
	file := filepath.Join(dir, stateFile)
	_, err := os.Stat(file)
	missing := errors.Is(err, fs.ErrNotExist)
	_, err = os.Stat(filepath.Join(dir, earlierDir))
	earlier := err == nil
	if _, err := os.Stat(filepath.Join(dir, urlFile)); err == nil && missing && !earlier {
		return nil, fmt.Errorf("%s not found, but this farm was served before; restore the latest backup with `gogi farm restore`", file)
	}
	s, err := farmstate.Open(ctx, file)
	if err == nil && earlier {
		err = takeOver(ctx, s, filepath.Join(dir, earlierDir))
	}
	if err != nil && s != nil {
		err = errors.Join(err, s.Close())
	}
	return s, err
}

// takeOver stores what the folder of an earlier gogi has, and removes the folder. It is
// safe to rerun after it was interrupted.
func takeOver(ctx context.Context, s *farmstate.State, dir string) error {
	for _, bucket := range []string{"farm", "tests", "workers"} {
		files, err := os.ReadDir(filepath.Join(dir, bucket))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		for _, f := range files {
			if strings.HasPrefix(f.Name(), ".") {
				continue // a revision, or an unfinished file
			}
			name, err := hex.DecodeString(f.Name())
			if err != nil {
				return fmt.Errorf("%s: %w", filepath.Join(dir, bucket, f.Name()), err)
			}
			body, err := os.ReadFile(filepath.Join(dir, bucket, f.Name()))
			if err != nil {
				return err
			}
			if _, err := s.Put(ctx, bucket, string(name), body, 0); err != nil && !errors.Is(err, farmstate.ErrStale) {
				return err
			}
		}
	}
	return os.RemoveAll(dir)
}
