package nats

import (
	"context"
	"crypto/tls"
	"log/slog"
	"net"
	"time"

	"github.com/nats-io/nats.go"

	"gogi/farm/keys"
)

// PingEvery is the interval of pings on a connection. After PingsOut unanswered pings a connection is closed. Both
// ends of a connection use these values.
const (
	PingEvery = 20 * time.Second
	PingsOut  = 2
)

// A ServerConfig is the configuration of a NATS server in this process.
type ServerConfig struct {
	Dir    string      // folder for JetStream
	Listen string      // HOST:PORT; port 0 means any free port
	TLS    *tls.Config // nil means no TLS, which is allowed on loopback only
	Keys   *keys.Ring  // accepted keys
	Own    string      // public key of the bus
	Log    *slog.Logger
}

// A Server is a NATS server in this process. Package embedded implements it. This package only declares it, so that
// programs without a coordinator do not link the server.
type Server interface {
	nats.InProcessConnProvider // for the connection of the bus

	// Admit accepts the connections of valid keys. Before Admit the server accepts only the bus; other connections wait.
	Admit()
	// Addr returns the address on which the server listens.
	Addr() net.Addr
	// Journal returns an error if the server can no longer write a stream to its disk.
	Journal(stream string) error
	// Sweep closes the connections of keys that are not valid at the time now.
	Sweep(now time.Time) error
	// Disconnect closes all connections that use a key.
	Disconnect(public string)
	// Stop ends the server and waits until it has ended.
	Stop()
}

// A Start starts a NATS server in this process. When it returns, the server accepts the connection of the bus.
type Start func(context.Context, ServerConfig) (Server, error)
