package coordinator

import (
	"context"
	"slices"
	"time"

	"gogi/farm"
	"gogi/farm/coordinator/roster"
	"gogi/results/farmstate"
)

// actions returns the log of actions.
func (c *Coordinator) actions(ctx context.Context, _ roster.Key, f *farmstate.Filter) (any, error) {
	return c.config.State.Actions(ctx, *f)
}

// noteRefusals adds a line to the latest errors of a worker for each run that the worker has begun to refuse.
func (c *Coordinator) noteRefusals(s *roster.Session, w *roster.Worker, ask *farm.Ask) {
	for i, digest := range ask.Refuse {
		if r := c.runs[digest]; r != nil && i < len(ask.Why) && !slices.Contains(s.Refuses, digest) {
			w.Failed(time.Now(), r.Name, "the worker does not play it: "+ask.Why[i])
		}
	}
}
