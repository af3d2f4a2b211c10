package farm

import (
	"crypto/ed25519"
	"errors"
	"fmt"
)

// Signer signs with the key of a worker or of the coordinator: ed25519 over the text.
type Signer func(text []byte) ([]byte, error)

// What is signed begins with what it is, so that no signature of one kind, nor of a
// server's challenge, passes for one of another.
const (
	signedTask  = "gogi farm task 1\n"
	signedBatch = "gogi farm batch 1\n"
)

// ErrUnsigned is the error of a signature that is not of the key that it should be of.
var ErrUnsigned = errors.New("farm: the signature is wrong")

// SignTask is the coordinator's word that a run is to be played.
func SignTask(sign Signer, t Task) (Task, error) {
	text, err := t.signed()
	if err != nil {
		return t, err
	}
	t.Signature, err = sign(text)
	return t, err
}

// Check is nil where the coordinator has signed the task as it is.
func (t Task) Check(coordinator ed25519.PublicKey) error {
	text, err := t.signed()
	if err != nil {
		return err
	}
	if !verifies(coordinator, text, t.Signature) {
		return fmt.Errorf("run %s: %w", t.Run, ErrUnsigned)
	}
	return nil
}

func (t Task) signed() ([]byte, error) {
	t.Signature = nil
	body, err := Encode(t)
	return append([]byte(signedTask), body...), err
}

// SignBatch encodes and signs a batch.
func SignBatch(sign Signer, b Batch) (Signed, error) {
	body, err := Encode(b)
	if err != nil {
		return Signed{}, err
	}
	signature, err := sign(append([]byte(signedBatch), body...))
	return Signed{Batch: body, Signature: signature}, err
}

// Open is the batch that the worker with this key has signed.
func (s Signed) Open(worker ed25519.PublicKey) (Batch, error) {
	if !verifies(worker, append([]byte(signedBatch), s.Batch...), s.Signature) {
		return Batch{}, ErrUnsigned
	}
	var b Batch
	err := Decode(s.Batch, &b)
	return b, err
}

// verifies guards against keys of another length, at which ed25519 panics.
func verifies(key ed25519.PublicKey, text, signature []byte) bool {
	return len(key) == ed25519.PublicKeySize && ed25519.Verify(key, text, signature)
}
