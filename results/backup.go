package results

import (
	"context"
	"fmt"

	"gogi/results/file"
)

// Backup copies the database to a new file at path to, as it is at one moment, also
// while runs are played into it. A damaged row is copied as it is: see package mending.
func (s *Store) Backup(ctx context.Context, to string) error {
	if err := file.Copy(ctx, s.file, to); err != nil {
		return s.fail(fmt.Sprintf("backing it up to %s", to), err)
	}
	return nil
}
