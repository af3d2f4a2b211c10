package cli

import (
	"context"
	"errors"
	"os"

	"gogi/configs"
	"gogi/configs/openings"
	"gogi/results"
)

// KeepOpenings sets the openings of file to those of the stored run with the file's name, if this run uses a
// smaller built-in opening set that is or was the default. So the run can be resumed. KeepOpenings does
// nothing if the file names openings other than "builtin", or if the database has no such run.
func KeepOpenings(ctx context.Context, db string, file *configs.File) error {
	if _, err := os.Stat(db); err != nil {
		return nil //nolint:nilerr // the command creates it or reports the error
	}
	store, err := results.OpenExisting(ctx, db)
	if err != nil {
		return nil //nolint:nilerr // the command opens it next and reports the error
	}
	info, err := store.FindRun(ctx, file.RunName())
	if err = errors.Join(err, store.Close()); err != nil {
		return nil //nolint:nilerr // a new run
	}
	stored, err := info.ParsePlan()
	if err != nil {
		return err
	}
	plies := 0
	if file.Openings != nil && file.Openings.Plies != nil {
		plies = *file.Openings.Plies
	}
	if name := openings.SmallSet(stored.Openings, plies); name != "" {
		if file.Openings != nil && file.Openings.File == openings.BuiltinOpenings {
			file.Openings.File = ""
		}
		file.DefaultOpenings(name)
	}
	return nil
}
