package planning

import (
	"context"
	"errors"
	"os"

	"gogi/configs"
	"gogi/configs/openingfiles"
	"gogi/match"
	"gogi/results"
)

// DefaultOpenings names the built-in set that a file takes if it names no openings.
func DefaultOpenings(file *configs.File, name string) {
	switch o := file.Openings; {
	case o == nil:
		file.Openings = &configs.Openings{File: name}
	case o.File == "" && o.Handicap == "" && o.List == nil:
		o.File = name
	}
}

// KeepOpenings looks for a stored run of the file's name. If that has a smaller built-in set, which is or
// was a default, and the file names no openings but "builtin", the file goes on with the stored set.
// Without such a run or database it does nothing.
func KeepOpenings(ctx context.Context, db string, file *configs.File) error {
	if _, err := os.Stat(db); err != nil {
		return nil //nolint:nilerr // the verb creates it, or says what is wrong with it
	}
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		return nil //nolint:nilerr // the verb opens it next and says what is wrong with it
	}
	info, err := store.FindRun(ctx, file.RunName())
	if err = errors.Join(err, store.Close()); err != nil {
		return nil //nolint:nilerr // a new run
	}
	stored, err := match.ParseCanonical(info.Plan)
	if err != nil {
		return err
	}
	plies := 0
	if file.Openings != nil && file.Openings.Plies != nil {
		plies = *file.Openings.Plies
	}
	if name := openingfiles.SmallSet(stored.Openings, plies); name != "" {
		if file.Openings != nil && file.Openings.File == openingfiles.BuiltinOpenings {
			file.Openings.File = ""
		}
		DefaultOpenings(file, name)
	}
	return nil
}
