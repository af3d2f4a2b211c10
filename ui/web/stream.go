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

// These constants limit the streams.
const (
	maxStreams = 64
	// turn is the time after which a stream loses its place to a new one. The server cannot see whether a
	// client reads, because the system buffers small events.
	turn = time.Minute
	// silence is the longest time between two messages to a client.
	silence = 15 * time.Second
	// again is the time after which a client connects again if its stream breaks.
	again = 2 * time.Second
)

// Watching returns the number of open streams.
func (s *Server) Watching() int { return s.streams.count() }

// places limits the number of streams to maxStreams.
type places struct {
	mu    sync.Mutex
	taken []*place // the oldest first
}

// place is the place of one stream.
type place struct {
	since time.Time
	lost  chan struct{} // closed when another stream takes the place
}

// take returns a place for a stream. If all places are taken, the oldest stream loses its place. If that stream is
// younger than turn, take returns nil.
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

// give makes a place free for another stream. It does nothing if the stream has already lost the place.
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

// liveStream sends the state of a run, or of one of its games, as server-sent events. The first event is "state", the
// whole state as one object. Then "diff" events have the changes as a JSON merge patch. "over" follows at the end of
// the session. A client that connects again gets the whole state.
func (s *Server) liveStream(w http.ResponseWriter, r *http.Request) {
	game, err := askedGame(r.FormValue("game"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	hub := s.config.Live.Hub(r.FormValue("run"))
	if hub == nil {
		http.Error(w, "this run is not in play", http.StatusNotFound)
		return
	}
	own := s.streams.take()
	if own == nil {
		w.Header().Set("Retry-After", "5")
		http.Error(w, "too many streams", http.StatusServiceUnavailable)
		return
	}
	defer s.streams.give(own)
	feed, err := s.feeds.join(hub)
	if err != nil {
		s.failed(w, r, err)
		return
	}
	defer s.feeds.leave(feed)
	s.send(w, r, feed, own, r.FormValue("run"), game)
}

// askedGame returns the name of the requested game, or an error if it is not a valid name. "" means the whole
// run.
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

// send writes the messages of a feed. It ends when the client leaves or is too slow, when it loses its place,
// when the session ends, or when the server ends. After each silence it checks whether the run is still in
// play.
func (s *Server) send(w http.ResponseWriter, r *http.Request, feed *feed, own *place, run, game string) {
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
				_ = out.send(ended) // the stream ends in any case
			}
			return
		}
		select {
		case <-m.next:
		case <-quiet.C:
			if s.config.Live.Hub(run) != feed.hub { // a test of a farm that is over or paused keeps its hub
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

// isOver reports whether the session of a hub has ended.
func isOver(hub *events.Hub) bool {
	select {
	case <-hub.Closed():
		return true
	default:
		return false
	}
}

// eventStream is a stream to one client.
type eventStream struct {
	w       io.Writer
	control *http.ResponseController
}

func newEvents(w http.ResponseWriter, r *http.Request) *eventStream {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Accel-Buffering", "no") // for proxies
	if r.ProtoMajor == 1 {
		h.Set("Connection", "close") // the deadlines of the stream must not apply to another request
	}
	return &eventStream{w, http.NewResponseController(w)}
}

// send writes a text and flushes it.
func (e *eventStream) send(text []byte) error {
	if _, err := e.w.Write(text); err != nil {
		return err
	}
	return e.control.Flush()
}
