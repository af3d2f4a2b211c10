package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"

	"gogi/internal/disk"
)

// whole is a file that has its name only once it is whole and on the disk, and is hashed on
// the way there.
type whole struct {
	part *disk.Part
	hash hash.Hash
	size int64
	done func(w *whole) // when it has its name; nil: nobody waits for that
}

// newWhole begins a file.
func newWhole(path string) (*whole, error) {
	part, err := disk.NewPart(path)
	if err != nil {
		return nil, err
	}
	return &whole{part: part, hash: sha256.New()}, nil
}

// Write writes through.
func (w *whole) Write(b []byte) (int, error) {
	n, err := w.part.File.Write(b)
	_, _ = w.hash.Write(b[:n]) // it has no way to fail
	w.size += int64(n)
	return n, err
}

// Close gives the file its name.
func (w *whole) Close() error {
	if err := w.part.Publish(true); err != nil {
		return err
	}
	if w.done != nil {
		w.done(w)
	}
	return nil
}

// Discard leaves nothing of it.
func (w *whole) Discard() error { return w.part.Discard() }

// sum is the SHA-256 of what was written.
func (w *whole) sum() string { return hex.EncodeToString(w.hash.Sum(nil)) }

// writeWhole writes a file at once.
func writeWhole(path string, data []byte) error {
	w, err := newWhole(path)
	if err != nil {
		return err
	}
	if _, err := w.Write(data); err != nil {
		return errors.Join(err, w.Discard())
	}
	return w.Close()
}
