package nats

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
	"gogi/farm/keys"
	"gogi/internal/network"
)

// These are settings of the embedded server.
const (
	maxConnections = 20_000
	pingEvery      = 20 * time.Second
	pingsOut       = 2                // unanswered pings after which the server closes a connection
	writeDeadline  = 10 * time.Second // time after which the server closes a connection that does not read.
	startDeadline  = 30 * time.Second // long, because the server reads a large stream at the start
	// authDeadline is how long a connection may wait for its authentication, also while the coordinator starts.
	authDeadline = 60 * time.Second
	// unbounded is the JetStream limit over all streams. Each stream has its own limit. At a restart the
	// server adds up the limits that the streams had before. If unbounded were the sum of the current limits,
	// a coordinator could not restart with a lower limit.
	unbounded = 1 << 50
)

// embedded is the NATS server that runs in this process.
type embedded struct {
	server *server.Server
	auth   *authenticator
}

// startServer starts a server. Until auth.open is called, the server accepts only the coordinator, whose
// public key is own. Other connections wait.
func startServer(ctx context.Context, c Config, own string) (*embedded, error) {
	host, port, err := splitListen(c.Listen, c.TLS)
	if err != nil {
		return nil, err
	}
	e := &embedded{auth: newAuthenticator(c.Keys, own)}
	o := &server.Options{
		ServerName: "gogi-farm", Host: host, Port: port, NoSigs: true, NoLog: true,
		MaxPayload: farm.MaxBody, MaxConn: maxConnections, PingInterval: pingEvery, MaxPingsOut: pingsOut,
		WriteDeadline: writeDeadline, AuthTimeout: authDeadline.Seconds(), TLSConfig: c.TLS, TLSTimeout: 10,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true, JetStreamMaxStore: unbounded,
		JetStreamMaxMemory: 64 << 20, DisableJetStreamBanner: true,
		CustomClientAuthentication: e.auth, AlwaysEnableNonce: true,
	}
	if err := mayListen(ctx, c.Listen); err != nil {
		return nil, err
	}
	if e.server, err = server.NewServer(o); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	e.auth.disconnect = e.server.DisconnectClientByID
	e.server.SetLoggerV2(&logger{log: c.Log}, false, false, false)
	e.server.Start()
	if !e.server.ReadyForConnections(startDeadline) {
		e.stop()
		return nil, fmt.Errorf("bus: the server on %s did not start within %v: is the address free?", c.Listen, startDeadline)
	}
	return e, nil
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

func (e *embedded) stop() {
	e.auth.open() // the shutdown closes the waiting connections
	e.server.Shutdown()
	e.server.WaitForShutdown()
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

var errNoDisk = errors.New("bus: the size of the volume is unknown: set the maximum size of the stream")

// DefaultStream returns the default size of the stream of results in bytes: a fifth of dir's volume, at most half of
// the free space there.
func DefaultStream(dir string) (int64, error) {
	size, free, err := volume(dir)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	return min(size/5, free/2), nil
}

// A keyring finds a key by its public part.
type keyring interface {
	Find(public string) (keys.Key, bool)
}
