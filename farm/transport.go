package farm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"time"
)

// A Transport is the connection of a worker, or of an owner (a person who submits tests), to the coordinator.
// Its methods are safe for concurrent use.
type Transport interface {
	// Request sends the message in, waits for the answer and decodes it into out. Both are messages of this
	// package (CBOR). The error is a *Refusal, ErrAway, or the cause of ctx's end.
	Request(ctx context.Context, subject string, in, out any) error
	// Publish stores a body in the coordinator's stream. It returns nil when the body is on the stream's disk.
	// For some minutes the stream detects repetitions by their id, but gogi does not depend on that. ErrFull
	// means that the stream is full for now.
	Publish(ctx context.Context, subject, id string, body []byte) error
	// Listen calls f with each message published on the subject, one at a time, until stop is called.
	Listen(subject string, f func(body []byte)) (stop func(), err error)
	// Send publishes a message without waiting for an answer. Only current listeners receive the message.
	Send(subject string, body []byte) error
	// Artefact returns a reader of the artefact with this SHA-256 (hex). If the bytes have another hash, the
	// last Read returns an error.
	Artefact(ctx context.Context, sha256 string) (io.ReadCloser, error)
	// PutArtefact stores the bytes of r, at most limit bytes, in the coordinator, and returns their SHA-256
	// (hex). It does not send an artefact that the coordinator already has.
	PutArtefact(ctx context.Context, r io.ReadSeeker, limit int64) (sha256 string, err error)
	// Close ends the connection.
	Close() error
}

// These are the errors of a Transport.
var (
	ErrAway = errors.New("farm: the coordinator cannot be reached")
	ErrFull = errors.New("farm: the coordinator's stream is full")
)

// A Bus is the coordinator's connection to the workers and owners.
type Bus interface {
	Transport
	// Answer serves requests on a subject, whose parts may be wildcards ("lease.*", "adm.*.*"). It calls f with
	// the subject of each request; the transport has verified that the sender owns the name in the subject. f
	// must be safe for concurrent use. If f returns a *Refusal, the sender gets the same *Refusal. Any other
	// error of f reaches the sender only as a text.
	Answer(subject string, f func(ctx context.Context, subject string, body []byte) (out any, err error)) (stop func(),
		err error)
	// Results waits for the next messages of the stream, at most n, in order. The stream delivers a message again
	// until it is acknowledged, also to the next process.
	Results(ctx context.Context, n int) ([]Delivery, error)
	// Artefacts lists the stored artefacts: SHA-256 and size in bytes.
	Artefacts(ctx context.Context) (map[string]int64, error)
	// Fill returns the used part of the stream's limit, from 0 to 1.
	Fill(ctx context.Context) (float64, error)
}

// A Delivery is one message with results, as the stream delivers it to the coordinator.
type Delivery struct {
	Subject  string
	Body     []byte
	Sequence uint64 // its place in the stream, from 1
	Again    bool   // the message was delivered before
	// Ack removes the message from the deliveries, and waits until the stream has confirmed it.
	Ack func(ctx context.Context) error
	// Refuse acknowledges a message that the coordinator does not count. The stream stores the message with the
	// reason as evidence for some days.
	Refuse func(ctx context.Context, why string) error
}

// Error returns Why, the reason of the refusal.
func (r *Refusal) Error() string { return r.Why }

// Refusef returns a rejection with the exit code of a rejected worker. Its reason is formatted as by fmt.Sprintf.
func Refusef(format string, values ...any) *Refusal {
	return &Refusal{Why: fmt.Sprintf(format, values...), Exit: exitRefused}
}

// exitRefused is the exit code of a rejected process.
const exitRefused = 4

// Because returns ": " and a reason for the end of a sentence, or "" without a reason.
func Because(why string) string {
	if why == "" {
		return ""
	}
	return ": " + why
}

// FirstWait is the wait after the first failed try, and longestWait is the longest wait.
const (
	FirstWait   = 50 * time.Millisecond
	longestWait = 60 * time.Second
)

// Backoff returns the wait before the next try of a request. try is the number of failed tries so far, from
// 1. The maximum wait doubles with each try, up to a minute. The wait is a random time between half of the
// maximum and the maximum, so that ten thousand workers do not send their requests at once.
func Backoff(try int) time.Duration {
	d := longestWait
	if try <= 10 { // 50 ms << 11 is above a minute
		d = FirstWait << max(try-1, 0)
	}
	return d/2 + rand.N(d/2+1)
}

// Wait waits for the time d and returns nil. If ctx ends earlier, Wait returns the cause of that end.
func Wait(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
