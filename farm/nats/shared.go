package nats

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"gogi/farm"
)

// ErrFenced means that this process does not lead the farm: another process has taken the lease, or this process
// could not renew the lease in time. The process must end. It may start again as a standby.
var ErrFenced = errors.New("this process does not lead the farm any more; start it again")

// A Term is one leadership of a farm, and the content of its lease.
type Term struct {
	Number   uint64 `cbor:"n"` // grows with each term; 0 means that no process has led the farm
	Leader   string `cbor:"l"` // name of the leader's machine
	Folder   string `cbor:"f"` // random name of the state folder that has all games of the farm
	Taker    string `cbor:"t"` // random name of the leader's state folder; it differs from Folder until Settle
	Ready    bool   `cbor:"r"` // the bucket has the whole state of the farm
	Released bool   `cbor:"e"` // the leader has ended, so another process may lead at once

	At uint64 `cbor:"-"` // number of the last entry of the bucket when Look read the term
}

// These are the bucket of the farm in the key-value store, the key of the lease, and the part of the standby's
// patience that clocks of different rates may use up.
const (
	bucket   = "gogi_farm"
	keyLease = "lease"
	rates    = 4 // a standby waits a quarter longer than the leader may lead
)

// CoordinatorName is the name under which a standby sends requests to the leader. No key can have it, and on a server
// whose permissions are set as docs/farm.md says, no other client can use its subjects.
const CoordinatorName = coordinatorName

// A Shared is the part of a farm's state that all its coordinators share: a bucket in the key-value store of a NATS
// cluster, with the lease of the leader and the leader's state.
//
// All entries of the bucket have one order. Every write names the entry that must be the last one, so the server
// rejects a write by a process that has not seen all entries. When a standby takes the lease, it writes an entry. From
// then on every write of the former leader fails, whatever its clock says. The former leader also stops by itself: it
// leads only for the time TTL after it has sent its latest successful write, and a standby waits longer than that
// since it has seen the write.
//
// Each entry has a MAC by the farm's secret, so another client of the server cannot forge one. Its methods are safe
// for concurrent use. A nil *Shared belongs to a farm with one coordinator, which always leads: Renew, Settle and Fence
// return nil.
type Shared struct {
	*client
	js       jetstream.JetStream
	ttl      time.Duration
	replicas int
	secret   farm.Secret

	writing sync.Mutex // is locked during a write
	last    uint64     // number of the last entry that this process knows
	term    Term       // that this process leads, if Number is not 0

	mu       sync.Mutex
	until    time.Time // with monotonic time: this process leads until then
	lost     chan struct{}
	isLost   bool
	seen     uint64 // for Look: the number of the last entry, and when this process saw it first
	seenFrom time.Time
}

// OpenShared connects to the servers of a farm. ttl is the time after which a standby may replace a silent leader,
// and replicas the number of servers that store each entry.
func OpenShared(ctx context.Context, o *Outside, secret farm.Secret, ttl time.Duration, replicas int) (*Shared, error) {
	c, err := o.connect(ctx)
	if err != nil {
		return nil, err
	}
	js, err := jetstream.New(c.nats)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("bus: %w", err), c.Close())
	}
	return &Shared{client: &client{conn: c, name: coordinatorName}, js: js, ttl: ttl, replicas: replicas, secret: secret,
		lost: make(chan struct{})}, nil
}

// Create makes the bucket, unless the farm has one.
func (s *Shared) Create(ctx context.Context) error {
	// This is a bucket as NATS makes it, but without direct reads, which may return old entries.
	_, err := s.js.CreateOrUpdateStream(ctx, jetstream.StreamConfig{
		Name: bucketStream, Description: "lease and state of a gogi farm", Subjects: []string{subjectOf(">")},
		Storage:           jetstream.FileStorage,
		MaxMsgsPerSubject: 1, Discard: jetstream.DiscardNew, AllowRollup: true, DenyDelete: true, Duplicates: 2 * time.Minute,
		Replicas: s.replicas,
	})
	if err != nil {
		return fmt.Errorf("jetstream.replicas = %d: the bucket %s cannot be made: %w", s.replicas, bucket, err)
	}
	return nil
}

const bucketStream = "KV_" + bucket

func subjectOf(key string) string { return "$KV." + bucket + "." + key }

// ErrForeign means that an entry of the bucket is not of this farm, or was changed.
var ErrForeign = errors.New("it is not of this farm")

// Look returns the term of the latest lease, and whether a standby may take the lease now. If no farm has used the
// bucket, the term is zero. Look compares with the results of earlier calls, so call it often. After an error except
// ErrForeign the caller may call Look again.
func (s *Shared) Look(ctx context.Context) (t Term, free bool, err error) {
	stream, err := s.js.Stream(ctx, bucketStream)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		return t, true, nil
	}
	if err != nil {
		return t, false, s.failure(err)
	}
	last := stream.CachedInfo().State.LastSeq // read first, so that Take fails if the lease changes between both reads
	m, err := stream.GetLastMsgForSubject(ctx, subjectOf(keyLease))
	if err == nil {
		err = s.open(keyLease, m.Data, &t)
	} else if errors.Is(err, jetstream.ErrMsgNotFound) {
		err = nil
	}
	if errors.Is(err, ErrForeign) {
		return t, false, err
	}
	if err != nil {
		return t, false, s.failure(err)
	}
	t.At = last
	s.mu.Lock()
	defer s.mu.Unlock()
	if last != s.seen || s.seenFrom.IsZero() {
		s.seen, s.seenFrom = last, time.Now()
	}
	return t, t.Number == 0 || t.Released || time.Since(s.seenFrom) >= s.ttl+s.ttl/rates, nil
}

// Take begins a new term after the term before, which Look has returned. It returns ErrFenced if another process has
// written to the bucket since Look. Then the caller may call Look again. folder is the name of this process's folder.
// The term still names the folder of the term before, until Settle.
func (s *Shared) Take(ctx context.Context, before Term, leader, folder string) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	s.last, s.until = before.At, time.Now().Add(s.ttl)
	s.mu.Unlock()
	t := Term{Number: s.last + 1, Leader: leader, Folder: folder, Taker: folder, Ready: before.Ready}
	if before.Ready {
		t.Folder = before.Folder
	}
	if err := s.write(ctx, keyLease, t); err != nil {
		return err
	}
	s.term = t // its number is the number of the entry, so no two terms have one number
	return nil
}

// Number returns the number of the term that this process leads.
func (s *Shared) Number() uint64 {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.term.Number
}

// Ready records that the bucket has the whole state of the farm.
func (s *Shared) Ready(ctx context.Context) error {
	return s.renew(ctx, func(t *Term) { t.Ready = true })
}

// Settle records that the folder of this process has replaced the folder of the term before. This process has repaired
// everything that it lacks of that folder.
func (s *Shared) Settle(ctx context.Context) error {
	return s.renew(ctx, func(t *Term) { t.Folder = t.Taker })
}

// Renew renews the lease. It returns an error if this process does not lead any more.
func (s *Shared) Renew(ctx context.Context) error { return s.renew(ctx, func(*Term) {}) }

// Release ends the term of this process, so that a standby can lead at once.
func (s *Shared) Release(ctx context.Context) error {
	return s.renew(ctx, func(t *Term) { t.Released = true })
}

func (s *Shared) renew(ctx context.Context, change func(*Term)) error {
	if s == nil {
		return nil
	}
	s.writing.Lock()
	defer s.writing.Unlock()
	change(&s.term)
	return s.lose(s.write(ctx, keyLease, s.term))
}

// Keep renews the lease until ctx ends. If it cannot, it closes the channel of Lost.
func (s *Shared) Keep(ctx context.Context) {
	for farm.Wait(ctx, s.ttl/rates) == nil {
		if s.Renew(ctx) != nil {
			return
		}
	}
}

// Put stores a value under a key, and waits until most servers have stored it. After an error this process does not
// lead any more, because the caller does not know whether the value is stored.
func (s *Shared) Put(ctx context.Context, key string, value any) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	return s.lose(s.write(ctx, key, value))
}

// lose ends the leadership of this process if err is not nil. It returns err.
func (s *Shared) lose(err error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil && !s.isLost {
		s.isLost = true
		close(s.lost)
	}
	return err
}

// Lost returns a channel that is closed when this process does not lead any more.
func (s *Shared) Lost() <-chan struct{} { return s.lost }

// Fence returns ErrFenced if this process may not lead now, and nil otherwise.
func (s *Shared) Fence() error {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.isLost || !time.Now().Before(s.until) {
		return ErrFenced
	}
	return nil
}

// write stores an entry after the entry s.last. While no server answers, it tries again until the lease ends. All
// tries have one id, so that the server stores the entry once. The caller holds s.writing.
func (s *Shared) write(ctx context.Context, key string, value any) error {
	body, err := s.seal(key, value)
	if err != nil {
		return err
	}
	id := rand.Text()
	sent := time.Now() // the server may have stored the first try, although only a later one was answered
	for {
		if err := s.Fence(); err != nil {
			return err
		}
		trying, cancel := context.WithTimeout(ctx, s.ttl/rates)
		ack, err := s.js.Publish(trying, subjectOf(key), body, jetstream.WithMsgID(id),
			jetstream.WithExpectLastSequence(s.last), jetstream.WithRetryAttempts(0))
		cancel()
		if err == nil {
			s.last = ack.Sequence
			s.mu.Lock()
			s.until = sent.Add(s.ttl)
			s.mu.Unlock()
			return nil
		}
		api, ok := errors.AsType[*jetstream.APIError](err)
		switch {
		case ok && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
			api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant):
			return ErrFenced
		case errors.Is(err, nats.ErrMaxPayload):
			return fmt.Errorf("bus: %s: %d bytes: %w", key, len(body), err)
		}
		if farm.Wait(ctx, s.ttl/100) != nil {
			return s.failure(err)
		}
	}
}

// Entries calls f with each entry except the lease. This process leads, so there are no later entries.
func (s *Shared) Entries(ctx context.Context, f func(key string, decode func(to any) error) error) error {
	s.writing.Lock()
	last := s.last
	s.writing.Unlock()
	c, err := s.js.OrderedConsumer(ctx, bucketStream, jetstream.OrderedConsumerConfig{})
	if err != nil {
		return s.failure(err)
	}
	entries, err := c.Messages()
	if err != nil {
		return s.failure(err)
	}
	defer entries.Stop()
	for at := uint64(0); at < last; {
		m, err := entries.Next(jetstream.NextContext(ctx))
		if err != nil {
			return s.failure(err)
		}
		meta, err := m.Metadata()
		if err != nil {
			return fmt.Errorf("bus: %w", err)
		}
		at = meta.Sequence.Stream
		if key := strings.TrimPrefix(m.Subject(), subjectOf("")); key != keyLease && at <= last {
			if err := f(key, func(to any) error { return s.open(key, m.Data(), to) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// KeyOf returns a key from words of which some may contain any characters.
func KeyOf(kind string, words ...string) string {
	for _, w := range words {
		kind += "." + base64.RawURLEncoding.EncodeToString([]byte(w))
	}
	return kind
}

// mac returns the MAC of an entry. It covers the key, so that no entry can replace another one.
func (s *Shared) mac(key string, body []byte) []byte {
	h := hmac.New(sha256.New, s.secret[:])
	h.Write([]byte("gogi shared state 1\x00" + key + "\x00"))
	h.Write(body)
	return h.Sum(nil)
}

func (s *Shared) seal(key string, value any) ([]byte, error) {
	body, err := farm.Encode(value)
	if err != nil {
		return nil, err
	}
	return append(s.mac(key, body), body...), nil
}

func (s *Shared) open(key string, body []byte, to any) error {
	if len(body) < sha256.Size || !hmac.Equal(body[:sha256.Size], s.mac(key, body[sha256.Size:])) {
		return fmt.Errorf("bus: the entry %s in the bucket %s: %w: was this folder restored from a backup of it?", key,
			bucket, ErrForeign)
	}
	return farm.Decode(body[sha256.Size:], to)
}
