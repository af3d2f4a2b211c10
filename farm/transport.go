package farm

import (
	"context"
	"errors"
	"io"
)

// A Transport is the connection of a worker or an owner to the coordinator. Its methods are safe for concurrent use.
type Transport interface {
	// Request sends in and waits for the answer out; both are messages of this package (CBOR). Its errors are
	// a *Refusal, ErrAway, or the end of ctx.
	Request(ctx context.Context, subject string, in, out any) error
	// Publish returns nil when the coordinator's stream has the body on its disk. For some minutes the stream
	// detects repetitions by their id, but gogi does not depend on that. ErrFull means that the stream is full for now.
	Publish(ctx context.Context, subject, id string, body []byte) error
	// Listen calls f with each message published on the subject, one at a time, until stop is called.
	Listen(subject string, f func(body []byte)) (stop func(), err error)
	// Tell publishes without waiting. Only current listeners get the message.
	Tell(subject string, body []byte) error
	// Artefact reads the artefact with this SHA-256 (hex). If the bytes have another hash, the reader's last Read fails.
	Artefact(ctx context.Context, sha256 string) (io.ReadCloser, error)
	// PutArtefact stores the bytes of r, at most limit, with the coordinator, and returns their SHA-256 (hex). It
	// does not send an artefact that the coordinator has.
	PutArtefact(ctx context.Context, r io.ReadSeeker, limit int64) (sha256 string, err error)
	// Close ends the connection.
	Close() error
}

// Errors of a Transport.
var (
	ErrAway = errors.New("farm: the coordinator cannot be reached")
	ErrFull = errors.New("farm: the coordinator's stream is full")
)

// A Bus is the coordinator's end of the connections.
type Bus interface {
	Transport
	// Answer serves requests on a subject, whose parts may be wildcards ("lease.*", "adm.*.*"). f gets the subject of
	// the request; the transport has verified that the sender owns the name in it. f must be safe for
	// concurrent use. A *Refusal that f returns reaches the sender; any other error arrives as a failure.
	Answer(subject string, f func(ctx context.Context, subject string, body []byte) (out any, err error)) (stop func(), err error)
	// Results waits for the next messages of the stream, at most n, in order. The stream delivers a message again
	// until it is acknowledged, also to the next process.
	Results(ctx context.Context, n int) ([]Delivery, error)
	// Artefacts lists the stored artefacts: SHA-256 and size in bytes.
	Artefacts(ctx context.Context) (map[string]int64, error)
	// Fill returns the used part of the stream's limit, from 0 to 1.
	Fill(ctx context.Context) (float64, error)
}

// A Delivery is one message of the stream.
type Delivery struct {
	Subject  string
	Body     []byte
	Sequence uint64 // its place in the stream, from 1
	Again    bool   // delivered before
	// Ack removes the message from the deliveries, and waits until the stream has confirmed it.
	Ack func(ctx context.Context) error
	// Refuse acknowledges a message that is not counted. The stream stores it as evidence for some days.
	Refuse func(ctx context.Context, why string) error
}

// Error returns the reason.
func (r *Refusal) Error() string { return r.Why }
