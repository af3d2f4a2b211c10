package results

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gogi/results/tables"
)

// gameMost bounds what one game counts for in Spent: its times are by the clock of the
// machine that played it, and one that is wrong must not count for years.
const gameMost = 24 * time.Hour

// Spent is how long the games were together of the pairs that were stored since a moment,
// by the plans' digests: what they took of the slots that played them. A pair that was
// voided since counts no more.
func (s *Store) Spent(ctx context.Context, since time.Time) (byDigest map[string]time.Duration, err error) {
	byDigest = map[string]time.Duration{}
	err = tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		var digest string
		var us int64
		err := rows.Scan(&digest, &us)
		byDigest[digest] += time.Duration(us) * time.Microsecond
		return err
	}, `SELECT r.digest, SUM(MIN(MAX(g.ended - g.started, 0), ?)) FROM pairs p JOIN runs r ON r.id = p.run_id
		 JOIN games g ON g.run_id = p.run_id AND g.pair = p.pair WHERE p.stored >= ? AND g.started <> 0 GROUP BY r.id`,
		gameMost.Microseconds(), tables.Micros(since))
	if err != nil {
		return nil, fmt.Errorf("results: what was spent: %w", err)
	}
	return byDigest, nil
}
