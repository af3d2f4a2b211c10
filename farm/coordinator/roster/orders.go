package roster

import (
	"context"

	"gogi/farm"
)

// Drain begins or ends the drain of a worker: a worker that drains gets no pairs. The caller stores the worker.
func Drain(_ context.Context, who Key, name string, w *Worker, o *farm.Order) error {
	w.Draining = !o.Off
	what := "draining"
	if o.Off {
		what = "the drain ended"
	}
	w.Act(who.Name, name, what)
	return nil
}
