// Package bustest has an implementation of farm.Bus and farm.Transport in memory for tests: [MemoryBroker]. It stores
// the messages and the artefacts across restarts of a coordinator, and injects faults on demand. Package nats has the
// tests that every implementation must pass.
package bustest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"gogi/farm"
)

// A MemoryBroker simulates the message server of a farm in memory. It stores the results (the stream) and the
// artefacts, and connects workers and owners with the coordinator. It may be used by several goroutines.
// Create it with NewMemoryBroker.
type MemoryBroker struct {
	mu        sync.Mutex
	maxStream int64
	stream    []*message // messages that are not acknowledged, in order
	sequence  uint64
	bytes     int64
	ids       map[string]time.Time // the time at which an id was published
	artefacts map[string][]byte
	evidence  []string
	faults    Faults
	away      map[string]bool // names whose connection is partitioned
	count     Count

	bus       *Bus // the bus of the coordinator's process. It is nil if no process is open.
	grown     chan struct{}
	listeners []*listener
}

type message struct {
	farm.Delivery
	fetch  *Bus // the process that received the message; another process receives the message again
	handed bool
}

// A Faults configures the faults that a MemoryBroker injects. A fault happens at every n-th message or
// request, so a test knows how many there are. The zero value injects no faults.
type Faults struct {
	Double    int // every n-th message is in the stream twice, under another id.
	Swap      int // every n-th message overtakes the message before it.
	LoseReply int // the answer to every n-th request is lost.
	LoseAck   int // every n-th publication reports an error although the message was stored.
}

// A Count counts the requests, the messages and the faults that happened.
type Count struct {
	Requests, Published                     int
	Doubled, Swapped, RepliesLost, AcksLost int
	Hidden                                  int // repetitions under the same id.
	Refused                                 int // messages that the coordinator rejected.
	Full                                    int // publications to a full stream.
	Away                                    int // requests and publications during a partition, or without a coordinator.
	Again                                   int // messages that were delivered a second time.
}

// NewMemoryBroker returns an empty broker.
func NewMemoryBroker() *MemoryBroker {
	return &MemoryBroker{ids: map[string]time.Time{}, artefacts: map[string][]byte{}, away: map[string]bool{},
		grown: make(chan struct{})}
}

// do calls f while it holds the broker's lock.
func (b *MemoryBroker) do(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
}

// Set replaces the faults that the broker injects.
func (b *MemoryBroker) Set(f Faults) { b.do(func() { b.faults = f }) }

// Limit sets the maximum size of the messages that are not acknowledged, in bytes. 0 means no limit.
func (b *MemoryBroker) Limit(bytes int64) { b.do(func() { b.maxStream = bytes }) }

// Partition disconnects the worker, owner or coordinator with a name from the broker, or with off = false
// connects it again.
func (b *MemoryBroker) Partition(name string, off bool) { b.do(func() { b.away[name] = off }) }

// Count returns the counts since the broker was created.
func (b *MemoryBroker) Count() (c Count) {
	b.do(func() { c = b.count })
	return c
}

// Wipe deletes all messages that are not acknowledged, and returns their number.
func (b *MemoryBroker) Wipe() (lost int) {
	b.do(func() { lost, b.stream, b.bytes = len(b.stream), nil, 0 })
	return lost
}

// Waiting returns the number of messages that are not acknowledged.
func (b *MemoryBroker) Waiting() (n int) {
	b.do(func() { n = len(b.stream) })
	return n
}

// Evidence returns the reasons for which the coordinator rejected messages.
func (b *MemoryBroker) Evidence() (reasons []string) {
	b.do(func() { reasons = slices.Clone(b.evidence) })
	return reasons
}

// due increments a counter, and reports whether the fault happens now, because the counter is a multiple of every.
func due(counter *int, every int) bool {
	*counter++
	return every > 0 && *counter%every == 0
}

// errLost is the error of a lost answer.
var errLost = fmt.Errorf("loopback: the answer was lost: %w", farm.ErrAway)

// A listener receives the messages that Send publishes on a subject.
type listener struct {
	subject string
	hints   chan []byte // if the channel is full, messages are dropped, because hints may be lost. It is never closed.
	stop    chan struct{}
}

// maxHints is the maximum number of messages that wait for a listener.
const maxHints = 256

// A conn is the transport of one worker or owner.
type conn struct {
	broker *MemoryBroker
	name   string
}

// Connect returns the transport of the worker or owner with this name.
func (b *MemoryBroker) Connect(name string) farm.Transport { return &conn{b, name} }

// Request implements farm.Transport.
func (c *conn) Request(ctx context.Context, subject string, in, out any) error {
	body, err := farm.Encode(in)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	b := c.broker
	b.mu.Lock()
	bus, lost := b.bus, due(&b.count.Requests, b.faults.LoseReply)
	if b.away[c.name] || bus == nil {
		b.count.Away++
		b.mu.Unlock()
		return farm.ErrAway
	}
	if lost {
		b.count.RepliesLost++
	}
	b.mu.Unlock()
	answer, err := bus.ask(ctx, subject, body)
	switch {
	case lost:
		return errLost
	case err != nil:
		return err
	}
	return farm.Decode(answer, out)
}

// dedupe is the time in which the broker ignores a message with a repeated id.
const dedupe = 2 * time.Minute

// Publish implements farm.Transport.
func (c *conn) Publish(ctx context.Context, subject, id string, body []byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	b := c.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	switch at, again := b.ids[id]; {
	case b.away[c.name]:
		b.count.Away++
		return farm.ErrAway
	case again && time.Since(at) < dedupe:
		b.count.Hidden++
		return nil
	case b.maxStream > 0 && b.bytes+int64(len(body)) > b.maxStream:
		b.count.Full++
		return farm.ErrFull
	}
	b.ids[id] = time.Now()
	lost := due(&b.count.Published, b.faults.LoseAck)
	b.append(subject, body)
	if b.faults.Double > 0 && b.count.Published%b.faults.Double == 0 {
		b.count.Doubled++
		b.append(subject, body)
	}
	if n := len(b.stream); b.faults.Swap > 0 && b.count.Published%b.faults.Swap == 0 && n > 1 && !b.stream[n-2].handed {
		b.count.Swapped++
		b.stream[n-1], b.stream[n-2] = b.stream[n-2], b.stream[n-1]
		b.stream[n-1].Sequence, b.stream[n-2].Sequence = b.stream[n-2].Sequence, b.stream[n-1].Sequence
	}
	b.wake()
	if lost {
		delete(b.ids, id) // the stream must work without ids
		b.count.AcksLost++
		return errLost
	}
	return nil
}

func (b *MemoryBroker) append(subject string, body []byte) {
	b.sequence++
	b.bytes += int64(len(body))
	b.stream = append(b.stream, &message{Delivery: farm.Delivery{Subject: subject, Body: bytes.Clone(body),
		Sequence: b.sequence}})
}

// wake makes waiting calls of Results look for messages again.
func (b *MemoryBroker) wake() {
	close(b.grown)
	b.grown = make(chan struct{})
}

// Listen implements farm.Transport.
func (c *conn) Listen(subject string, f func(body []byte)) (stop func(), err error) {
	b := c.broker
	l := &listener{subject: subject, hints: make(chan []byte, maxHints), stop: make(chan struct{})}
	b.do(func() { b.listeners = append(b.listeners, l) })
	go func() {
		for {
			select {
			case body := <-l.hints:
				f(body)
			case <-l.stop:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		b.do(func() { b.listeners = slices.DeleteFunc(b.listeners, func(o *listener) bool { return o == l }) })
		close(l.stop)
	}), nil
}

// Send implements farm.Transport.
func (c *conn) Send(subject string, body []byte) error {
	b := c.broker
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.away[c.name] {
		b.count.Away++
		return farm.ErrAway
	}
	for _, l := range b.listeners {
		if matches(l.subject, subject) {
			select {
			case l.hints <- bytes.Clone(body):
			default:
			}
		}
	}
	return nil
}

// matches reports whether a subject matches a pattern with the wildcards of NATS.
func matches(pattern, subject string) bool {
	p, s := strings.Split(pattern, "."), strings.Split(subject, ".")
	for i, part := range p {
		switch {
		case part == ">":
			return len(s) > i
		case i >= len(s) || part != "*" && part != s[i]:
			return false
		}
	}
	return len(p) == len(s)
}

// Artefact implements farm.Transport.
func (c *conn) Artefact(_ context.Context, sum string) (io.ReadCloser, error) {
	c.broker.mu.Lock()
	defer c.broker.mu.Unlock()
	body, ok := c.broker.artefacts[sum]
	if !ok {
		return nil, &farm.Refusal{Why: fmt.Sprintf("no artefact %s is kept", sum)}
	}
	return io.NopCloser(bytes.NewReader(body)), nil
}

// PutArtefact implements farm.Transport.
func (c *conn) PutArtefact(_ context.Context, r io.ReadSeeker, limit int64) (string, error) {
	body, err := io.ReadAll(io.LimitReader(r, limit+1))
	if err != nil {
		return "", fmt.Errorf("loopback: %w", err)
	}
	if int64(len(body)) > limit {
		return "", fmt.Errorf("loopback: the artefact has more than the %d bytes that are allowed", limit)
	}
	sum := sha256.Sum256(body)
	name := hex.EncodeToString(sum[:])
	c.broker.do(func() { c.broker.artefacts[name] = body })
	return name, nil
}

// Close implements farm.Transport.
func (c *conn) Close() error { return nil }

// A Bus is the connection of one coordinator process to a MemoryBroker. It implements farm.Bus.
type Bus struct {
	conn
	answers []*answerer // guarded by the broker's lock
}

type answerer struct {
	subject string
	f       func(ctx context.Context, subject string, body []byte) (any, error)
}

// Open starts a coordinator process and disconnects the previous process. The new process receives all
// messages again that were not acknowledged. Partition disconnects the process by the name "coordinator".
func (b *MemoryBroker) Open() *Bus {
	bus := &Bus{conn: conn{b, "coordinator"}}
	b.do(func() {
		b.bus = bus
		b.wake()
	})
	return bus
}

// Close disconnects the coordinator process from the broker.
func (b *Bus) Close() error {
	b.broker.do(func() {
		if b.broker.bus == b {
			b.broker.bus = nil
		}
	})
	return nil
}

// Answer implements farm.Bus.
func (b *Bus) Answer(subject string,
	f func(ctx context.Context, subject string, body []byte) (any, error)) (stop func(), err error) {
	a := &answerer{subject, f}
	b.broker.do(func() { b.answers = append(b.answers, a) })
	return func() {
		b.broker.do(func() { b.answers = slices.DeleteFunc(b.answers, func(o *answerer) bool { return o == a }) })
	}, nil
}

func (b *Bus) ask(ctx context.Context, subject string, body []byte) ([]byte, error) {
	b.broker.mu.Lock()
	i := slices.IndexFunc(b.answers, func(a *answerer) bool { return matches(a.subject, subject) })
	if i < 0 {
		b.broker.count.Away++
		b.broker.mu.Unlock()
		return nil, farm.ErrAway
	}
	f := b.answers[i].f
	b.broker.mu.Unlock()
	out, err := f(ctx, subject, body)
	if err != nil {
		if refusal, ok := errors.AsType[*farm.Refusal](err); ok {
			return nil, &farm.Refusal{Why: refusal.Why, Exit: refusal.Exit}
		}
		return nil, fmt.Errorf("loopback: the coordinator failed: %s", err.Error()) // the other side receives only the text
	}
	text, err := farm.Encode(out)
	if err == nil && len(text) > farm.MaxAnswer {
		return nil, fmt.Errorf("loopback: an answer of %d bytes: at most %d are sent", len(text), farm.MaxAnswer)
	}
	return text, err
}

// errEnded is the error of a coordinator process after another process has replaced it.
var errEnded = errors.New("loopback: this process of the coordinator has ended")

// Results implements farm.Bus.
func (b *Bus) Results(ctx context.Context, n int) (out []farm.Delivery, err error) {
	for {
		var grown chan struct{}
		b.broker.do(func() {
			if grown = b.broker.grown; b.broker.bus != b {
				err = errEnded
				return
			}
			out = b.hand(n)
		})
		if err != nil || len(out) > 0 {
			return out, err
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// hand returns at most n messages that this process has not received yet. The caller holds the lock.
func (b *Bus) hand(n int) (out []farm.Delivery) {
	for _, m := range b.broker.stream {
		if m.fetch == b || len(out) == n {
			continue
		}
		d := m.Delivery
		d.Again = m.handed
		if m.handed {
			b.broker.count.Again++
		}
		m.fetch, m.handed = b, true
		d.Ack = func(ctx context.Context) error { return b.ack(ctx, m, "") }
		d.Refuse = func(ctx context.Context, why string) error { return b.ack(ctx, m, why) }
		out = append(out, d)
	}
	return out
}

func (b *Bus) ack(ctx context.Context, m *message, why string) error {
	h := b.broker
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case h.bus != b:
		return errEnded
	}
	if i := slices.Index(h.stream, m); i >= 0 {
		h.stream = slices.Delete(h.stream, i, i+1)
		h.bytes -= int64(len(m.Body))
	}
	if why != "" {
		h.count.Refused++
		h.evidence = append(h.evidence, why)
	}
	return nil
}

// Artefacts implements farm.Bus.
func (b *Bus) Artefacts(context.Context) (map[string]int64, error) {
	sizes := map[string]int64{}
	b.broker.do(func() {
		for name, body := range b.broker.artefacts {
			sizes[name] = int64(len(body))
		}
	})
	return sizes, nil
}

// Fill implements farm.Bus.
func (b *Bus) Fill(context.Context) (fill float64, err error) {
	b.broker.do(func() {
		if b.broker.maxStream > 0 {
			fill = float64(b.broker.bytes) / float64(b.broker.maxStream)
		}
	})
	return fill, nil
}
