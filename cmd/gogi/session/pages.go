package session

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"gogi/cmd/gogi/cli"
	"gogi/internal/disk"
	"gogi/internal/fail"
	"gogi/internal/i18n"
	"gogi/match/control"
	"gogi/runner/events"
	"gogi/runner/socket"
	"gogi/ui/web"
)

// Pages has the flags of the live pages: access and encryption.
type Pages struct {
	TokenFile  string   `group:"pages" env:"GOGI_TOKEN_FILE" placeholder:"FILE" more:"" help:"File with a token of at least 32 characters. Other users must not be able to read the file. A browser needs the token to control runs. It needs the token for every page if other machines can reach the address."`
	TLSCert    string   `group:"pages" name:"tls-cert" placeholder:"FILE" more:"" help:"TLS certificate, for https."`
	TLSKey     string   `group:"pages" name:"tls-key" placeholder:"FILE" more:"" help:"Key of the TLS certificate."`
	PublicHost []string `group:"pages" sep:"none" placeholder:"NAME" more:"" help:"Additional host name under which browsers may open the pages."`
	Behind     []string `group:"pages" sep:"none" placeholder:"ADDR" more:"" help:"Address or network of a reverse proxy through which clients come, such as 127.0.0.1. gogi then takes the address of a client from X-Forwarded-For. Every reader needs the token or a log-in."`
	Pprof      bool     `group:"pages" more:"" help:"Serve CPU and memory profiles of gogi at /debug/pprof/."`
}

// Check returns an error for wrong flags or a wrong address, before the command starts. It does not check an
// empty address.
func (f *Pages) Check(ctx context.Context, addr string) error {
	var c web.Config
	if err := f.configure(&c, addr); err != nil || addr == "" {
		return fail.Usage(err)
	}
	return fail.Usage(web.Check(ctx, c))
}

func (f *Pages) configure(c *web.Config, addr string) (err error) {
	c.Addr, c.CertFile, c.KeyFile = addr, f.TLSCert, f.TLSKey
	c.PublicHosts, c.Behind, c.Pprof = f.PublicHost, f.Behind, f.Pprof
	c.Token, err = readToken(f.TokenFile)
	return err
}

// Serve serves pages until the caller calls stop or ctx ends. Before the call, the caller sets the contents
// of the pages in c (Store, Live, Metrics); Serve adds the values of the flags.
func (f *Pages) Serve(ctx context.Context, env *cli.Env, addr string, c web.Config) (server *web.Server, stop func(),
	err error) {
	if server, err = f.Listen(ctx, env, addr, c); err != nil {
		return nil, nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{}) // closed when the server has ended
	go func() {
		defer close(ended)
		if err := server.Serve(ctx); err != nil {
			env.Warn(i18n.Of("the pages are gone: %s", i18n.Because(err)))
		}
	}()
	return server, func() { cancel(); <-ended }, nil
}

// Listen checks the flags and listens on the address. Before the call, the caller sets the contents of the
// pages in c (Store, Live, Metrics); Listen adds the values of the flags.
func (f *Pages) Listen(ctx context.Context, env *cli.Env, addr string, c web.Config) (*web.Server, error) {
	if err := f.configure(&c, addr); err != nil {
		return nil, fail.Usage(err)
	}
	c.Log = slog.New(slog.NewTextHandler(env.Err, nil))
	server, err := web.Listen(ctx, c)
	return server, fail.Usage(err)
}

// readToken reads a token from a file that only its owner may read. If file is "", there is no token.
func readToken(file string) (string, error) {
	if file == "" {
		return "", nil
	}
	token, err := disk.ReadSecret(file)
	if err != nil {
		return "", fmt.Errorf("--token-file: %w", err)
	}
	return token, nil
}

// nearby implements web.Live for the runs of this process and the runs that other processes play into the
// same database.
type nearby struct {
	*socket.Nearby

	mu      sync.Mutex
	playing map[string]played
}

type played struct {
	hub     *events.Hub
	control func(context.Context, control.Command) error
}

// add adds a run. It returns a function for series.Config.Watch that waits until the run's hub closes, and
// then removes the run.
func (n *nearby) add(run string, p played) (follow func(*events.Hub)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.playing[run] = p
	return func(hub *events.Hub) {
		<-hub.Closed()
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.playing, run)
	}
}

func (n *nearby) find(run string) (p played, ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	p, ok = n.playing[run]
	return p, ok
}

// Runs returns the names of the runs in play, those of this process first.
func (n *nearby) Runs() []string {
	n.mu.Lock()
	own := slices.Sorted(maps.Keys(n.playing))
	n.mu.Unlock()
	return append(own, n.Nearby.Runs()...)
}

// Hub returns the event hub of a run in play, which sends the run's events to subscribers. It returns nil for
// other runs.
func (n *nearby) Hub(run string) *events.Hub {
	if p, ok := n.find(run); ok {
		return p.hub
	}
	return n.Nearby.Hub(run)
}

// Control sends an order to a run.
func (n *nearby) Control(ctx context.Context, run string, c control.Command) error {
	if p, ok := n.find(run); ok {
		return p.control(ctx, c)
	}
	return n.Nearby.Control(ctx, run, c)
}
