package web

import (
	"fmt"
	"sync"
	"time"

	"gogi/runner/events"
)

// beat is the time between two updates to the streams of a run.
const beat = 250 * time.Millisecond

// feeds holds the feeds of the runs that have streams. All streams of a run share one feed, and a run without
// streams has none.
type feeds struct {
	mu sync.Mutex
	by map[*events.Hub]*feed
}

// feed polls the state of one run at each beat. It reads no events, so streams cannot delay the run, and the
// run cannot cut them.
type feed struct {
	hub     *events.Hub
	clients int // guarded by feeds.mu; without clients the feed ends

	mu  sync.Mutex
	now *moment

	left  chan struct{} // closed when the last client has left
	leave func()        // of Hub.Attend
}

// moment is the state of a run at one beat (see scene), with the messages to clients about it. gogi makes a message
// only once for all clients that need it.
type moment struct {
	scene  *scene
	before *scene // the scene before, nil for the first one
	last   bool   // the run's session has ended, and no other moment follows
	next   chan struct{}

	mu    sync.Mutex
	texts map[string][]byte // messages by kind and game; at most two for each client
}

// join returns the feed of a hub, and adds a client to it.
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

// newFeed returns a feed with one client. It has already polled the state once.
func newFeed(hub *events.Hub) (*feed, error) {
	one := &feed{hub: hub, clients: 1, left: make(chan struct{}), leave: hub.Attend()}
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
		one.leave()
	}
}

// follow polls the run until its session ends or the last client leaves.
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

// look polls the run. If its state has changed, look makes the next moment. last means that the session has ended.
func (f *feed) look(last bool) {
	old := f.moment()
	event, version, news := f.hub.Look(old.scene.version)
	if !news && !last {
		return
	}
	next := &moment{scene: old.scene, before: old.before, last: last, next: make(chan struct{}),
		texts: map[string][]byte{}}
	if news {
		scene, err := newScene(event.State, version)
		if err != nil && !last {
			return // the state has numbers that JSON cannot have; the next one may not
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

// frame returns the message for a client. seen is the scene that the client has, or nil. game is the game that the
// client shows, or "" for the whole run. If the client needs no update, the message is empty.
func (m *moment) frame(seen *scene, game string) ([]byte, error) {
	kind, build := "state", func() ([]byte, error) { return m.scene.full(game) }
	switch {
	case seen == m.scene:
		return nil, nil
	case seen != nil && seen == m.before:
		kind, build = "diff", func() ([]byte, error) { return m.scene.since(m.before, game) }
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	key := kind + " " + game
	if text, made := m.texts[key]; made {
		return text, nil
	}
	text, err := build()
	if err == nil && text != nil {
		text = fmt.Appendf(nil, "id: %d\nevent: %s\ndata: %s\n\n", m.scene.version, kind, text)
	}
	m.texts[key] = text
	return text, err
}
