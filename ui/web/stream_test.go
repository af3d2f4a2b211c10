package web

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"gogi/internal/testutil"
	"gogi/match"
)

// picture returns the client's data after a patch, by RFC 7396.
func picture(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	known, ok := target.(map[string]any)
	if !ok {
		known = map[string]any{}
	}
	for name, value := range changes {
		if value == nil {
			delete(known, name)
		} else {
			known[name] = picture(known[name], value)
		}
	}
	return known
}

// heard returns a client's data as a snapshot, with the slots in order.
func heard(t interface{ Fatal(...any) }, known any) *match.Snapshot {
	text := testutil.Must(json.Marshal(known))(t)
	var told struct {
		match.Snapshot
		Slots map[string]match.SlotState `json:"slots"`
	}
	testutil.OK(t, json.Unmarshal(text, &told))
	for n := range len(told.Slots) {
		told.Snapshot.Slots = append(told.Snapshot.Slots, told.Slots[fmt.Sprintf("/%d", n)])
	}
	return &told.Snapshot
}

// spoken returns the state of a hub without moves, as clients that watch a run get it.
func spoken(t interface{ Fatal(...any) }, state *match.Snapshot) *match.Snapshot {
	text := testutil.Must(json.Marshal(state))(t)
	var s match.Snapshot
	testutil.OK(t, json.Unmarshal(text, &s))
	for _, slot := range s.Slots {
		if slot.Board != nil {
			slot.Board.Moves, slot.Board.Start = "", ""
		}
	}
	return &s
}

// frame1 is one frame of a stream.
type frame1 struct{ id, event, data string }

func readFrame(r *bufio.Reader) (f frame1, err error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return f, err
		}
		switch name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); name {
		case "":
			if f != (frame1{}) || value != "" {
				return f, nil
			}
		case "id":
			f.id = value
		case "event", "retry":
			f.event += value
		case "data":
			f.data = value
		}
	}
}

// listener is a client that takes frames at any time.
type listener struct {
	game  string
	seen  *scene
	known any
}

func (l *listener) take(t *rapid.T, m *moment) {
	text := testutil.Must(m.frame(l.seen, l.game))(t)
	l.seen = m.scene
	if len(text) == 0 {
		return
	}
	f, err := readFrame(bufio.NewReader(strings.NewReader(string(text))))
	testutil.Require(t, err == nil && f.id == fmt.Sprint(m.scene.version), "%v %v", f, err)
	var data any
	testutil.OK(t, json.Unmarshal([]byte(f.data), &data))
	switch f.event {
	case "state":
		l.known = data
	case "diff":
		l.known = picture(l.known, data)
	default:
		t.Fatal("event", f.event)
	}
}

// TestFramesTellTheState requires that a client that takes all or few of the frames has the state of the hub. A client
// of a run has all but the moves; a client of a game has the moves too.
func TestFramesTellTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newStage("run", rapid.IntRange(1, 3).Draw(t, "slots"))
		f := testutil.Must(newFeed(s.hub))(t)
		clients := []*listener{{}, {}, {game: "0.0"}}
		for range rapid.IntRange(5, 60).Draw(t, "steps") {
			for range rapid.IntRange(0, 4).Draw(t, "events") {
				s.step(rapid.IntRange(0, len(s.tables)-1).Draw(t, "slot"), rapid.IntRange(0, 99).Draw(t, "move"), 12)
			}
			f.look(false)
			for _, c := range clients {
				if rapid.Bool().Draw(t, "reads") {
					c.take(t, f.moment())
				}
			}
		}
		f.look(false)
		for _, c := range clients {
			c.take(t, f.moment())
			want := s.hub.State().State
			if c.game != "" {
				checkGame(t, c, want)
				continue
			}
			testutil.Equal(t, cmp.Diff(spoken(t, want), heard(t, c.known)), "", "the client knows otherwise:")
		}
	})
}

// checkGame compares the one slot of a game, with its moves.
func checkGame(t *rapid.T, c *listener, want *match.Snapshot) {
	slots := map[string]any{}
	for _, slot := range want.Slots {
		if slot.Board != nil && gameName(slot.Board.Pair, slot.Board.Leg) == c.game {
			var v any
			text := testutil.Must(json.Marshal(slot))(t)
			testutil.OK(t, json.Unmarshal(text, &v))
			slots[seatKey(slot)] = v
		}
	}
	testutil.Equal(t, cmp.Diff(slots, c.known.(map[string]any)["slots"]), "", "of the game, the client knows otherwise:")
}

// theatre is a server in a bubble of time.
type theatre struct {
	*Server
	t     *testing.T
	pipes *pipes
	end   context.CancelFunc
	ended chan error
}

func opened(t *testing.T, live Live) *theatre {
	t.Helper()
	s := testutil.Must(newServer(Config{Addr: "127.0.0.1:7878", Live: live}))(t)
	ctx, end := context.WithCancel(t.Context())
	h := &theatre{Server: s, t: t, pipes: newPipes(), end: end, ended: make(chan error, 1)}
	s.listener = h.pipes
	go func() { h.ended <- s.Serve(ctx) }()
	return h
}

func (h *theatre) close() {
	h.t.Helper()
	h.end()
	testutil.OK(h.t, <-h.ended)
}

// call requests a stream and reads none of it.
func (h *theatre) call(query string) net.Conn {
	h.t.Helper()
	conn := testutil.Must(h.pipes.dial())(h.t)
	testutil.Must(fmt.Fprintf(conn, "GET /api/v1/live?%s HTTP/1.1\r\nHost: localhost\r\nLast-Event-ID: 5\r\n\r\n",
		query))(h.t)
	return conn
}

// listen requests a stream and requires a status.
func (h *theatre) listen(query string, status int) (*bufio.Reader, net.Conn) {
	h.t.Helper()
	conn := h.call(query)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil) // conn is closed instead
	testutil.Require(h.t, err == nil && resp.StatusCode == status, "%v %v", resp, err)
	return bufio.NewReader(resp.Body), conn
}

func (h *theatre) next(r *bufio.Reader) frame1 {
	h.t.Helper()
	return testutil.Must(readFrame(r))(h.t)
}

// TestStream requires that a stream begins with the delay before a reconnection and the whole state. It then sends the
// changes at each beat, a sign of life after a silence, and the end of the session.
func TestStream(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("run", 2)
		h := opened(t, playing(s))
		r, conn := h.listen("run=run", http.StatusOK)
		if f := h.next(r); f.event != "2000" {
			t.Errorf("first %v", f)
		}
		if f := h.next(r); f.event != "state" || f.id != "1" { // regardless of the client's last event
			t.Errorf("then %v", f)
		}
		began := time.Now()
		for range 5 {
			s.step(0, 0, 99)
		}
		if f := h.next(r); f.event != "diff" || f.id != fmt.Sprint(s.seq) || time.Since(began) > beat {
			t.Errorf("%v after %v, want number %d within %v", f, time.Since(began), s.seq, beat)
		}
		if f := h.next(r); f != (frame1{}) || time.Since(began) < silence {
			t.Errorf("%v after %v of silence", f, time.Since(began))
		}
		s.done()
		if f := h.next(r); f.event != "diff" || !strings.Contains(f.data, `"over":true`) {
			t.Errorf("at the end %v", f)
		}
		if f := h.next(r); f.event != "over" {
			t.Errorf("last %v", f)
		}
		rest, err := io.ReadAll(r)
		testutil.Check(t, err == nil && len(rest) == 0, "after the end: %q, %v", rest, err)
		_ = conn.Close()
		h.close()
	})
}

// TestARunThatNobodyPlaysAnyMore requires that a stream ends at the next silence if the run is no longer played, even
// if its hub stays. The hub of a farm's test stays.
func TestARunThatNobodyPlaysAnyMore(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("run", 1)
		live := playing(s)
		h := opened(t, live)
		r, conn := h.listen("run=run", http.StatusOK)
		first, then := h.next(r), h.next(r)
		testutil.Require(t, first.event == "2000" && then.event == "state", "%v, %v", first, then)
		testutil.Equal(t, h.next(r), (frame1{}), "while it is played")
		live.mu.Lock()
		delete(live.hubs, "run")
		live.mu.Unlock()
		f := h.next(r)
		testutil.Check(t, f.event == "over", "%v", f)
		_ = conn.Close()
		h.close()
	})
}

// TestClientsAreCounted requires that Clients counts each open connection once, for any number of requests.
func TestClientsAreCounted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("run", 1)
		h := opened(t, playing(s))
		_, one := h.listen("run=run", http.StatusOK)
		_, two := h.listen("run=run", http.StatusOK)
		three := testutil.Must(h.pipes.dial())(t)
		for range 2 {
			testutil.Must(fmt.Fprint(three, "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n"))(t)
			resp := testutil.Must(http.ReadResponse(bufio.NewReader(three), nil))(t)
			_ = resp.Body.Close()
		}
		for i, conn := range []net.Conn{one, three, two} {
			if synctest.Wait(); h.Clients() != 3-i {
				t.Errorf("%d clients are counted, want %d", h.Clients(), 3-i)
			}
			_ = conn.Close()
			s.step(0, 0, 99) // a stream notices that its client left when it sends an event
		}
		time.Sleep(beat)
		if synctest.Wait(); h.Clients() != 0 {
			t.Errorf("%d clients are counted at the end", h.Clients())
		}
		h.close()
	})
}

// TestStreamsEndWithTheServer requires that streams end with the server. A session that ends at the same time still
// sends its last event.
func TestStreamsEndWithTheServer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open, over := newStage("open", 1), newStage("over", 1)
		h := opened(t, playing(open, over))
		a, _ := h.listen("run=open", http.StatusOK)
		b, _ := h.listen("run=over", http.StatusOK)
		var ends [2]string
		done := make(chan struct{}, 2)
		for i, r := range []*bufio.Reader{a, b} {
			go func() {
				for {
					f, err := readFrame(r)
					if err != nil {
						break
					}
					ends[i] = f.event
				}
				done <- struct{}{}
			}()
		}
		synctest.Wait()
		over.done()
		h.close()
		<-done
		<-done
		testutil.Equal(t, ends, [2]string{"state", "over"}, "the last events")
	})
}

// TestStalledClients requires that the server drops clients that never read, after a time limit. The run never waits
// for them.
func TestStalledClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("run", 8)
		h := opened(t, playing(s))
		for range 32 {
			h.call("run=run")
		}
		r, _ := h.listen("run=run", http.StatusOK)
		synctest.Wait()
		testutil.Equal(t, h.Watching(), 33, "listen")
		go func() {
			_, _ = io.Copy(io.Discard, r) // until the server ends
		}()
		before := time.Now()
		for i := range 3000 {
			s.step(i%8, i, 40)
		}
		waited := time.Since(before)
		testutil.Check(t, waited <= 0, "the run waited for %v", waited)
		n := s.hub.Subscribers()
		testutil.Check(t, n <= 0, "%d read the run's own events", n)
		time.Sleep(writeTimeout + time.Second) // in the bubble's time
		testutil.Equal(t, h.Watching(), 1, "still listen")
		h.close()
	})
}

// TestClientsComeAndGo requires an error for a client after the 64th, until another client leaves. synctest requires
// that no goroutine remains after 200 clients.
func TestClientsComeAndGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage("run", 1)
		h := opened(t, playing(s))
		for range 200 {
			_, conn := h.listen("run=run", http.StatusOK)
			_ = conn.Close()
			synctest.Wait()
		}
		testutil.Check(t, h.Watching() == 0 && len(h.feeds.by) == 0, "%d listen, %d runs are looked at", h.Watching(),
			len(h.feeds.by))
		testutil.Equal(t, s.hub.Viewers(), 0, "viewers after the last client")
		var first net.Conn
		for range maxStreams {
			_, conn := h.listen("run=run", http.StatusOK)
			first = conn
		}
		testutil.Equal(t, len(h.feeds.by), 1, "looks at one run")
		// a farm's workers send moves while there is one
		testutil.Equal(t, s.hub.Viewers(), 1, "viewers: one poller for all clients")
		_, refused := h.listen("run=run", http.StatusServiceUnavailable)
		_ = refused.Close()
		_ = first.Close()
		synctest.Wait()
		h.listen("run=run", http.StatusOK)
		h.close()
	})
}

// TestStreamRefusals requires an error for a stream of an unknown run or an invalid game.
func TestStreamRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := opened(t, playing(newStage("run", 1)))
		for query, status := range map[string]int{
			"run=other": http.StatusNotFound, "": http.StatusNotFound, "run=run&game=1": http.StatusBadRequest,
			"run=run&game=01.0": http.StatusBadRequest, "run=run&game=-1.0": http.StatusBadRequest,
			"run=run&game=7.1": http.StatusOK,
		} {
			_, conn := h.listen(query, status)
			_ = conn.Close()
		}
		h.close()
	})
}
