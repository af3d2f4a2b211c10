package farm

import (
	"crypto/ed25519"
	"fmt"
	"strings"
)

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
	case len(parts) == 2 && (kind == SubjectHello || kind == SubjectLease || kind == SubjectBeat || kind == SubjectArtefact || kind == SubjectUpload),
		len(parts) == 3 && (kind == SubjectResults || kind == SubjectAdmin):
		return parts[1]
	case len(parts) == 3 && kind == SubjectEvents:
		return parts[2]
	}
	return ""
}
