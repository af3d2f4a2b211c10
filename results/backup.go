package results

import (
	"context"
	"fmt"

	"gogi/results/file"
)

// Backup copies the database, as it is at one moment, to a new file at path to. Other processes may play runs
// into the database during the copy. Backup copies damaged rows unchanged (see package repair).
func (s *Store) Backup(ctx context.Context, to string) error {
	if err := file.Copy(ctx, s.file, to); err != nil {
		return s.fail(fmt.Sprintf("backing it up to %s", to), err)
	}
	return nil
}
