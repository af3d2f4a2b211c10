package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"

	"gogi/internal/disk"
)

// whole is a file that gets its name only after all its data are on the disk. It calculates the SHA-256 of the data.
type whole struct {
	part *disk.Part
	hash hash.Hash
	size int64
	done func(w *whole) // called after Close has given the name; may be nil
}

// newWhole creates a file under a temporary name. Close gives it the name path.
func newWhole(path string) (*whole, error) {
	part, err := disk.NewPart(path)
	if err != nil {
		return nil, err
	}
	return &whole{part: part, hash: sha256.New()}, nil
}

// Write writes to the file and the hash.
func (w *whole) Write(b []byte) (int, error) {
	n, err := w.part.File.Write(b)
	_, _ = w.hash.Write(b[:n]) // a hash returns no error
	w.size += int64(n)
	return n, err
}

// Close flushes the file to the disk and gives it its final name.
func (w *whole) Close() error {
	if err := w.part.Publish(true); err != nil {
		return err
	}
	if w.done != nil {
		w.done(w)
	}
	return nil
}

// Discard deletes the file.
func (w *whole) Discard() error { return w.part.Discard() }

// sum returns the SHA-256 of the written data.
func (w *whole) sum() string { return hex.EncodeToString(w.hash.Sum(nil)) }

// writeWhole writes a file with data.
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
