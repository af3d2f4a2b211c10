// Package web shows stored runs and runs in play in a browser. [Listen] starts a [Server] from
// a [Config]. It serves HTML that is readable without scripts, one script for live updates,
// JSON and downloads, and takes orders from holders of the token.
//
// All text from engines and their owners (names, notes, options) is hostile. html/template
// escapes it, and the content security policy allows only the one script. Only holders of the
// token see paths, arguments and environments.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"gogi/match/control"
	"gogi/results"
	"gogi/runner/events"
)

// Live is what is being played now, by this process or others of this machine.
type Live interface {
	// Runs are the names of the runs that are being played.
	Runs() []string
	// Hub tells what happens in a run; nil where nobody plays it now. It closes when
	// the session ends.
	Hub(run string) *events.Hub
	// Control gives a run an order; an error says why it was refused.
	Control(ctx context.Context, run string, c control.Command) error
}

// Config is what a server shows, and to whom.
type Config struct {
	Addr string // host:port; a port of 0 is any free one
	// Token lets its holder read, where the address is not this machine's own, and
	// control runs; "": nobody controls, and only a loopback address is served.
	Token string
	// CertFile and KeyFile are of TLS, both or neither.
	CertFile, KeyFile string
	// PublicHosts are names, without port, that the server is reached by, beside its
	// address and those of the loopback.
	PublicHosts []string

	Store *results.Store
	Live  Live
	// Metrics serves /metrics; nil: there are none.
	Metrics http.Handler
	// Farm serves /farm; nil: there is none.
	Farm http.Handler
	// Pprof adds /debug/pprof/, for holders of the token where there is one.
	Pprof bool
	Log   *slog.Logger // of failures that no client is told in full
}

// lastCalls is how long clients have to read what they asked for when the server ends.
const lastCalls = 2 * time.Second

// Server is a server that listens already.
type Server struct {
	config   Config
	listener net.Listener
	guard    *guard
	pages    *pages
	feeds    feeds
	streams  places
	sheets   sheets
	states   states
	tunes    sheets        // of runs that are tunes
	heavy    chan struct{} // holds one value while something heavy is computed
	http     *http.Server
	clients  atomic.Int64 // connections that are open
	// ended is closed when the server is to end: streams end with it.
	ended chan struct{}
}

// Check reports what is wrong with a configuration, before there is anything to show: it needs
// neither a store nor what is played. It takes the address and gives it back.
func Check(ctx context.Context, c Config) error {
	if _, err := newGuard(c); err != nil {
		return err
	}
	if c.CertFile != "" {
		if _, err := tls.LoadX509KeyPair(c.CertFile, c.KeyFile); err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", c.Addr)
	if err != nil {
		return fmt.Errorf("--http: %w", err)
	}
	return listener.Close()
}

// Listen checks the configuration and takes the address.
func Listen(ctx context.Context, c Config) (*Server, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", c.Addr); err != nil {
		return nil, fmt.Errorf("--http: %w", err)
	}
	return s, nil
}

// newServer is a server without a listener.
func newServer(c Config) (*Server, error) {
	guard, err := newGuard(c)
	if err != nil {
		return nil, err
	}
	pages, err := newPages()
	if err != nil {
		return nil, err
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{
		config: c, guard: guard, pages: pages, heavy: make(chan struct{}, 1), ended: make(chan struct{}),
	}
	s.http = newHTTP(guard.around(s.routes()), c.Log, s.connection)
	return s, nil
}

// connection counts a connection that opens or ends.
func (s *Server) connection(_ net.Conn, now http.ConnState) {
	switch now {
	case http.StateNew:
		s.clients.Add(1)
	case http.StateClosed, http.StateHijacked:
		s.clients.Add(-1)
	case http.StateActive, http.StateIdle:
	}
}

// Clients is how many connections are open.
func (s *Server) Clients() int { return int(s.clients.Load()) }

// URL is where the server is, as a browser of this machine reaches it.
func (s *Server) URL() string {
	scheme := "http"
	if s.config.CertFile != "" {
		scheme = "https"
	}
	addr, ok := s.listener.Addr().(*net.TCPAddr)
	if !ok || !addr.IP.IsUnspecified() {
		return scheme + "://" + s.listener.Addr().String() + "/"
	}
	return fmt.Sprintf("%s://127.0.0.1:%d/", scheme, addr.Port)
}

// Serve serves until ctx ends; streams end then, and pages that were asked for have
// a moment to be read.
func (s *Server) Serve(ctx context.Context) error {
	stopped := make(chan struct{}) // closed when the shutdown is over
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		close(s.ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastCalls)
		defer cancel()
		if s.http.Shutdown(grace) != nil {
			_ = s.http.Close() // who is left has had time
		}
	})
	listener := limited(s.listener)
	var err error
	if s.config.CertFile != "" {
		err = s.http.ServeTLS(listener, s.config.CertFile, s.config.KeyFile)
	} else {
		err = s.http.Serve(listener)
	}
	if !stop() {
		<-stopped
	}
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
