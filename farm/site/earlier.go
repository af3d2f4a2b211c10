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

// stateFile is the SQLite file of the coordinator's state.
const stateFile = "state.db"

// earlierDir is the folder in which an earlier gogi stored its state, as a copy of the journal. It has a file
// for each row, and the name of the file is the name of the row in hex.
const earlierDir = "kept"

// openState opens the coordinator's state, and imports the state of an earlier gogi. If the farm was started
// before, openState returns an error for a missing state, because lease numbers would repeat if the count of
// boots began again.
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

// takeOver imports the state from the folder of an earlier gogi and removes the folder. It is safe to rerun
// after an interruption.
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
