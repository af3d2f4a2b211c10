package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"

	"gogi/internal/disk"
	"gogi/results/tables"
)

// Build makes a new database at path. fill writes the database to a temporary file, whose path is part. Build
// renames this file to path when it is complete and on the disk. path therefore never has an incomplete file.
// Build does not replace an existing file.
func Build(ctx context.Context, path string, fill func(part string) error) error {
	file, err := Resolve(path)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(file); err == nil {
		return fmt.Errorf("%s is there already: %w", path, fs.ErrExist)
	}
	part := file + ".part"
	claim, err := os.OpenFile(part, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s.part is there: another gogi is at it, or one was killed and left it; remove it in that case",
			path)
	}
	if err != nil {
		return disk.CannotWrite(path, err)
	}
	err = claim.Close()
	if err == nil {
		err = fill(part)
	}
	if err == nil {
		err = publish(ctx, part, file)
	}
	for _, end := range ends {
		if e := os.Remove(part + end); err == nil && e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = e
		}
	}
	return err
}

// publish renames the complete temporary file to its final name. It returns an error if a file with that name
// exists.
func publish(ctx context.Context, part, file string) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err := disk.SyncFile(part); err != nil {
		return err
	}
	if err := RenameNew(part, file); err != nil {
		return err
	}
	return disk.SyncDir(filepath.Dir(file))
}

// Copy makes a new database from a snapshot of the database in file. The parameter to is the path of the new
// database. Copy works while another process writes. It also works in a folder where gogi cannot write (see
// AsItStands). It copies damaged rows unchanged.
func Copy(ctx context.Context, file, to string) error {
	options, err := copyOptions(ctx, file)
	if err != nil {
		return err
	}
	return Build(ctx, to, func(part string) error {
		db, err := Open(file, options)
		if err != nil {
			return err
		}
		db.SetMaxOpenConns(1)
		_, err = db.ExecContext(ctx, "VACUUM main INTO ?", part)
		if err := errors.Join(err, db.Close()); err != nil {
			return err
		}
		return whole(ctx, part)
	})
}

func whole(ctx context.Context, part string) error {
	db, err := ReaderAsItStands(ctx, part, 1)
	if err != nil {
		return err
	}
	return errors.Join(tables.CountEverything(ctx, db), db.Close())
}

func copyOptions(ctx context.Context, file string) (url.Values, error) {
	options := url.Values{"mode": {"rw"}}
	probe, err := Open(file, options)
	if err == nil {
		_, err = tables.Readable(ctx, probe)
		err = errors.Join(err, probe.Close())
	}
	if err != nil && unwritable(err) {
		return AsItStands(file)
	}
	return options, err
}
