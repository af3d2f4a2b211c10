package cli

import (
	"context"
	"errors"
	"os"

	"gogi/configs"
	"gogi/configs/openings"
	"gogi/results"
)

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
