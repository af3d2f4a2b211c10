package csa

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
)

// DefaultPort is the usual port of CSA servers.
const DefaultPort = "4081"

// These are the time limits of a Conn. The protocol forbids empty lines within 30 seconds of the last line.
const (
	keepAliveAfter = 40 * time.Second // time without a line from gogi before Conn sends an empty line
	// silenceLimit is how long the server may send nothing, not even empty lines, before the connection
	// counts as lost. The limit applies only after the server has answered an empty line, because servers of
	// the first protocol version do not answer.
	silenceLimit = 2 * time.Minute
	writeLimit   = 10 * time.Second // longest time until the network accepts a line
	loginLimit   = 30 * time.Second // longest wait for the answer to LOGIN
	// agreementLimit is the longest wait for the start of a game after AGREE, because the opponent's program
	// may still be loading.
	agreementLimit = 30 * time.Minute
)

// ErrLogin is the error if the server rejects the name or the password.
var ErrLogin = errors.New("the server refused the name or the password")

var (
	errEnded  = errors.New("the server ended the connection")
	errClosed = errors.New("the connection is closed")
)

// These limit what a server may send.
const (
	maxLine         = 1 << 16 // bytes
	maxSummaryLines = 10_000
	maxSummaryBytes = 1 << 20
	maxRate         = 20_000 // lines within floodWindow; enough for a summary and much chat
	floodWindow     = time.Minute
	messageRoom     = 256
)

// Conn is one connection to a server. Its methods are safe for concurrent use, but only one goroutine may
// read Messages.
type Conn struct {
	rwc      io.ReadWriteCloser
	messages chan Message // the reader closes it at the end
	quit     chan struct{}
	done     sync.WaitGroup // the goroutines that read and that send empty lines
	closing  sync.Once

	writing sync.Mutex // protects the sending of one line

	mu       sync.Mutex // for the fields below; never locked during a write
	err      error      // first cause of the end of the connection
	sent     time.Time
	received time.Time
	answers  bool // the server has answered an empty line
}

// NewConn returns a Conn that owns the open connection rwc; Close closes rwc.
func NewConn(rwc io.ReadWriteCloser) *Conn {
	now := time.Now()
	c := &Conn{
		rwc: rwc, messages: make(chan Message, messageRoom), quit: make(chan struct{}),
		sent: now, received: now,
	}
	c.done.Go(c.read)
	c.done.Go(c.keepAlive)
	return c
}

// Messages returns the channel of the server's messages, without empty lines. It is closed when the
// connection ends; Err then returns the cause.
func (c *Conn) Messages() <-chan Message { return c.messages }

// Err returns the reason why the connection ended, or nil while it is open.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close closes the connection and waits for the goroutines of the Conn.
func (c *Conn) Close() error {
	err := c.shut(errClosed)
	c.done.Wait()
	return err
}

// shut closes the connection. why becomes the result of Err, unless an earlier call has set it.
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
		// the message does not contain the line, which may be a password
		return errors.New("csa: sending: there is a line break in the line")
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if err := c.sending(); err != nil {
		return fmt.Errorf("csa: sending: %w", err)
	}
	if d, ok := c.rwc.(interface{ SetWriteDeadline(time.Time) error }); ok {
		// Without support for deadlines the write has no limit.
		_ = d.SetWriteDeadline(time.Now().Add(writeLimit))
	}
	if _, err := io.WriteString(c.rwc, line+"\n"); err != nil {
		return fmt.Errorf("csa: sending: %w", err)
	}
	return nil
}

// sending records that a line is sent now. If the connection has ended, it returns the connection's error.
func (c *Conn) sending() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sent = time.Now()
	return c.err
}

// Login sends the name and the password and waits for the server's answer. If the server rejects them, the
// error wraps ErrLogin.
func (c *Conn) Login(ctx context.Context, user, password string) error {
	if err := c.Send("LOGIN " + user + " " + password); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, loginLimit, fmt.Errorf("no answer within %v", loginLimit))
	defer cancel()
	kind, err := c.await(ctx, LoggedIn, LoginRefused)
	if err == nil && kind == LoginRefused {
		err = fmt.Errorf("%w, or this name plays at the moment", ErrLogin)
		if !plainName().MatchString(user) {
			err = fmt.Errorf("%w: expected a name of 1 to 32 characters of A-Z, a-z, 0-9, _, @, . and -", ErrLogin)
		}
	}
	if err != nil {
		return fmt.Errorf("csa: logging in as %s: %w", user, err)
	}
	return nil
}

// plainName matches the names that shogi-server accepts. Other servers may accept more.
var plainName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_@.-]{1,32}$`) })

// Logout sends LOGOUT and waits until the server confirms it or closes the connection.
func (c *Conn) Logout(ctx context.Context) error {
	if err := c.Send("LOGOUT"); err != nil {
		return err
	}
	if _, err := c.await(ctx, LoggedOut); err != nil && ctx.Err() != nil {
		return fmt.Errorf("csa: logging out: %w", err)
	}
	return nil
}

// await drops messages until one of the given kinds comes, and returns its kind.
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

// read parses the server's lines until the connection ends.
func (c *Conn) read() {
	defer close(c.messages)
	r := lineReader{Reader: bufio.NewReaderSize(c.rwc, maxLine)}
	for {
		line, err := r.line()
		switch {
		case errors.Is(err, errFlood):
			_ = c.shut(err) // only the cause matters
			return
		case err != nil:
			_ = c.shut(fmt.Errorf("%w: %w", errEnded, err)) // the connection has already ended
			return
		}
		c.noteLine(line == "")
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

// readSummary reads the lines of a summary to its end. For an invalid summary it returns a message with the
// error.
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

// lineReader reads the server's lines and limits their rate.
type lineReader struct {
	*bufio.Reader

	since time.Time // start of the window
	lines int       // lines in the window
}

var errFlood = fmt.Errorf("the server sent more than %d lines within %v", maxRate, floodWindow)

// line reads a line without its end (LF or CR LF).
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

// noteLine records the time at which a line from the server came. blank means that the line is empty.
func (c *Conn) noteLine(blank bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.received = time.Now()
	c.answers = c.answers || blank
}

// keepAlive sends an empty line if no other line was sent for keepAliveAfter. So neither the server nor a
// router drops the connection.
func (c *Conn) keepAlive() {
	timer := time.NewTimer(keepAliveAfter)
	defer timer.Stop()
	for {
		select {
		case <-c.quit:
			return
		case <-timer.C:
		}
		quiet, silent := c.idle()
		if silent {
			_ = c.shut(fmt.Errorf("the server has been silent for %v", silenceLimit)) // the connection is lost anyway
			return
		}
		if quiet >= keepAliveAfter {
			if err := c.Send(""); err != nil {
				_ = c.shut(err)
				return
			}
			quiet = 0
		}
		timer.Reset(keepAliveAfter - quiet)
	}
}

// idle returns the time since the last sent line. silent reports whether the server has sent nothing for too
// long.
func (c *Conn) idle() (quiet time.Duration, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return time.Since(c.sent), c.answers && time.Since(c.received) >= silenceLimit
}
