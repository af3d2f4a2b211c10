package socket

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"

	"gogi/match"
	"gogi/match/control"
)

// Stream receives the events of a run that another process plays.
type Stream struct {
	conn   net.Conn
	events chan match.Event // closed by read at the end of the stream
	why    error            // set by read before it closes events
}

// Follow subscribes to the events of a run until ctx ends. path is the path of the run's socket. Follow
// returns ErrNobody if no process plays the run.
func Follow(ctx context.Context, path string) (*Stream, error) {
	conn, err := reach(path)
	if err != nil {
		return nil, err
	}
	if err := write(conn, Request{Follow: true}); err != nil {
		_ = conn.Close()
		return nil, err
	}
	s := &Stream{conn: conn, events: make(chan match.Event)}
	go s.read(ctx)
	return s, nil
}

// Events returns the channel of the run's events. The first event has the state of the run. The channel is
// closed when the session or ctx ends, and when the run's process disconnects a slow client.
func (s *Stream) Events() <-chan match.Event { return s.events }

// Err returns the reason for the end of the events, or nil if the session has ended normally. Call it only
// after Events is closed.
func (s *Stream) Err() error { return s.why }

func (s *Stream) read(ctx context.Context) {
	defer close(s.events)
	defer context.AfterFunc(ctx, func() { _ = s.conn.Close() })()
	defer s.conn.Close() //nolint:errcheck // it was only read
	lines := json.NewDecoder(bufio.NewReader(s.conn))
	for over := false; ; {
		var e match.Event
		switch err := lines.Decode(&e); {
		case ctx.Err() != nil:
			s.why = context.Cause(ctx)
			return
		case err != nil:
			if !errors.Is(err, io.EOF) || !over {
				s.why = fmt.Errorf("following the run: the connection was cut: %w", err)
			}
			return
		}
		over = over || e.Type == match.EventDone || e.State != nil && e.State.Over
		select {
		case s.events <- e:
		case <-ctx.Done():
			s.why = context.Cause(ctx)
			return
		}
	}
}

// ErrRefused is the error for a command that the run rejected. An error that wraps it has the reason from the
// run.
var ErrRefused = errors.New("the run refuses")

// Order sends a command to a run and waits for the answer. path is the path of the run's socket. Order
// returns ErrNobody if no process plays the run.
func Order(ctx context.Context, path string, c control.Command) error {
	conn, err := reach(path)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the answer was read
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := write(conn, Request{Command: c}); err != nil {
		return err
	}
	var a Answer
	if err := json.NewDecoder(io.LimitReader(conn, 1<<16)).Decode(&a); err != nil {
		return fmt.Errorf("waiting for the run's answer: %w", errors.Join(context.Cause(ctx), err))
	}
	if a.Error != "" {
		return fmt.Errorf("%w: %s", ErrRefused, a.Error)
	}
	return nil
}

// reach connects to the process that plays the run.
func reach(path string) (net.Conn, error) {
	conn, err := dial(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, refused) {
		return nil, ErrNobody
	}
	if err != nil {
		return nil, fmt.Errorf("reaching the run: %w", err)
	}
	return conn, nil
}

func write(conn net.Conn, r Request) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	return err
}
