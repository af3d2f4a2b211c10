package socket

import (
	"context"
	"sync"
	"time"

	"gogi/internal/lists"
	"gogi/match/control"
	"gogi/runner/events"
)

// stateWait is the maximum wait for the state of a run after connecting.
const stateWait = 2 * time.Second

// Nearby finds the runs of one database that other processes on this machine play. After the first call of
// Hub for a run, it follows this run until the session ends. It is safe for concurrent use.
type Nearby struct {
	db  string
	ctx context.Context //nolint:containedctx // of the streams, which last longer than a call

	mu   sync.Mutex
	hubs map[string]*events.Hub // by run; some may have closed
}

// NewNearby returns a Nearby for the database db. It follows runs until ctx ends.
func NewNearby(ctx context.Context, db string) *Nearby {
	return &Nearby{db: db, ctx: ctx, hubs: map[string]*events.Hub{}}
}

// Runs returns the names of the runs that are played now. A process counts although it is suspended and does not
// answer.
func (n *Nearby) Runs() []string {
	names, err := Runs(n.db)
	if err != nil {
		return nil // an unreadable folder has no reachable runs
	}
	return lists.Filter(names, func(name string) bool {
		conn, err := reach(Path(n.db, name))
		return err == nil && conn.Close() == nil
	})
}

// Hub returns a hub with the events of a run, or nil if no reachable process plays it.
func (n *Nearby) Hub(run string) *events.Hub {
	n.mu.Lock()
	defer n.mu.Unlock()
	if hub := n.hubs[run]; hub != nil && !isClosed(hub) {
		return hub
	}
	delete(n.hubs, run)
	hub := n.listen(run)
	if hub != nil {
		n.hubs[run] = hub
	}
	return hub
}

func isClosed(h *events.Hub) bool {
	select {
	case <-h.Closed():
		return true
	default:
		return false
	}
}

// listen follows a run and returns its hub after the first state has arrived, or nil.
func (n *Nearby) listen(run string) *events.Hub {
	ctx, cancel := context.WithCancel(n.ctx)
	stream, err := Follow(ctx, Path(n.db, run))
	if err != nil {
		cancel()
		return nil
	}
	select {
	case state, ok := <-stream.Events():
		if !ok {
			cancel()
			return nil
		}
		hub := events.NewHub(run)
		hub.Publish(state)
		go func() {
			defer cancel()
			hub.Follow(stream.Events(), nil)
		}()
		return hub
	case <-time.After(stateWait):
		cancel()
		return nil
	}
}

// Control sends a command to a run.
func (n *Nearby) Control(ctx context.Context, run string, c control.Command) error {
	return Order(ctx, Path(n.db, run), c)
}
