package results

import (
	"context"
	"fmt"

	"gogi/results/file"
)

// Backup copies a snapshot of the database to a new file. The parameter to is the path of this file. Other processes
// may store pairs during the copy. Backup copies damaged rows unchanged (see package repair).
func (s *Store) Backup(ctx context.Context, to string) error {
	if err := file.Copy(ctx, s.file, to); err != nil {
		return s.fail(fmt.Sprintf("backing it up to %s", to), err)
	}
	return nil
}
