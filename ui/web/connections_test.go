package web

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"gogi/internal/testutil"
)

// client is a client in a bubble that keeps its connection open. If it has read answers, it sees a close at once.
type client struct {
	net.Conn
	answers chan string   // the bodies of answers
	closed  chan struct{} // closed when the server has closed the connection
}

// crowd is a server whose page /slow answers after the value free is sent, and whose page /known belongs to a client
// that is logged in.
type crowd struct {
	t     *testing.T
	pipes *pipes
	all   *connections
	free  chan struct{}
}

func gather(t *testing.T, behind ...string) *crowd {
	t.Helper()
	proxies := testutil.Must(newProxies(behind))(t)
	c := &crowd{t: t, pipes: newPipes(), all: &connections{behind: proxies}, free: make(chan struct{})}
	server := newHTTP(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/" {
			if r.URL.Path == "/known" {
				isKnown(r)
			}
			select {
			case <-c.free:
			case <-r.Context().Done():
			}
		}
		_, _ = io.WriteString(w, "answer")
	}), slog.New(slog.DiscardHandler), c.all)
	go func() { _ = server.Serve(limitedListener{c.pipes, c.all}) }()
	t.Cleanup(func() {
		close(c.free)
		_ = server.Close()
		synctest.Wait()
	})
	return c
}

// ask sends a request, and waits until the server has done what it can.
func (c *client) ask(path string) {
	go func() { _, _ = fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path) }()
	synctest.Wait()
}

// come connects from an address, requests a path, and waits until the server has done what it can.
func (c *crowd) come(address, path string) *client {
	c.t.Helper()
	conn := testutil.Must(c.pipes.dialFrom(address))(c.t)
	one := &client{conn, make(chan string, 2), make(chan struct{})}
	go func() {
		defer close(one.closed)
		r := bufio.NewReader(conn)
		for {
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				return
			}
			body, _ := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			one.answers <- string(body)
		}
	}()
	one.ask(path)
	return one
}

// comeMany connects n clients, each from another address, a millisecond apart.
func (c *crowd) comeMany(n int, path string) (all []*client) {
	c.t.Helper()
	for i := range n {
		all = append(all, c.come(fmt.Sprintf("198.51.%d.%d:7", i/250, i%250), path))
		time.Sleep(time.Millisecond)
	}
	return all
}

func (c *client) answered() bool { return len(c.answers) == 1 }

func (c *client) lost() bool {
	select {
	case <-c.closed:
		return true
	default:
		return false
	}
}

func lostOf(all []*client) (which []int) {
	for i, c := range all {
		if c.lost() {
			which = append(which, i)
		}
	}
	return which
}

// TestIdleConnectionsGiveWay requires that clients that keep their connections open after an answer block nobody. A new
// client gets the place of the connection that is idle for the longest time.
func TestIdleConnectionsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := gather(t)
		all := c.comeMany(maxConnections-localConnections, "/")
		testutil.Equal(t, len(lostOf(all)), 0, "nobody is lost below the limit")
		all[1].ask("/") // now it is idle for the shortest time
		for i := range 3 {
			late := c.come(fmt.Sprintf("203.0.113.%d:7", i), "/")
			testutil.Check(t, late.answered(), "client %d got no answer", i)
			testutil.Same(t, lostOf(all), []int{0, 2, 3}[:i+1], "the longest idle lose their places")
		}
		time.Sleep(idleTimeout)
		synctest.Wait()
		testutil.Equal(t, c.all.count(), 0, "idle connections end")
	})
}

// TestBusyConnections requires that a client in the middle of its answer keeps its place for the time turn, and a
// client that is logged in keeps it for as long as the answer takes. Clients on this machine still get an answer.
func TestBusyConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := gather(t)
		known := c.come("203.0.113.1:7", "/known")
		all := c.comeMany(maxConnections-localConnections-1, "/slow")
		late := c.come("203.0.113.2:7", "/")
		testutil.Check(t, late.lost() && !late.answered(), "there is a place for %d connections", maxConnections)
		here := c.come("127.0.0.1:7", "/")
		testutil.Check(t, here.answered() && len(lostOf(all)) == 0, "this machine has places of its own")
		time.Sleep(turn)
		late = c.come("203.0.113.2:7", "/")
		testutil.Check(t, late.answered(), "after its turn a slow client keeps its place")
		testutil.Same(t, lostOf(all), []int{0}, "the slow client that came first loses its place")
		testutil.Check(t, !known.lost(), "a client that is logged in loses its place")
		c.come("203.0.113.3:7", "/")
		testutil.Check(t, late.lost(), "an idle client keeps its place")
		testutil.Same(t, lostOf(all), []int{0}, "a slow client loses its place although another one is idle")
	})
}

// TestPlacesOfKnownClients requires that a new client never replaces one that is logged in and waits for its answer.
func TestPlacesOfKnownClients(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := gather(t)
		all := c.comeMany(maxConnections-localConnections, "/known")
		time.Sleep(2 * turn)
		late := c.come("203.0.113.2:7", "/")
		testutil.Check(t, late.lost() && len(lostOf(all)) == 0, "%d are lost", len(lostOf(all)))
	})
}

// TestConnectionsOfAnAddress requires that one address, or one IPv6 network of 64 bits, has a limit. The limit concerns
// no other address, no proxy and not this machine.
func TestConnectionsOfAnAddress(t *testing.T) {
	for name, row := range map[string]struct {
		address func(i int) string
		limited bool
	}{
		"IPv4":         {func(int) string { return "192.0.2.1:7" }, true},
		"IPv6":         {func(i int) string { return fmt.Sprintf("[2001:db8::%x]:7", i) }, true},
		"networks":     {func(i int) string { return fmt.Sprintf("[2001:db8:0:%x::1]:7", i) }, false},
		"this machine": {func(int) string { return "[::1]:7" }, false},
		"proxy":        {func(int) string { return "10.1.2.3:7" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := gather(t, "10.0.0.0/8")
				other := c.come("203.0.113.1:7", "/")
				var all []*client
				for i := range addressConnections + 2 {
					all = append(all, c.come(row.address(i), "/"))
					time.Sleep(time.Millisecond)
				}
				var want []int
				if row.limited {
					want = []int{0, 1}
				}
				testutil.Same(t, lostOf(all), want, "lost")
				testutil.Check(t, !other.lost(), "another address lost its place")
			})
		})
	}
}

// TestConnectionsWithTLS requires that the server finds the place of an encrypted connection.
func TestConnectionsWithTLS(t *testing.T) {
	here, there := net.Pipe()
	defer here.Close()
	c := (&connections{}).admit(there)
	testutil.Equal(t, connectionOf(tls.Server(c, nil)), c)
	testutil.Check(t, connectionOf(there) == nil, "a connection of another listener has a place")
	testutil.OK(t, c.Close())
	testutil.Equal(t, c.all.count(), 0, "connections after the close")
}

// TestBehindProxies requires that the server believes X-Forwarded-For and X-Forwarded-Proto only from its proxies, and
// only what a proxy has added.
func TestBehindProxies(t *testing.T) {
	for _, row := range []struct {
		from, forwarded, proto string
		client, scheme         string
	}{
		{"192.0.2.1:7", "203.0.113.9", "https", "192.0.2.1:7", ""}, // no proxy
		{"127.0.0.1:7", "", "", "127.0.0.1", ""},
		{"127.0.0.1:7", "203.0.113.9", "https", "203.0.113.9", "https"},
		{"127.0.0.1:7", "1.1.1.1, 203.0.113.9", "", "203.0.113.9", ""},               // the client invented 1.1.1.1
		{"127.0.0.1:7", "1.1.1.1, 203.0.113.9, 10.4.4.4", "http", "203.0.113.9", ""}, // two proxies
		{"127.0.0.1:7", "10.5.5.5, 10.4.4.4", "", "10.5.5.5", ""},                    // a client in a network of proxies
		{"127.0.0.1:7", "203.0.113.9, unknown", "", "127.0.0.1", ""},
		{"127.0.0.1:7", "203.0.113.9,", "", "127.0.0.1", ""},
		{"[::ffff:10.1.1.1]:7", "[2001:db8::1]:4711", "", "2001:db8::1", ""},
	} {
		p := testutil.Must(newProxies([]string{"127.0.0.1", "10.0.0.0/8"}))(t)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.RemoteAddr = row.from
		if row.forwarded != "" {
			r.Header["X-Forwarded-For"] = []string{row.forwarded}
		}
		r.Header.Set("X-Forwarded-Proto", row.proto)
		p.around(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			testutil.Equal(t, r.RemoteAddr+" "+r.URL.Scheme, row.client+" "+row.scheme, row)
		})).ServeHTTP(httptest.NewRecorder(), r)
	}
	for _, wrong := range []string{"", "localhost", "10.0.0.0/99", "127.0.0.1:80"} {
		testutil.Fails(t, testutil.Err(newProxies([]string{wrong})), "--behind", wrong)
	}
}

// TestProxiesOpenNothing requires that pages on a loopback address ask for the token if clients of other machines come
// through a proxy.
func TestProxiesOpenNothing(t *testing.T) {
	c := Config{Addr: "127.0.0.1:7878", Behind: []string{"127.0.0.1"}}
	testutil.Fails(t, testutil.Err(newServer(c)), "--behind", "no token")
	c.Token = "0123456789abcdef0123456789abcdef"
	s := testutil.Must(newServer(c))(t)
	for path, want := range map[string]int{"/": http.StatusUnauthorized, "/login": http.StatusOK,
		"/healthz": http.StatusOK} {
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host, r.RemoteAddr = "localhost", "127.0.0.1:7"
		w := httptest.NewRecorder()
		s.http.Handler.ServeHTTP(w, r)
		testutil.Equal(t, w.Code, want, path)
	}
	testutil.Check(t, !slices.Contains(s.guard.hosts, ""), "an empty host")
}
