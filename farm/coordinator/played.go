package coordinator

import (
	"context"
	"slices"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
	"gogi/results"
)

// played caches the games and the CPU time of all workers, because it takes a walk over all games to count them.
type played struct {
	mu   sync.Mutex
	at   time.Time
	list []results.Played
}

const (
	playedAge  = time.Minute // after this time the games are counted again
	mostPlayed = 5000        // entries in an answer, which must fit in a message
)

// Played returns the games and the CPU time of all workers by month, the latest month first. The counts are at most
// playedAge old. In a farm that does not count, the list is empty.
func (c *Coordinator) Played(ctx context.Context) ([]results.Played, error) {
	c.played.mu.Lock()
	defer c.played.mu.Unlock()
	if c.config.Played != nil && time.Since(c.played.at) > playedAge {
		list, err := c.config.Played(ctx)
		if err != nil {
			return nil, err
		}
		c.played.at, c.played.list = time.Now(), list
	}
	return slices.Clone(c.played.list), nil
}

// playedBy answers with the games of a person's machines by machine and month, or without a name with those of all
// people by month. It leaves out the oldest months if there are too many entries.
func (c *Coordinator) playedBy(ctx context.Context, _ roster.Key, o *farm.KeyOrder) (any, error) {
	list, err := c.Played(ctx)
	if o.Name == "" {
		list = results.SumPlayed(list, func(p *results.Played) { p.Worker = "" })
	} else {
		list = slices.DeleteFunc(list, func(p results.Played) bool { return p.Owner != o.Name })
	}
	return list[:min(len(list), mostPlayed)], err
}
