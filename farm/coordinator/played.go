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
	count func(ctx context.Context) ([]results.Played, error) // may be nil

	mu   sync.Mutex
	at   time.Time
	list []results.Played
}

const (
	playedAge  = time.Minute // after this time the games are counted again
	mostPlayed = 5000        // entries in an answer, which must fit in a message
)

// all returns the games and the CPU time of all workers by month, the latest month first. The counts are at most
// playedAge old. In a farm that does not count, the list is empty.
func (p *played) all(ctx context.Context) ([]results.Played, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count != nil && time.Since(p.at) > playedAge {
		list, err := p.count(ctx)
		if err != nil {
			return nil, err
		}
		p.at, p.list = time.Now(), list
	}
	return slices.Clone(p.list), nil
}

// of answers with the games of a person's machines by machine and month, or without a name with those of all
// people by month. It leaves out the oldest months if there are too many entries.
func (p *played) of(ctx context.Context, _ roster.Key, o *farm.KeyOrder) (any, error) {
	list, err := p.all(ctx)
	if o.Name == "" {
		list = results.SumPlayed(list, func(p *results.Played) { p.Worker = "" })
	} else {
		list = slices.DeleteFunc(list, func(p results.Played) bool { return p.Owner != o.Name })
	}
	return list[:min(len(list), mostPlayed)], err
}

// Played returns the games and the CPU time of all workers by month, the latest month first. The counts are at most a
// minute old. In a farm that does not count, the list is empty.
func (c *Coordinator) Played(ctx context.Context) ([]results.Played, error) { return c.played.all(ctx) }
