package nats

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
	"gogi/farm/keys"
)

// coordinatorName is the name of the coordinator's connection. Other connections have the name of their key.
// No key can have the name COORDINATOR, see keys.CheckName.
const coordinatorName = "COORDINATOR"

// conn is a connection to the NATS server. It implements farm.Transport except for artefacts.
type conn struct {
	nats *nats.Conn
	last atomic.Pointer[error] // the error of the last try to connect

	mu     sync.Mutex
	asking map[*asked]bool // requests and publications without an answer
}

// asked is a request or publication that waits for its answer.
type asked struct {
	subject string
	give    context.CancelCauseFunc // cancels the request
}

// Dial connects with the credentials of a worker or an owner. If the coordinator cannot be reached, Dial
// still returns a transport. The transport then tries to connect without limit, and until it succeeds its
// methods return ErrAway. If the coordinator does not accept the key, every method returns a *farm.Refusal.
func Dial(c keys.Creds) (farm.Transport, error) {
	options, err := login(c)
	if err != nil {
		return nil, err
	}
	options = append(options, nats.RetryOnFailedConnect(true))
	n, err := connect(c.URL, c.Name, options...)
	if err != nil {
		return nil, err
	}
	return &client{conn: n, name: c.Name}, nil
}

// login returns the connection options for these credentials: the key and the TLS settings.
func login(c keys.Creds) ([]nats.Option, error) {
	sign, public, err := keys.Sign(c.Seed)
	if err != nil {
		return nil, err
	}
	options := []nats.Option{nats.Nkey(public, nats.SignatureHandler(sign))}
	roots, err := c.Roots()
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if roots != nil {
		options = append(options, nats.Secure(&tls.Config{MinVersion: tls.VersionTLS13, RootCAs: roots}))
	}
	return options, nil
}

// connect connects with the options that all connections share. Without a connection every send fails at
// once, and the caller decides whether to repeat it.
func connect(url, name string, more ...nats.Option) (*conn, error) {
	c := &conn{asking: make(map[*asked]bool)}
	failed := func(_ *nats.Conn, err error) { c.last.Store(&err) }
	options := append([]nats.Option{
		nats.Name(name), nats.CustomInboxPrefix(keys.Inbox(name)), nats.MaxReconnects(-1),
		nats.CustomReconnectDelay(farm.Backoff),
		nats.ReconnectBufSize(-1), nats.PingInterval(PingEvery), nats.MaxPingsOutstanding(PingsOut),
		nats.Timeout(10 * time.Second),
		nats.ReconnectErrHandler(failed), nats.DisconnectErrHandler(func(_ *nats.Conn, err error) { c.broken(err) }),
		nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { c.denied(err) }),
		nats.PermissionErrOnSubscribe(true),
	}, more...)
	var err error
	if c.nats, err = nats.Connect(url, options...); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	return c, nil
}

// These headers mark an answer that is an error.
const (
	headerRefusal = "Gogi-Refusal" // CBOR of a farm.Refusal, in base64
	headerFailure = "Gogi-Failure" // the error's text, in base64
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

// ask registers a request that waits for its answer. The caller calls over when it has the answer. The returned
// context ends with ctx or over, or when denied or broken cancels the request.
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

// broken cancels all pending requests and publications. Their answers cannot arrive over a later connection,
// but the client would wait for them.
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

// errBroken is the cause of a request that the method broken has cancelled.
var errBroken = errors.New("the connection broke before the answer came")

// unanswered returns the error of a request that got no answer. ctx is the context of the request.
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

// denial returns the error about a key that may not publish on a subject. It names the missing right.
func denial(name, subject string) string {
	switch {
	case strings.HasPrefix(subject, farm.SubjectAdmin):
		return keys.Denial(name, subject[strings.LastIndexByte(subject, '.')+1:])
	case strings.HasPrefix(subject, farm.SubjectUpload):
		return keys.Denial(name, "submit")
	}
	return name + " may not work: the key lacks the right " + keys.Words([]keys.Right{keys.Work})[0]
}

// denied cancels the requests that the key does not allow. The server drops such a request and reports a
// separate error that only names the subject. Without denied, the sender would wait until its deadline.
func (c *conn) denied(err error) {
	if !errors.Is(err, nats.ErrPermissionViolation) {
		return
	}
	words := strings.ToLower(err.Error())
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.asking {
		if strings.Contains(words, `"`+strings.ToLower(a.subject)+`"`) {
			a.give(&farm.Refusal{Why: denial(c.nats.Opts.Name, a.subject), Exit: exitRefused})
		}
	}
}

// failure translates an error of the NATS client to an error of package farm.
func (c *conn) failure(err error) error {
	last := c.lastError()
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded):
		if !c.nats.IsConnected() {
			return fmt.Errorf("%w: %w", farm.ErrAway, errors.Join(err, last))
		}
		return err
	case errors.Is(err, nats.ErrConnectionClosed) && refused(c.nats.LastError()):
		return &farm.Refusal{Why: "the coordinator does not accept this key: it is unknown, expired or revoked, or no admin has approved its sign-up yet", Exit: exitRefused}
	case errors.Is(err, nats.ErrNoResponders):
		return fmt.Errorf("%w: no service answers on this subject", farm.ErrAway)
	}
	return fmt.Errorf("%w: %w", farm.ErrAway, errors.Join(err, last))
}

// exitRefused is the exit code of a process that the coordinator has rejected.
const exitRefused = 4

func refused(err error) bool {
	return errors.Is(err, nats.ErrAuthorization) || errors.Is(err, nats.ErrAuthExpired) ||
		errors.Is(err, nats.ErrAuthRevoked)
}

// lastError returns the reason for a missing connection, or nil if there is a connection.
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

// fullCodes are the JetStream errors of a full stream or server: maximum bytes exceeded, insufficient resources,
// insufficient storage.
var fullCodes = map[jetstream.ErrorCode]bool{10077: true, 10023: true, 10047: true}

// acknowledgement is the answer to a result. It has the format of JetStream, because workers of all versions can read
// this format.
type acknowledgement struct {
	Error *jetstream.APIError `json:"error,omitempty"`
	*jetstream.PubAck
}

// acknowledged returns nil if the answer to a result says that a stream has stored it. The client of JetStream does the
// same, but programs without a coordinator do not link it.
func acknowledged(answer []byte) error {
	var a acknowledgement
	if err := json.Unmarshal(answer, &a); err != nil {
		return fmt.Errorf("the acknowledgement cannot be read: %w", err)
	}
	if a.Error != nil {
		return a.Error
	}
	if a.PubAck == nil || a.Stream == "" {
		return errors.New("the acknowledgement names no stream")
	}
	return nil
}

// Publish implements farm.Transport.
func (c *conn) Publish(ctx context.Context, subject, id string, body []byte) error {
	m := &nats.Msg{Subject: subject, Data: body, Header: nats.Header{jetstream.MsgIDHeader: {id}}}
	asked, over := c.ask(ctx, subject)
	defer over()
	answer, err := c.nats.RequestMsgWithContext(asked, m)
	if err == nil {
		err = acknowledged(answer.Data)
	}
	if err == nil {
		return nil
	}
	if api, ok := errors.AsType[*jetstream.APIError](err); ok {
		if fullCodes[api.ErrorCode] {
			return farm.ErrFull
		}
		if api.ErrorCode == busyCode {
			return fmt.Errorf("%w: %w", farm.ErrAway, err)
		}
		return fmt.Errorf("bus: %w", err)
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

// settleDeadline is the longest wait for the server to process a subscription.
const settleDeadline = 5 * time.Second

// settle waits until the server has processed everything that was sent before. Without a connection it
// returns at once, because the next connection sends all subscriptions.
func (c *conn) settle() {
	if c.nats.IsConnected() {
		_ = c.nats.FlushTimeout(settleDeadline) // fails if the connection has closed
	}
}

func (c *conn) unsubscribe(s *nats.Subscription) {
	_ = s.Unsubscribe() // fails if the connection has closed
	c.settle()
}

// Send implements farm.Transport.
func (c *conn) Send(subject string, body []byte) error {
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
