package results

import (
	"context"
	"errors"
	"fmt"
)

// Backup copies the database to a new file at path to, as it is at one moment, also
// while runs are played into it. A damaged row is copied as it is: see Check.
func (s *Store) Backup(ctx context.Context, to string) error {
	options, err := s.copyOptions(ctx)
	if err == nil {
		err = build(ctx, to, func(part string) error {
			db, err := openHandle(s.file, options)
			if err != nil {
				return err
			}
			db.SetMaxOpenConns(1)
			_, err = db.ExecContext(ctx, "VACUUM main INTO ?", part)
			return errors.Join(err, db.Close())
		})
	}
	if err != nil {
		return s.fail(fmt.Sprintf("backing it up to %s", to), err)
	}
	return nil
}
