package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"os"
	"path/filepath"
)

// whole is a file that has its name only once it is whole and on the disk: neither a kill
// nor a full disk leaves a half one under that name.
type whole struct {
	file *os.File
	path string // the final one
	hash hash.Hash
	size int64
	done func(w *whole) // when it has its name; nil: nobody waits for that
}

// newWhole begins a file. What a killed process left of one is written over.
func newWhole(path string) (*whole, error) {
	dir, name := filepath.Split(path)
	f, err := os.Create(filepath.Join(dir, "."+name+".part"))
	if err != nil {
		return nil, err
	}
	return &whole{file: f, path: path, hash: sha256.New()}, nil
}

// Write writes through.
func (w *whole) Write(b []byte) (int, error) {
	n, err := w.file.Write(b)
	_, _ = w.hash.Write(b[:n]) // it has no way to fail
	w.size += int64(n)
	return n, err
}

// Close gives the file its name.
func (w *whole) Close() error {
	err := w.file.Sync()
	if err = errors.Join(err, w.file.Close()); err != nil {
		return errors.Join(err, os.Remove(w.file.Name()))
	}
	if err := os.Rename(w.file.Name(), w.path); err != nil {
		return err
	}
	if w.done != nil {
		w.done(w)
	}
	return syncFolder(filepath.Dir(w.path))
}

// Discard leaves nothing of it.
func (w *whole) Discard() error { return errors.Join(w.file.Close(), os.Remove(w.file.Name())) }

// sum is the SHA-256 of what was written.
func (w *whole) sum() string { return hex.EncodeToString(w.hash.Sum(nil)) }

// syncFolder makes names outlive a power cut.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

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
