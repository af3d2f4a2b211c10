package results

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"gogi/results/tables"
)

// gameMost is the longest time that one game adds to Spent. The times come from the machine that played the game, and
// its clock may be wrong by years.
const gameMost = 24 * time.Hour

// Spent returns how long the games of pairs stored after since have occupied their slots. The times are summed by plan
// hash. Pairs that were voided since then do not count.
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
