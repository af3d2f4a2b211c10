package nats

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
	"gogi/farm/keys"
)

// coordinatorName stands for the coordinator where others have the names of their keys;
// no key can have it, see keys.CheckName.
const coordinatorName = "COORDINATOR"

// The waits between two tries to connect: they double, and each is drawn from a half
// to the whole, so that ten thousand workers do not come back at once.
const (
	firstWait   = 50 * time.Millisecond
	longestWait = 60 * time.Second
)

func reconnectWait(attempts int) time.Duration {
	wait := longestWait
	if attempts < 11 { // 50 ms << 11 is above a minute
		wait = min(firstWait<<max(attempts-1, 0), longestWait)
	}
	return wait/2 + rand.N(wait/2+1)
}

// conn is a connection, and implements farm.Transport but for artefacts.
type conn struct {
	nats *nats.Conn
	js   jetstream.JetStream
	last atomic.Pointer[error] // why the latest try to connect failed

	mu     sync.Mutex
	asking map[*asked]bool // requests and publications that have no answer yet
}

// asked is a request, or a publication, under way.
type asked struct {
	subject string
	give    context.CancelCauseFunc // gives it up
}

// Dial connects with the credentials of a worker or an owner. It returns a transport
// also where the coordinator is away, which is then looked for without end; every
// method says ErrAway meanwhile. One that does not accept the key is a *farm.Refusal
// from all of them.
func Dial(c keys.Creds) (farm.Transport, error) {
	sign, err := c.Sign()
	if err != nil {
		return nil, err
	}
	_, public, err := keys.Sign(c.Seed)
	if err != nil {
		return nil, err
	}
	options := []nats.Option{nats.Nkey(public, nats.SignatureHandler(sign)), nats.RetryOnFailedConnect(true)}
	roots, err := c.Roots()
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if roots != nil {
		options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots}))
	}
	n, err := connect(c.URL, c.Name, options...)
	if err != nil {
		return nil, err
	}
	return &client{conn: n, name: c.Name}, nil
}

// connect has what all connections share. Nothing is kept back while there is none:
// what cannot be said now is an error, and repeated by whoever knows whether it still
// holds.
func connect(url, name string, more ...nats.Option) (*conn, error) {
	c := &conn{asking: make(map[*asked]bool)}
	failed := func(_ *nats.Conn, err error) { c.last.Store(&err) }
	options := append([]nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(keys.Inbox(name)), nats.MaxReconnects(-1), nats.CustomReconnectDelay(reconnectWait),
		nats.ReconnectBufSize(-1), nats.PingInterval(pingEvery), nats.MaxPingsOutstanding(pingsOut), nats.Timeout(10 * time.Second),
		nats.ReconnectErrHandler(failed), nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.broken(err) }), nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.denied(err) }),
		nats.PermissionErrOnSubscribe(true),
	}, more...)
	var err error
	if c.nats, err = nats.Connect(url, options...); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if c.js, err = jetstream.New(c.nats); err != nil {
		c.nats.Close()
		return nil, fmt.Errorf("bus: %w", err)
	}
	return c, nil
}

// The headers of an answer that is none.
const (
	headerRefusal = "Gogi-Refusal" // CBOR of a farm.Refusal, in base64
	headerFailure = "Gogi-Failure" // its text
)

// Request implements farm.Transport.
func (c *conn) Request(ctx context.Context, subject string, in, out any) error {
	body, err := farm.Encode(in)
	if err != nil {
		return err
	}
	ctx, over := c.ask(ctx, subject)
	defer over()
	answer, err := c.nats.RequestWithContext(ctx, subject, body)
	if err != nil {
		return c.unanswered(ctx, err)
	}
	if err := answered(answer); err != nil {
		return err
	}
	return farm.Decode(answer.Data, out)
}

// ask notes a request, which ends with its context and with over, or as denied and broken say.
func (c *conn) ask(ctx context.Context, subject string) (_ context.Context, over func()) {
	ctx, give := context.WithCancelCause(ctx)
	a := &asked{subject, give}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asking[a] = true
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.asking, a)
		give(nil)
	}
}

// broken gives up everything under way: an answer that was to come over a connection
// does not come over the next, and the client would wait for it nevertheless.
func (c *conn) broken(err error) {
	why := errBroken
	if err != nil {
		why = fmt.Errorf("%w: %w", errBroken, err)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.asking {
		a.give(why)
	}
}

// errBroken is why something was given up when the connection broke.
var errBroken = errors.New("the connection broke before the answer came")

// unanswered is the error of what was asked in this context.
func (c *conn) unanswered(ctx context.Context, err error) error {
	why := context.Cause(ctx)
	if refusal, is := errors.AsType[*farm.Refusal](why); is {
		return refusal
	}
	if errors.Is(why, errBroken) {
		return fmt.Errorf("%w: %w", farm.ErrAway, why)
	}
	return c.failure(err)
}

// denied gives up what the key does not allow. The server drops it and says so
// beside, in words that name the subject, and there is nothing else to tell it by;
// who asked would wait to the end of his patience.
func (c *conn) denied(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	words := strings.ToLower(err.Error())
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.asking {
		if strings.Contains(words, `"`+strings.ToLower(a.subject)+`"`) {
			a.give(&farm.Refusal{Why: c.nats.Opts.Name + " may not do this: the key does not allow it", Exit: exitRefused})
		}
	}
}

// failure says in the words of package farm why something did not reach the server.
func (c *conn) failure(err error) error {
	last := c.lastError()
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		if !c.nats.IsConnected() {
			return fmt.Errorf("%w: %w", farm.ErrAway, errors.Join(err, last))
		}
		return err
	case errors.Is(err, nats.ErrConnectionClosed) && refused(c.nats.LastError()):
		return &farm.Refusal{Why: "the coordinator does not accept this key: it is unknown, expired or revoked", Exit: exitRefused}
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: nobody answers there", farm.ErrAway)
	}
	return fmt.Errorf("%w: %w", farm.ErrAway, errors.Join(err, last))
}

// exitRefused is the exit code of a process that the coordinator refuses.
const exitRefused = 4

func refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) || errors.Is(err, nats.ErrAuthRevoked)
}

// lastError is why there is no connection, where there is none.
func (c *conn) lastError() error {
	last := c.last.Load()
	if last == nil || c.nats.IsConnected() {
		return nil
	}
	if invalid, ok := errors.AsType[x509.CertificateInvalidError](*last); ok && invalid.Reason == x509.Expired {
		return fmt.Errorf("%w; this machine's clock says %s: is it right?", *last, time.Now().UTC().Format(time.RFC3339))
	}
	return *last
}

// codes of JetStream for a stream, or a server, that has no room: maximum bytes
// exceeded, insufficient resources, insufficient storage.
var fullCodes = map[jetstream.ErrorCode]bool{10077: true, 10023: true, 10047: true}

// Publish implements farm.Transport.
func (c *conn) Publish(ctx context.Context, subject, id string, body []byte) error {
	m := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{jetstream.MsgIDHeader: {id}}}
	asked, over := c.ask(ctx, subject)
	defer over()
	_, err := c.js.PublishMsg(asked, m, jetstream.WithRetryAttempts(0))
	if err == nil {
		return nil
	}
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		if fullCodes[api.ErrorCode] {
			return farm.ErrFull
		}
		return fmt.Errorf("bus: %w", err)
	}
	if errors.Is(err, jetstream.ErrNoStreamResponse) {
		return fmt.Errorf("%w: no stream takes results", farm.ErrAway)
	}
	if errors.Is(err, context.DeadlineExceeded) && asked.Err() == nil { // the client's own patience, not the caller's
		return fmt.Errorf("%w: the stream does not answer", farm.ErrAway)
	}
	if errors.Is(err, nats.ErrMaxPayload) {
		return fmt.Errorf("bus: %d bytes: %w", len(body), err)
	}
	return c.unanswered(asked, err)
}

// Listen implements farm.Transport.
func (c *conn) Listen(subject string, f func(body []byte)) (stop func(), err error) {
	s, err := c.nats.Subscribe(subject, func(m *nats.Msg) { f(m.Data) })
	if err != nil {
		return nil, c.failure(err)
	}
	c.settle()
	return func() { c.unsubscribe(s) }, nil
}

// settleDeadline is how long the server may take to know of a subscription.
const settleDeadline = 5 * time.Second

// settle waits until the server knows what was said so far. Where there is no connection
// it will be told everything by the next one.
func (c *conn) settle() {
	if c.nats.IsConnected() {
		_ = c.nats.FlushTimeout(settleDeadline) // the connection has gone, then
	}
}

func (c *conn) unsubscribe(s *nats.Subscription) {
	_ = s.Unsubscribe() // it fails where the connection has gone
	c.settle()
}

// Tell implements farm.Transport.
func (c *conn) Tell(subject string, body []byte) error {
	if err := c.nats.Publish(subject, body); err != nil {
		return c.failure(err)
	}
	return nil
}

// Close implements farm.Transport.
func (c *conn) Close() error {
	c.nats.Close()
	return nil
}
