package csa

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// DefaultPort is where servers of the protocol listen.
const DefaultPort = "4081"

// The defaults of Timing. The protocol forbids empty lines within 30 seconds of
// the last line.
const (
	DefaultKeepAlive = 40 * time.Second
	DefaultSilence   = 2 * time.Minute
	DefaultWrite     = 10 * time.Second
	DefaultLogin     = 30 * time.Second
	DefaultAgreement = 30 * time.Minute
)

// Timing is how a Conn watches its line; a zero field has its default.
type Timing struct {
	KeepAlive time.Duration // silence of ours before an empty line is sent
	// Silence is how long the server may say nothing, not even answer empty
	// lines, before the connection counts as lost. It is watched only once the
	// server has answered one: those of the first version of the protocol don't.
	Silence time.Duration
	Write   time.Duration // longest that the network may take to accept a line
	Login   time.Duration // longest wait for the answer to LOGIN
	// Agreement is the longest wait for a game to begin that we agreed to: the
	// opponent's program may be loading until then.
	Agreement time.Duration
}

func (t Timing) filled() Timing {
	fill := func(d *time.Duration, def time.Duration) {
		if *d <= 0 {
			*d = def
		}
	}
	fill(&t.KeepAlive, DefaultKeepAlive)
	fill(&t.Silence, DefaultSilence)
	fill(&t.Write, DefaultWrite)
	fill(&t.Login, DefaultLogin)
	fill(&t.Agreement, DefaultAgreement)
	return t
}

// ErrLogin is a name or password that the server refused.
var ErrLogin = errors.New("the server refused the name or the password")

var (
	errEnded  = errors.New("the server ended the connection")
	errClosed = errors.New("the connection is closed")
)

// Bounds on what a server may send.
const (
	maxLine         = 1 << 16 // bytes
	maxSummaryLines = 10_000
	maxSummaryBytes = 1 << 20
	maxRate         = 20_000 // lines within floodWindow: a summary, and much chat
	floodWindow     = time.Minute
	messageRoom     = 256
)

// Conn is one connection to a server. Its methods may be called from any
// goroutine; Messages has one reader.
type Conn struct {
	rwc      io.ReadWriteCloser
	timing   Timing
	messages chan Message // closed by the reader at the end
	quit     chan struct{}
	done     sync.WaitGroup // of the reader and the keep-alive
	closing  sync.Once

	writing sync.Mutex // one line at a time

	mu       sync.Mutex // of what follows; never held while writing
	err      error      // why the connection ended: the first cause
	sent     time.Time
	received time.Time
	answers  bool // the server has answered an empty line
}

// NewConn takes over a connection that is open; Close closes it.
func NewConn(rwc io.ReadWriteCloser, timing Timing) *Conn {
	now := time.Now()
	c := &Conn{
		rwc: rwc, timing: timing.filled(), messages: make(chan Message, messageRoom), quit: make(chan struct{}),
		sent: now, received: now,
	}
	c.done.Go(c.read)
	c.done.Go(c.keepAlive)
	return c
}

// Messages is what the server says, without empty lines. It is closed when the
// connection ends; Err then says why.
func (c *Conn) Messages() <-chan Message { return c.messages }

// Err is why the connection ended, nil while it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close closes the connection and waits for what it started.
func (c *Conn) Close() error {
	err := c.shut(errClosed)
	c.done.Wait()
	return err
}

// shut closes the connection for a reason; the first one stays.
func (c *Conn) shut(why error) (err error) {
	c.mu.Lock()
	if c.err == nil {
		c.err = why
	}
	c.mu.Unlock()
	c.closing.Do(func() {
		close(c.quit)
		if err = c.rwc.Close(); err != nil {
			err = fmt.Errorf("csa: closing the connection: %w", err)
		}
	})
	return err
}

// Send sends one line, which must not contain a line break.
func (c *Conn) Send(line string) error {
	if strings.ContainsAny(line, "\r\n") {
		return errors.New("csa: sending: there is a line break in the line") // which may be a password
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.sending(); err != nil {
		return fmt.Errorf("csa: sending: %w", err)
	}
	if d, ok := c.rwc.(interface{ SetWriteDeadline(time.Time) error }); ok {
		// A connection without deadlines simply has none.
		_ = d.SetWriteDeadline(time.Now().Add(c.timing.Write))
	}
	if _, err := io.WriteString(c.rwc, line+"\n"); err != nil {
		return fmt.Errorf("csa: sending: %w", err)
	}
	return nil
}

// sending notes that something is sent now, if it can be.
func (c *Conn) sending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = time.Now()
	return c.err
}

// Login identifies the player and waits for the server's word. The error is
// ErrLogin where that is no.
func (c *Conn) Login(ctx context.Context, user, password string) error {
	if err := c.Send("LOGIN " + user + " " + password); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, c.timing.Login, fmt.Errorf("no answer within %v", c.timing.Login))
	defer cancel()
	kind, err := c.await(ctx, LoggedIn, LoginRefused)
	if err == nil && kind == LoginRefused {
		err = ErrLogin
	}
	if err != nil {
		return fmt.Errorf("csa: logging in as %s: %w", user, err)
	}
	return nil
}

// Logout takes leave and waits for the server to confirm it, or to close the
// connection, which is as good.
func (c *Conn) Logout(ctx context.Context) error {
	if err := c.Send("LOGOUT"); err != nil {
		return err
	}
	if _, err := c.await(ctx, LoggedOut); err != nil && ctx.Err() != nil {
		return fmt.Errorf("csa: logging out: %w", err)
	}
	return nil
}

// await skips to the first message of some kinds.
func (c *Conn) await(ctx context.Context, kinds ...Kind) (Kind, error) {
	for {
		select {
		case m, ok := <-c.messages:
			if !ok {
				return Other, c.Err()
			}
			for _, k := range kinds {
				if m.Kind == k {
					return k, nil
				}
			}
		case <-ctx.Done():
			return Other, context.Cause(ctx)
		}
	}
}

// read sorts the lines of the server until the connection ends.
func (c *Conn) read() {
	defer close(c.messages)
	r := lineReader{Reader: bufio.NewReaderSize(c.rwc, maxLine)}
	for {
		line, err := r.line()
		switch {
		case errors.Is(err, errFlood):
			_ = c.shut(err) // the reason is what counts
			return
		case err != nil:
			_ = c.shut(fmt.Errorf("%w: %w", errEnded, err)) // it has ended anyway
			return
		}
		c.heard(line == "")
		if line == "" {
			continue
		}
		m := parseLine(line)
		if line == summaryBegin {
			if m, err = readSummary(&r); err != nil {
				_ = c.shut(fmt.Errorf("in the middle of a game summary: %w: %w", errEnded, err))
				return
			}
		}
		select {
		case c.messages <- m:
		case <-c.quit:
			return
		}
	}
}

const (
	summaryBegin = "BEGIN Game_Summary"
	summaryEnd   = "END Game_Summary"
)

// readSummary reads to the end of a summary. One that cannot be understood is a
// message too, with its error.
func readSummary(r *lineReader) (Message, error) {
	m := Message{Kind: Proposed, Text: summaryBegin}
	var lines []string
	size := 0
	for {
		line, err := r.line()
		if err != nil {
			return m, err
		}
		if line == summaryEnd {
			m.Summary, m.Err = ParseSummary(lines)
			return m, nil
		}
		if lines = append(lines, line); len(lines) > maxSummaryLines {
			return m, fmt.Errorf("more than %d lines", maxSummaryLines)
		}
		if size += len(line); size > maxSummaryBytes {
			return m, fmt.Errorf("more than %d bytes", maxSummaryBytes)
		}
	}
}

// lineReader reads the lines of a server, as many as one may send.
type lineReader struct {
	*bufio.Reader

	since time.Time // the window began
	lines int       // within it
}

var errFlood = fmt.Errorf("the server sent more than %d lines within %v", maxRate, floodWindow)

// line reads a line without its end, be that LF or CR LF.
func (r *lineReader) line() (string, error) {
	raw, err := r.ReadSlice('\n')
	if now := time.Now(); now.Sub(r.since) > floodWindow {
		r.since, r.lines = now, 0
	}
	if r.lines++; r.lines > maxRate {
		return "", errFlood
	}
	if errors.Is(err, bufio.ErrBufferFull) {
		return "", fmt.Errorf("a line of more than %d bytes", maxLine)
	}
	if err != nil {
		return "", err
	}
	return strings.TrimRight(string(raw), "\r\n"), nil
}

func (c *Conn) heard(blank bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = time.Now()
	c.answers = c.answers || blank
}

// keepAlive sends an empty line when nothing else was sent for a while, so that
// neither the server nor a router on the way forgets the connection.
func (c *Conn) keepAlive() {
	timer := time.NewTimer(c.timing.KeepAlive)
	defer timer.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-timer.C:
		}
		quiet, silent := c.idle()
		if silent {
			_ = c.shut(fmt.Errorf("the server has been silent for %v", c.timing.Silence)) // it is lost anyway
			return
		}
		if quiet >= c.timing.KeepAlive {
			if err := c.Send(""); err != nil {
				_ = c.shut(err)
				return
			}
			quiet = 0
		}
		timer.Reset(c.timing.KeepAlive - quiet)
	}
}

// idle is how long we have sent nothing, and whether the server was silent for
// too long.
func (c *Conn) idle() (quiet time.Duration, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.sent), c.answers && time.Since(c.received) >= c.timing.Silence
}
