package farm

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	"github.com/fxamacker/cbor/v2"
)

// These are bounds on a message from an untrusted sender.
const (
	// MaxBody is the largest size in bytes of a request, or of a message with results.
	MaxBody = 1 << 20
	// MaxAnswer is the largest size in bytes of the answer to a request. It is enough for a Pulled with half
	// a MaxBody of pairs, and for a Pulled with one pair of the largest size that a worker can send.
	MaxAnswer = MaxBody - 4<<10
	// MaxPair is the largest size in bytes of a pair that match.DecodePair has unpacked.
	MaxPair = 16 << 20
	// MaxItems is the largest number of items in a Batch, and of entries in each list of a Beat.
	MaxItems = 1 << 16
)

// encoding and decoding are the CBOR modes that write and read messages. Both are safe for concurrent use.
var encoding, decoding = wireModes()

func wireModes() (cbor.EncMode, cbor.DecMode) {
	enc, err := cbor.EncOptions{Time: cbor.TimeRFC3339Nano}.EncMode()
	if err != nil {
		panic("farm: " + err.Error()) // options that are constants
	}
	dec, err := cbor.DecOptions{MaxArrayElements: MaxItems, MaxNestedLevels: 16}.DecMode()
	if err != nil {
		panic("farm: " + err.Error())
	}
	return enc, dec
}

// Encode writes a message of this package as CBOR.
func Encode(message any) ([]byte, error) {
	body, err := encoding.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("farm: encoding %T: %w", message, err)
	}
	return body, nil
}

// Decode decodes a body that Encode has written into message. The body may come from an untrusted sender.
// Decode ignores unknown fields, because a later version may have added them.
func Decode(body []byte, message any) error {
	if len(body) > MaxBody {
		return fmt.Errorf("farm: a message of %d bytes: expected at most %d", len(body), MaxBody)
	}
	if err := decoding.Unmarshal(body, message); err != nil {
		return fmt.Errorf("farm: decoding %T: %w", message, err)
	}
	return nil
}

// A Secret is the key with which the coordinator makes lease tokens (see Token). The coordinator stores it,
// so that leases stay valid after a restart.
type Secret [32]byte

// tokenSize is the length of a token in bytes. No sender can guess these 96 bits of the HMAC over the
// network.
const tokenSize = 12

// Token returns the token of a lease, which proves that the coordinator granted the lease to this worker. The
// token is the first 12 bytes of HMAC-SHA256(secret, run|pair|epoch|take|audit|worker): fields of Held, and
// the name of the worker. For a lease of a tune, Token also hashes lease.Points. Token ignores lease.Token.
func (s *Secret) Token(worker string, lease Held) []byte {
	text := append([]byte("gogi lease 1\x00"), lease.Run...)
	if lease.Points != 0 {
		text = append([]byte("gogi lease 2\x00"), lease.Run...)
	}
	text = append(text, 0)
	text = binary.BigEndian.AppendUint64(text, uint64(lease.Pair))
	text = binary.BigEndian.AppendUint64(text, uint64(lease.Epoch))
	text = binary.BigEndian.AppendUint64(text, uint64(lease.Take))
	if lease.Points != 0 {
		text = binary.BigEndian.AppendUint64(text, lease.Points)
	}
	audit := byte(0)
	if lease.Audit {
		audit = 1
	}
	text = append(append(text, audit), worker...)
	mac := hmac.New(sha256.New, s[:])
	mac.Write(text)
	return mac.Sum(nil)[:tokenSize]
}

// Granted reports whether the token of a lease is valid. This proves that the coordinator granted this lease to
// this worker.
func (s *Secret) Granted(worker string, lease Held) bool {
	return hmac.Equal(lease.Token, s.Token(worker, lease))
}

// A Signer is a function that returns the ed25519 signature of a text.
type Signer func(text []byte) ([]byte, error)

// batchDomain makes a batch's signature invalid for any other kind of message.
const batchDomain = "gogi batch 1\x00"

// Seal encodes and signs a batch. The result is the body of a message on SubjectResults.
func Seal(b *Batch, sign Signer) ([]byte, error) {
	var s Signed
	var err error
	if s.Batch, err = Encode(b); err != nil {
		return nil, err
	}
	if s.Signature, err = sign(append([]byte(batchDomain), s.Batch...)); err != nil {
		return nil, fmt.Errorf("farm: signing a batch: %w", err)
	}
	return Encode(s)
}

// ErrSignature is the error for a message without a valid signature by the right key. For Open this is the
// worker's key, for Task.Check the coordinator's key, and for Release.Check the maintainers' key.
var ErrSignature = errors.New("farm: it is not signed by the right key")

// Open decodes a batch that Seal has written, and verifies its signature. The function key returns a worker's
// public key, or nil for an unknown worker. If the signature is wrong, Open returns ErrSignature and no
// batch. It decodes an unverified batch only to find the worker's name.
func Open(body []byte, key func(worker string) ed25519.PublicKey) (*Batch, Signed, error) {
	var s Signed
	if err := Decode(body, &s); err != nil {
		return nil, s, err
	}
	var b Batch
	if err := Decode(s.Batch, &b); err != nil {
		return nil, s, err
	}
	public := key(b.Worker)
	if len(public) != ed25519.PublicKeySize ||
		!ed25519.Verify(public, append([]byte(batchDomain), s.Batch...), s.Signature) {
		return nil, s, ErrSignature
	}
	return &b, s, nil
}

// taskDomain makes a task's signature invalid for any other kind of message.
const taskDomain = "gogi task 1\x00"

// Sign signs the task with the coordinator's key and stores the signature in the task.
func (t *Task) Sign(sign Signer) error {
	text, err := t.signed()
	if err != nil {
		return err
	}
	if t.Signature, err = sign(text); err != nil {
		return fmt.Errorf("farm: signing run %s: %w", t.Run, err)
	}
	return nil
}

// Check returns nil if the coordinator signed exactly this task, and ErrSignature otherwise.
func (t *Task) Check(coordinator ed25519.PublicKey) error {
	text, err := t.signed()
	if err != nil {
		return err
	}
	if len(coordinator) != ed25519.PublicKeySize || !ed25519.Verify(coordinator, text, t.Signature) {
		return fmt.Errorf("run %s: %w", t.Run, ErrSignature)
	}
	return nil
}

// signed returns the text that Sign signs: the task without its signature.
func (t *Task) signed() ([]byte, error) {
	whole := *t
	whole.Signature = nil
	body, err := Encode(whole)
	return append([]byte(taskDomain), body...), err
}

// Sender returns the name of the only key that may publish on a subject. It returns "" if several keys may publish
// there.
func Sender(subject string) string {
	parts := strings.Split(subject, ".")
	switch kind := parts[0] + "."; {
	case len(parts) == 2 && (kind == SubjectHello || kind == SubjectLease || kind == SubjectBeat ||
		kind == SubjectArtefact || kind == SubjectUpload),
		len(parts) == 3 && (kind == SubjectResults || kind == SubjectAdmin):
		return parts[1]
	case len(parts) == 3 && kind == SubjectEvents:
		return parts[2]
	}
	return ""
}
