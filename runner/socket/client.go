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

// Stream is the events of a run that another process plays.
type Stream struct {
	conn   net.Conn
	events chan match.Event // closed by read at the stream's end
	why    error            // of read, before it closes events
}

// Follow begins to listen to a run, until ctx ends. Nobody there is ErrNobody.
func Follow(ctx context.Context, path string) (*Stream, error) {
	conn, err := reach(path)
	if err != nil {
		return nil, err
	}
	if err := write(conn, request{Follow: true}); err != nil {
		_ = conn.Close()
		return nil, err
	}
	s := &Stream{conn: conn, events: make(chan match.Event)}
	go s.read(ctx)
	return s, nil
}

// Events are what happens in the run: first a state. They end with the session, when
// ctx ends, or when the run's process cuts whoever does not read.
func (s *Stream) Events() <-chan match.Event { return s.events }

// Err is why the events ended; nil where that is the session's end. It may be asked
// when they have.
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

// ErrRefused is that a run does not do what it was told; the error that wraps it
// says why, in the run's words.
var ErrRefused = errors.New("the run refuses")

// Order gives a run a command, and waits for its answer. Nobody there is ErrNobody.
func Order(ctx context.Context, path string, c control.Command) error {
	conn, err := reach(path)
	if err != nil {
		return err
	}
	defer conn.Close() //nolint:errcheck // the answer was read
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if err := write(conn, request{Command: c}); err != nil {
		return err
	}
	var a answer
	if err := json.NewDecoder(io.LimitReader(conn, 1<<16)).Decode(&a); err != nil {
		return fmt.Errorf("waiting for the run's answer: %w", errors.Join(context.Cause(ctx), err))
	}
	if a.Error != "" {
		return fmt.Errorf("%w: %s", ErrRefused, a.Error)
	}
	return nil
}

// reach connects to whoever plays the run.
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

func write(conn net.Conn, r request) error {
	line, err := json.Marshal(r)
	if err == nil {
		_, err = conn.Write(append(line, '\n'))
	}
	return err
}
