package socket

import (
	"context"
	"sync"
	"time"

	"gogi/match/control"
	"gogi/runner/events"
)

// firstWord is how long a run may take to tell its state to who connects.
const firstWord = 2 * time.Second

// Nearby are the runs of one database that other processes of this machine play. A
// run is listened to from the first look at it until its session ends. It is safe for
// concurrent use.
type Nearby struct {
	db  string
	ctx context.Context //nolint:containedctx // of the streams, which outlive the looks

	mu   sync.Mutex
	hubs map[string]*events.Hub // by run; some may have closed
}

// NewNearby looks for the runs of a database until ctx ends.
func NewNearby(ctx context.Context, db string) *Nearby {
	return &Nearby{db: db, ctx: ctx, hubs: map[string]*events.Hub{}}
}

// Runs are those that are being played.
func (n *Nearby) Runs() []string {
	names, err := Runs(n.db)
	if err != nil {
		return nil // a folder that cannot be read has nobody to listen to
	}
	var playing []string
	for _, name := range names {
		if n.Hub(name) != nil {
			playing = append(playing, name)
		}
	}
	return playing
}

// Hub tells what happens in a run; nil where nobody plays it now, or nobody who can
// be reached.
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

// listen begins to follow a run, once it has told its state.
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
	case <-time.After(firstWord):
		cancel()
		return nil
	}
}

// Control gives a run an order.
func (n *Nearby) Control(ctx context.Context, run string, c control.Command) error {
	return Order(ctx, Path(n.db, run), c)
}
