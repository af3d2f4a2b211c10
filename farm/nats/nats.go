package nats

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
	"gogi/farm/files"
	"gogi/farm/keys"
)

// A Config is the configuration of a coordinator's bus.
type Config struct {
	Dir    string      // folder for JetStream ("jetstream") and artefacts ("artefacts")
	Listen string      // HOST:PORT; port 0 means any free port. Ignored with Outside.
	TLS    *tls.Config // nil means no TLS, which is allowed on loopback only
	Keys   *keys.Ring  // accepted keys
	Log    *slog.Logger

	MaxStream    int64 // maximum size of the stream of results in bytes, see DefaultStream
	MaxArtefact  int64 // maximum size of one artefact in bytes
	MaxArtefacts int64 // maximum size of all artefacts in bytes
	Readers      int   // number of pieces of artefacts that are read at the same time
	// Check examines a worker's message before the stream stores it. It returns the reason for rejecting the
	// message, or nil. If Check is nil, the bus accepts all messages.
	Check func(worker string, body []byte) error
	// Limit returns the limits of a key's owner: the size in bytes of one artefact that the owner sends, and the bytes
	// that all keys of the owner send and receive in a second. 0 means no limit of its own. Limit may be nil.
	Limit func(owner string) (artefact, bandwidth int64)
	// SweepEvery is the longest time until the bus disconnects a key that another process has revoked. 0 means 2
	// s.
	SweepEvery time.Duration
	// Start starts a NATS server in this process. It is ignored with Outside.
	Start Start
	// Outside is an external NATS server. If it is nil, the bus starts a server with Start.
	Outside  *Outside
	Replicas int     // number of servers that store each result; 0 means one
	Shared   *Shared // the lease, if several coordinators share the farm; nil without
}

// A Bus is the coordinator's connection to workers and owners. It implements farm.Bus.
type Bus struct {
	*conn
	js        jetstream.JetStream
	config    Config
	server    Server // in this process; nil with Config.Outside
	artefacts *artefactServer
	judge     jetstream.Consumer
	intake    intake
	before    uint64 // the last sequence number that an earlier process has received

	mu      sync.Mutex
	stops   []func()
	broken  error           // reason why the journal can no longer be written
	ctx     context.Context //nolint:containedctx // the context of the handlers; it ends with the bus
	cancel  context.CancelFunc
	running sync.WaitGroup
}

// These are the names of the streams and of the consumer, through which the coordinator reads results. There is only
// one shard.
const (
	shard    = "0"
	stream   = farm.StreamResults + shard
	evidence = "EVIDENCE"
	judge    = "judge"

	evidenceSubject = "evidence."
)

// These are the settings of the consumer, and the age at which the evidence (the stream of rejected messages) is
// deleted. They were chosen from measurements of farms. A batch whose processing takes longer than ackWait is
// delivered twice, which is harmless.
const (
	ackWait       = 5 * time.Minute
	maxAckPending = 64
	Batch         = 16 // messages for each call of Results

	evidenceAge = 7 * 24 * time.Hour
)

// Open starts the coordinator's bus. When Open returns, workers can connect.
func Open(ctx context.Context, c Config) (_ *Bus, err error) {
	store, err := files.Open(filepath.Join(c.Dir, "artefacts"), c.MaxArtefacts, false)
	if err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	b := &Bus{config: c, artefacts: newArtefactServer(store, c.MaxArtefact, max(c.Readers, 1))}
	if c.Limit != nil {
		b.artefacts.limits.of = c.Limit
		b.artefacts.limits.owner = func(key string) string {
			k, _ := c.Keys.Named(key)
			return k.Owner
		}
	}
	b.intake = intake{busy: map[string]bool{}, bad: map[string]int{}, barred: map[string]string{},
		slots: make(chan struct{}, intakeAtATime)}
	b.ctx, b.cancel = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			err = errors.Join(err, b.Close())
		}
	}()
	if err := b.begin(ctx); err != nil {
		return nil, err
	}
	if b.js, err = jetstream.New(b.nats); err != nil {
		return nil, fmt.Errorf("bus: %w", err)
	}
	if err := b.persist(ctx, b.makeStreams); err != nil { // a cluster may just elect its leaders
		return nil, fmt.Errorf("bus: %w", err)
	}
	if err := errors.Join(b.serveArtefacts(), b.takeResults()); err != nil {
		return nil, err
	}
	if b.server != nil {
		b.server.Admit()
		b.running.Go(b.sweep)
	}
	return b, nil
}

// begin starts the server in this process, unless the server is external, and connects to the server.
func (b *Bus) begin(ctx context.Context) (err error) {
	if b.config.Outside != nil {
		b.conn, err = b.config.Outside.connect(ctx)
		return err
	}
	if b.config.Start == nil {
		return errors.New("bus: the configuration has neither Start nor Outside")
	}
	own, seed, err := keys.New("own", "own", []keys.Right{keys.Admin}, time.Time{}, time.Time{})
	if err != nil {
		return err
	}
	sign, _, err := keys.Sign(seed)
	if err != nil {
		return err
	}
	c := &b.config
	if b.server, err = c.Start(ctx, ServerConfig{Dir: filepath.Join(c.Dir, "jetstream"), Listen: c.Listen, TLS: c.TLS,
		Keys: c.Keys, Own: own.Public, Log: c.Log}); err != nil {
		return err
	}
	b.conn, err = connect("", coordinatorName, nats.InProcessServer(b.server),
		nats.Nkey(own.Public, nats.SignatureHandler(sign)))
	return err
}

// makeStreams creates or updates the streams and the coordinator's consumer. The stream stores messages until
// all its consumers have acknowledged them. So the consumer must exist whenever the stream accepts results.
func (b *Bus) makeStreams(ctx context.Context) error {
	if err := b.config.Shared.Renew(ctx); err != nil { // this process may have been suspended since the last renewal
		return err
	}
	results := jetstream.StreamConfig{
		Name: stream, Subjects: []string{journalSubject + "*." + shard}, Storage: jetstream.FileStorage,
		Retention: jetstream.InterestPolicy, Discard: jetstream.DiscardNew, MaxBytes: b.config.MaxStream,
		MaxMsgSize: maxMessage, Duplicates: 2 * time.Minute, Compression: jetstream.S2Compression,
		Replicas: max(b.config.Replicas, 1),
	}
	if _, err := b.js.CreateOrUpdateStream(ctx, results); err != nil {
		return fmt.Errorf("stream %s: %w", results.Name, err)
	}
	kept := jetstream.StreamConfig{
		Name: evidence, Subjects: []string{evidenceSubject + "*"}, Storage: jetstream.FileStorage,
		Discard: jetstream.DiscardOld,
		MaxAge:  evidenceAge, MaxBytes: max(b.config.MaxStream/8, 2<<20), Compression: jetstream.S2Compression,
		Replicas: max(b.config.Replicas, 1),
	}
	if _, err := b.js.CreateOrUpdateStream(ctx, kept); err != nil {
		return fmt.Errorf("stream %s: %w", kept.Name, err)
	}
	var err error
	b.judge, err = b.js.CreateOrUpdateConsumer(ctx, stream, jetstream.ConsumerConfig{
		Durable: b.consumer(), AckPolicy: jetstream.AckExplicitPolicy, AckWait: ackWait, MaxDeliver: -1,
		MaxAckPending: maxAckPending,
		DeliverPolicy: jetstream.DeliverAllPolicy,
	})
	if err != nil {
		return fmt.Errorf("consumer %s: %w", b.consumer(), err)
	}
	if err := b.dropConsumers(ctx); err != nil {
		return err
	}
	return b.rewind(ctx)
}

// consumer returns the name of the consumer through which this process reads results. Each term has its own, so that
// acknowledgements of a former leader that arrive late have no effect.
func (b *Bus) consumer() string {
	if b.config.Shared == nil {
		return judge
	}
	return fmt.Sprintf("%s-%d", judge, b.config.Shared.Number())
}

// dropConsumers deletes the consumers of former leaders. The caller has created its own consumer, so the stream keeps
// the messages that they have not acknowledged. If this process does not lead any more, dropConsumers deletes only the
// consumer of this process, because nothing would acknowledge the messages of this consumer.
func (b *Bus) dropConsumers(ctx context.Context) error {
	if b.config.Shared == nil {
		return nil
	}
	if err := b.config.Shared.Renew(ctx); err != nil {
		last, cancel := context.WithTimeout(context.WithoutCancel(ctx), tryFor)
		defer cancel()
		return errors.Join(err, b.js.DeleteConsumer(last, stream, b.consumer()))
	}
	s, err := b.js.Stream(ctx, stream)
	if err != nil {
		return fmt.Errorf("stream %s: %w", stream, err)
	}
	names := s.ConsumerNames(ctx)
	for name := range names.Name() {
		if !b.follows(name) {
			continue
		}
		if err := s.DeleteConsumer(ctx, name); err != nil && !errors.Is(err, jetstream.ErrConsumerNotFound) {
			return fmt.Errorf("consumer %s: %w", name, err)
		}
	}
	return names.Err()
}

// follows reports whether the term of this process is later than the term of the consumer with this name.
func (b *Bus) follows(name string) bool {
	if name == judge { // of a time without leases
		return true
	}
	number, is := strings.CutPrefix(name, judge+"-")
	term, err := strconv.ParseUint(number, 10, 64)
	return is && err == nil && term < b.config.Shared.Number()
}

// rewind makes the stream deliver first the messages that an earlier process has not acknowledged. Without
// rewind they would arrive after newer results, at the end of ackWait.
func (b *Bus) rewind(ctx context.Context) error {
	info, err := b.judge.Info(ctx)
	if err != nil {
		return fmt.Errorf("consumer %s: %w", b.consumer(), err)
	}
	b.before = info.Delivered.Stream
	if info.NumAckPending == 0 {
		return nil
	}
	if _, err := b.js.ResetConsumer(ctx, stream, b.consumer()); err != nil {
		return fmt.Errorf("consumer %s: %w", b.consumer(), err)
	}
	return nil
}

func (b *Bus) serveArtefacts() error {
	stopGiving, err := b.Answer(farm.SubjectArtefact+"*", b.artefacts.give)
	if err != nil {
		return err
	}
	stopTaking, err := b.Answer(farm.SubjectUpload+"*", b.artefacts.take)
	b.stops = append(b.stops, stopGiving, stopTaking)
	return err
}

const defaultSweepEvery = 2 * time.Second

func (b *Bus) sweep() {
	ticker := time.NewTicker(cmp.Or(b.config.SweepEvery, defaultSweepEvery))
	defer ticker.Stop()
	for {
		select {
		case <-b.ctx.Done():
			return
		case <-ticker.C:
		}
		b.examine()
		err := b.config.Keys.Refresh()
		if err = errors.Join(err, b.server.Sweep(time.Now())); err != nil {
			b.config.Log.Error("keys of the farm", "err", err)
		}
	}
}

// examine asks the server whether it can write its journal.
func (b *Bus) examine() {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, name := range []string{stream, evidence} {
		if err := b.server.Journal(name); err != nil && b.broken == nil {
			b.broken = fmt.Errorf("bus: the journal can no longer be written, even if its volume has space again; restart this process: %w", err)
		}
	}
}

// unbroken returns an error if the journal can no longer be written, and nil otherwise.
func (b *Bus) unbroken() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.broken
}

// URL returns the server's address. If the server listens on all addresses, the result contains no usable host, and
// the caller must insert one.
func (b *Bus) URL() string {
	if b.server == nil {
		return b.config.Outside.Creds.URL
	}
	scheme := "nats://"
	if b.config.TLS != nil {
		scheme = "tls://"
	}
	return scheme + b.server.Addr().String()
}

// Revoke revokes a key, and closes its connections before it returns. With an outside server, only the operator of
// that server can close them.
func (b *Bus) Revoke(name, why string) error {
	if err := b.config.Keys.Revoke(name, why, time.Now()); err != nil {
		return err
	}
	if k, ok := b.config.Keys.Named(name); ok && b.server != nil {
		b.server.Disconnect(k.Public)
	}
	return nil
}

// Close waits for the running handlers and stops everything, the server last.
func (b *Bus) Close() error {
	b.cancel()
	b.mu.Lock()
	stops := b.stops
	b.stops = nil
	b.mu.Unlock()
	for _, stop := range stops {
		stop()
	}
	b.artefacts.close()
	b.running.Wait()
	if b.conn != nil {
		b.conn.nats.Close()
	}
	if b.server != nil {
		b.server.Stop()
	}
	return nil
}

// atATime is the maximum number of requests on one subject that are answered at the same time. Further
// requests wait.
const atATime = 64

// ofOneKey is the maximum number of requests of one key on one subject that are answered at the same time.
// Further requests fail at once, so that a flood from one key does not delay the requests of other keys.
// gogi's own clients send fewer.
const ofOneKey = 16

// Answer implements farm.Bus. It answers only to the inbox of the key that may publish on the subject. With any other
// reply subject a client could make the coordinator send messages in its name.
func (b *Bus) Answer(subject string,
	f func(ctx context.Context, subject string, body []byte) (any, error)) (stop func(), err error) {
	slots := make(chan struct{}, atATime)
	var mu sync.Mutex
	underWay := map[string]int{} // by key
	s, err := b.nats.Subscribe(subject, func(m *nats.Msg) {
		if !ownInbox(m) || b.config.Shared.Fence() != nil { // the new leader answers
			return
		}
		key := farm.Sender(m.Subject)
		mu.Lock()
		many := underWay[key] >= ofOneKey
		if !many {
			underWay[key]++
		}
		mu.Unlock()
		if many {
			b.answer(m, func(context.Context, string, []byte) (any, error) {
				return nil, fmt.Errorf("%d requests of %s are under way", ofOneKey, key)
			})
			return
		}
		done := func() {
			mu.Lock()
			defer mu.Unlock()
			if underWay[key]--; underWay[key] == 0 {
				delete(underWay, key)
			}
		}
		select {
		case slots <- struct{}{}:
		case <-b.ctx.Done():
			done()
			return
		}
		b.running.Go(func() {
			defer func() { <-slots }()
			defer done()
			b.answer(m, f)
		})
	})
	if err != nil {
		return nil, b.failure(err)
	}
	b.settle()
	return func() { b.unsubscribe(s) }, nil
}

func ownInbox(m *nats.Msg) bool {
	if strings.HasPrefix(m.Reply, keys.Inbox(coordinatorName)+".") {
		return true // the coordinator itself has sent the request, and no other key can read its inbox
	}
	sender := farm.Sender(m.Subject)
	return sender != "" && strings.HasPrefix(m.Reply, keys.Inbox(sender)+".")
}

func (b *Bus) answer(m *nats.Msg, f func(ctx context.Context, subject string, body []byte) (any, error)) {
	reply := nats.NewMsg(m.Reply)
	out, err := f(b.ctx, m.Subject, m.Data)
	if err == nil {
		if reply.Data, err = farm.Encode(out); err == nil && len(reply.Data) > farm.MaxAnswer {
			reply.Data, err = nil, fmt.Errorf("an answer of %d bytes: at most %d are sent", len(reply.Data), farm.MaxAnswer)
		}
	}
	if err != nil {
		setError(reply, err)
	}
	if b.config.Shared.Fence() != nil {
		return // what the answer says may be undone
	}
	if err := b.nats.PublishMsg(reply); err != nil && b.ctx.Err() == nil {
		b.config.Log.Warn("an answer was not sent", "to", m.Subject, "err", err)
	}
}

// setError puts an error into the headers of an answer.
func setError(m *nats.Msg, err error) {
	if refusal, ok := errors.AsType[*farm.Refusal](err); ok {
		if body, encodeErr := farm.Encode(refusal); encodeErr == nil {
			m.Header.Set(headerRefusal, base64.StdEncoding.EncodeToString(body))
			return
		}
	}
	m.Header.Set(headerFailure, base64.StdEncoding.EncodeToString([]byte(err.Error())))
}

// answered returns the error that setError wrote, or nil.
func answered(m *nats.Msg) error {
	if encoded := m.Header.Get(headerRefusal); encoded != "" {
		body, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return fmt.Errorf("bus: a refusal that cannot be read: %w", err)
		}
		r := &farm.Refusal{}
		if err := farm.Decode(body, r); err != nil {
			return err
		}
		return r
	}
	if encoded := m.Header.Get(headerFailure); encoded != "" {
		text, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return fmt.Errorf("bus: a failure that cannot be read: %w", err)
		}
		return fmt.Errorf("the coordinator failed: %s", text)
	}
	return nil
}

// Send implements farm.Transport.
func (b *Bus) Send(subject string, body []byte) error {
	if err := b.config.Shared.Fence(); err != nil {
		return err
	}
	return b.conn.Send(subject, body)
}

// Artefact implements farm.Transport.
func (b *Bus) Artefact(_ context.Context, sum string) (io.ReadCloser, error) {
	return b.artefacts.open(sum)
}

// PutArtefact implements farm.Transport.
func (b *Bus) PutArtefact(_ context.Context, r io.ReadSeeker, limit int64) (string, error) {
	return b.artefacts.put(r, limit)
}

// Artefacts implements farm.Bus.
func (b *Bus) Artefacts(context.Context) (map[string]int64, error) {
	return b.artefacts.store.List(), nil
}
