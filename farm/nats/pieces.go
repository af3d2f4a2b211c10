package nats

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"
	"time"

	"gogi/farm"
	"gogi/farm/files"
)

// pieceBytes is the size of a piece of an artefact.
const pieceBytes = 128 << 10

// wanted requests a piece of an artefact.
type wanted struct {
	SHA256 string `cbor:"s"`
	Offset int64  `cbor:"o"`
}

// piece is the answer to wanted: the bytes of the artefact from the requested offset.
type piece struct {
	Body []byte `cbor:"b"`
	Size int64  `cbor:"n"`           // size of the artefact
	Busy bool   `cbor:"y,omitempty"` // too many pieces are being read, so the client must request it again
}

// offered is a piece of a new artefact. The first piece has offset 0; the piece that reaches Size is the last.
type offered struct {
	SHA256 string `cbor:"s"`
	Size   int64  `cbor:"n"`
	Offset int64  `cbor:"o"`
	Body   []byte `cbor:"b"`
}

// taken is the answer to offered.
type taken struct {
	Have bool  `cbor:"h"` // the coordinator already has the artefact
	Next int64 `cbor:"x"` // the offset of the next piece
}

// client is the transport of a worker or an owner.
type client struct {
	*conn
	name string
}

// These are the limits of a request for a piece: the time for one answer, and the number of consecutive tries
// without a usable answer. A busy answer is not usable.
const (
	pieceDeadline = 20 * time.Second
	pieceTries    = 12
)

// Artefact implements farm.Transport.
func (c *client) Artefact(ctx context.Context, sum string) (io.ReadCloser, error) {
	r := &reader{ctx: ctx, client: c, sum: sum, hash: sha256.New()}
	return r, r.fill() // the first piece now, so that a missing artefact is an error here
}

// A reader reads an artefact in pieces.
type reader struct {
	ctx    context.Context //nolint:containedctx // io.Reader has no other place for it
	client *client
	sum    string
	hash   hash.Hash
	next   int64 // offset of the next piece
	size   int64
	rest   []byte // unread part of the current piece
}

func (r *reader) Read(b []byte) (int, error) {
	if len(r.rest) == 0 {
		if r.next >= r.size {
			return 0, r.end()
		}
		if err := r.fill(); err != nil {
			return 0, err
		}
	}
	n := copy(b, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// end checks the hash at the end of the artefact. It returns io.EOF if the hash is the requested one, and
// files.ErrHash otherwise.
func (r *reader) end() error {
	if got := hex.EncodeToString(r.hash.Sum(nil)); got != r.sum {
		return fmt.Errorf("%w: %s instead of %s", files.ErrHash, got, r.sum)
	}
	return io.EOF
}

func (r *reader) fill() error {
	var p piece
	err := r.client.patiently(r.ctx, farm.SubjectArtefact+r.client.name, wanted{SHA256: r.sum, Offset: r.next},
		func() any { p = piece{}; return &p }, func() bool { return p.Busy })
	if err != nil {
		return fmt.Errorf("bus: artefact %s: %w", r.sum, err)
	}
	if len(p.Body) == 0 && r.next < p.Size || r.next > 0 && p.Size != r.size {
		return fmt.Errorf("bus: artefact %s: a piece of %d bytes at %d of %d: the coordinator's copy has changed", r.sum,
			len(p.Body), r.next, p.Size)
	}
	r.hash.Write(p.Body)
	r.rest, r.size, r.next = p.Body, p.Size, r.next+int64(len(p.Body))
	return nil
}

func (r *reader) Close() error { return nil }

// patiently repeats a request, at most pieceTries times, until an answer comes that is not busy. out returns the
// value into which the next answer is decoded. busy reports whether that answer is busy. The waits between the
// tries grow.
func (c *client) patiently(ctx context.Context, subject string, in any, out func() any, busy func() bool) error {
	for try := 1; ; try++ {
		asking, cancel := context.WithTimeout(ctx, pieceDeadline)
		err := c.Request(asking, subject, in, out())
		cancel()
		if err == nil && !busy() {
			return nil
		}
		if err == nil {
			err = errBusy
		}
		passing := errors.Is(err, farm.ErrAway) || errors.Is(err, errBusy) || errors.Is(err, context.DeadlineExceeded)
		if ctx.Err() != nil || !passing || try == pieceTries {
			return err
		}
		if err := farm.Wait(ctx, farm.Backoff(try+1)); err != nil {
			return err
		}
	}
}

var errBusy = errors.New("the coordinator is busy with other readers")

// PutArtefact implements farm.Transport.
func (c *client) PutArtefact(ctx context.Context, r io.ReadSeeker, limit int64) (string, error) {
	h := sha256.New()
	size, err := io.Copy(h, io.LimitReader(r, limit+1))
	if err != nil {
		return "", fmt.Errorf("bus: artefact: %w", err)
	}
	if size > limit {
		return "", fmt.Errorf("%w: more than %d bytes", files.ErrTooBig, limit)
	}
	o := offered{SHA256: hex.EncodeToString(h.Sum(nil)), Size: size}
	for buffer := make([]byte, pieceBytes); ; {
		if _, err := r.Seek(o.Offset, io.SeekStart); err != nil {
			return "", fmt.Errorf("bus: artefact: %w", err)
		}
		n, err := io.ReadFull(r, buffer[:min(pieceBytes, size-o.Offset)])
		if err != nil {
			return "", fmt.Errorf("bus: artefact %s changed while it was sent: %w", o.SHA256, err)
		}
		o.Body = buffer[:n]
		var answer taken
		if err := c.patiently(ctx, farm.SubjectUpload+c.name, o, func() any { answer = taken{}; return &answer },
			func() bool { return false }); err != nil {
			return "", fmt.Errorf("bus: artefact %s: %w", o.SHA256, err)
		}
		if answer.Have {
			return o.SHA256, nil
		}
		if answer.Next < 0 || answer.Next >= size {
			return "", fmt.Errorf("bus: artefact %s: asked for byte %d of %d", o.SHA256, answer.Next, size)
		}
		o.Offset = answer.Next
	}
}

// An artefactServer is the part of the coordinator that sends and receives artefacts.
type artefactServer struct {
	store   *files.Store
	largest int64         // maximum size of one artefact in bytes
	reading chan struct{} // one element for each piece being read
	limits  limits

	mu      sync.Mutex
	uploads map[string]*upload // uploads by the sender's name
}

// An upload is an artefact that an owner is sending. An owner has at most one.
type upload struct {
	sum  string
	next int64
	pipe *io.PipeWriter
	done chan error
	last time.Time
}

func newArtefactServer(store *files.Store, largest int64, readers int) *artefactServer {
	return &artefactServer{store: store, largest: largest, reading: make(chan struct{}, readers),
		uploads: map[string]*upload{}}
}

// busyAfter is the time after which a waiting request gets the answer Busy.
const busyAfter = 2 * time.Second

// give is the handler of SubjectArtefact: it answers a request for a piece.
func (s *artefactServer) give(ctx context.Context, subject string, body []byte) (any, error) {
	var w wanted
	if err := farm.Decode(body, &w); err != nil {
		return nil, &farm.Refusal{Why: err.Error(), Exit: 1}
	}
	ctx, cancel := context.WithTimeout(ctx, busyAfter)
	defer cancel()
	if !s.limits.wait(ctx, farm.Sender(subject), pieceBytes) {
		return piece{Busy: true}, nil
	}
	select {
	case s.reading <- struct{}{}:
		defer func() { <-s.reading }()
	case <-ctx.Done():
		return piece{Busy: true}, nil
	}
	b := make([]byte, pieceBytes)
	n, size, err := s.store.ReadAt(w.SHA256, b, max(w.Offset, 0))
	if errors.Is(err, files.ErrUnknown) {
		return nil, &farm.Refusal{Why: fmt.Sprintf("the coordinator has no artefact %q", w.SHA256), Exit: 1}
	}
	return piece{Body: b[:n], Size: size}, err
}

// uploadsAtATime bounds the open files and goroutines of uploads.
const uploadsAtATime = 256

// take is the handler of SubjectUpload: it stores the next piece of an artefact. If the sender repeats a piece
// because the answer was lost, the answer is the offset of the next piece.
func (s *artefactServer) take(ctx context.Context, subject string, body []byte) (any, error) {
	var o offered
	if err := farm.Decode(body, &o); err != nil {
		return nil, &farm.Refusal{Why: err.Error(), Exit: 1}
	}
	name := farm.Sender(subject)
	ctx, cancel := context.WithTimeout(ctx, pieceDeadline/2)
	defer cancel()
	if !s.limits.wait(ctx, name, len(o.Body)) {
		return taken{Next: o.Offset}, nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	largest := s.limits.largest(name, s.largest)
	switch {
	case s.store.Has(o.SHA256):
		return taken{Have: true}, nil
	case o.Size > largest:
		return nil, &farm.Refusal{Why: fmt.Sprintf("an artefact of %d bytes: at most %d are taken", o.Size, largest), Exit: 1}
	case o.Offset < 0 || int64(len(o.Body)) > o.Size-o.Offset:
		return nil, &farm.Refusal{Why: "a piece beyond the artefact's end", Exit: 1}
	}
	u := s.uploads[name]
	if o.Offset == 0 && (u == nil || u.sum != o.SHA256 || u.next > int64(len(o.Body))) {
		u = s.begin(name, o)
	}
	if u == nil || u.sum != o.SHA256 {
		return taken{Next: 0}, nil // the coordinator has restarted since the last piece
	}
	if o.Offset != u.next {
		return taken{Next: u.next}, nil
	}
	return s.append(name, u, o)
}

func (s *artefactServer) begin(name string, o offered) *upload {
	s.abandon(name)
	if len(s.uploads) == uploadsAtATime {
		s.abandonOldest()
	}
	r, w := io.Pipe()
	u := &upload{sum: o.SHA256, pipe: w, done: make(chan error, 1), last: time.Now()}
	go func() {
		_, err := s.store.Put(r, o.SHA256, o.Size)
		r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
		u.done <- err
	}()
	s.uploads[name] = u
	return u
}

func (s *artefactServer) append(name string, u *upload, o offered) (any, error) {
	_, err := u.pipe.Write(o.Body)
	if u.next += int64(len(o.Body)); err == nil && u.next < o.Size {
		u.last = time.Now()
		return taken{Next: u.next}, nil
	}
	_ = u.pipe.Close() // always nil
	delete(s.uploads, name)
	if err := <-u.done; err != nil {
		return nil, &farm.Refusal{Why: err.Error(), Exit: 1}
	}
	return taken{Have: true}, nil
}

var errAbandoned = errors.New("the upload was cancelled")

func (s *artefactServer) abandon(name string) {
	if u := s.uploads[name]; u != nil {
		_ = u.pipe.CloseWithError(errAbandoned) // always nil
		<-u.done                                //nolint:errcheck // the error of a cancelled upload
		delete(s.uploads, name)
	}
}

func (s *artefactServer) abandonOldest() {
	oldest := ""
	for name, u := range s.uploads {
		if oldest == "" || u.last.Before(s.uploads[oldest].last) {
			oldest = name
		}
	}
	s.abandon(oldest)
}

// close cancels all uploads.
func (s *artefactServer) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name := range s.uploads {
		s.abandon(name)
	}
}

// put stores an artefact that the coordinator itself provides.
func (s *artefactServer) put(r io.Reader, limit int64) (string, error) {
	return s.store.Put(r, "", min(limit, s.largest))
}

func (s *artefactServer) open(sum string) (io.ReadCloser, error) {
	size, ok := s.store.List()[sum]
	if !ok {
		return nil, &farm.Refusal{Why: fmt.Sprintf("the coordinator has no artefact %q", sum), Exit: 1}
	}
	return io.NopCloser(io.NewSectionReader(&stored{s.store, sum}, 0, size)), nil
}

// stored implements io.ReaderAt for a stored artefact.
type stored struct {
	store *files.Store
	sum   string
}

func (a *stored) ReadAt(b []byte, offset int64) (int, error) {
	n, _, err := a.store.ReadAt(a.sum, b, offset)
	if err == nil && n < len(b) {
		err = io.EOF
	}
	return n, err
}
