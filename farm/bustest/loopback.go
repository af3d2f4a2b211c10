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

// MemoryBroker is the durable half, and where the two ends meet.
type MemoryBroker struct {
	mu        sync.Mutex
	maxStream int64
	stream    []*message // that are not acknowledged, in order
	sequence  uint64
	bytes     int64
	ids       map[string]time.Time // of what was published, for as long as repetitions are hidden
	artefacts map[string][]byte
	evidence  []string
	faults    Faults
	away      map[string]bool // names that are partitioned off
	count     Count

	bus     *Bus // the coordinator's process; nil: there is none
	grown   chan struct{}
	ears    map[int]*subscription
	nextEar int
}

type message struct {
	farm.Delivery
	id     string
	fetch  *Bus // the process that it was given to; it comes again to another
	handed bool
}

// Faults are what goes wrong, all of it deterministically, so that a test can say how
// often. The zero value is a good day.
type Faults struct {
	Double    int // every n-th message is in the stream twice, under another id
	Swap      int // every n-th message overtakes the one before it
	LoseReply int // every n-th request is answered, and the answer lost
	LoseAck   int // every n-th publication is durable, and says that it failed
}

// Count is how often they happened, and how much there was of what they happen to.
type Count struct {
	Requests, Published                     int
	Doubled, Swapped, RepliesLost, AcksLost int
	Hidden                                  int // repetitions under the same id
	Refused                                 int // by the judge
	Full                                    int // publications that met a full stream
	Away                                    int // requests and publications that met a partition, or no coordinator
	Again                                   int // messages that were delivered a second time
}

// NewMemoryBroker is an empty one.
func NewMemoryBroker() *MemoryBroker {
	return &MemoryBroker{
		ids: map[string]time.Time{}, artefacts: map[string][]byte{}, away: map[string]bool{},
		grown: make(chan struct{}), ears: map[int]*subscription{},
	}
}

// Set changes what goes wrong from now on.
func (h *MemoryBroker) Set(f Faults) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = f
}

// Limit bounds the bytes that are not acknowledged; 0: nothing does.
func (h *MemoryBroker) Limit(bytes int64) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.maxStream = bytes
}

// Partition cuts a name off, or lets it back.
func (h *MemoryBroker) Partition(name string, off bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.away[name] = off
}

// Count is how often what happened so far.
func (h *MemoryBroker) Count() Count {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.count
}

// Wipe loses the stream, as a disk does.
func (h *MemoryBroker) Wipe() (lost int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	lost, h.stream, h.bytes = len(h.stream), nil, 0
	return lost
}

// Waiting is how many messages of the stream are not acknowledged.
func (h *MemoryBroker) Waiting() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.stream)
}

// Evidence are the reasons of what was refused.
func (h *MemoryBroker) Evidence() []string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.evidence)
}

// due counts one more of something, and reports whether the n-th of them is hit.
func due(counter *int, every int) bool {
	*counter++
	return every > 0 && *counter%every == 0
}

// errLost is what a lost answer looks like.
var errLost = fmt.Errorf("loopback: the answer was lost: %w", farm.ErrAway)

// subscription is a Listen.
type subscription struct {
	subject string
	hear    chan []byte // of Tell; it drops when it is full, as hints may be lost; never closed
	stop    chan struct{}
}

// earRoom is how many hints wait for a listener.
const earRoom = 256

// conn is one end, by the name of its key.
type conn struct {
	hall *MemoryBroker
	name string
}

// Connect is the transport of a worker or an owner.
func (h *MemoryBroker) Connect(name string) farm.Transport { return &conn{h, name} }

// Request implements farm.Transport.
func (c *conn) Request(ctx context.Context, subject string, in, out any) error {
	body, err := farm.Encode(in)
	if err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	h := c.hall
	h.mu.Lock()
	bus, lost := h.bus, due(&h.count.Requests, h.faults.LoseReply)
	if h.away[c.name] || bus == nil {
		h.count.Away++
		h.mu.Unlock()
		return farm.ErrAway
	}
	if lost {
		h.count.RepliesLost++
	}
	h.mu.Unlock()
	answer, err := bus.ask(ctx, subject, body)
	switch {
	case lost:
		return errLost
	case err != nil:
		return err
	}
	return farm.Decode(answer, out)
}

// dedupe is for how long a repeated id is hidden.
const dedupe = 2 * time.Minute

// Publish implements farm.Transport.
func (c *conn) Publish(ctx context.Context, subject, id string, body []byte) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	h := c.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	switch at, again := h.ids[id]; {
	case h.away[c.name]:
		h.count.Away++
		return farm.ErrAway
	case again && time.Since(at) < dedupe:
		h.count.Hidden++
		return nil
	case h.maxStream > 0 && h.bytes+int64(len(body)) > h.maxStream:
		h.count.Full++
		return farm.ErrFull
	}
	h.ids[id] = time.Now()
	lost := due(&h.count.Published, h.faults.LoseAck)
	h.append(subject, id, body)
	if h.faults.Double > 0 && h.count.Published%h.faults.Double == 0 {
		h.count.Doubled++
		h.append(subject, id+"/again", body)
	}
	if n := len(h.stream); h.faults.Swap > 0 && h.count.Published%h.faults.Swap == 0 && n > 1 && !h.stream[n-2].handed {
		h.count.Swapped++
		h.stream[n-1], h.stream[n-2] = h.stream[n-2], h.stream[n-1]
		h.stream[n-1].Sequence, h.stream[n-2].Sequence = h.stream[n-2].Sequence, h.stream[n-1].Sequence
	}
	close(h.grown)
	h.grown = make(chan struct{})
	if lost {
		delete(h.ids, id) // the repetition is not hidden: dedupe is not relied on
		h.count.AcksLost++
		return errLost
	}
	return nil
}

func (h *MemoryBroker) append(subject, id string, body []byte) {
	h.sequence++
	h.bytes += int64(len(body))
	h.stream = append(h.stream, &message{Delivery: farm.Delivery{Subject: subject, Body: bytes.Clone(body), Sequence: h.sequence}, id: id})
}

// Listen implements farm.Transport.
func (c *conn) Listen(subject string, f func(body []byte)) (stop func(), err error) {
	h := c.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	e := &subscription{subject: subject, hear: make(chan []byte, earRoom), stop: make(chan struct{})}
	h.nextEar++
	number := h.nextEar
	h.ears[number] = e
	go func() {
		for {
			select {
			case body := <-e.hear:
				f(body)
			case <-e.stop:
				return
			}
		}
	}()
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		delete(h.ears, number)
		close(e.stop)
	}), nil
}

// Tell implements farm.Transport.
func (c *conn) Tell(subject string, body []byte) error {
	h := c.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.away[c.name] {
		h.count.Away++
		return farm.ErrAway
	}
	for _, e := range h.ears {
		if matches(e.subject, subject) {
			select {
			case e.hear <- bytes.Clone(body):
			default:
			}
		}
	}
	return nil
}

// matches is NATS' matching of a subject by one with wildcards.
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
	c.hall.mu.Lock()
	defer c.hall.mu.Unlock()
	body, ok := c.hall.artefacts[sum]
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
	c.hall.mu.Lock()
	defer c.hall.mu.Unlock()
	c.hall.artefacts[name] = body
	return name, nil
}

// Close implements farm.Transport.
func (c *conn) Close() error { return nil }

// Bus is the end of one process of the coordinator.
type Bus struct {
	conn
	answers []*answerer // under the hall's lock
}

type answerer struct {
	subject string
	f       func(ctx context.Context, subject string, body []byte) (any, error)
}

// coordinator is its name in partitions.
const coordinator = "coordinator"

// Open begins a process of the coordinator; one before it is cut off. What was not
// acknowledged comes again.
func (h *MemoryBroker) Open() *Bus {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.bus = &Bus{conn: conn{h, coordinator}}
	close(h.grown)
	h.grown = make(chan struct{})
	return h.bus
}

// Close ends it, as the end of a process does.
func (b *Bus) Close() error {
	h := b.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.bus == b {
		h.bus = nil
	}
	return nil
}

// Answer implements farm.Bus.
func (b *Bus) Answer(subject string, f func(ctx context.Context, subject string, body []byte) (any, error)) (stop func(), err error) {
	b.hall.mu.Lock()
	defer b.hall.mu.Unlock()
	a := &answerer{subject, f}
	b.answers = append(b.answers, a)
	return func() {
		b.hall.mu.Lock()
		defer b.hall.mu.Unlock()
		b.answers = slices.DeleteFunc(b.answers, func(other *answerer) bool { return other == a })
	}, nil
}

func (b *Bus) ask(ctx context.Context, subject string, body []byte) ([]byte, error) {
	b.hall.mu.Lock()
	i := slices.IndexFunc(b.answers, func(a *answerer) bool { return matches(a.subject, subject) })
	if i < 0 {
		b.hall.count.Away++
		b.hall.mu.Unlock()
		return nil, farm.ErrAway
	}
	f := b.answers[i].f
	b.hall.mu.Unlock()
	out, err := f(ctx, subject, body)
	if err != nil {
		if refusal, ok := errors.AsType[*farm.Refusal](err); ok {
			return nil, &farm.Refusal{Why: refusal.Why, Exit: refusal.Exit}
		}
		return nil, fmt.Errorf("loopback: the coordinator failed: %s", err.Error()) // the other end has the words alone
	}
	text, err := farm.Encode(out)
	if err == nil && len(text) > farm.MaxAnswer {
		return nil, fmt.Errorf("loopback: an answer of %d bytes: at most %d are sent", len(text), farm.MaxAnswer)
	}
	return text, err
}

// errEnded is what a process meets that is not the coordinator's any more.
var errEnded = errors.New("loopback: this process of the coordinator has ended")

// Results implements farm.Bus.
func (b *Bus) Results(ctx context.Context, n int) ([]farm.Delivery, error) {
	h := b.hall
	for {
		h.mu.Lock()
		if h.bus != b {
			h.mu.Unlock()
			return nil, errEnded
		}
		out := b.hand(n)
		grown := h.grown
		h.mu.Unlock()
		if len(out) > 0 {
			return out, nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// hand gives out messages that this process does not have yet. The lock is held.
func (b *Bus) hand(n int) (out []farm.Delivery) {
	for _, m := range b.hall.stream {
		if m.fetch == b || len(out) == n {
			continue
		}
		d := m.Delivery
		d.Again = m.handed
		if m.handed {
			b.hall.count.Again++
		}
		m.fetch, m.handed = b, true
		d.Ack = func(ctx context.Context) error { return b.ack(ctx, m, "") }
		d.Refuse = func(ctx context.Context, why string) error { return b.ack(ctx, m, why) }
		out = append(out, d)
	}
	return out
}

func (b *Bus) ack(ctx context.Context, m *message, why string) error {
	h := b.hall
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case h.bus != b:
		return errEnded
	}
	before := len(h.stream)
	h.stream = slices.DeleteFunc(h.stream, func(o *message) bool { return o == m })
	if len(h.stream) < before {
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
	b.hall.mu.Lock()
	defer b.hall.mu.Unlock()
	sizes := map[string]int64{}
	for name, body := range b.hall.artefacts {
		sizes[name] = int64(len(body))
	}
	return sizes, nil
}

// Fill implements farm.Bus.
func (b *Bus) Fill(context.Context) (float64, error) {
	b.hall.mu.Lock()
	defer b.hall.mu.Unlock()
	if b.hall.maxStream == 0 {
		return 0, nil
	}
	return float64(b.hall.bytes) / float64(b.hall.maxStream), nil
}
