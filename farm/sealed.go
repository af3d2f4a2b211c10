package farm

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// The bounds of a message that anybody may have written.
const (
	// MaxBody is the longest body of a request or of a message of the stream.
	MaxBody = 1 << 20
	// MaxAnswer is the longest answer to a request: a page of pairs (half a MaxBody) and
	// what is told beside it, or one pair as long as a message of the stream may carry it.
	MaxAnswer = MaxBody - 4<<10
	// MaxPair bounds what a pair takes when it is unpacked (match.DecodePair).
	MaxPair = 16 << 20
	// MaxItems bounds a Batch and the lists of a Beat.
	MaxItems = 1 << 16
)

// encoding and decoding are how messages are written and read. Both are safe for many goroutines.
//
//nolint:gochecknoglobals // made once of constants, as a compiled regular expression
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

// Decode is the inverse of Encode, for a body that anybody may have written. Fields
// that this program does not know are left out: they are of a later version.
func Decode(body []byte, message any) error {
	if len(body) > MaxBody {
		return fmt.Errorf("farm: a message of %d bytes: expected at most %d", len(body), MaxBody)
	}
	if err := decoding.Unmarshal(body, message); err != nil {
		return fmt.Errorf("farm: decoding %T: %w", message, err)
	}
	return nil
}

// Secret is what a coordinator makes its tokens with. It outlives the process, so that
// leases of before a restart stay good.
type Secret [32]byte

// tokenSize is how much of the HMAC a token has: 96 bits, which nobody guesses online.
const tokenSize = 12

// Token is proof that a lease was granted to a worker:
// HMAC-SHA256(secret, run|pair|epoch|take|audit|worker), its first 12 bytes. The
// lease's own Token is not looked at.
func (s *Secret) Token(worker string, lease Held) []byte {
	text := append([]byte("gogi lease 1\x00"), lease.Run...)
	if lease.Points != 0 {
		text = append([]byte("gogi lease 2\x00"), lease.Run...)
	}
	text = append(text, 0)
	text = binary.BigEndian.AppendUint64(text, uint64(lease.Pair)) //nolint:gosec // any number has its own text
	text = binary.BigEndian.AppendUint64(text, uint64(lease.Epoch))
	text = binary.BigEndian.AppendUint64(text, uint64(lease.Take)) //nolint:gosec // likewise
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

// Granted reports whether the lease's token is one that this worker was given.
func (s *Secret) Granted(worker string, lease Held) bool {
	return hmac.Equal(lease.Token, s.Token(worker, lease))
}

// Signer makes an ed25519 signature of a text, by a key that it alone knows.
type Signer func(text []byte) ([]byte, error)

// batchDomain keeps a signature of a batch from being one of anything else.
const batchDomain = "gogi batch 1\x00"

// Seal encodes and signs a batch: the body of a message on SubjectResults.
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

// ErrSignature is the error of what was not signed by the key that it should be signed
// by: a worker's for Open, the coordinator's for Task.Check.
var ErrSignature = errors.New("farm: it is not signed by the right key")

// Open is the inverse of Seal; key says what a worker signs with, nil for one that is
// not known. Nothing of an unsigned batch is looked at but whose it claims to be.
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
	if len(public) != ed25519.PublicKeySize || !ed25519.Verify(public, append([]byte(batchDomain), s.Batch...), s.Signature) {
		return nil, s, ErrSignature
	}
	return &b, s, nil
}

// Held is the lease that a grant gave.
func (g Grant) Held() Held {
	return Held{Run: g.Run, Pair: g.Pair, Epoch: g.Epoch, Token: g.Token, Take: g.Take, Audit: g.Audit, Points: g.Points}
}
