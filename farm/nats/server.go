package nats

import (
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
)

// The settings of the embedded server.
const (
	maxConnections = 20_000
	pingEvery      = 20 * time.Second
	pingsOut       = 2                // unanswered, then the connection is closed
	writeDeadline  = 10 * time.Second // for one that does not read
	startDeadline  = 30 * time.Second // a large stream is read at the start
	// authDeadline is how long a connection may wait at the door: also while the
	// coordinator starts.
	authDeadline = 60 * time.Second
	// unbounded is what JetStream may reserve in all. Each stream has its own bound, and
	// the server adds up what they had before: a sum of theirs of today would keep a
	// coordinator from starting again where a stream shall take less than when it was made.
	unbounded = 1 << 50
)

// embedded is the server within this process.
type embedded struct {
	server *server.Server
	door   *authenticator
}

// startServer starts a server whose door is still shut: who connects waits, but for
// the coordinator, who has the public key own.
func startServer(c Config, own string) (*embedded, error) {
	host, port, err := splitListen(c.Listen, c.TLS)
	if err != nil {
		return nil, err
	}
	e := &embedded{door: newDoor(c.Keys, own)}
	o := &server.Options{
		ServerName: "gogi-farm", Host: host, Port: port, NoSigs: true, NoLog: true,
		MaxPayload: farm.MaxBody, MaxConn: maxConnections, PingInterval: pingEvery, MaxPingsOut: pingsOut,
		WriteDeadline: writeDeadline, AuthTimeout: authDeadline.Seconds(), TLSConfig: c.TLS, TLSTimeout: 10,
		JetStream: true, StoreDir: c.Dir, SyncAlways: true, JetStreamMaxStore: unbounded,
		JetStreamMaxMemory: 64 << 20, DisableJetStreamBanner: true,
		CustomClientAuthentication: e.door, AlwaysEnableNonce: true,
	}
	if e.server, err = server.NewServer(o); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	e.door.disconnect = e.server.DisconnectClientByID
	e.server.SetLoggerV2(&logger{log: c.Log}, false, false, false)
	e.server.Start()
	if !e.server.ReadyForConnections(startDeadline) {
		e.stop()
		return nil, fmt.Errorf("bus: the server on %s did not start within %v: is the address free?", c.Listen, startDeadline)
	}
	return e, nil
}

func (e *embedded) stop() {
	e.door.open() // whoever waits there is let go of by the end of the server
	e.server.Shutdown()
	e.server.WaitForShutdown()
}

// splitListen refuses to listen beyond this machine without TLS.
func splitListen(listen string, tls *tls.Config) (host string, port int, err error) {
	host, digits, err := net.SplitHostPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("bus: listen: %w", err)
	}
	port, err = strconv.Atoi(digits)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("bus: listen %q: the port is no number from 0 to 65535", listen)
	}
	if ip := net.ParseIP(host); tls == nil && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return "", 0, fmt.Errorf("bus: listen %q: beyond this machine there must be TLS", listen)
	}
	if host == "" {
		host = "0.0.0.0"
	}
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return host, port, nil
}

// logger tells the server's complaints to our log. Refused connections are no fault of
// ours and may be many: they are told at the level of debugging.
type logger struct{ log *slog.Logger }

func (l *logger) tell(level slog.Level, format string, v []any) {
	text := fmt.Sprintf(format, v...)
	if strings.Contains(text, "authentication error") || strings.Contains(text, "TLS handshake error") {
		level = slog.LevelDebug
	}
	l.log.Log(context.Background(), level, "nats: "+text)
}

func (l *logger) Noticef(format string, v ...any) { l.tell(slog.LevelDebug, format, v) }
func (l *logger) Warnf(format string, v ...any)   { l.tell(slog.LevelWarn, format, v) }
func (l *logger) Errorf(format string, v ...any)  { l.tell(slog.LevelError, format, v) }
func (l *logger) Debugf(format string, v ...any)  { l.tell(slog.LevelDebug, format, v) }
func (l *logger) Tracef(format string, v ...any)  { l.tell(slog.LevelDebug, format, v) }

// Fatalf is what the server says before it would end the process: here only it ends.
func (l *logger) Fatalf(format string, v ...any) { l.tell(slog.LevelError, format, v) }

var errNoDisk = errors.New("bus: how large the volume is cannot be found out: say how much the stream may take")

// DefaultStream is how many bytes the stream of results may take where nobody says: a
// fifth of the volume that dir is on, and no more than half of what is free there.
func DefaultStream(dir string) (int64, error) {
	size, free, err := volume(dir)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", errNoDisk, err)
	}
	return min(size/5, free/2), nil
}

// keyring is what the door asks.
type keyring interface {
	Find(public string) (keys.Key, bool)
}
