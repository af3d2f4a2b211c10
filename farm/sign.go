package farm

import (
	"crypto/ed25519"
	"fmt"
	"strings"
)

// taskDomain keeps a signature of a task from being one of anything else.
const taskDomain = "gogi task 1\x00"

// Sign is the coordinator's word that the task is to be played, as it is.
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

// Check is nil where the coordinator has signed the task as it is, else ErrSignature.
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

// signed is all of the task but the signature.
func (t *Task) signed() ([]byte, error) {
	whole := *t
	whole.Signature = nil
	body, err := Encode(whole)
	return append([]byte(taskDomain), body...), err
}

// Speaker is the name in a subject of the key that alone may publish on it; "" where
// anybody or nobody may.
func Speaker(subject string) string {
	parts := strings.Split(subject, ".")
	switch kind := parts[0] + "."; {
	case len(parts) == 2 && (kind == SubjectHello || kind == SubjectLease || kind == SubjectBeat || kind == SubjectArtefact || kind == SubjectUpload),
		len(parts) == 3 && (kind == SubjectResults || kind == SubjectAdmin):
		return parts[1]
	case len(parts) == 3 && kind == SubjectEvents:
		return parts[2]
	}
	return ""
}
