// Package web shows stored runs and runs in play in a browser. [Listen] starts a [Server] from a [Config].
// The server sends HTML that is readable without scripts, one script for live updates, JSON and downloads. It
// accepts orders, such as pause, from holders of the token.
//
// All text from engines and their owners (names, notes, options) is hostile. html/template escapes it, and
// the content security policy allows only the one script. Only holders of the token see paths, arguments and
// environments.
package web

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"gogi/internal/network"
	"gogi/match/control"
	"gogi/results"
	"gogi/runner/events"
)

// Live gives access to the runs in play, in this process or in others of this machine.
type Live interface {
	// Runs returns the names of the runs in play.
	Runs() []string
	// Hub returns the hub of a run, nil if the run is not in play. The hub closes when the session ends.
	Hub(run string) *events.Hub
	// Control sends an order to a run. The error is the reason if the run rejects it.
	Control(ctx context.Context, run string, c control.Command) error
}

// Farm is the handler of a farm's pages, on which users log in with their own keys.
type Farm interface {
	http.Handler
	// LoggedIn reports whether a request comes from a user of the farm, who may read all pages.
	LoggedIn(r *http.Request) bool
	// Open reports whether everybody may open a path below /farm, because people without a key need it.
	Open(path string) bool
}

// Config has the settings of a server.
type Config struct {
	Addr string // host:port; a port of 0 is any free one
	// Token gives its holder the right to control runs, and to read through an address that is not a loopback
	// address. With "" no client can control runs, and only a loopback address is possible.
	Token string
	// CertFile and KeyFile turn on TLS; set both or neither.
	CertFile, KeyFile string
	// PublicHosts are further names of the server, without port. Its address and those of the loopback are
	// always valid.
	PublicHosts []string
	// Behind has the addresses and networks of the reverse proxies through which clients come, such as 127.0.0.1. gogi
	// takes the address of a client from their field X-Forwarded-For. With proxies, no reader needs less than the token or
	// a log-in, because all clients come from the address of the proxy.
	Behind []string

	Store *results.Store
	Live  Live
	// Metrics serves /metrics; nil: no such path.
	Metrics http.Handler
	// Farm serves /farm and the paths below it; nil: no such path.
	Farm Farm
	// Analyst reviews games that holders of the token choose; nil: no page starts an engine.
	Analyst *Analyst
	// Pprof adds /debug/pprof/, for holders of the token if Token is set.
	Pprof bool
	Log   *slog.Logger // log of failures, which answers do not describe
}

// lastCalls is the time in which clients can read their answers when the server ends.
const lastCalls = 2 * time.Second

// A Server is a web server that listens on its address.
type Server struct {
	config   Config
	listener net.Listener
	guard    *guard
	pages    pages
	feeds    feeds
	streams  places
	sheets   sheets
	tunes    sheets // reports of tunes
	glances  sheets // results for the list of runs
	namesMu  sync.Mutex
	names    []results.RunName // all runs, latest first; guarded by namesMu
	infosMu  sync.Mutex
	infos    map[int64]keptRun // runs of the list, by ID; guarded by infosMu
	states   sync.Map          // the last known state of each run in the list, by ID
	nows     sync.Map          // nowKept by run
	// nowFlights makes one nowKept of a run at a time.
	nowFlights singleflight.Group
	// listTime is how long a page waits for results that are being read.
	listTime time.Duration
	reviews  reviews
	heavy    chan struct{} // has a value while a job of alone runs
	http     *http.Server
	clients  *connections
	// ended is closed when the server ends, which ends streams.
	ended chan struct{}
}

// Check returns an error if a configuration is not valid. It does not use Store and Live, which may be nil.
// To test the address, it listens on it for a moment.
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
		return fmt.Errorf("--http: %w", network.CannotListen(c.Addr, err))
	}
	return listener.Close()
}

// Listen checks the configuration and listens on the address. [Server.Serve] then serves.
func Listen(ctx context.Context, c Config) (*Server, error) {
	s, err := newServer(c)
	if err != nil {
		return nil, err
	}
	if s.listener, err = new(net.ListenConfig).Listen(ctx, "tcp", c.Addr); err != nil {
		return nil, fmt.Errorf("--http: %w", network.CannotListen(c.Addr, err))
	}
	return s, nil
}

// newServer returns a server that does not listen yet.
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
		glances: sheets{most: keptGlances}, listTime: 400 * time.Millisecond, clients: &connections{behind: guard.behind},
	}
	s.http = newHTTP(guard.behind.around(guard.around(s.routes())), c.Log, s.clients)
	return s, nil
}

// Clients returns the number of open connections.
func (s *Server) Clients() int { return s.clients.count() }

// URL returns the address of the server for a browser on this machine.
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

// RunURL returns the address of a run's page for a browser on this machine.
func (s *Server) RunURL(run string) string { return strings.TrimSuffix(s.URL(), "/") + pathOf(run) }

// Serve answers requests until ctx ends. Then it ends the streams of live pages, and waits up to lastCalls (2
// s) until clients have read the other answers.
func (s *Server) Serve(ctx context.Context) error {
	stopped := make(chan struct{}) // closed when the shutdown is over
	stop := context.AfterFunc(ctx, func() {
		defer close(stopped)
		close(s.ended)
		grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastCalls)
		defer cancel()
		if s.http.Shutdown(grace) != nil {
			_ = s.http.Close() // the time for these clients is over
		}
	})
	var err error
	listener := limitedListener{s.listener, s.clients}
	if s.config.CertFile != "" {
		err = s.http.ServeTLS(listener, s.config.CertFile, s.config.KeyFile)
	} else {
		err = s.http.Serve(listener)
	}
	if !stop() {
		<-stopped
	}
	s.reviews.end()
	if errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return err
}
