package web

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"sync"
	"time"

	"gogi/runner/events"
)

// Limits of streams.
const (
	maxStreams = 64
	// turn is how long a stream keeps its place while others wait for one. A client that
	// does not read cannot be told from a slow one: the system takes small events for it.
	turn = time.Minute
	// silence is the longest that a client hears nothing.
	silence = 15 * time.Second
	// again is how soon a client shall come back after its stream has broken.
	again = 2 * time.Second
)

// Watching is how many clients listen to a run now.
func (s *Server) Watching() int { return s.streams.count() }

// places are those of streams, at most maxStreams.
type places struct {
	mu    sync.Mutex
	taken []*place // the oldest first
}

// place is that of one stream.
type place struct {
	since time.Time
	lost  chan struct{} // closed when another stream has the place
}

// take returns a place. If all are taken, the oldest stream that has had its turn loses its
// place; nil means that no stream has had it yet.
func (p *places) take() *place {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.taken) == maxStreams {
		oldest := p.taken[0]
		if time.Since(oldest.since) < turn {
			return nil
		}
		close(oldest.lost)
		p.taken = p.taken[1:]
	}
	own := &place{time.Now(), make(chan struct{})}
	p.taken = append(p.taken, own)
	return own
}

// give returns a place; one that is lost is nobody's already.
func (p *places) give(own *place) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.taken = slices.DeleteFunc(p.taken, func(other *place) bool { return other == own })
}

func (p *places) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.taken)
}

// liveStream tells what happens in a run, or in one game of it, as server-sent events:
// first "state", everything as one object, then "diff", the changes to it as a JSON
// merge patch, and "over" where the session has ended. Whoever comes back begins anew.
func (s *Server) liveStream(w http.ResponseWriter, r *http.Request) {
	game, err := askedGame(r.FormValue("game"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	hub := s.config.Live.Hub(r.FormValue("run"))
	if hub == nil {
		http.Error(w, "nobody plays this run now", http.StatusNotFound)
		return
	}
	own := s.streams.take()
	if own == nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many listen already", http.StatusServiceUnavailable)
		return
	}
	defer s.streams.give(own)
	feed, err := s.feeds.join(hub)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	defer s.feeds.leave(feed)
	s.tell(w, r, feed, own, r.FormValue("run"), game)
}

// askedGame is the name of a game as it is written, "" for none.
func askedGame(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	pair, leg, ok := readGameName(text)
	if !ok {
		return "", fmt.Errorf("game %q: want PAIR.LEG, such as 12.0", text)
	}
	return gameName(pair, leg), nil
}

// tell writes until the client is gone or too slow, it loses its place, the session has ended, nobody plays the
// run any more, which is looked for whenever there is nothing to tell, or the server ends.
func (s *Server) tell(w http.ResponseWriter, r *http.Request, feed *feed, own *place, run, game string) {
	out := newEvents(w, r)
	if out.send(fmt.Appendf(nil, "retry: %d\n\n", again.Milliseconds())) != nil {
		return
	}
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	var seen *scene
	ended := []byte("event: over\ndata: {}\n\n")
	for stopped := s.ended; ; {
		m := feed.moment()
		text, err := m.frame(seen, game)
		if err != nil {
			s.config.Log.Error("stream", "error", err)
			return
		}
		if len(text) > 0 {
			if out.send(text) != nil {
				return
			}
			quiet.Reset(silence)
		}
		seen = m.scene
		if m.last {
			if m.scene.over {
				_ = out.send(ended) // the last word anyhow
			}
			return
		}
		select {
		case <-m.next:
		case <-quiet.C:
			if s.config.Live.Hub(run) != feed.hub { // a farm's test is over, or paused, and its hub stays
				_ = out.send(ended)
				return
			}
			if out.send([]byte(": ping\n\n")) != nil {
				return
			}
			quiet.Reset(silence)
		case <-r.Context().Done():
			return
		case <-own.lost:
			return
		case <-stopped:
			if !isOver(feed.hub) {
				return
			}
			stopped = nil // the last moment is about to come
		}
	}
}

// isOver reports whether the session has ended that a hub tells of.
func isOver(hub *events.Hub) bool {
	select {
	case <-hub.Closed():
		return true
	default:
		return false
	}
}

// events is a stream to one client.
type eventStream struct {
	w       io.Writer
	control *http.ResponseController
}

func newEvents(w http.ResponseWriter, r *http.Request) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // of proxies
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close") // its deadlines are not for whatever comes next
	}
	return &eventStream{w, http.NewResponseController(w)}
}

// send writes a text so that the client has it at once.
func (e *eventStream) send(text []byte) error {
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return e.control.Flush()
}
