package web

import (
	"context"
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"time"

	"gogi/internal/address"
)

// These limits leave most of a process's 1,024 file descriptors to engines and games.
const (
	maxConnections = 512
	// localConnections of them are only for clients on this machine.
	localConnections = 64
	// addressConnections is the limit for one address of another machine, or for one IPv6 network of 64 bits. A
	// browser opens six connections to a server.
	addressConnections = 96
)

// connections limits the open connections of a server. At a limit, a new connection replaces another: one without
// a request if there is one, the longest idle first. Otherwise it replaces the connection whose client is not logged in
// and has waited longest for its answer, if that is longer than turn. If there is no such connection, the server
// closes the new one. So clients that keep connections open cannot block others.
type connections struct {
	behind []netip.Prefix // reverse proxies: the limit of an address does not apply to them

	mu   sync.Mutex
	open map[*connection]bool // a set
}

// connection is an open connection. connections.mu guards the fields below it.
type connection struct {
	net.Conn
	all   *connections
	from  netip.Prefix // address or network of the client; the zero value for this machine and for proxies
	local bool         // a client on this machine

	since time.Time // begin of the present request, or of the present idle time
	busy  bool      // it has a request without a whole answer
	known bool      // the client is logged in, or has sent the token
}

// limitedListener is a listener that accepts the connections that the limits allow.
type limitedListener struct {
	net.Listener
	all *connections
}

// Accept implements net.Listener.
func (l limitedListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.all.admit(conn); c != nil {
			return c, nil
		}
		_ = conn.Close()
	}
}

// admit adds a connection, and closes the one that it replaces. It returns nil if the connection has no place.
func (cs *connections) admit(conn net.Conn) *connection {
	c := &connection{Conn: conn, all: cs, since: time.Now()}
	client := address.Of(conn.RemoteAddr().String())
	c.local = !client.IsValid() || client.IsLoopback() // a connection without an address is of this machine
	if !c.local && !contains(cs.behind, client) {
		c.from = address.Network(client)
	}

	cs.mu.Lock()
	replaced, ok := cs.placeFor(c)
	if ok {
		if cs.open == nil {
			cs.open = map[*connection]bool{}
		}
		cs.open[c] = true
	}
	cs.mu.Unlock()

	if replaced != nil {
		_ = replaced.Close()
	}
	if !ok {
		return nil
	}
	return c
}

// placeFor reports whether a new connection may open. If it must replace another one, placeFor returns that one. The
// caller holds mu.
func (cs *connections) placeFor(c *connection) (replaced *connection, ok bool) {
	limits := []struct {
		most    int
		applies bool
		counts  func(*connection) bool
	}{
		{addressConnections, c.from.IsValid(), func(other *connection) bool { return other.from == c.from }},
		{maxConnections - localConnections, !c.local, func(other *connection) bool { return !other.local }},
		{maxConnections, true, func(*connection) bool { return true }},
	}
	for _, l := range limits {
		if !l.applies {
			continue
		}
		count := 0
		for other := range cs.open {
			if l.counts(other) {
				count++
			}
		}
		if count >= l.most {
			replaced = cs.replaceable(l.counts)
			return replaced, replaced != nil
		}
	}
	return nil, true
}

// replaceable returns the connection of a group that a new one replaces, nil if there is none.
func (cs *connections) replaceable(in func(*connection) bool) (first *connection) {
	for c := range cs.open {
		if in(c) && (!c.busy || !c.known && time.Since(c.since) >= turn) && (first == nil || c.before(first)) {
			first = c
		}
	}
	return first
}

// before reports whether a new connection replaces c rather than other.
func (c *connection) before(other *connection) bool {
	switch {
	case c.busy != other.busy:
		return other.busy
	case c.known != other.known:
		return other.known
	}
	return c.since.Before(other.since)
}

// Close closes the connection and makes its place free.
func (c *connection) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// changed implements http.Server.ConnState. It records when a request begins, and when its answer is complete.
func (cs *connections) changed(conn net.Conn, now http.ConnState) {
	if c := connectionOf(conn); c != nil && (now == http.StateActive || now == http.StateIdle) {
		cs.mu.Lock()
		c.busy, c.since = now == http.StateActive, time.Now()
		cs.mu.Unlock()
	}
}

// count returns the number of open connections.
func (cs *connections) count() int {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	return len(cs.open)
}

type connectionKey struct{}

// inContext implements http.Server.ConnContext.
func inContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, connectionOf(conn))
}

// connectionOf returns the connection below a connection with or without TLS, nil for one of another listener.
func connectionOf(conn net.Conn) *connection {
	if encrypted, ok := conn.(*tls.Conn); ok {
		conn = encrypted.NetConn()
	}
	c, _ := conn.(*connection)
	return c
}

// isKnown records that the client of a request is logged in or has sent the token.
func isKnown(r *http.Request) {
	if c, _ := r.Context().Value(connectionKey{}).(*connection); c != nil {
		c.all.mu.Lock()
		c.known = true
		c.all.mu.Unlock()
	}
}
