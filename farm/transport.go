package farm

import (
	"context"
	"errors"
	"io"
)

// Transport is the way of a worker, or of an owner, to the coordinator. Its methods
// may be called by many goroutines.
type Transport interface {
	// Request asks and waits for the answer; in and out are messages of this
	// package (CBOR). A *Refusal, ErrAway or the end of ctx are its errors.
	Request(ctx context.Context, subject string, in, out any) error
	// Publish is durable when it returns nil: the coordinator's stream has it on its
	// disk. id tells repetitions apart for some minutes; it is not relied on. ErrFull
	// says that the stream takes no more for now.
	Publish(ctx context.Context, subject, id string, body []byte) error
	// Listen calls f with what is published on the subject, one at a time, until stop.
	Listen(subject string, f func(body []byte)) (stop func(), err error)
	// Tell publishes without waiting, to whoever listens.
	Tell(subject string, body []byte) error
	// Artefact reads what has this SHA-256 (hex). The reader fails at its end when
	// the bytes have another.
	Artefact(ctx context.Context, sha256 string) (io.ReadCloser, error)
	// PutArtefact keeps what r reads, at most limit bytes, with the coordinator, and
	// returns its SHA-256 (hex). What it has already is not sent.
	PutArtefact(ctx context.Context, r io.ReadSeeker, limit int64) (sha256 string, err error)
	// Close ends the connection.
	Close() error
}

// What a Transport fails with.
var (
	ErrAway = errors.New("farm: the coordinator cannot be reached")
	ErrFull = errors.New("farm: the coordinator's stream is full")
)

// Bus is the coordinator's end.
type Bus interface {
	Transport
	// Answer serves requests on a subject, whose parts may be wildcards ("lease.*",
	// "adm.*.*"). The subject that f is given is the one that was asked on, whose
	// asker the transport has found to be who it names. f is called by many goroutines
	// at once. Its error reaches the asker as a *Refusal where it is one, else as a
	// failure.
	Answer(subject string, f func(ctx context.Context, subject string, body []byte) (out any, err error)) (stop func(), err error)
	// Results waits for the next messages of the stream, in its order, at most n. They
	// come again until they are acknowledged, also to the next process.
	Results(ctx context.Context, n int) ([]Delivery, error)
	// Artefacts lists what is kept: SHA-256 and bytes.
	Artefacts(ctx context.Context) (map[string]int64, error)
	// Fill is how full the stream is, from 0 to 1.
	Fill(ctx context.Context) (float64, error)
}

// Delivery is one message of the stream.
type Delivery struct {
	Subject  string
	Body     []byte
	Sequence uint64 // its place in the stream, from 1
	Again    bool   // delivered before
	// Ack says that it is done with, and waits until the stream knows.
	Ack func(ctx context.Context) error
	// Refuse is Ack for what is not counted; it is kept as evidence for some days.
	Refuse func(ctx context.Context, why string) error
}

// Error is the reason.
func (r *Refusal) Error() string { return r.Why }
