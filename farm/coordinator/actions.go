package coordinator

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"gogi/farm"
	"gogi/results/farmstate"
)

// Kinds of things that an action changes, see farmstate.Action.On.
const (
	onTest   = "test"
	onWorker = "worker"
	onKey    = "key"
	onFarm   = "farm"
)

// actions returns the log of actions.
func (c *Coordinator) actions(ctx context.Context, _ Key, f *farmstate.Filter) (any, error) {
	return c.config.State.Actions(ctx, *f)
}

// act records what the user or the farm (by) did with the worker called name. The next call of keepWorker writes it
// to the log of the farm, together with the worker.
func (w *worker) act(by, name, what string) {
	w.actions = append(w.actions, farmstate.Action{At: time.Now(), By: by, On: onWorker, Name: name, What: what})
}

// Limits of what a worker can make the coordinator store.
const (
	maxErrors   = 10          // errors of a worker
	maxError    = 300         // bytes of an error
	keepPause   = time.Minute // shortest interval between two writes of a worker because of unimportant changes
	keepAtATime = 4           // workers with unimportant changes that one tick writes
)

// failed adds an error with the text what to the latest errors of a worker, unless the last error has the same
// text. on is the name of the test in which the error happened, or "farm".
func (w *worker) failed(now time.Time, on, what string) {
	what = strings.ToValidUTF8(what[:min(len(what), maxError)], "")
	if n := len(w.Errors); n > 0 && w.Errors[n-1].What == what {
		return
	}
	w.Errors = append(w.Errors[max(0, len(w.Errors)-maxErrors+1):len(w.Errors):len(w.Errors)],
		farm.Change{At: now.Round(0), By: on, What: what})
	w.changed = true
}

// describe stores the version, the slots and the labels that a worker reports. If they have changed, it adds a line
// to the log, unless the coordinator stored the worker less than keepPause ago. So a worker cannot fill the log.
func (w *worker) describe(name string, h *farm.Hello, now time.Time) {
	version := strings.ToValidUTF8(h.Version, "?")
	if w.Version == version && w.Slots == h.Slots && maps.Equal(w.Labels, h.Labels) {
		return
	}
	w.Version, w.Slots, w.Labels, w.changed = version, h.Slots, h.Labels, true
	if len(w.actions) == 0 && now.Sub(w.stored) >= keepPause {
		w.act("farm", name, fmt.Sprintf("connected: gogi %s, %d slots, %s/%s", version, h.Slots, h.Labels["os"], h.Labels["arch"]))
	}
}

// noteRefusals adds a line to the latest errors of a worker for each run that the worker has begun to refuse.
func (c *Coordinator) noteRefusals(s *session, w *worker, ask *farm.Ask) {
	for i, digest := range ask.Refuse {
		if r := c.runs[digest]; r != nil && i < len(ask.Why) && !slices.Contains(s.refuses, digest) {
			w.failed(time.Now(), r.Name, "the worker does not play it: "+ask.Why[i])
		}
	}
}

// keepChanged stores up to keepAtATime workers that have unimportant changes and were not stored in the last
// keepPause.
func (c *Coordinator) keepChanged(ctx context.Context, now time.Time) {
	left := keepAtATime
	for name, w := range c.workers {
		if w.changed && left > 0 && now.Sub(w.stored) >= keepPause {
			w.stored = now // also if it fails, so that a full disk does not cost a try in each tick
			c.keepOrWarn(ctx, name, w)
			left--
		}
	}
}
