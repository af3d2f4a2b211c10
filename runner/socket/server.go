package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"sync"
	"time"

	"gogi/match/control"
	"gogi/runner/events"
)

const (
	maxClients       = 64
	defaultWriteTime = 5 * time.Second // Server.writeTime
	maxLine          = 4096            // the maximum length of a request in bytes
)

// Server lets other processes follow and control a run through a socket.
type Server struct {
	path      string
	listener  net.Listener
	control   func(context.Context, control.Command) error
	writeTime time.Duration // how long a write to a client may take

	slots   chan struct{} // a value for each client, at most maxClients; never closed
	clients sync.WaitGroup
}

// Listen creates the socket of a run at path. control executes a command; many goroutines call it
// concurrently.
func Listen(path string, control func(context.Context, control.Command) error) (*Server, error) {
	listener, err := listen(path)
	if err != nil {
		return nil, fmt.Errorf("making the socket for those who watch: %w", err)
	}
	return &Server{path: path, listener: listener, control: control, writeTime: defaultWriteTime,
		slots: make(chan struct{}, maxClients)}, nil
}

// Serve serves clients with the events of the hub until the hub closes, and then deletes the socket.
func (s *Server) Serve(hub *events.Hub) {
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		<-hub.Closed()
		_ = os.Remove(s.path) // the next session replaces a socket that remains
		_ = s.listener.Close()
	}()
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			break
		}
		s.take(ctx, conn, hub)
	}
	// Followers end with the hub. This ends the clients that only send commands.
	cancel()
	s.clients.Wait()
}

// take serves a client, or closes its connection if maxClients are connected.
func (s *Server) take(ctx context.Context, conn net.Conn, hub *events.Hub) {
	select {
	case s.slots <- struct{}{}:
	default:
		_ = conn.Close()
		return
	}
	s.clients.Go(func() {
		defer func() { <-s.slots }()
		defer conn.Close() //nolint:errcheck // all data were sent
		(&client{Server: s, conn: conn, hub: hub}).serve(ctx)
	})
}

type client struct {
	*Server
	conn net.Conn
	hub  *events.Hub
}

// Request is a line from a client.
type Request struct {
	Follow bool `json:"follow,omitempty"` // send the events of the run; otherwise the line is an order
	control.Command
}

// Answer is the answer to a command.
type Answer struct {
	Error string `json:"error,omitempty"` // the reason why the run rejects the order; missing: the run accepts it
}

func (c *client) serve(ctx context.Context) {
	// This ends a silent client together with the server.
	defer context.AfterFunc(ctx, func() { _ = c.conn.SetReadDeadline(time.Unix(1, 0)) })()
	lines := bufio.NewScanner(c.conn)
	lines.Buffer(make([]byte, 0, maxLine), maxLine)
	for lines.Scan() {
		var r Request
		err := json.Unmarshal(lines.Bytes(), &r)
		if err == nil && r.Follow {
			c.follow()
			return
		}
		if err == nil {
			err = c.control(ctx, r.Command)
		}
		var a Answer
		if err != nil {
			a.Error = err.Error()
		}
		if c.send(a) != nil {
			return
		}
	}
}

// follow sends the run's events until they end or the client does not read. It disconnects a slow client, which may
// connect again.
func (c *client) follow() {
	events := c.hub.Subscribe(events.DefaultBuffer)
	defer events.Close()
	go func() { // this ends a disconnected client even without events
		_, _ = c.conn.Read(make([]byte, 1))
		events.Close()
	}()
	for e := range events.Events() {
		if c.send(e) != nil {
			return
		}
	}
}

func (c *client) send(v any) error {
	line, err := json.Marshal(v)
	if err != nil {
		return err
	}
	if err := c.conn.SetWriteDeadline(time.Now().Add(c.writeTime)); err != nil {
		return err
	}
	_, err = c.conn.Write(append(line, '\n'))
	return err
}
