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

// Spent returns how long games have occupied their slots, as sums by plan hash. It counts the games of pairs that
// were stored at the time since or later, and that are not voided.
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

// Played is the work of one worker in one month (UTC): the number of its stored games, and their time. The time is
// from the worker's clock, at most 24 hours for each game.
type Played struct {
	Worker string        `json:"worker,omitempty"`
	Owner  string        `json:"owner"`
	Month  string        `json:"month,omitempty"` // by the time of storing, such as "2026-01"
	Games  int           `json:"games"`
	Time   time.Duration `json:"nanoseconds"` // CPU time, in nanoseconds
}

// SumPlayed groups the entries of a list, and adds up the games and the time of each group. Entries are in one group if
// they are equal after key has cleared some fields, such as the month. The groups have the order of the list.
func SumPlayed(list []Played, key func(*Played)) (all []Played) {
	at := map[Played]int{}
	for _, p := range list {
		w := Played{Month: p.Month, Owner: p.Owner, Worker: p.Worker}
		key(&w)
		i, ok := at[w]
		if !ok {
			i, all = len(all), append(all, w)
			at[w] = i
		}
		all[i].Games += p.Games
		all[i].Time += p.Time
	}
	return all
}

// Played returns the work of all workers, ordered by month, the latest first, and by worker.
func (s *Store) Played(ctx context.Context) ([]Played, error) {
	list, err := tables.List(ctx, s.read, func(rows *sql.Rows, p *Played) error {
		var us int64
		err := rows.Scan(&p.Worker, &p.Owner, &p.Month, &p.Games, &us)
		p.Time = time.Duration(us) * time.Microsecond
		return err
	}, `SELECT w.name, w.owner, strftime('%Y-%m', p.stored / 1000000, 'unixepoch') AS month, COUNT(*), SUM(MIN(MAX(g.ended - g.started, 0), ?))
		 FROM pairs p JOIN workers w ON w.id = p.worker JOIN games g ON g.run_id = p.run_id AND g.pair = p.pair
		 WHERE p.stored IS NOT NULL GROUP BY w.name, w.owner, month ORDER BY month DESC, w.name`, gameMost.Microseconds())
	if err != nil {
		return nil, fmt.Errorf("results: what workers have played: %w", err)
	}
	return list, nil
}

// Shares returns how many stored pairs of the run with a plan hash each worker has played.
func (s *Store) Shares(ctx context.Context, digest string) (map[string]int, error) {
	shares := map[string]int{}
	err := tables.Each(ctx, s.read, func(rows *sql.Rows) error {
		var worker string
		var pairs int
		err := rows.Scan(&worker, &pairs)
		shares[worker] = pairs
		return err
	}, `SELECT w.name, COUNT(*) FROM runs r JOIN pairs p ON p.run_id = r.id JOIN workers w ON w.id = p.worker
		 WHERE r.digest = ? GROUP BY w.name`, digest)
	if err != nil {
		return nil, fmt.Errorf("results: the workers of a run: %w", err)
	}
	return shares, nil
}
