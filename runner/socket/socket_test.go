package socket_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"gogi/internal/testutil"
	"gogi/match"
	"gogi/match/control"
	"gogi/runner/events"
	"gogi/runner/socket"
)

// serving is the socket of a run, with the commands that it got.
type serving struct {
	path  string
	hub   *events.Hub
	ended chan struct{} // closed when Serve returns

	mu     sync.Mutex
	orders []control.Command
}

func (s *serving) take(_ context.Context, c control.Command) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.orders = append(s.orders, c)
	return c.Check()
}

func serve(t *testing.T, path string) *serving {
	t.Helper()
	s := &serving{path: path, hub: events.NewHub("run"), ended: make(chan struct{})}
	server := testutil.Must(socket.Listen(path, s.take))(t)
	server.Hurry(time.Second) // a client that reads never needs so long
	go func() {
		server.Serve(s.hub)
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.hub.Close()
		<-s.ended
	})
	return s
}

// event returns an event of a session that began at noon.
func event(seq int, kind match.EventType) match.Event {
	return match.Event{V: match.EventVersion, Run: "run", Seq: uint64(seq), Type: kind,
		Time: time.Date(2026, 11, 1, 12, 0, seq, 0, time.UTC)}
}

func fault(seq int, note string) match.Event {
	e := event(seq, match.EventFault)
	e.Kind, e.Note = "crash", note
	return e
}

// TestListenAfterAKill: Listen removes the socket of a process that was killed while it created the socket.
func TestListenAfterAKill(t *testing.T) {
	path := socket.Path(filepath.Join(t.TempDir(), "games.db"), "run")
	testutil.OK(t, os.Mkdir(path+".new", 0o700))
	testutil.OK(t, os.WriteFile(filepath.Join(path+".new", "s"), nil, 0o600))
	serve(t, path)
	entries, err := os.ReadDir(filepath.Dir(path))
	testutil.Check(t, err == nil && len(entries) == 1 && entries[0].Name() == filepath.Base(path),
		"beside the socket: %v, %v", entries, err)
}

// TestClear: Clear removes a left socket, also one whose creation was interrupted.
func TestClear(t *testing.T) {
	path := socket.Path(filepath.Join(t.TempDir(), "gogi.db"), "run")
	for name, leave := range map[string]func() error{
		"nothing":                func() error { return nil },
		"a socket":               func() error { return os.WriteFile(path, nil, 0o600) },
		"one that is being made": func() error { return os.MkdirAll(filepath.Join(path+".new", "s"), 0o700) },
	} {
		testutil.OK(t, errors.Join(leave(), socket.Clear(path)), "%s", name)
		if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) > 0 {
			t.Errorf("%s: %v is left, %v", name, left, err)
		}
	}
}

// TestFollow: a client gets the state and all later events, then the end of the stream. The socket is removed at the
// end of the session.
func TestFollow(t *testing.T) {
	s := serve(t, socket.Path(filepath.Join(t.TempDir(), "games.db"), "a/b c"))
	s.hub.Publish(event(1, match.EventRun))
	stream := testutil.Must(socket.Follow(t.Context(), s.path))(t)
	first := <-stream.Events()
	testutil.Require(t, first.Type == match.EventState && first.State.Phase == match.RunPlaying, "%+v", first)
	for seq := 2; seq < 102; seq++ {
		s.hub.Publish(fault(seq, strings.Repeat("長", 1000)))
		if e := <-stream.Events(); e.Seq != uint64(seq) || len(e.Note) != 3000 {
			t.Fatalf("%+v, want number %d", e, seq)
		}
	}
	s.hub.Publish(event(102, match.EventDone))
	s.hub.Close()
	if e := <-stream.Events(); e.Type != match.EventDone {
		t.Errorf("%+v", e)
	}
	if e, ok := <-stream.Events(); ok || stream.Err() != nil {
		t.Errorf("after the end: %+v, %v", e, stream.Err())
	}
	<-s.ended
	if _, err := os.Lstat(s.path); !os.IsNotExist(err) {
		t.Errorf("the socket is left behind: %v", err)
	}
	testutil.Is(t, testutil.Err(socket.Follow(t.Context(), s.path)), socket.ErrNobody, "after the end")
}

func TestOrders(t *testing.T) {
	s := serve(t, socket.Path(filepath.Join(t.TempDir(), "games.db"), "run"))
	want := []control.Command{{Do: control.Pause}, {Do: control.Concurrency, N: 3}}
	for _, c := range want {
		testutil.OK(t, socket.Order(t.Context(), s.path, c))
	}
	if err := socket.Order(t.Context(), s.path, control.Command{Do: "explode"}); !errors.Is(err, socket.ErrRefused) ||
		!strings.Contains(err.Error(), `"explode"`) {
		t.Error(err)
	}
	testutil.Slices(t, s.orders[:2], want, "%v", s.orders)
}

// TestWhereItIs: the socket of a killed process is replaced. Only its owner can use a socket. Its path may be longer
// than a socket's address.
func TestWhereItIs(t *testing.T) {
	folder := filepath.Join(t.TempDir(), strings.Repeat("long", 40))
	testutil.OK(t, os.Mkdir(folder, 0o755))
	t.Chdir(folder)
	left := testutil.Must(net.ListenUnix("unix", &net.UnixAddr{Name: "games.db.run.sock", Net: "unix"}))(t)
	left.SetUnlinkOnClose(false)
	_ = left.Close()
	db := filepath.Join(folder, "games.db")
	path := socket.Path(db, "run")
	testutil.Is(t, socket.Order(t.Context(), path, control.Command{Do: control.Pause}), socket.ErrNobody,
		"nobody is there, and yet")
	serve(t, path)
	testutil.OK(t, socket.Order(t.Context(), path, control.Command{Do: control.Pause}))
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	runs, err := socket.Runs(db)
	testutil.Check(t, err == nil && slices.Equal(runs, []string{"run"}), "%q, %v", runs, err)
}

// Clients that send invalid data, nothing or too much, and clients that never read, delay neither the run nor its end.
func TestBadClients(t *testing.T) {
	s := serve(t, socket.Path(filepath.Join(t.TempDir(), "games.db"), "run"))
	for i, says := range []string{"", "\n", "{\"follow\":tru", "nonsense\n", `{"do":5}` + "\n", strings.Repeat("x", 1<<20),
		"{\"follow\":true}\n"} {
		conn := testutil.Must(net.Dial("unix", s.path))(t)
		_, _ = io.WriteString(conn, says) // the server may close the connection first
		if i%2 == 0 {
			t.Cleanup(func() { _ = conn.Close() })
			continue
		}
		if says != strings.Repeat("x", 1<<20) {
			line, err := bufio.NewReader(conn).ReadString('\n')
			testutil.Check(t, err == nil && strings.Contains(line, "error"), "%q is answered %q, %v", says, line, err)
		}
		_ = conn.Close()
	}
	for i := range 3000 { // much more than a socket buffers: Publish must not wait
		s.hub.Publish(fault(i+1, strings.Repeat("x", 1000)))
	}
	s.hub.Close()
	<-s.ended
}

// TestRoom: a socket serves 64 clients. It closes the connection of the next client and continues to serve the others.
func TestRoom(t *testing.T) {
	s := serve(t, socket.Path(filepath.Join(t.TempDir(), "games.db"), "run"))
	for i := range 64 {
		stream, err := socket.Follow(t.Context(), s.path)
		testutil.OK(t, err, i)
		<-stream.Events()
	}
	testutil.Fails(t, socket.Order(t.Context(), s.path, control.Command{Do: control.Pause}), "",
		"there was room for one more")
	testutil.Equal(t, s.hub.Subscribers(), 64, "follow")
}

// TestSuspendedRun: a run whose process does not answer is played nevertheless, and a socket that a killed process has
// left is none. Runs does not wait for an answer.
func TestSuspendedRun(t *testing.T) {
	db := filepath.Join(t.TempDir(), "games.db")
	silent, dead := testutil.Must(net.Listen("unix", socket.Path(db, "silent")))(t),
		testutil.Must(net.Listen("unix", socket.Path(db, "dead")))(t)
	defer silent.Close()
	dead.(*net.UnixListener).SetUnlinkOnClose(false)
	testutil.OK(t, dead.Close())
	testutil.Slices(t, testutil.Must(socket.Runs(db))(t), []string{"dead", "silent"}, "sockets")
	testutil.Slices(t, socket.NewNearby(t.Context(), db).Runs(), []string{"silent"}, "played runs")
}

// TestGone: if a client stops following, the server removes its subscription.
func TestGone(t *testing.T) {
	s := serve(t, socket.Path(filepath.Join(t.TempDir(), "games.db"), "run"))
	ctx, cancel := context.WithCancelCause(t.Context())
	stream := testutil.Must(socket.Follow(ctx, s.path))(t)
	<-stream.Events()
	left := fmt.Errorf("enough")
	cancel(left)
	if _, ok := <-stream.Events(); ok || !errors.Is(stream.Err(), left) {
		t.Errorf("%v, %v", ok, stream.Err())
	}
	for s.hub.Subscribers() > 0 { // the test's time limit ends this loop
		s.hub.Publish(fault(1, "x"))
	}
}
