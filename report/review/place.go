package review

import (
	"context"
	"fmt"

	"gogi/results"
)

// PathNow returns the file of the review of a stored game under the name that its run has now. A review needs minutes,
// so the run may have another name after it. PathNow returns an error if the run was deleted.
func PathNow(ctx context.Context, store *results.Store, info *results.RunInfo, pair, leg int) (string, error) {
	runs, err := store.Runs(ctx)
	if err != nil {
		return "", err
	}
	for i := range runs {
		if runs[i].ID == info.ID {
			return Path(store.Path(), runs[i].Name, pair, leg), nil
		}
	}
	return "", fmt.Errorf("run %s was deleted during the review, so gogi does not store the review of game %d.%d",
		info.Name, pair, leg)
}
