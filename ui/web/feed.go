package web

import (
	"fmt"
	"sync"
	"time"

	"gogi/runner/events"
)

// beat is how often those who listen are told what changed.
const beat = 250 * time.Millisecond

// feeds are the runs that somebody listens to. Each is looked at once for all its
// listeners, and not at all without any.
type feeds struct {
	mu sync.Mutex
	by map[*events.Hub]*feed
}

// feed is one run. It reads no events: at each beat it looks at what the hub knows, so
// whoever listens can neither hold up the run nor be cut by it.
type feed struct {
	hub     *events.Hub
	clients int // under feeds.mu; without any the feed ends

	mu  sync.Mutex
	now *moment

	left chan struct{} // closed when the last client has left
}

// moment is a scene, and what is sent of it. The texts are made once for all clients
// that want the same.
type moment struct {
	scene  *scene
	before *scene // nil: nothing was told before
	last   bool   // the run's session has ended, and no other moment comes
	next   chan struct{}

	mu    sync.Mutex
	texts map[string][]byte // frames by what they are; at most two a client
}

// join gives a client the feed of a hub.
func (f *feeds) join(hub *events.Hub) (*feed, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one := f.by[hub]; one != nil {
		one.clients++
		return one, nil
	}
	one, err := newFeed(hub)
	if err != nil {
		return nil, err
	}
	if f.by == nil {
		f.by = map[*events.Hub]*feed{}
	}
	f.by[hub] = one
	go one.follow()
	return one, nil
}

// newFeed is a feed with one client, at its first moment.
func newFeed(hub *events.Hub) (*feed, error) {
	one := &feed{hub: hub, clients: 1, left: make(chan struct{})}
	event, version, _ := hub.Look(0)
	if event.State == nil { // nothing was published yet
		event = hub.State()
	}
	scene, err := newScene(event.State, version)
	if err != nil {
		return nil, err
	}
	one.now = &moment{scene: scene, next: make(chan struct{}), texts: map[string][]byte{}}
	return one, nil
}

func (f *feeds) leave(one *feed) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if one.clients--; one.clients == 0 {
		delete(f.by, one.hub)
		close(one.left)
	}
}

// follow looks at the run until it ends or nobody listens.
func (f *feed) follow() {
	ticks := time.NewTicker(beat)
	defer ticks.Stop()
	for {
		select {
		case <-ticks.C:
			f.look(false)
		case <-f.hub.Closed():
			f.look(true)
			return
		case <-f.left:
			return
		}
	}
}

// look begins the next moment where something has happened.
func (f *feed) look(last bool) {
	old := f.moment()
	event, version, news := f.hub.Look(old.scene.version)
	if !news && !last {
		return
	}
	next := &moment{scene: old.scene, before: old.before, last: last, next: make(chan struct{}), texts: map[string][]byte{}}
	if news {
		scene, err := newScene(event.State, version)
		if err != nil && !last {
			return // numbers that JSON cannot say; the next moment may do without
		}
		if err == nil {
			next.scene, next.before = scene, old.scene
		}
	}
	f.mu.Lock()
	f.now = next
	f.mu.Unlock()
	close(old.next)
}

func (f *feed) moment() *moment {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.now
}

// frame is what a client is sent that has seen a scene (nil: none), and watches one
// game, or with "" the run. It is empty where nothing of that has changed.
func (m *moment) frame(seen *scene, game string) ([]byte, error) {
	kind := "state"
	switch {
	case seen == m.scene:
		return nil, nil
	case seen != nil && seen == m.before:
		kind = "diff"
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := kind + " " + game
	if text, made := m.texts[key]; made {
		return text, nil
	}
	var text []byte
	var err error
	if kind == "diff" {
		text, err = m.scene.since(m.before, game)
	} else {
		text, err = m.scene.full(game)
	}
	if err == nil && text != nil {
		text = fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", m.scene.version, kind, text)
	}
	m.texts[key] = text
	return text, err
}
