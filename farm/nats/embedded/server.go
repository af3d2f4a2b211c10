// Package embedded runs a NATS server in this process, for a farm's coordinator without an outside server. [Start]
// starts it. Only the program of the coordinator imports this package, because the server has half the size of gogi.
package embedded

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"gogi/farm"
	"gogi/farm/nats"
	"gogi/internal/network"
)

// These are settings of the server.
const (
	maxConnections = 20_000
	writeDeadline  = 10 * time.Second // time after which the server closes a connection that does not read.
	startDeadline  = 30 * time.Second // long, because the server reads a large stream at the start
	// authDeadline is how long a connection may wait for its authentication, also while the coordinator starts.
	authDeadline = 60 * time.Second
	// unbounded is the JetStream limit over all streams. Each stream has its own limit. At a restart the
	// server adds up the limits that the streams had before. If unbounded were the sum of the current limits,
	// a coordinator could not restart with a lower limit.
	unbounded = 1 << 50
)

// running is a server that was started. It implements nats.Server.
type running struct {
	*server.Server
	auth *authenticator
}

// Start starts a server. It implements nats.Start.
func Start(ctx context.Context, c nats.ServerConfig) (nats.Server, error) {
	host, port, err := splitListen(c.Listen, c.TLS)
	if err != nil {
		return nil, err
	}
	r := &running{auth: newAuthenticator(c.Keys, c.Own)}
	o := &server.Options{
		ServerName: "gogi-farm", Host: host, Port: port, NoSigs: true, NoLog: true,
		MaxPayload: farm.MaxBody, MaxConn: maxConnections, PingInterval: nats.PingEvery, MaxPingsOut: nats.PingsOut,
		WriteDeadline: writeDeadline, AuthTimeout: authDeadline.Seconds(), TLSConfig: c.TLS, TLSTimeout: 10,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true, JetStreamMaxStore: unbounded,
		JetStreamMaxMemory: 64 << 20, DisableJetStreamBanner: true,
		CustomClientAuthentication: r.auth, AlwaysEnableNonce: true,
	}
	if err := mayListen(ctx, c.Listen); err != nil {
		return nil, err
	}
	if r.Server, err = server.NewServer(o); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	r.auth.disconnect = r.DisconnectClientByID
	r.SetLoggerV2(&logger{log: c.Log}, false, false, false)
	r.Server.Start()
	if !r.ReadyForConnections(startDeadline) {
		r.Stop()
		return nil, fmt.Errorf("bus: the server on %s did not start within %v: is the address free?", c.Listen, startDeadline)
	}
	return r, nil
}

// mayListen returns an error if the server cannot listen on an address. The server itself would only try again until
// its deadline. mayListen listens on the address for a moment.
func mayListen(ctx context.Context, address string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("--listen: %w", network.CannotListen(address, err))
	}
	return listener.Close()
}

// Admit implements nats.Server.
func (r *running) Admit() { r.auth.open() }

// Disconnect implements nats.Server.
func (r *running) Disconnect(public string) { r.auth.shut(public) }

// Sweep implements nats.Server.
func (r *running) Sweep(now time.Time) error { return r.auth.sweep(r.alive, now) }

// Journal implements nats.Server. After a failure to write, for example on a full disk, a server never writes again
// until it is restarted.
func (r *running) Journal(stream string) error {
	h := r.Healthz(&server.HealthzOptions{Account: server.DEFAULT_GLOBAL_ACCOUNT, Stream: stream})
	if h.Error != "" {
		return errors.New(h.Error)
	}
	return nil
}

// alive returns the set of open connections, by the server's numbers for them.
func (r *running) alive() (map[uint64]bool, error) {
	all := map[uint64]bool{}
	for {
		list, err := r.Connz(&server.ConnzOptions{Offset: len(all), Limit: maxConnections})
		if err != nil {
			return nil, fmt.Errorf("bus: %w", err)
		}
		before := len(all)
		for _, c := range list.Conns {
			all[c.Cid] = true
		}
		if len(all) == before || len(all) >= list.Total {
			return all, nil
		}
	}
}

// Stop implements nats.Server.
func (r *running) Stop() {
	r.Admit() // the shutdown closes the waiting connections
	r.Shutdown()
	r.WaitForShutdown()
}

// splitListen splits a listen address into host and port. Without TLS it accepts only addresses of this
// machine.
func splitListen(listen string, tls *tls.Config) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("bus: listen: %w", err)
	}
	port, err = strconv.Atoi(digits)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("bus: listen %q: expected a port from 0 to 65535", listen)
	}
	if ip := net.ParseIP(host); tls == nil && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", 0, fmt.Errorf("bus: listen %q: an address beyond this machine needs TLS", listen)
	}
	host = cmp.Or(host, "0.0.0.0")
	port = cmp.Or(port, server.RANDOM_PORT)
	return host, port, nil
}

// logger writes the server's messages to gogi's log. It logs rejected connections at the level debug. There
// may be many of them, and the coordinator is not responsible for them.
type logger struct{ log *slog.Logger }

func (l *logger) write(level slog.Level, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "authentication error") || strings.Contains(text, "TLS handshake error") {
		level = slog.LevelDebug
	}
	l.log.Log(context.Background(), level, "nats: "+text)
}

func (l *logger) Noticef(format string, v ...any) { l.write(slog.LevelDebug, format, v) }
func (l *logger) Warnf(format string, v ...any)   { l.write(slog.LevelWarn, format, v) }
func (l *logger) Errorf(format string, v ...any)  { l.write(slog.LevelError, format, v) }
func (l *logger) Debugf(format string, v ...any)  { l.write(slog.LevelDebug, format, v) }
func (l *logger) Tracef(format string, v ...any)  { l.write(slog.LevelDebug, format, v) }

// Fatalf logs the reason why the NATS server ends itself. The process of gogi continues.
func (l *logger) Fatalf(format string, v ...any) { l.write(slog.LevelError, format, v) }
